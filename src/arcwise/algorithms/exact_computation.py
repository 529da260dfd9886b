"""`ExactComputation`: an exact posterior by dynamic programming, with its cost and its limits."""

from __future__ import annotations

import math
import time
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError, CapacityError, NumericalError, option
from arcwise.gpu import modular, order_modular
from arcwise.gpu.device import KernelDevice, chosen_device
from arcwise.gpu.modular import ModularComputation
from arcwise.gpu.order_modular import OrderModularComputation
from arcwise.graphs.dag import Dag
from arcwise.graphs.linear_extensions import linear_extensions
from arcwise.model import Model, checked_model
from arcwise.model.model import FoldedWeights, Modularity, as_modularity
from arcwise.posterior import DagSample, Evidence, Posterior
from arcwise.priors.base import log_constant_by_size, weights_by_size
from arcwise.records.runs import ExactRun
from arcwise.scores import FamilyScores
from arcwise.support.checks import (
    available_memory,
    checked_seed,
    open_fraction,
    refuse_beyond_memory,
    whole_number,
)
from arcwise.support.devices import Processors
from arcwise.support.names import byte_size, rounded
from arcwise.support.running import LocalRun, Progress, Stage
from arcwise.support.settings import Settings, setting

MOST_VARIABLES = {"modular": 25, "order-modular": 30}
_FEWEST_ON_DEVICE = 20  # if no device is named: starting takes longer than computing with fewer


@dataclass(frozen=True)
class Computing(Settings):
    """The posterior that is computed exactly, and its limits."""

    modularity: Modularity = setting(
        "modular",
        '``"modular"``: the prior is the one the model states. ``"order-modular"``: each DAG '
        "counts once more for each of its topological orders.",
        check=lambda value, name: as_modularity(value),
    )
    _: KW_ONLY
    memory_limit: int | None = setting(
        None,
        "The bytes the run may take; None for what the machine has free. A run that needs more is "
        "refused before it starts.",
        check=partial(whole_number, at_least=0),
        in_shell=False,
    )
    tolerance: float = setting(
        1e-8,
        "The largest error rounding may leave in the modular computation, whose sums alternate in "
        "sign; it takes more digits where it must.",
        check=open_fraction,
        in_shell=False,
    )


