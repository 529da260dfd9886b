"""Growth that follows the best DAG: searches, and candidates that what they find calls for."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from arcwise import _core
from arcwise.algorithms.growth_log import FoundRound
from arcwise.algorithms.growth_state import GrowthState, Matrix
from arcwise.algorithms.map import Search, best_dag_of, best_dag_of_order, map_result, order_of
from arcwise.algorithms.parent_pairs import better_pairs, better_parents
from arcwise.errors import InterruptedWarning, TimeIsUpError
from arcwise.graphs import cpdag
from arcwise.graphs.dag import Dag
from arcwise.posterior.map_result import MapResult, SearchSettings, is_more
from arcwise.records.settings import SumSettings
from arcwise.sums import ScoreSums
from arcwise.support.clock import Deadline
from arcwise.support.warnings import warn

# Perturbations per variable: from a random order, from the order of the previous round, and in the
# final search.
_FIRST_PATIENCE = 2
_NEXT_PATIENCE = 1
_LAST_PATIENCE = 5
# The number of candidates to which every node is filled up in every other growth from a random
# order, so that they do not all start alike.
_FILLED_SIZE = 6
_SHARE_OF_STARTS = 0.6  # of the time, for the progress bar
# If growth is cut short, the neighbours in this many DAGs stay candidates; and after Ctrl-C the
# last model may take this long.
_MOST_DAGS_KEPT = 8
_SECONDS_AFTER_INTERRUPTION = 2.0


def grow_by_map(state: GrowthState, deadline: Deadline) -> MapResult | None:
    """Return the best DAG, or the best so far if time is up or Ctrl-C comes, if there is any.

    The candidates are then those it calls for.
    """
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
        log_score=log_weight - log_prior,  # as the model may lack some of its families
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
        # children as well, lest edges that point the wrong way hold each other in place.
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
            more = better_pairs if state.plus_one else better_parents
            others = more(state.weigher, result.dag, run.quiet) & ~state.matrix
            found = FoundRound(result.dag, result.log_weight, others, len(state.model.scores))
            state.log.add(found)
        wanted, others = _adjacent(found.dag), found.wanted
        new = state.record(wanted | others, found.log_weight, found.families)
        improved = is_more(found.log_weight, before)
        # Parents found again were not kept for lack of room.
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
    """Search and grow in turns until the best DAG calls for no others; return it."""
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
    """Search among the present candidates, from an order of the given DAG if any."""
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
        wanted |= better_parents(state.weigher, dag, state.stage.quiet)
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
        # What it has found so far counts, too, before the next round is refused.
    return best_dag_of_order(model, sums, search.order(0))


def _adjacent(dag: Dag) -> Matrix:
    """Return the edges of all DAGs of the equivalence class, as [parent, node]."""
    place = {name: i for i, name in enumerate(dag.variables)}
    matrix = dag.matrix()
    for one, other in cpdag(dag).undirected:
        matrix[place[one], place[other]] = matrix[place[other], place[one]] = True
    return matrix
