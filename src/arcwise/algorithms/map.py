"""`map`: the DAG of maximum posterior probability, by dynamic programming or by search."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Self

import numpy as np

from arcwise import _core
from arcwise.algorithms.exact_computation import Computing, ExactComputation
from arcwise.errors import ArgumentError, CapacityError, InterruptedWarning, TimeIsUpError, option
from arcwise.families import Families
from arcwise.families.edges import as_dag
from arcwise.families.families import ConstraintArguments
from arcwise.graphs import Cpdag, cpdag
from arcwise.graphs.cpdags import with_knowledge
from arcwise.graphs.dag import Dag
from arcwise.model import Model, checked_model
from arcwise.model.score_sums import ScoreSums, checked_sums
from arcwise.posterior.map_result import MapResult, SearchSettings, reach
from arcwise.records.settings import OfModel, SumSettings
from arcwise.support.checks import one_of, refuse_beyond_memory, whole_number
from arcwise.support.names import as_list, quoted
from arcwise.support.running import Deadline, LocalRun, SeededRun, warn
from arcwise.support.settings import Settings, keywords_of, setting, setting_like

# Within both limits, the exact computation takes a few seconds and less than a gigabyte.
MOST_VARIABLES = 25
_MOST_FAMILIES = 2**24
_SHARE_OF_EXACT = 0.5  # of the time limit, after which the search is run instead

_RESTARTS = 8
_MOST_RESTARTS_BY_TIME = 1000
_BYTES_PER_RESTART = 200  # besides the order that it found
# Perturbations per variable without improvement after which a restart ends: on networks of 20 to
# 100 variables, nine of ten restarts then reach the best DAG.
_PATIENCE = 20

Method = Literal["auto", "exact", "search"]


@dataclass(frozen=True, kw_only=True)
class Search(Settings):
    """The options of the search for the best DAG, described in `map`."""

    method: Method = setting(
        "auto",
        "",
        check=one_of(Method),
        help=f"auto: exact for up to {MOST_VARIABLES} variables, otherwise search.",
    )
    restarts: int | None = setting(
        None,
        "",
        check=partial(whole_number, at_least=1),
        help="Number of restarts of the search (default: 8).",
        metavar="N",
    )
    patience: int | None = setting(None, "", check=partial(whole_number, at_least=0))
    starts: Sequence[Any] = ()
    sums: ScoreSums | None = setting(None, "", check=lambda value, name: checked_sums(value))

    def completed(self, model: Model, run: SeededRun) -> Self:
        """Return the settings with the defaults that depend on the model."""
        nodes, restarts, patience = len(model.ordinary), self.restarts, self.patience
        if self.sums is not None:
            self.sums.refuse_other_model(model, maxima=True)
        if restarts is None:
            restarts = _MOST_RESTARTS_BY_TIME if run.deadline.limited else _RESTARTS
        refuse_beyond_memory(restarts, option("restarts"), _BYTES_PER_RESTART + 4 * nodes)
        patience = _PATIENCE * nodes if patience is None else patience
        return replace(self, restarts=restarts, patience=patience)


@dataclass(frozen=True, kw_only=True)
class MapArguments(SeededRun, Search, OfModel):
    """The arguments of `map`."""

    seconds: float | Deadline | None = setting_like(
        SeededRun,
        "seconds",
        None,
        "",
        help="Stop after this time, reading the data included, with the best DAG found.",
    )


@keywords_of(MapArguments)
def map(model: Model, settings: Search, run: SeededRun) -> MapResult:
    """Find the DAG of maximum posterior probability.

    The search anneals random orders of the variables, each scored by the best DAG that agrees with
    it, and then perturbs and improves them until no better one is found. Several restarts do so
    independently; the more of them reach the same optimum, the more reliable the result.

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
        If given, the search ends after this time and returns the best DAG found. If the exact
        computation would take longer, ``"auto"`` uses the search instead. Or a `Deadline` that
        this call shares with others.
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
    checked_model(model)
    return best_dag_of(model, settings, run)