class ExactComputation:
    """The exact posterior of a model, by dynamic programming over all subsets of the variables.

    Each result is computed on first use, and tables that it shares with others are kept: posterior,
    paths and DAGs of the modular posterior come from the same tables.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)
    >>> computation = ExactComputation(model)
    >>> paths = computation.paths()
    >>> dags = computation.dags(100, seed=1)
    >>> computation.posterior().edges.shape, paths.shape, len(dags)
    ((8, 8), (8, 8), 100)
    """

    def __init__(
        self, model: Model, settings: Computing | None = None, run: LocalRun | None = None
    ) -> None:
        self.model = checked_model(model)
        self.settings, self.run = settings or Computing(), run or LocalRun()
        self.modularity = self.settings.modularity
        self._order_modular = self.modularity == "order-modular"
        n = len(model.ordinary)
        by_device = order_modular if self._order_modular else modular
        self._device = chosen_device(
            self.run.device,
            refusal=None,
            # The speed-up of the modular posterior has not been measured.
            worthwhile=self._order_modular and n >= _FEWEST_ON_DEVICE,
            needed=by_device.needed_bytes(n, len(model.weights)),
        )
        if self._device is None:
            self._refuse_too_many()
        elif n > by_device.MOST_VARIABLES:
            raise CapacityError(
                f"the model has {n} variables, and the exact {self.modularity} posterior takes up "
                f"to {by_device.MOST_VARIABLES} on any device; use a sampler"
            )
        self._folded = model.folded
        self._posterior: Posterior | None = None
        self._paths: NDArray[np.float64] | None = None

    def _refuse_too_many(self) -> None:
        """Refuse more variables than processors can handle."""
        n, most = len(self.model.ordinary), MOST_VARIABLES[self.modularity]
        if n > most:
            other = (
                "the order-modular posterior, or " if n <= MOST_VARIABLES["order-modular"] else ""
            )
            raise CapacityError(
                f"the model has {n} variables, and the exact {self.modularity} posterior takes up "
                f"to {most}; use {other}a sampler"
            )

    def _of_core(self, table: _core.FamilyTable, order_modular: bool) -> _core.ExactComputation:
        return _core.ExactComputation(table, order_modular, self.settings.tolerance)

    @cached_property
    def _by_processors(self) -> _core.ExactComputation:
        """The computation by processors, on first use."""
        self._refuse_too_many()
        return self._of_core(self._folded.table, self._order_modular)

    @cached_property
    def _on_device(self) -> OrderModularComputation | ModularComputation | None:
        """The computation on the device, if there is one, on first use."""
        if self._device is None:
            return None
        made = OrderModularComputation if self._order_modular else ModularComputation
        return made(self._device, self._folded.table)

    def _draws_on_device(self) -> OrderModularComputation | None:
        """Return the computation on the device if it can draw; processors draw modular DAGs."""
        computation = self._on_device if self._order_modular else None
        return computation if isinstance(computation, OrderModularComputation) else None

    def _maxima_on_device(self, device: KernelDevice) -> OrderModularComputation:
        """Return the computation for the best DAG on the device, like `_of_maxima`."""
        if self.model.parent_only:
            return OrderModularComputation(device, self._folded.maxima)
        return self._draws_on_device() or OrderModularComputation(device, self._folded.table)

    def posterior(self) -> Posterior:
        """Return the probabilities of edges and parent sets, the evidence and the best DAG."""
        if self._posterior is None:
            start = time.perf_counter()
            with self.run.stage("Exact posterior") as run:
                if self._device is None:
                    self._refuse_too_large(run)
                self._posterior = self._assembled(run, start)
        return self._posterior

    def paths(self) -> NDArray[np.float64]:
        """Return the probability of a directed path from each variable to each other."""
        if self._paths is None:
            with self.run.stage("Paths") as run:
                self._refuse_too_large(run, paths=True)
                self._paths = self._all_paths(run)
        return self._paths.copy()

    def _all_paths(self, run: Stage) -> NDArray[np.float64]:
        between, _ = self._by_processors.paths(run.device.core, run.progress)
        names = self.model.variables
        if not self.model.parent_only:
            return between
        place = {name: number for number, name in enumerate(names)}
        ordinary = [place[name] for name in self.model.ordinary]
        paths = np.eye(len(names))
        paths[np.ix_(ordinary, ordinary)] = between
        for name in self.model.parent_only:
            # This one is treated as an ordinary variable, and the others remain folded.
            others = [other for other in self.model.parent_only if other != name]
            folded = FoldedWeights.of(names, others, self._folded.weights)
            source = folded.ordinary.index(name)
            row, _ = self._by_processors.paths_from(
                folded.table, source, run.quiet.device.core, run.quiet.progress
            )
            paths[place[name], [place[other] for other in folded.ordinary]] = row
        return paths

    def best_dag(self) -> tuple[Dag, float]:
        """Return the DAG of the largest weight and its log weight."""
        with self.run.stage("Best DAG") as run:
            return self._best_dag(run)

    def prepare_draws(self) -> None:
        """Compute all that draws need."""
        with self.run.stage("Setting up") as run:
            computation = self._draws_on_device()
            if computation is not None:
                computation.prepare_draws(run.progress)
                return
            self._refuse_too_large(run)
            self._by_processors.prepare_draws(run.device.core, run.progress)

    def dags(
        self, count: int, *, seed: int = 0, first: int = 0, progress: Progress = None
    ) -> DagSample:
        """Return independent DAGs."""
        drawn = self._draw(count, seed, first, progress)[1]
        return DagSample(self.model.variables, self._folded.draws(drawn, seed, first))

    def ordinary_dags(
        self, count: int, *, seed: int = 0, first: int = 0, progress: Progress = None
    ) -> DagSample:
        """Return the same DAGs without the parent-only variables."""
        return DagSample(self.model.ordinary, self._draw(count, seed, first, progress)[1])

    def orders(
        self, count: int, *, seed: int = 0, first: int = 0, progress: Progress = None
    ) -> list[tuple[str, ...]]:
        """Return independent orders of the variables (order-modular posterior only)."""
        if not self._order_modular:
            raise ArgumentError(
                "the modular posterior has no orders; use modularity='order-modular' to draw them"
            )
        names = self.model.ordinary
        orders = self._draw(count, seed, first, progress)[0]
        return [tuple(names[v] for v in order) for order in orders.tolist()]

    def _draw(
        self, count: int, seed: int, first: int, progress: Progress
    ) -> tuple[np.ndarray, np.ndarray]:
        number = whole_number(count, "count", at_least=1)
        refuse_beyond_memory(number, "count", bytes_per_draw(len(self.model.variables)))
        key = checked_seed(seed)
        start = whole_number(first, "first", at_least=0)
        with replace(self.run, progress=progress).stage("Drawing") as run:
            computation = self._draws_on_device()
            if computation is not None:
                orders, parents = computation.draw(number, seed=key, first=start)
                return orders, parents[:, :, None]
            self._refuse_too_large(run)
            return self._by_processors.draw(key, start, number, run.device.core, run.progress)

    def _assembled(self, run: Stage, start: float) -> Posterior:
        tolerance = self.settings.tolerance
        map_dag, map_log_weight = self._best_dag(run.quiet)
        total, ordinary, between, error = self._sums(run)
        families, edges = self._folded.probabilities(ordinary, between)
        constant = log_prior_constant(self.model, self.modularity, tolerance, run.quiet)
        orders = 0.0
        if self._order_modular:
            orders = linear_extensions(self._folded.restricted(map_dag), log=True)
        return Posterior(
            variables=self.model.variables,
            modularity=self.modularity,
            run=ExactRun(tolerance=tolerance, seconds=time.perf_counter() - start),
            edges=edges,
            evidence=Evidence(total - constant, log_prior_constant=constant),
            map_dag=map_dag,
            map_log_weight=map_log_weight,
            map_probability=math.exp(min(0.0, map_log_weight + orders - total)),
            error=error,
            family_probabilities=FamilyScores(self.model.variables, families),
            provenance=self.model.provenance(),
            model=self.model,
        )

    def _sums(self, run: Stage) -> tuple[float, _core.FamilyTable, NDArray[np.float64], float]:
        """Return the log weight, the probabilities of folded families and edges, and the error."""
        computation = self._on_device
        if computation is None:
            return self._by_processors.posterior(run.device.core, run.progress)
        found = computation.posterior(run.progress)
        if found.error > self.settings.tolerance:
            raise NumericalError(
                f"rounding on the device may cost up to {found.error:.1g} of a probability and the "
                f"tolerance is {self.settings.tolerance:g}; raise it, or leave out ",
                option("device"),
            )
        return found.log_weight, found.families, found.edges, found.error

    def _best_dag(self, run: Stage) -> tuple[Dag, float]:
        log_weight, parents = (
            self._of_maxima.best_dag(run.device.core, run.progress)
            if self._device is None
            else self._maxima_on_device(self._device).best_dag(run.progress)
        )
        names = self.model.ordinary
        of_each = {
            node: [names[u] for u in range(len(names)) if parents[v] >> u & 1]
            for v, node in enumerate(names)
        }
        return self._folded.best(Dag(names, of_each)), log_weight

    @cached_property
    def _of_maxima(self) -> _core.ExactComputation:
        """The computation for the best DAG, which maximises over parent-only parents."""
        if not self.model.parent_only:
            return self._by_processors
        return self._of_core(self._folded.maxima, True)

    def _refuse_too_large(self, run: Stage, *, paths: bool = False) -> None:
        needed = memory_needed(self.model, self.modularity, run.threads, paths=paths)
        refuse_too_large(needed, self.settings.memory_limit)


