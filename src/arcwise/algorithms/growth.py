"""`grow`: adds candidate parents as long as the best DAG or the posterior requires others.

Growth by the best DAG searches among the current candidates, makes the neighbours in the DAGs found
candidates, and tests whether other parents would improve these DAGs: single ones, and pairs that
help only jointly.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.algorithms.growth_state import (
    FoundRound,
    Growing,
    GrowthRound,
    GrowthState,
    Matrix,
    growth_memory,
)
from arcwise.algorithms.map import Search, best_dag_of, best_dag_of_order, map_result, order_of
from arcwise.algorithms.mcmc import mcmc
from arcwise.errors import (
    ArgumentError,
    ConvergenceWarning,
    GrowthWarning,
    InterruptedWarning,
    TimeIsUpError,
    Wording,
)
from arcwise.families import Families
from arcwise.families.families import SYNONYMS, ConstraintArguments, parent_matrix
from arcwise.graphs import cpdag
from arcwise.graphs.dag import Dag
from arcwise.model import Definition, Model, Question, ask
from arcwise.model.candidates import Candidates, FamilyWeigher, Joined
from arcwise.model.candidates import candidates as choose_candidates
from arcwise.model.score_sums import ScoreSums
from arcwise.posterior.map_result import MapResult, SearchSettings, is_more
from arcwise.records.settings import SumSettings
from arcwise.support.names import byte_size, quoted
from arcwise.support.running import Deadline, Run, SeededRun, Stage, warn
from arcwise.support.settings import keywords_of

# Shares of the time limit: for the initial candidates, for all rounds, and for chains of a round.
_SHARE_OF_START = 0.6
_SHARE_OF_ROUNDS = 0.6
_SHARE_OF_CHAINS = 0.3
# Pairs are formed among this many potential parents of each node, those that are best when added to
# its current parents; they are joined to subsets of this many of the current parents.
_MOST_PARTNERS = 100
_MOST_KEPT = 8


def better_parents(
    weigher: FamilyWeigher, dag: Dag, run: Stage, *, pairs: bool
) -> NDArray[np.bool_]:
    """Return new parents, one or a pair, that raise the weight of a family, as [parent, node].

    Each node may lose some of its parents and gain one other, or two, that are not its descendants;
    the best such family is chosen, if it is better than the current one.
    """
    n = len(weigher.variables)
    parents = [sorted(own) for own in dag.parent_indices]
    best, others = _one_more(weigher, dag, parents, run)
    found = np.zeros((n, n), dtype=np.bool_)
    firsts = range(max(len(own) for own in others)) if pairs else [None]
    for first in firsts:
        joined = _joined(weigher, parents, others, first)
        table = weigher.weighed(joined, run)
        for node, own in joined.items():
            of_node = own.others
            values = table.values(node).reshape(-1, len(of_node)).max(axis=0)
            place = int(np.argmax(values))
            if is_more(values[place], best[node]):
                best[node] = values[place]
                found[:, node] = False
                found[of_node[place], node] = True
                if first is not None:
                    found[others[node][first], node] = True
    return found


def _one_more(
    weigher: FamilyWeigher, dag: Dag, parents: list[list[int]], run: Stage
) -> tuple[NDArray[np.float64], list[list[int]]]:
    """Return the weight of each family, and the other possible parents, the best first."""
    n = len(weigher.variables)
    after = _descendants(dag)
    others = [
        [u for u in weigher.free(node) if u not in parents[node] and not after[node, u]]
        for node in range(n)
    ]
    weights = np.empty(n)
    alone = _core.FamilyTable([[] for _ in range(n)], parents, [0] * n)
    weigher.weigh(alone, run)
    for node in range(n):
        weights[node] = alone.values(node)[0]
    some = {node: Joined([], parents[node], others[node], 0) for node in range(n)}
    joined = weigher.weighed(some, run)
    for node in range(n):
        order = np.argsort(-joined.values(node), kind="stable")[:_MOST_PARTNERS]
        others[node] = [others[node][place] for place in order]
    return weights, others


def _joined(
    weigher: FamilyWeigher, parents: list[list[int]], others: list[list[int]], first: int | None
) -> dict[int, Joined]:
    """Return families of some of a node's parents, the other at `first` if given, and one other."""
    found = {}
    for node, present in enumerate(parents):
        must = weigher.must(node)
        own = [u for u in present if u not in must]
        kept, left = own[:_MOST_KEPT], own[_MOST_KEPT:]
        beside = [] if first is None else others[node][first : first + 1]
        room = weigher.room(node) - len(left) - len(beside) - 1
        outside = others[node][0 if first is None else first + 1 :]  # each pair once
        if room >= 0 and outside:
            found[node] = Joined(kept, [*must, *left, *beside], outside, min(room, len(kept)))
    return found


