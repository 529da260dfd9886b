"""Annealing runs and populations on a device, with stratified resampling of the populations.

The rules are those of core/arcwise/chains/population.hpp: if the effective number of states of a
population is less than half, or one has weight zero, the states are resampled in proportion to
their weights, the i-th one from the i-th of equal strata of the sum of weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.engines import AnnealingJob, Listener
from arcwise.gpu.device_chains import FEWEST_BATCHES, StateRecord, no_directory
from arcwise.gpu.order_chains import DeviceTables, OrderChains, SampledOrders, moves_by_name
from arcwise.support.arrays import logarithms, relative_weights

_LEAST_EFFECTIVE_SHARE = 0.5
_RESAMPLING_STREAM = 0x5A3B << 32


class Populations:
    """The weights of several populations of equal size, each with its own random numbers."""

    def __init__(self, count: int, size: int, seed: int, first: int = 0) -> None:
        self.log_weights = np.zeros(count * size)  # since the last resampling
        self.log_totals = np.zeros(count)  # sums of the log mean weights at all resamplings
        self._size = size
        self._seed = seed
        self._first = first

    def weigh(
        self, log_weights: NDArray[np.float64], level: int, *, resample: bool = False
    ) -> NDArray[np.uint32] | None:
        """Return the place from which each state is copied, given log weights; None if all stay."""
        self.log_weights = log_weights.copy()
        places = np.arange(len(log_weights))
        for number in range(len(self.log_totals)):
            part = slice(number * self._size, (number + 1) * self._size)
            own = self.log_weights[part]
            if not np.isfinite(own).any():
                self.log_totals[number] = -np.inf  # for good
            elif resample or _needs_resampling(own):
                sources, log_mean = self._resampled(own, number, level)
                places[part] = part.start + sources
                self.log_totals[number] += log_mean
                self.log_weights[part] = 0.0
        if (places == np.arange(len(places))).all():
            return None
        return places.astype(np.uint32)

    def _resampled(
        self, own: NDArray[np.float64], number: int, level: int
    ) -> tuple[NDArray[np.int64], float]:
        weights = relative_weights(own)
        log_mean = float(own.max() + logarithms(np.array([weights.mean()]))[0])
        if len(own) == 1:
            return np.zeros(1, dtype=np.int64), log_mean
        generator = np.random.Generator(
            np.random.Philox(
                key=[self._seed, _RESAMPLING_STREAM + self._first + number],
                counter=[0, 0, 0, level],
            )
        )
        return kept_in_place(ancestors(weights, generator.random(len(own)))), log_mean


def ancestors(weights: NDArray[np.float64], uniform: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the place from which each state is drawn, one per stratum of the sum of weights.

    Examples
    --------
    >>> ancestors(np.array([1.0, 0.0, 3.0, 0.0]), np.full(4, 0.5)).tolist()
    [0, 2, 2, 2]
    """
    ends = np.cumsum(weights)
    wanted = (np.arange(len(weights)) + uniform) / len(weights) * ends[-1]
    # Beyond the rounded sum, the last state of positive weight is drawn.
    last = int(np.flatnonzero(weights)[-1])
    return np.asarray(np.minimum(np.searchsorted(ends, wanted, side="right"), last))


def kept_in_place(drawn: NDArray[np.int64]) -> NDArray[np.int64]:
    """Permute draws so that drawn states stay in place, and copies replace those not drawn.

    Examples
    --------
    >>> kept_in_place(np.array([1, 1, 3, 3])).tolist()
    [1, 1, 3, 3]
    >>> kept_in_place(np.array([0, 2, 2, 2])).tolist()
    [0, 2, 2, 2]
    """
    times = np.bincount(drawn, minlength=len(drawn))
    sources = np.arange(len(drawn))
    copies = np.repeat(sources, np.maximum(times - 1, 0))
    sources[times == 0] = copies
    return sources


def _needs_resampling(log_weights: NDArray[np.float64]) -> bool:
    if not np.isfinite(log_weights).all():
        return True
    weights = relative_weights(log_weights)
    effective = weights.sum() ** 2 / (weights**2).sum()
    return bool(effective < _LEAST_EFFECTIVE_SHARE * len(weights))


_PIECES = 16  # of an annealing run, between which progress is reported


