"""`grow`: adds candidate parents as long as the best DAG or the posterior calls for others."""

from __future__ import annotations

import time
import warnings
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Unpack

import numpy as np

from arcwise import _core
from arcwise.algorithms.growth_state import GrowthRound, GrowthState, Matrix, growth_memory
from arcwise.algorithms.map import best_dag_of_order, order_of
from arcwise.algorithms.map import map as find_map
from arcwise.algorithms.mcmc import mcmc
from arcwise.algorithms.parent_pairs import better_pairs, better_parents
from arcwise.candidates import Candidates
from arcwise.candidates import candidates as choose_candidates
from arcwise.constraints import ConstraintArguments, gather, takes_constraints
from arcwise.errors import (
    ArgumentError,
    ConvergenceWarning,
    GrowthWarning,
    InterruptedWarning,
    TimeIsUpError,
    Wording,
)
from arcwise.families import Families
from arcwise.graphs import cpdag
from arcwise.graphs.dag import Dag
from arcwise.model import Model, Question, ask
from arcwise.posterior.map_result import MapResult, SearchSettings, is_more
from arcwise.records.settings import SumSettings
from arcwise.sums import ScoreSums
from arcwise.support.checks import MOST_INT, checked_seed, open_fraction, whole_number
from arcwise.support.clock import Deadline, shared_clock
from arcwise.support.running import Progress, Run, running
from arcwise.support.warnings import warn
from arcwise.support.words import byte_size, plural, quoted, shown

DEFAULT_MAX_SIZE = 14

# Perturbations per variable: from a random order, from the order of the previous round, and in the
# final search.
_FIRST_PATIENCE = 2
_NEXT_PATIENCE = 1
_LAST_PATIENCE = 5
# The number of candidates to which every node is filled up in every other growth from a random
# order, so that they do not all start alike.
_FILLED_SIZE = 6
_SHARE_OF_STARTS = 0.6  # of the time, for the progress bar
# Up to this many variables every round searches parent sets with one further parent. Beyond, where
# that would take minutes, it searches among the candidates alone, and then looks for one further
# parent of each node of the DAG found.
_MOST_FOR_PLUS_ONE = 300
# Of the seconds given: for the initial candidates, for all rounds, and for the chains of a round.
_SHARE_OF_START = 0.6
_SHARE_OF_ROUNDS = 0.6
_SHARE_OF_CHAINS = 0.3
# If growth is cut short, the neighbours in this many DAGs stay candidates; and after Ctrl-C the
# last model may take this long.
_MOST_DAGS_KEPT = 8
_SECONDS_AFTER_INTERRUPTION = 2.0


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

    def __repr__(self) -> str:
        """Show the number of rounds and of candidates."""
        sizes = self.candidates.sizes().values()
        return (
            f"<Growth: {len(self.rounds)} rounds, {min(sizes)} to {max(sizes)} candidates for each "
            "node>"
        )


