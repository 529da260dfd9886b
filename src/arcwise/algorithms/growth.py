"""`grow`: candidate parents that grow where the best DAG or the posterior wants others."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Unpack

import numpy as np

from arcwise import _core
from arcwise.algorithms.growth_steps import Growing, GrowthRound, Matrix, growth_memory
from arcwise.algorithms.map import best_dag_of_order, order_of
from arcwise.algorithms.map import map as find_map
from arcwise.algorithms.mcmc import mcmc
from arcwise.algorithms.parent_pairs import better_pairs, better_parents
from arcwise.candidates import Candidates
from arcwise.candidates import candidates as choose_candidates
from arcwise.constraints import ConstraintArguments, gather, takes_constraints
from arcwise.errors import ArgumentError, ConvergenceWarning, GrowthWarning, InterruptedWarning
from arcwise.graphs import cpdag
from arcwise.graphs.dag import Dag
from arcwise.model import Model, Question, ask
from arcwise.posterior.map_result import MapResult, is_more
from arcwise.sums import ScoreSums
from arcwise.support.checks import whole_number
from arcwise.support.running import Progress, Run, running
from arcwise.support.warnings import warn
from arcwise.support.words import byte_size

DEFAULT_MAX_SIZE = 14

# Perturbations for each variable: from a random order, from that of the round before, and in the
# search that ends growth.
_FIRST_PATIENCE = 2
_NEXT_PATIENCE = 1
_LAST_PATIENCE = 5
# Candidates that every node has, wanted or not, in every other growth from a random order: so not
# all begin alike.
_FILLED_AT_FIRST = 6
_SHARE_OF_BEGINNINGS = 0.6  # of the time, for the progress bar
# Up to so many variables every round searches among parent sets with one more parent. Beyond, where
# that takes minutes, it searches among the candidates, and then looks for one more parent of each
# node in the DAG that was found.
_MOST_FOR_PLUS_ONE = 300


@dataclass(frozen=True, repr=False)
class Growth:
    """Candidates that were grown, and what was found on the way.

    Parameters
    ----------
    candidates
        The candidates.
    model
        The model on them, with one more parent allowed in each set but for the best
        DAG of more than 300 variables.
    best
        The best DAG, if growth followed it.
    rounds
        What each round found.
    full
        The nodes that wanted more candidates than allowed.

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
        """Say how far it went."""
        sizes = self.candidates.sizes().values()
        return (
            f"<Growth: {len(self.rounds)} rounds, {min(sizes)} to {max(sizes)} candidates of each "
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
    threads: int | None = None,
    progress: Progress = None,
    **constraints: Unpack[ConstraintArguments],
) -> Growth:
    """Let candidate parents grow until nothing better is found outside them.

    In each round every parent set may have one parent that is no candidate. The
    best DAG is searched for, or the posterior sampled; the parents it wants become
    candidates, and so on (Kuipers, Suter and Moffa 2022, "Efficient sampling and
    structure learning of Bayesian networks"). When the best DAG wants no more, the
    search starts anew from random orders, among more candidates, and pairs of
    parents that help only together are looked for; growth goes on if that finds a
    better DAG. Beyond 300 variables a round that follows the best DAG searches among
    the candidates alone and then looks for one more parent of each node, and so the
    model that comes out has no parents but the candidates.

    Parameters
    ----------
    data
        A `Model`, whose score, prior and constraints are used, and whose candidates
        are those to begin with; or anything `arcwise.read` takes.
    candidates
        What to begin with if no model is given: a method of `arcwise.candidates` or
        candidates in any form it takes. None for ``"pc"``, or ``"greedy:4"`` where
        there are no data to test.
    by
        ``"map"``: growth follows the best DAG, and the edges of its equivalence class
        become candidates. ``"posterior"``: all edges above the threshold do.
    threshold
        The edge probability from which a parent becomes a candidate.
    max_size
        The most candidates of a node. A node that has K of them takes
        ``24 * (n - K) * 2**K`` bytes: 32 MiB with 100 variables and 14 candidates,
        and twice as much for each candidate more (`growth_memory` says it).
    score, prior
        As for `Model`.
    restarts
        How often the last search starts anew, see `arcwise.map`.
    steps
        The steps of each of two chains in a round, if growth follows the posterior;
        None for ``40 n**2``, at least 20,000.
    memory_limit
        The bytes a round may take; None for what the machine has free. A round that
        needs more is refused before it starts.
    seed
        The seed; results do not depend on the number of threads.
    threads, progress
        As for `exact`.
    **constraints
        As for `Model`; see `ConstraintArguments`.

    Returns
    -------
    Growth
        The candidates and the model on them, ready for `mcmc` and others, and the
        best DAG. Ctrl-C ends growth by the best DAG early and returns what there is,
        with an `InterruptedWarning`.

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
    whole_number(max_size, "max_size", at_least=1)
    asked = ask(data, score, prior=prior, constraints=gather(constraints))
    start = _start(asked, candidates, threads)
    whole_number(restarts, "restarts", at_least=1)
    with running(threads, progress, "Growing candidates") as run:
        plus_one = by == "posterior" or len(start.variables) <= _MOST_FOR_PLUS_ONE
        growing = Growing(start, plus_one, max_size, memory_limit, run.threads)
        if by == "map":
            best = _by_map(growing, restarts, seed, run)
        else:
            best = None
            _by_posterior(growing, threshold, steps, seed)
    if growing.full:
        warn(
            f"{', '.join(sorted(growing.full))} would have more than {max_size} candidate parents; "
            f"give max_size={max_size + 2}, where such a node takes "
            f"{byte_size(growth_memory(len(start.variables), max_size + 2))}",
            GrowthWarning,
        )
    rounds, full = tuple(growing.rounds), tuple(sorted(growing.full))
    if best is not None:
        growth = {**asdict(rounds[-1]), "rounds": len(rounds), "full": full}
        best = replace(best, growth=growth)
    chosen = Candidates.from_matrix(start.variables, growing.matrix | growing.required)
    return Growth(chosen, growing.model, best, rounds, full)


def _by_map(growing: Growing, restarts: int, seed: int, run: Run) -> MapResult:
    """Return the best DAG, or on Ctrl-C the best so far, with the candidates it wants."""
    try:
        return _grow_by_map(growing, restarts, seed, run)
    except KeyboardInterrupt:
        if not growing.weights:
            raise
    best = max(growing.weights, key=growing.weights.__getitem__)
    growing.keep(_adjacent(best))
    warn(
        f"growth was interrupted after {len(growing.rounds)} rounds; the result is the best DAG "
        "so far",
        InterruptedWarning,
    )
    found = find_map(
        growing.build(), method="search", restarts=1, patience=0, starts=[best], seed=seed
    )
    return replace(found, interrupted=True)


def _grow_by_map(growing: Growing, restarts: int, seed: int, run: Run) -> MapResult:
    """Grow from several random orders, then from the best DAG until nothing improves it."""
    beginnings = restarts if growing.plus_one else 1
    dags = []
    for stream in range(beginnings):
        dags.append(_climb_and_grow(growing, None, seed, stream))
        if run.progress is not None:
            run.progress(_SHARE_OF_BEGINNINGS * (stream + 1) / beginnings)
    last = -np.inf
    while True:
        # All that any of the DAGs wants becomes a candidate, what the best one wants first; then
        # its children too, lest edges that point the wrong way hold each other in place.
        dags.sort(key=growing.weights.__getitem__, reverse=True)
        before = growing.weights[dags[0]]
        adjacent = [_adjacent(dag) for dag in dags]
        growing.keep(*adjacent, adjacent[0].T)
        if growing.plus_one:
            growing.fill(growing.size_at_last)
        model = growing.build()
        sums = ScoreSums(model, tabulate="maxima", threads=run.threads)
        found = find_map(
            model,
            method="search",
            restarts=restarts,
            patience=_LAST_PATIENCE * len(model.variables),
            starts=dags[:1],
            seed=seed,
            sums=sums,
            threads=run.threads,
        )
        if found.interrupted:
            return found
        wanted = _adjacent(found.dag)
        more = better_pairs if growing.plus_one else better_parents
        others = more(growing.weigher, found.dag, Run(growing.threads)) & ~growing.matrix
        new = growing.note(wanted | others, found.log_weight)
        improved = is_more(found.log_weight, before)
        # Others that are wanted again were not kept, for want of room.
        if not is_more(found.log_weight, last) or not (others.any() or (new > 0 and improved)):
            return found
        last = growing.weights[found.dag] = found.log_weight
        growing.keep(wanted | others)
        dags = [_climb_and_grow(growing, found.dag, seed, 0), *dags]


def _climb_and_grow(growing: Growing, dag: Dag | None, seed: int, stream: int) -> Dag:
    """Search and widen in turns until the best DAG wants no more; return it."""
    filled = _FILLED_AT_FIRST if dag is None and stream % 2 == 1 else 0
    if dag is None:
        growing.keep(np.zeros_like(growing.matrix))
    best = -np.inf
    while True:
        growing.fill(filled)
        model = growing.build()
        sums = ScoreSums(model, tabulate="maxima", threads=growing.threads)
        dag = _climb(sums, dag, seed, stream)
        weight = growing.weights[dag] = model.log_weight_of(dag)
        wanted = _adjacent(dag)
        if not growing.plus_one:
            wanted |= better_parents(growing.weigher, dag, Run(growing.threads))
        new = growing.note(wanted, weight)
        if new == 0 or not is_more(weight, best):
            return dag
        best = weight
        growing.keep(wanted)


def _climb(sums: ScoreSums, dag: Dag | None, seed: int, stream: int) -> Dag:
    """Return the best DAG of a short search, from the orders of the one there is."""
    n = len(sums.variables)
    starts = [] if dag is None else [order_of(dag)] * (stream + 1)
    patience = n * (_FIRST_PATIENCE if dag is None else _NEXT_PATIENCE)
    search = _core.OrderSearch(sums.core, patience, seed, starts)
    search.run(stream, 1, 1, None)
    return best_dag_of_order(sums, search.order(0))


def _adjacent(dag: Dag) -> Matrix:
    """Return the edges of all DAGs of the equivalence class, as [parent, node]."""
    place = {name: i for i, name in enumerate(dag.variables)}
    matrix = dag.matrix()
    for one, other in cpdag(dag).undirected:
        matrix[place[one], place[other]] = matrix[place[other], place[one]] = True
    return matrix


def _by_posterior(growing: Growing, threshold: float, steps: int | None, seed: int) -> None:
    n = len(growing.variables)
    wanted = np.zeros_like(growing.matrix)
    while True:
        model = growing.build()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            edges = mcmc(
                model,
                "linear",
                target="order-modular",
                steps=max(20_000, 40 * n**2) if steps is None else steps,
                chains=2,
                dags_per_state=0,
                seed=seed,
                threads=growing.threads,
            ).edges
        wanted = wanted | (edges > threshold)
        if growing.note(wanted, None) == 0:
            return
        before = growing.matrix
        growing.keep(wanted)
        if (growing.matrix == before).all():
            return


def _start(asked: Model | Question, candidates: Any, threads: int | None) -> Model:
    """Return a model on the candidates to begin with."""
    if isinstance(asked, Model):
        if candidates is not None:
            raise ArgumentError(
                "a model has its candidates already; leave them out, or give the data instead"
            )
        model = asked
    else:
        chosen = candidates
        if candidates is None:
            chosen = "pc" if asked.table is not None else "greedy:4"
        if isinstance(chosen, str):
            chosen = choose_candidates(asked, chosen, threads=threads)
        model = Model(replace(asked, candidates=chosen), threads=threads)
    if model.families is None:
        raise ArgumentError(
            "the model has a list of families, and no data to score others from; give the data"
        )
    return model


def _refuse(by: Any, threshold: Any) -> None:
    if by not in ("map", "posterior"):
        raise ArgumentError(f"by is {by!r}; give 'map' or 'posterior'")
    if not 0 < threshold < 1:
        raise ArgumentError(f"threshold is {threshold!r}; give a number between 0 and 1")