class DeviceAnnealedRuns:
    """The annealing runs made on a device so far; see `AnnealedRuns`."""

    def __init__(self, tables: DeviceTables, job: AnnealingJob) -> None:
        self._tables = tables
        self._job = job
        self._kind = SampledOrders.of(job.space, job.sums.variables)
        self._path = self._kind.points(job.options.path)
        self._logs: list[NDArray[np.float64]] = []
        self._parts: list[tuple[int, StateRecord]] = []
        self._threads = 1
        self._proposed = self._accepted = np.zeros(4, dtype=np.int64)  # moves by kind

    def __len__(self) -> int:
        """Return the number of runs."""
        return sum(count for count, _ in self._parts)

    def run(self, first: int, count: int, threads: int, progress: Listener) -> None:
        """Perform the runs with these indices."""
        self._threads = threads
        population = self._job.options.population
        orders, logs = self._annealed(first * population, count * population, progress)
        self._logs.append(logs)
        self._parts.append((count, self._sampled(orders, progress)))
        proposed, accepted = orders.counts()
        self._proposed = self._proposed + proposed * orders.chains
        self._accepted = self._accepted + accepted.sum(axis=1)
        if progress is not None:
            progress(1.0)

    def _annealed(
        self, first: int, count: int, progress: Listener
    ) -> tuple[OrderChains, NDArray[np.float64]]:
        """Anneal chains, and return them with the log weight of each run."""
        orders, path = self._started(first, count), self._path
        piece = -(-(len(path) - 1) // _PIECES)
        for done in range(1, len(path), piece):
            orders.anneal(path[done : done + piece])
            _report(progress, 0.8 * done / len(path))
        return orders, orders.annealed()

    def _started(self, first: int, count: int) -> OrderChains:
        """Return chains at the start of the path."""
        seed, begin = self._job.seed, self._path[0]
        return OrderChains(self._tables, self._kind, count, seed, first_chain=first, point=begin)

    def _sampled(self, orders: OrderChains, progress: Listener) -> StateRecord:
        """Run the chains at the posterior, and keep states along the way."""
        options = self._job.options
        kept = StateRecord(orders, options.record, FEWEST_BATCHES)
        kept.keep()
        for step in range(
            0, options.stretch - options.stretch % options.thinning, options.thinning
        ):
            orders.walk(options.thinning)
            kept.keep()
            _report(progress, 0.8 + 0.2 * step / options.stretch)
        orders.walk(options.stretch % options.thinning)
        return kept

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log importance weight of every run."""
        return np.concatenate(self._logs) if self._logs else np.zeros(0)

    def record(self, run: int, /) -> dict[str, Any]:
        """Return the record of a run."""
        population = self._job.options.population
        for count, kept in self._parts:
            if run < count:
                chains = range(run * population, (run + 1) * population)
                return kept.of(chains, self._threads)
            run -= count
        raise IndexError(run)

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return the numbers of proposed and accepted moves of each kind."""
        return moves_by_name(self._proposed, self._accepted)

    def save_runs(self, first: int) -> bytes:
        """Return the runs from an index on, in the format of the core."""
        raise no_directory()

    def restore_runs(self, runs: bytes) -> None:
        """Add runs returned by `save_runs`."""
        raise no_directory()


class DevicePopulations(DeviceAnnealedRuns):
    """The populations made on a device so far: annealing runs of many states, with resampling."""

    def _annealed(
        self, first: int, count: int, progress: Listener
    ) -> tuple[OrderChains, NDArray[np.float64]]:
        job, orders = self._job, self._started(first, count)
        size, steps = job.options.population, job.options.steps_by_temperature
        populations = Populations(count // size, size, job.seed, first // size)
        last = len(self._path) - 1
        for level in range(1, last + 1):
            orders.reweigh(self._path[level])
            sources = populations.weigh(orders.log_ratios(), level, resample=level == last)
            if sources is not None:
                orders.take_states(orders, sources)
            orders.set_log_ratios(populations.log_weights)
            orders.walk(steps[level - 1] if steps else 1)
            _report(progress, 0.8 * level / last)
        return orders, populations.log_totals + self._tables.host.offset


def _report(progress: Listener, share: float) -> None:
    if progress is not None:
        progress(share)