def best_dag_of(model: Model, settings: Search, run: SeededRun) -> MapResult:
    """Return the DAG of maximum posterior probability; see `map`."""
    start = time.perf_counter()
    settings = settings.completed(model, run)
    if settings.method == "exact":
        return _exact(model, run, start)
    if settings.method == "auto" and _is_small(model):
        try:
            return _exact(model, run.within(_SHARE_OF_EXACT), start)
        except TimeIsUpError:
            pass
    return _searched(model, settings, run, start)


def _is_small(model: Model) -> bool:
    return len(model.ordinary) <= MOST_VARIABLES and len(model.weights) <= _MOST_FAMILIES


def all_families_fit(variables: tuple[str, ...], **rule: Any) -> bool:
    """Return whether exact computation can handle all families allowed by the constraints."""
    constraints = ConstraintArguments(**rule).together
    if len(variables) - len(constraints.parent_only) > MOST_VARIABLES:
        return False
    return Families.of(variables, constraints=constraints).total <= _MOST_FAMILIES


def _exact(model: Model, run: SeededRun, start: float) -> MapResult:
    n = len(model.ordinary)
    if n > MOST_VARIABLES:
        raise CapacityError(
            f"the model has {n} variables, and the exact best DAG is available for up to "
            f"{MOST_VARIABLES}; use ",
            option("method", "search"),
        )
    # The best DAG is the same under both priors, and the modular one needs more memory.
    quick = LocalRun(seconds=run.deadline, threads=run.threads, progress=run.progress)
    dag, log_weight = ExactComputation(model, Computing("order-modular"), quick).best_dag()
    return map_result(model, dag, log_weight, start)


def _searched(model: Model, settings: Search, run: SeededRun, start: float) -> MapResult:
    assert settings.restarts is not None
    assert settings.patience is not None
    deadline, sums = run.deadline, settings.sums
    with run.stage("map") as stage:
        if sums is None:
            sums = ScoreSums(model, tabulate="maxima", seconds=deadline, threads=stage.threads)
        orders = _orders(settings.starts, model)
        search = _core.OrderSearch(sums.core, settings.patience, run.seed, orders)
        interrupted = False
        try:
            shown_progress = _by_time(stage.progress, deadline)
            search.run(0, settings.restarts, stage.threads, shown_progress)
        except TimeIsUpError:
            pass
        except KeyboardInterrupt:
            if len(search) == 0:
                raise
            interrupted = True
    if len(search) == 0:
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
    log_weights, finished = search.log_weights(), np.array(search.finished())
    dag = best_dag_of_order(model, sums, search.order(int(np.argmax(log_weights))))
    log_weight = model.log_weight_of(dag)
    at_best = np.flatnonzero(reach(log_weights, log_weight) & finished)
    classes = {
        cpdag(best_dag_of_order(model, sums, search.order(int(restart)))) for restart in at_best
    }
    used = SearchSettings(
        settings.restarts, settings.patience, deadline.seconds, run.seed, SumSettings.of(sums)
    )
    return replace(
        map_result(model, dag, log_weight, start),
        restart_log_weights=log_weights[finished],
        classes=len(classes),
        interrupted=interrupted,
        search=used,
    )


def _by_time(
    progress: Callable[[float], None] | None, deadline: Deadline
) -> Callable[[float], None] | None:
    """Return a progress function of the time spent as well as of the restarts."""
    seconds = deadline.seconds
    if progress is None or seconds is None:
        return progress
    return lambda share: progress(max(share, min(1.0, deadline.spent / seconds)))


def map_result(model: Model, dag: Dag, log_weight: float, start: float) -> MapResult:
    """Return the result for a best DAG that was found without restarts since a start time."""
    return MapResult(
        dag=dag,
        cpdag=known_class(model, dag),
        log_score=sum(model.scores.log_score(v, dag.parents(v)) for v in model.variables),
        log_weight=log_weight,
        restart_log_weights=np.empty(0),
        classes=1,
        interrupted=False,
        seconds=time.perf_counter() - start,
        provenance=model.provenance(),
    )


def known_class(model: Model, dag: Dag) -> Cpdag:
    """Return the equivalence class of a DAG, with the directions that constraints imply."""
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
