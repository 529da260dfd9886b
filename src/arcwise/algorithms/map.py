"""`map`: the DAG of maximum posterior probability, by dynamic programming or by search."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from arcwise import _core
from arcwise.algorithms.exact_computation import ExactComputation
from arcwise.constraints import gather
from arcwise.constraints.edges import as_dag
from arcwise.errors import (
    ArgumentError,
    CapacityError,
    InterruptedWarning,
    TimeIsUpError,
    option,
)
from arcwise.families import Families
from arcwise.graphs import Cpdag, cpdag
from arcwise.graphs.dag import Dag
from arcwise.graphs.knowledge import with_knowledge
from arcwise.model import Model, checked_model
from arcwise.posterior.map_result import MapResult, SearchSettings, reach
from arcwise.records.settings import SumSettings
from arcwise.sums import ScoreSums, checked_sums
from arcwise.support.checks import (
    checked_seed,
    refuse_beyond_memory,
    whole_number,
)
from arcwise.support.clock import Deadline
from arcwise.support.names import as_list
from arcwise.support.running import Progress, Stage, running
from arcwise.support.warnings import warn
from arcwise.support.words import quoted, shown

# Within both limits the exact computation takes a few seconds and less than a gigabyte.
MOST_VARIABLES = 25
_MOST_FAMILIES = 2**24

_BYTES_PER_RESTART = 200  # of the order it found, and how
_SHARE_OF_EXACT = 0.5  # of the seconds, before the search takes over

_RESTARTS = 8
_MOST_RESTARTS_BY_TIME = 1000
# Perturbations per variable without improvement after which a restart ends: on networks of 20 to
# 100 variables, nine of ten restarts then reach the best DAG.
_PATIENCE = 20

Method = Literal["auto", "exact", "search"]


def map(
    model: Model,
    *,
    method: Method = "auto",
    restarts: int | None = None,
    patience: int | None = None,
    seconds: float | Deadline | None = None,
    starts: Sequence[Any] = (),
    seed: int = 0,
    sums: ScoreSums | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> MapResult:
    """Find the DAG of maximum posterior probability.

    The search anneals random orders of the variables, each scored by the best DAG that
    agrees with it, and then perturbs and improves them until nothing better is found.
    Several restarts do so independently; the more of them reach the same optimum, the more
    reliable the result.

    Parameters
    ----------
    model
        The model.
    method
        ``"exact"``: dynamic programming in O(n^2 2^n), for up to 25 variables.
        ``"search"``: a stochastic search with restarts. ``"auto"``: exact for up to 25
        variables and 2^24 families, which takes seconds, otherwise search.
    restarts
        The number of restarts of the search; None for 8, or with `seconds` for as many as
        the time allows, up to 1,000. This and the arguments up to `sums` apply to the
        search only.
    patience
        The number of perturbations without improvement after which a restart ends;
        None for 20 per variable.
    seconds
        If given, the search ends after this time and returns the best DAG found. Where the
        exact computation would take longer, ``"auto"`` turns to the search. Or a `Deadline`
        that this call shares with others.
    starts
        DAGs known to be good, also as networkx graphs or adjacency matrices: the first restarts
        begin from them, without annealing.
    seed
        The seed; results do not depend on the number of threads, unless `seconds`
        ends the search.
    sums
        The score sums, if already computed; best with tables of maxima.
    threads, progress
        As for `exact`.

    Returns
    -------
    MapResult
        With the DAG, its equivalence class, its score, and whether the restarts
        agree. Ctrl-C ends the search early and returns the best so far, with an
        `InterruptedWarning`.

    Raises
    ------
    CapacityError
        If the method is ``"exact"`` and there are more than 25 variables.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> best = arcwise.map(model, method="search", seed=1)
    >>> best.agree
    True
    >>> bool(abs(best.log_weight - arcwise.exact(model).map_log_weight) < 1e-6)
    True
    """
    start = time.perf_counter()
    checked_model(model)
    deadline = Deadline.of(seconds)
    if not isinstance(method, str) or method not in ("auto", "exact", "search"):
        raise ArgumentError(f"method is {shown(method)}; give 'auto', 'exact' or 'search'")
    wanted = _Restarts(model, restarts, patience, deadline, seed)
    if sums is not None:
        checked_sums(sums).refuse_other_model(model, maxima=True)
    if method == "exact":
        return _exact(model, deadline, threads, progress, start)
    if method == "auto" and _is_small(model):
        try:
            return _exact(model, deadline.part(_SHARE_OF_EXACT), threads, progress, start)
        except TimeIsUpError:
            pass
    with running(threads, progress, "map", deadline) as run:
        if sums is None:
            sums = ScoreSums(model, tabulate="maxima", seconds=deadline, threads=run.threads)
        search = _core.OrderSearch(sums.core, wanted.patience, wanted.seed, _orders(starts, model))
        interrupted = wanted.run(search, run)
    if len(search) == 0:
        if interrupted:
            raise KeyboardInterrupt
        raise TimeIsUpError(
            option("seconds"),
            f" is {deadline.seconds!r}, which is too short to find any DAG of this model; give "
            "more",
        )
    if interrupted:
        warn(
            f"the search was interrupted; the result is the best of {len(search)} restarts, of "
            f"which {sum(search.finished())} were complete",
            InterruptedWarning,
        )
    return _found(model, sums, search, wanted, interrupted, start)


class _Restarts:
    """The number of restarts and their time limit, checked."""

    def __init__(
        self,
        model: Model,
        restarts: int | None,
        patience: int | None,
        deadline: Deadline,
        seed: int,
    ) -> None:
        if restarts is None:
            self.count = _MOST_RESTARTS_BY_TIME if deadline.limited else _RESTARTS
        else:
            self.count = whole_number(restarts, option("restarts"), at_least=1)
            order = _BYTES_PER_RESTART + 4 * len(model.ordinary)
            refuse_beyond_memory(self.count, option("restarts"), order)
        if patience is None:
            self.patience = _PATIENCE * len(model.ordinary)
        else:
            self.patience = whole_number(patience, "patience", at_least=0)
        self.deadline = deadline
        self.seed = checked_seed(seed)

    def run(self, search: _core.OrderSearch, run: Stage) -> bool:
        """Run the restarts; return whether Ctrl-C came first."""
        try:
            search.run(0, self.count, run.threads, self._shown(run.progress))
        except TimeIsUpError:
            return False
        except KeyboardInterrupt:
            return True
        return False

    def _shown(self, progress: Callable[[float], None] | None) -> Callable[[float], None] | None:
        """Return the progress function, for which time counts as well as restarts."""
        deadline = self.deadline
        if progress is None or deadline.seconds is None:
            return progress
        seconds = deadline.seconds
        return lambda share: progress(max(share, min(1.0, deadline.spent / seconds)))


def _is_small(model: Model) -> bool:
    return len(model.ordinary) <= MOST_VARIABLES and len(model.weights) <= _MOST_FAMILIES


def all_families_fit(variables: tuple[str, ...], **rule: Any) -> bool:
    """Return whether exact computation can handle all families allowed by the constraints."""
    ordinary = len(variables) - len(gather(rule).parent_only)
    return ordinary <= MOST_VARIABLES and Families.of(variables, **rule).total <= _MOST_FAMILIES


def _exact(
    model: Model, deadline: Deadline, threads: int | None, progress: Progress, start: float
) -> MapResult:
    n = len(model.ordinary)
    if n > MOST_VARIABLES:
        raise CapacityError(
            f"the model has {n} variables, and the exact best DAG is available for up to "
            f"{MOST_VARIABLES}; use ",
            option("method", "search"),
        )
    # The best DAG is the same under both priors, and the other one has tables to keep.
    computation = ExactComputation(model, "order-modular", seconds=deadline, threads=threads)
    dag, log_weight = computation.best_dag(progress=progress)
    return MapResult(
        dag=dag,
        cpdag=known_class(model, dag),
        log_score=_log_score(model, dag),
        log_weight=log_weight,
        restart_log_weights=np.empty(0),
        classes=1,
        interrupted=False,
        seconds=time.perf_counter() - start,
        provenance=model.provenance(),
    )


def _found(
    model: Model,
    sums: ScoreSums,
    search: _core.OrderSearch,
    wanted: _Restarts,
    interrupted: bool,
    start: float,
) -> MapResult:
    log_weights, finished = search.log_weights(), np.array(search.finished())
    dag = best_dag_of_order(model, sums, search.order(int(np.argmax(log_weights))))
    log_weight = model.log_weight_of(dag)
    at_best = np.flatnonzero(reach(log_weights, log_weight) & finished)
    classes = {
        cpdag(best_dag_of_order(model, sums, search.order(int(restart)))) for restart in at_best
    }
    return MapResult(
        dag=dag,
        cpdag=known_class(model, dag),
        log_score=_log_score(model, dag),
        log_weight=log_weight,
        restart_log_weights=log_weights[finished],
        classes=len(classes),
        interrupted=interrupted,
        seconds=time.perf_counter() - start,
        search=SearchSettings(
            wanted.count,
            wanted.patience,
            wanted.deadline.seconds,
            wanted.seed,
            SumSettings.of(sums),
        ),
        provenance=model.provenance(),
    )


def known_class(model: Model, dag: Dag) -> Cpdag:
    """Return the equivalence class of a DAG, directed where one direction is impossible."""
    return with_knowledge(cpdag(dag), ~model.constraints.resolve(model.variables).allowed)


def order_of(dag: Dag) -> list[int]:
    """Return a topological order of a DAG, as positions of its variables."""
    place = {name: i for i, name in enumerate(dag.variables)}
    return [place[name] for name in dag.topological_order()]


def _orders(starts: Sequence[Any], model: Model) -> list[list[int]]:
    variables = model.variables
    given = as_list(starts, "starts", "a list of DAGs")
    dags = [as_dag(graph, variables, "one of starts") for graph in given]
    for dag in dags:
        if dag.variables != variables:
            raise ArgumentError(
                f"starts holds a DAG over the variables {quoted(dag.variables)}, and the model has "
                f"{quoted(variables)}; give DAGs over the same variables, in the same order"
            )
    return [order_of(model.folded.restricted(dag)) for dag in dags]


def best_dag_of_order(model: Model, sums: ScoreSums, order: list[int]) -> Dag:
    """Return the best DAG that agrees with an order: each node has its best parents before it."""
    parents = {}
    for place, node in enumerate(order):
        _, chosen = sums.core.best(node, order[:place], None)
        assert chosen is not None  # the order has a positive weight
        parents[sums.variables[node]] = [sums.variables[parent] for parent in chosen]
    return model.folded.best(Dag(sums.variables, parents))


def _log_score(model: Model, dag: Dag) -> float:
    return sum(model.scores.log_score(node, dag.parents(node)) for node in model.variables)