@takes_constraints
def grow(
    data: Any,
    candidates: Any = None,
    *,
    by: Literal["map", "posterior"] = "map",
    threshold: float = 0.1,
    max_size: int = DEFAULT_MAX_SIZE,
    score: Any = None,
    prior: Any = None,
    restarts: int = 4,
    steps: int | None = None,
    memory_limit: int | None = None,
    seed: int = 0,
    seconds: float | Deadline | None = None,
    threads: int | None = None,
    progress: Progress = None,
    **constraints: Unpack[ConstraintArguments],
) -> Growth:
    """Grow candidate parents until nothing better is found outside them.

    In each round every parent set may have one parent that is not a candidate. The best
    DAG is searched for, or the posterior sampled; the parents found become candidates,
    and the next round begins (Kuipers, Suter and Moffa 2022, "Efficient sampling and
    structure learning of Bayesian networks"). When the best DAG calls for no others, the
    search is restarted from random orders with more candidates, and pairs of parents that
    help only jointly are looked for; growth continues if that finds a better DAG. Beyond
    300 variables, a round that follows the best DAG searches among the candidates alone and
    then looks for one further parent of each node, so the resulting model has no parents
    but the candidates.

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
    **constraints
        As for `Model`; see `ConstraintArguments`.

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
    _refuse(by, threshold)
    whole_number(max_size, "max_size", at_least=1, at_most=MOST_INT)
    whole_number(restarts, "restarts", at_least=1)
    checked_seed(seed)
    if steps is not None:
        whole_number(steps, "steps", at_least=2)
    if memory_limit is not None:
        whole_number(memory_limit, "memory_limit", at_least=0)
    with shared_clock(seconds) as deadline:
        asked = ask(data, score, prior=prior, constraints=gather(constraints))
        question, first = _start(asked, candidates, deadline.part(_SHARE_OF_START), threads)
        rounds = deadline.part(_SHARE_OF_ROUNDS)
        with running(threads, progress, "Growing candidates", rounds) as run:
            plus_one = by == "posterior" or len(question.variables) <= _MOST_FOR_PLUS_ONE
            state = GrowthState(question, first, plus_one, max_size, memory_limit, run)
            if by == "map":
                best = _by_map(state, restarts, seed, deadline)
            else:
                best = None
                _by_posterior(state, threshold, steps, seed, deadline)
    if state.full:
        warn(
            GrowthWarning(
                f"{quoted(sorted(state.full))} would need more than {max_size} candidate parents; "
                "give ",
                Wording(f"max_size={max_size + 2}", f"--max-candidates {max_size + 2}"),
                ", with which such a node takes "
                f"{byte_size(growth_memory(len(question.variables), max_size + 2))}",
            )
        )
    full = tuple(sorted(state.full))
    if best is not None:
        last = asdict(state.rounds[-1]) if state.rounds else {}
        growth = {**last, "rounds": len(state.rounds), "full": full}
        best = replace(best, growth=growth)
    chosen = Candidates.from_matrix(question.variables, state.matrix | state.required)
    return Growth(chosen, state.model, best, tuple(state.rounds), full)


def _by_map(state: GrowthState, restarts: int, seed: int, deadline: Deadline) -> MapResult | None:
    """Return the best DAG, or the best so far if time is up or Ctrl-C comes, if there is any.

    The candidates are then those it calls for.
    """
    began = time.perf_counter()
    try:
        return _grow_by_map(state, restarts, seed)
    except TimeIsUpError:
        deadline.cut(f"Growth was cut short after {plural(len(state.rounds), 'round')}.")
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
    return _known(state, dags[0], interrupted, time.perf_counter() - began)


def _known(state: GrowthState, dag: Dag, interrupted: bool, seconds: float) -> MapResult:
    """Return a DAG that was found in one of the rounds as the result."""
    model, log_weight = state.model, state.weights[dag]
    terms = model.prior_terms
    log_prior = sum(
        terms.log_weight(node, sorted(parents), model.variables)
        for node, parents in enumerate(dag.parent_indices)
    )
    return MapResult(
        dag=dag,
        cpdag=cpdag(dag),
        log_score=log_weight - log_prior,
        log_weight=log_weight,
        restart_log_weights=np.empty(0),
        classes=1,
        interrupted=interrupted,
        seconds=seconds,
        search=state.search,
        provenance=model.provenance(),
    )


def _grow_by_map(state: GrowthState, restarts: int, seed: int) -> MapResult:
    """Grow from several random orders, then from the best DAG until nothing improves it."""
    run = state.run
    starts = restarts if state.plus_one else 1
    dags = []
    for stream in range(starts):
        dags.append(_search_and_grow(state, None, seed, stream))
        if run.progress is not None:
            run.progress(_SHARE_OF_STARTS * (stream + 1) / starts)
    last = -np.inf
    while True:
        # The neighbours in all DAGs become candidates, those of the best DAG first; then its
        # children as well, lest edges that point the wrong way hold each other in place.
        dags.sort(key=state.weights.__getitem__, reverse=True)
        before = state.weights[dags[0]]
        adjacent = [_adjacent(dag) for dag in dags]
        state.keep(*adjacent, adjacent[0].T)
        if state.plus_one:
            state.fill(state.final_size)
        model = state.build()
        sums = ScoreSums(model, tabulate="maxima", seconds=run.deadline, threads=run.threads)
        found = find_map(
            model,
            method="search",
            restarts=restarts,
            patience=_LAST_PATIENCE * len(model.variables),
            starts=dags[:1],
            seconds=run.deadline if run.deadline.limited else None,
            seed=seed,
            sums=sums,
            threads=run.threads,
        )
        if found.interrupted:
            return found
        state.weights.setdefault(found.dag, found.log_weight)
        run.deadline.check()
        wanted = _adjacent(found.dag)
        more = better_pairs if state.plus_one else better_parents
        others = more(state.weigher, found.dag, run.quiet) & ~state.matrix
        new = state.record(wanted | others, found.log_weight)
        improved = is_more(found.log_weight, before)
        # Parents found again were not kept for lack of room.
        if not is_more(found.log_weight, last) or not (others.any() or (new > 0 and improved)):
            return found
        last = state.weights[found.dag] = found.log_weight
        state.keep(wanted | others)
        dags = [_search_and_grow(state, found.dag, seed, 0), *dags]


def _search_and_grow(state: GrowthState, dag: Dag | None, seed: int, stream: int) -> Dag:
    """Search and grow in turns until the best DAG calls for no others; return it."""
    filled = _FILLED_SIZE if dag is None and stream % 2 == 1 else 0
    if dag is None:
        state.keep(np.zeros_like(state.matrix))
    best = -np.inf
    while True:
        state.fill(filled)
        model = state.build()
        sums = ScoreSums(
            model, tabulate="maxima", seconds=state.run.deadline, threads=state.run.threads
        )
        state.search = SearchSettings(
            1,
            _NEXT_PATIENCE * len(state.variables),
            state.run.deadline.seconds,
            seed,
            SumSettings.of(sums),
        )
        dag = _search(sums, dag, seed, stream, state.run.quiet)
        weight = state.weights[dag] = model.log_weight_of(dag)
        wanted = _adjacent(dag)
        if not state.plus_one:
            wanted |= better_parents(state.weigher, dag, state.run.quiet)
        new = state.record(wanted, weight)
        state.run.deadline.check()
        if new == 0 or not is_more(weight, best):
            return dag
        best = weight
        state.keep(wanted)


def _search(sums: ScoreSums, dag: Dag | None, seed: int, stream: int, run: Run) -> Dag:
    """Return the best DAG of a short search, started from an order of the given DAG if any."""
    n = len(sums.variables)
    starts = [] if dag is None else [order_of(dag)] * (stream + 1)
    patience = n * (_FIRST_PATIENCE if dag is None else _NEXT_PATIENCE)
    search = _core.OrderSearch(sums.core, patience, seed, starts)
    try:
        search.run(stream, 1, 1, run.progress)
    except TimeIsUpError:
        if len(search) == 0:
            raise
        # What it has found so far counts, too, before the next round is refused.
    return best_dag_of_order(sums, search.order(0))


def _adjacent(dag: Dag) -> Matrix:
    """Return the edges of all DAGs of the equivalence class, as [parent, node]."""
    place = {name: i for i, name in enumerate(dag.variables)}
    matrix = dag.matrix()
    for one, other in cpdag(dag).undirected:
        matrix[place[one], place[other]] = matrix[place[other], place[one]] = True
    return matrix


def _by_posterior(
    state: GrowthState, threshold: float, steps: int | None, seed: int, deadline: Deadline
) -> None:
    try:
        _grow_by_posterior(state, threshold, steps, seed)
    except TimeIsUpError:
        deadline.cut(f"Growth was cut short after {plural(len(state.rounds), 'round')}.")
        state.build_within(deadline)


def _grow_by_posterior(state: GrowthState, threshold: float, steps: int | None, seed: int) -> None:
    n = len(state.variables)
    budget: dict[str, Any] = {"steps": max(20_000, 40 * n**2) if steps is None else steps}
    wanted = np.zeros_like(state.matrix)
    while True:
        model = state.build()
        if state.run.deadline.limited:
            budget = {"seconds": state.run.deadline.part(_SHARE_OF_CHAINS)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            edges = mcmc(
                model,
                "linear",
                modularity="order-modular",
                chains=2,
                dags_per_state=0,
                seed=seed,
                threads=state.run.threads,
                **budget,
            ).edges
        state.run.deadline.check()
        wanted = wanted | (edges > threshold)
        if state.record(wanted, None) == 0:
            return
        before = state.matrix
        state.keep(wanted)
        if (state.matrix == before).all():
            return


def _start(
    asked: Model | Question, candidates: Any, deadline: Deadline, threads: int | None
) -> tuple[Question, Matrix]:
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
        chosen = choose_candidates(asked, chosen, seconds=deadline, threads=threads)
    question = replace(asked, candidates=chosen)
    if question.precomputed is not None:
        return question, _matrix(Model(question, threads=threads).families)
    return question, _matrix(question.families)


def _matrix(families: Families | None) -> Matrix:
    if families is None:
        raise ArgumentError(
            "the model has only a list of precomputed scores, so no other families can be scored; "
            "give the data"
        )
    n = len(families.variables)
    matrix: Matrix = np.zeros((n, n), dtype=np.bool_)
    for node, parents in enumerate(families.candidates):
        matrix[list(parents), node] = True
    return matrix


def _refuse(by: Any, threshold: Any) -> None:
    if not isinstance(by, str) or by not in ("map", "posterior"):
        raise ArgumentError(f"by is {shown(by)}; give 'map' or 'posterior'")
    open_fraction(threshold, "threshold")