def bytes_per_draw(nodes: int) -> int:
    """Return the bytes of a drawn order and DAG, and of the check of the DAG."""
    return 8 * nodes * ((nodes + 63) // 64) + 4 * nodes + 8


def log_prior_constant(model: Model, modularity: Modularity, tolerance: float, run: Stage) -> float:
    """Return the log of the summed prior weights of all DAGs."""
    order_modular = modularity == "order-modular"
    by_size = weights_by_size(model.prior_terms, model.families, model.parent_only)
    if by_size is not None:
        ordinary = [name not in model.parent_only for name in model.variables]
        constants = float(model.prior_terms.constant[ordinary].sum())
        return constants + log_constant_by_size(
            by_size, len(model.ordinary), order_modular, parent_only=len(model.parent_only)
        )
    folded = FoldedWeights.of(model.variables, model.parent_only, model.prior_weights().table)
    prior = _core.ExactComputation(folded.table, order_modular, tolerance)
    return prior.log_weight(run.device.core, run.progress)


@dataclass(frozen=True)
class ExactCost:
    """The memory and the operations that an exact run takes."""

    memory: int  # bytes held at once, besides the model itself
    operations: int  # sums and products, the unit of the run's progress; a rough figure

    def __str__(self) -> str:
        """Return memory and operations in words."""
        return f"{byte_size(self.memory)} of memory, {rounded(self.operations)} operations"


def exact_cost(
    model: Model, modularity: Modularity = "modular", *, threads: int | None = None
) -> ExactCost:
    """Return the memory and the work `exact` takes for this model.

    Parameters
    ----------
    model, modularity, threads
        As for `exact`.

    Examples
    --------
    >>> model = Model(["a", "b", "c"], lambda node, parents: -float(len(parents)))
    >>> print(exact_cost(model, "order-modular", threads=1))
    1 KiB of memory, 140 operations
    """
    count = Processors.available(threads).threads
    memory, _, operations = _of_model(checked_model(model), as_modularity(modularity), count)
    return ExactCost(memory, operations)


def memory_needed(model: Model, modularity: Modularity, threads: int, *, paths: bool) -> int:
    """Return the maximum memory of an exact computation in bytes, with or without paths."""
    without, with_paths, _ = _of_model(model, modularity, threads)
    if not paths:
        return without
    if not model.parent_only:
        return with_paths
    # The computation for one parent-only variable is held besides all other tables.
    further = _core.exact_cost(
        len(model.ordinary) + 1, len(model.weights), modularity == "order-modular", threads
    )
    return with_paths + further[1]


def _of_model(model: Model, modularity: Modularity, threads: int) -> tuple[int, int, int]:
    return _core.exact_cost(
        len(model.ordinary), model.folded.families, modularity == "order-modular", threads
    )


def refuse_too_large(memory: int, limit: int | None) -> None:
    """Refuse a run that needs more memory than the limit, or than what is free."""
    allowed = available_memory() if limit is None else limit
    if memory > allowed:
        raise CapacityError(
            f"the exact run needs {byte_size(memory)} and the limit is {byte_size(allowed)}; "
            "raise memory_limit, or use a sampler"
        )


MOST_FAMILIES = 2**24
# Without a time limit, exact computation is chosen if it takes less than half a minute in all on
# one core, and less than a gigabyte.
_EXACT_OPERATIONS = 11 * 10**9
_EXACT_OPERATIONS_PER_SECOND = 10**9  # on one core
SHARE_OF_EXACT = 0.7
"""The share of the remaining time after which chains are run instead."""


def exact_operations(variables: int, modularity: Modularity) -> int | None:
    """Return the operations of the exact computation; None if there are too many variables."""
    if variables > MOST_VARIABLES[modularity]:
        return None
    _, _, operations = _core.exact_cost(variables, 0, modularity == "order-modular", 1)
    return operations


def exact_is_cheap(
    variables: int,
    families: int,
    modularity: Modularity,
    seconds: float | None,
    threads: int | None = None,
) -> bool:
    """Return whether the exact computation is cheap, or fits into the seconds given.

    Examples
    --------
    >>> exact_is_cheap(20, 20 * 2**19, "modular", None)
    True
    >>> exact_is_cheap(21, 21 * 2**20, "modular", None)
    False
    >>> exact_is_cheap(20, 20 * 5_036, "modular", seconds=20, threads=1)
    True
    """
    operations = exact_operations(variables, modularity)
    if operations is None or families > MOST_FAMILIES:
        return False
    return operations <= exact_limit(seconds, threads)


def exact_seconds(variables: int, modularity: Modularity, threads: int | None) -> float:
    """Return an estimate of the time that the exact computation takes."""
    operations = exact_operations(variables, modularity) or 0
    return operations / _exact_rate(threads)


def _exact_rate(threads: int | None) -> float:
    return float(_EXACT_OPERATIONS_PER_SECOND * Processors.available(threads).threads)


def exact_limit(seconds: float | None, threads: int | None = None) -> float:
    """Return the maximum number of operations for which exact computation is chosen."""
    if seconds is None:
        return _EXACT_OPERATIONS
    return SHARE_OF_EXACT * float(seconds) * _exact_rate(threads)
