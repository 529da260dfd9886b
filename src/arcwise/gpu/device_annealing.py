"""Annealing runs and populations of a device, as the algorithms see them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.engines.sampling_jobs import AnnealingJob, Listener
from arcwise.gpu.order_chains import OrderChains, moves_by_name
from arcwise.gpu.order_tables import DeviceTables
from arcwise.gpu.recorded_chains import no_directory
from arcwise.gpu.resampling import Populations
from arcwise.gpu.sampled_orders import SampledOrders
from arcwise.gpu.state_record import FEWEST_BATCHES, StateRecord

_PIECES = 16  # of an annealing, between which progress is told


class DeviceAnnealedRuns:
    """The annealing runs of a device so far; see `AnnealedRuns`.

    Parameters
    ----------
    tables
        The score sums, on the device.
    job
        What the runs are made from.
    """

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
        """Make runs by index."""
        self._threads = threads
        population = self._job.options.population
        orders, logs = self._annealed(first * population, count * population, progress)
        self._logs.append(logs)
        self._parts.append((count, self._stretched(orders, progress)))
        proposed, accepted = orders.counts()
        self._proposed = self._proposed + proposed * orders.chains
        self._accepted = self._accepted + accepted.sum(axis=1)
        if progress is not None:
            progress(1.0)

    def _annealed(
        self, first: int, count: int, progress: Listener
    ) -> tuple[OrderChains, NDArray[np.float64]]:
        """Anneal chains; return them with the log weight of each run."""
        orders, path = self._started(first, count), self._path
        piece = -(-(len(path) - 1) // _PIECES)
        for done in range(1, len(path), piece):
            orders.anneal(path[done : done + piece])
            _tell(progress, 0.8 * done / len(path))
        return orders, orders.annealed()

    def _started(self, first: int, count: int) -> OrderChains:
        """Return chains at the beginning of the path."""
        seed, begin = self._job.seed, self._path[0]
        return OrderChains(self._tables, self._kind, count, seed, first_chain=first, point=begin)

    def _stretched(self, orders: OrderChains, progress: Listener) -> StateRecord:
        """Keep states along the stretch at the posterior."""
        options = self._job.options
        kept = StateRecord(orders, options.record, FEWEST_BATCHES)
        kept.keep()
        for step in range(
            0, options.stretch - options.stretch % options.thinning, options.thinning
        ):
            orders.walk(options.thinning)
            kept.keep()
            _tell(progress, 0.8 + 0.2 * step / options.stretch)
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
        """Return the runs from an index on, as saved by the core."""
        raise no_directory()

    def restore_runs(self, runs: bytes) -> None:
        """Add runs returned by `save_runs`."""
        raise no_directory()


class DevicePopulations(DeviceAnnealedRuns):
    """The populations of a device so far: annealing runs of many states, drawn anew on the way."""

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
            _tell(progress, 0.8 * level / last)
        return orders, populations.log_totals + self._tables.host.offset


def _tell(progress: Listener, share: float) -> None:
    if progress is not None:
        progress(share)