def _descendants(dag: Dag) -> NDArray[np.bool_]:
    """Return a matrix with True at [node, descendant], the node itself included."""
    n = len(dag.variables)
    place = {name: i for i, name in enumerate(dag.variables)}
    result = np.eye(n, dtype=np.bool_)
    for name in reversed(dag.topological_order()):
        node = place[name]
        for parent in dag.parent_indices[node]:
            result[parent] |= result[node]
    return result


@dataclass(frozen=True, repr=False)
class Growth:
    """Grown candidates, the model on them, and a record of the growth.

    Parameters
    ----------
    candidates
        The candidates.
    model
        The model on them. Each parent set may have one parent that is not a candidate,
        unless growth followed the best DAG of more than 300 variables.
    best
        The best DAG, if growth followed it.
    rounds
        The record of each round.
    full
        The nodes that needed more candidates than allowed.
    unfinished
        Whether growth was cut short because the time was up.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 1000, seed=1)
    >>> grown = arcwise.grow(data, {"either": ["tub"]}, seed=1)
    >>> "lung" in grown.candidates["either"]
    True
    """

    candidates: Candidates
    model: Model
    best: MapResult | None
    rounds: tuple[GrowthRound, ...]
    full: tuple[str, ...] = ()
    unfinished: bool = False

    def __repr__(self) -> str:
        """Show the number of rounds and of candidates."""
        sizes = self.candidates.sizes().values()
        return (
            f"<Growth: {len(self.rounds)} rounds, {min(sizes)} to {max(sizes)} candidates for each "
            "node>"
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Arguments(SeededRun, Growing, ConstraintArguments):
    """The arguments of `grow`."""

    data: Any = field(kw_only=False)
    candidates: Any = field(default=None, kw_only=False)
    score: Any = None
    prior: Any = None


@keywords_of(_Arguments, other_words=SYNONYMS, described_by=(ConstraintArguments,))
def grow(data: Any, definition: Definition, settings: Growing, run: Run) -> Growth:
    """Grow candidate parents until no better ones are found.

    In each round, every parent set may have one parent that is not a candidate. The best DAG is
    searched for, or the posterior sampled; the parents found become candidates, and the next round
    begins (Kuipers, Suter and Moffa 2022, "Efficient sampling and structure learning of Bayesian
    networks"). When the best DAG requires no others, the search is restarted from random orders
    with more candidates, and pairs of parents that help only jointly are tested; growth continues
    if that finds a better DAG. Beyond 300 variables, a round that follows the best DAG searches
    among the candidates alone and then tests one further parent of each node, so the parents in
    the resulting model are all candidates.

    Besides the arguments described here, it takes constraints, as `Model` does; see
    `ConstraintArguments`.

    Parameters
    ----------
    data
        A `Model`, whose score, prior and constraints are used and whose candidates are
        the initial ones; or anything `arcwise.read` takes.
    candidates
        The initial candidates if no model is given: a method of `arcwise.candidates`, or
        candidates in any form it takes. None for ``"pc"``, or for ``"greedy:4"`` if there
        are no data to test.
    by
        ``"map"``: growth follows the best DAG, and the edges of its equivalence class
        become candidates. ``"posterior"``: all edges with a probability above the
        threshold do.
    threshold
        The edge probability above which a parent becomes a candidate.
    max_size
        The maximum number of candidates of a node. A node with K of them takes
        ``24 * (n - K) * 2**K`` bytes: 32 MiB with 100 variables and 14 candidates,
        doubling with each further candidate (see `growth_memory`).
    score, prior
        As for `Model`.
    restarts
        The number of restarts of the final search, see `arcwise.map`.
    steps
        The steps of each of two chains in a round, if growth follows the posterior;
        None for ``40 n**2``, at least 20,000.
    memory_limit
        The bytes a round may take; None for the free memory of the machine. A round that
        needs more is refused before it starts.
    seed
        The seed; results do not depend on the number of threads.
    seconds
        If given, growth ends after this time with the candidates found so far, and a
        `CutShortWarning`. Or a `Deadline` that this call shares with others.
    threads, progress
        As for `exact`.
    file
        A file that keeps the rounds of ``by="map"``: after any interruption, the same call
        continues from there, with the same result. Scores of a long round are kept in a second
        file, with the ending ``.scores``, until growth ends.

    Returns
    -------
    Growth
        The candidates, the model on them, ready for `mcmc` and other samplers, and the
        best DAG. With ``by="map"``, Ctrl-C ends growth early and returns the best DAG so
        far, with an `InterruptedWarning`.

    Examples
    --------
    >>> import arcwise
    >>> dag = arcwise.networks.random_dag(12, expected_degree=3, seed=1)
    >>> data = arcwise.networks.gaussian_network(dag, seed=1).sample(200, seed=1)
    >>> grown = arcwise.grow(data, seed=1)
    >>> exact = arcwise.map(arcwise.Model(data))
    >>> bool(abs(grown.best.log_weight - exact.log_weight) < 1e-6)
    True
    """
    with run.telling():
        asked = ask(data, replace(definition, candidates=None))
        question, first = _start(asked, definition.candidates, run.within(_SHARE_OF_START))
        of_rounds = run.within(_SHARE_OF_ROUNDS)
        with of_rounds.stage("Growing candidates") as stage:
            state = GrowthState(question, first, settings, of_rounds.quiet, stage)
            best = None
            if settings.by == "map":
                best = grow_by_map(state, run.deadline)
                if settings.scores_file is not None and best is not None and not best.interrupted:
                    settings.scores_file.unlink(missing_ok=True)
            else:
                _by_posterior(state, run.deadline)
    if state.full:
        more = settings.max_size + 2
        warn(
            GrowthWarning(
                f"{quoted(sorted(state.full))} would need more than {settings.max_size} candidate "
                "parents; give ",
                Wording(f"max_size={more}", f"--max-candidates {more}"),
                ", with which such a node takes "
                f"{byte_size(growth_memory(len(question.variables), more))}",
            )
        )
    full = tuple(sorted(state.full))
    if best is not None:
        last = asdict(state.rounds[-1]) if state.rounds else {}
        growth = {**last, "rounds": len(state.rounds), "full": full}
        best = replace(best, growth=growth)
    chosen = Candidates.from_matrix(question.variables, state.matrix | state.required)
    return Growth(chosen, state.model, best, tuple(state.rounds), full, state.unfinished)


def _start(asked: Model | Question, candidates: Any, run: Run) -> tuple[Question, Matrix]:
    """Return the question, and the initial candidates as a matrix [candidate, node]."""
    if isinstance(asked, Model):
        if candidates is not None:
            raise ArgumentError(
                "a model already has its candidates; leave them out, or give the data instead"
            )
        return asked.question, _matrix(asked.families)
    chosen = candidates
    if candidates is None:
        chosen = "pc" if asked.table is not None else "greedy:4"
    if isinstance(chosen, str):
        found = choose_candidates(asked, chosen, seconds=run.deadline, threads=run.threads)
        chosen = found.matrix()
    question = replace(asked, candidates=chosen)
    if question.precomputed is not None:
        return question, _matrix(Model(question, threads=run.threads).families)
    return question, _matrix(question.families)


def _matrix(families: Families | None) -> Matrix:
    if families is None:
        raise ArgumentError(
            "the model has only a list of precomputed scores, so no other families can be scored; "
            "give the data"
        )
    return parent_matrix(families.candidates)


def _by_posterior(state: GrowthState, deadline: Deadline) -> None:
    try:
        _grow_by_posterior(state)
    except TimeIsUpError:
        state.cut_short(deadline)
        state.build_within(deadline)


def _grow_by_posterior(state: GrowthState) -> None:
    n, settings, run = len(state.variables), state.settings, state.run
    steps = max(20_000, 40 * n**2) if settings.steps is None else settings.steps
    budget: dict[str, Any] = {"steps": steps}
    wanted = np.zeros_like(state.matrix)
    while True:
        model = state.build()
        if run.deadline.limited:
            budget = {"seconds": run.deadline.part(_SHARE_OF_CHAINS)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            edges = mcmc(
                model,
                "linear",
                modularity="order-modular",
                chains=2,
                dags_per_state=0,
                seed=run.seed,
                threads=run.threads,
                **budget,
            ).edges
        run.deadline.check()
        wanted = wanted | (edges > settings.threshold)
        if state.record(wanted, None, len(model.scores)) == 0:
            return
        before = state.matrix
        state.keep(wanted)
        if (state.matrix == before).all():
            return


# Perturbations per variable: from a random order, from the order of the previous round, and in the
# final search.
_FIRST_PATIENCE = 2
_NEXT_PATIENCE = 1
_LAST_PATIENCE = 5
# The number of candidates to which every node is filled up in every other growth from a random
# order, so that these begin differently.
_FILLED_SIZE = 6
_SHARE_OF_STARTS = 0.6  # of the time, for the progress bar
# If growth is cut short, the neighbours in this many DAGs stay candidates; after Ctrl-C, the last
# model may take this long.
_MOST_DAGS_KEPT = 8
_SECONDS_AFTER_INTERRUPTION = 2.0


def grow_by_map(state: GrowthState, deadline: Deadline) -> MapResult | None:
    """Grow candidates by the best DAG; return it, or the best so far if the time is up, if any."""
    began = time.perf_counter()
    try:
        return _grow_by_map(state)
    except TimeIsUpError:
        state.cut_short(deadline)
        interrupted = False
    except KeyboardInterrupt:
        if not state.weights:
            raise
        warn(
            f"growth was interrupted after {len(state.rounds)} rounds; the result is the best DAG "
            "so far",
            InterruptedWarning,
        )
        deadline, interrupted = Deadline(_SECONDS_AFTER_INTERRUPTION), True
    dags = sorted(state.weights, key=state.weights.__getitem__, reverse=True)
    adjacent = [_adjacent(dag) for dag in dags[:_MOST_DAGS_KEPT]] or [np.zeros_like(state.matrix)]
    state.keep(*adjacent, adjacent[0].T)
    state.build_within(deadline)
    if not dags:
        return None
    best, model = dags[0], state.model
    terms, log_weight = model.prior_terms, state.weights[best]
    log_prior = sum(
        terms.log_weight(node, sorted(parents), model.variables)
        for node, parents in enumerate(best.parent_indices)
        if model.variables[node] not in model.parent_only
    )
    return replace(
        map_result(model, best, log_weight, began),
        log_score=log_weight - log_prior,  # the model may lack some of its families
        interrupted=interrupted,
        search=state.search,
    )


def _grow_by_map(state: GrowthState) -> MapResult:
    """Grow from several random orders, then from the best DAG until nothing improves it."""
    run = state.stage
    starts = state.settings.restarts if state.plus_one else 1
    dags = []
    for stream in range(starts):
        dags.append(_search_and_grow(state, None, stream))
        if run.progress is not None:
            run.progress(_SHARE_OF_STARTS * (stream + 1) / starts)
    last = -np.inf
    while True:
        # The neighbours in all DAGs become candidates, those of the best DAG first; then its
        # children as well, as otherwise wrongly oriented edges can block each other.
        dags.sort(key=state.weights.__getitem__, reverse=True)
        before = state.weights[dags[0]]
        adjacent = [_adjacent(dag) for dag in dags]
        state.keep(*adjacent, adjacent[0].T)
        if state.plus_one:
            state.fill(state.final_size)
        result = None
        found = state.log.next()
        if found is None:
            result = _final_search(state, dags[0])
            if result.interrupted:
                return result
            state.weights.setdefault(result.dag, result.log_weight)
            run.deadline.check()
            better = better_parents(state.weigher, result.dag, run.quiet, pairs=state.plus_one)
            others = better & ~state.matrix
            found = FoundRound(result.dag, result.log_weight, others, len(state.model.scores))
            state.log.add(found)
        wanted, others = _adjacent(found.dag), found.wanted
        new = state.record(wanted | others, found.log_weight, found.families)
        improved = is_more(found.log_weight, before)
        # Parents that are found again had not been kept, as there was no room for them.
        if not is_more(found.log_weight, last) or not (others.any() or (new > 0 and improved)):
            return result or _final_search(state, dags[0])
        last = state.weights[found.dag] = found.log_weight
        state.keep(wanted | others)
        dags = [_search_and_grow(state, found.dag, 0), *dags]


def _final_search(state: GrowthState, start: Dag) -> MapResult:
    """Search with the candidates of all DAGs found, from the best of them and from others."""
    run = state.run
    model = state.build()
    settings = Search(
        method="search",
        restarts=state.settings.restarts,
        patience=_LAST_PATIENCE * len(model.ordinary),
        starts=[start],
        sums=ScoreSums(model, tabulate="maxima", seconds=run.deadline, threads=run.threads),
    )
    return best_dag_of(model, settings, run)


def _search_and_grow(state: GrowthState, dag: Dag | None, stream: int) -> Dag:
    """Alternate between searching and growing until the best DAG requires no others; return it."""
    filled = _FILLED_SIZE if dag is None and stream % 2 == 1 else 0
    if dag is None:
        state.keep(np.zeros_like(state.matrix))
    best = -np.inf
    while True:
        state.fill(filled)
        found = state.log.next()
        if found is None:
            found = _searched(state, dag, stream)
            state.log.add(found)
        dag = found.dag
        state.weights[dag] = found.log_weight
        new = state.record(found.wanted, found.log_weight, found.families)
        state.run.deadline.check()
        if new == 0 or not is_more(found.log_weight, best):
            return dag
        best = found.log_weight
        state.keep(found.wanted)


def _searched(state: GrowthState, dag: Dag | None, stream: int) -> FoundRound:
    """Search among the current candidates, from an order of the given DAG if any."""
    run = state.run
    model = state.build()
    sums = ScoreSums(model, tabulate="maxima", seconds=run.deadline, threads=run.threads)
    patience = _NEXT_PATIENCE * len(model.ordinary)
    used = SumSettings.of(sums)
    state.search = SearchSettings(1, patience, run.deadline.seconds, run.seed, used)
    dag = _search(state, sums, dag, stream)
    weight = state.weights[dag] = model.log_weight_of(dag)
    wanted = _adjacent(dag)
    if not state.plus_one:
        wanted |= better_parents(state.weigher, dag, state.stage.quiet, pairs=False)
    return FoundRound(dag, weight, wanted, len(model.scores))


def _search(state: GrowthState, sums: ScoreSums, dag: Dag | None, stream: int) -> Dag:
    """Return the best DAG of a short search, started from an order of the given DAG if any."""
    n, model = len(sums.variables), state.model
    starts = [] if dag is None else [order_of(model.folded.restricted(dag))] * (stream + 1)
    patience = n * (_FIRST_PATIENCE if dag is None else _NEXT_PATIENCE)
    search = _core.OrderSearch(sums.core, patience, state.run.seed, starts)
    try:
        search.run(stream, 1, 1, state.stage.quiet.progress)
    except TimeIsUpError:
        if len(search) == 0:
            raise
        # Its result so far is used before the next round is refused.
    return best_dag_of_order(model, sums, search.order(0))


def _adjacent(dag: Dag) -> Matrix:
    """Return the edges of all DAGs of the equivalence class, as [parent, node]."""
    place = {name: i for i, name in enumerate(dag.variables)}
    matrix = dag.matrix()
    for one, other in cpdag(dag).undirected:
        matrix[place[one], place[other]] = matrix[place[other], place[one]] = True
    return matrix
