"""`GpuEngine`: chains and annealing runs over linear orders on a graphics processor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.engines.engine import Threads
from arcwise.engines.sampling_jobs import AnnealingJob, ChainJob, Listener
from arcwise.errors import ArgumentError, option
from arcwise.gpu.device import KernelDevice
from arcwise.gpu.edge_batches import EdgeBatches
from arcwise.gpu.linear_orders import LinearOrderChains
from arcwise.gpu.order_tables import OrderTables

_FEWEST_BATCHES = 2
_BATCHES_OF_ALL = 256  # of edge sums, at least, over all chains
_PIECES = 32  # of a walk, between which progress is told


class GpuEngine(Threads):
    """Runs chains on a device; all else in the threads of this process.

    Parameters
    ----------
    device
        The device.
    weights
        The log weights of all families of the model.
    """

    def __init__(self, device: KernelDevice, weights: _core.FamilyTable) -> None:
        self._device = device
        self._tables = OrderTables.of(weights)

    def __repr__(self) -> str:
        """Show the device."""
        return f"GpuEngine({self._device.name!r})"

    @property
    def fewest_runs_at_once(self) -> int:
        """Every multiprocessor should have its threads full."""
        return 512 * self._device.multiprocessors

    def chains(self, job: ChainJob) -> DeviceChains:
        """Return chains on the device."""
        return DeviceChains(self._device, self._tables, job)

    def annealed_runs(self, job: AnnealingJob) -> DeviceAnnealedRuns:
        """Return annealing runs on the device."""
        return DeviceAnnealedRuns(self._device, self._tables, job)


def neighbour_share(moves: Mapping[str, float] | None) -> float | None:
    """Return the share of swaps of neighbours among the moves asked for; None for the usual."""
    if moves is None:
        return None
    if moves.get("relocate"):
        raise ArgumentError(
            option("device", "gpu"),
            " makes swaps alone, and the space asks for the move 'relocate'; leave either out",
        )
    near, far = float(moves.get("adjacent", 0.0)), float(moves.get("swap", 0.0))
    return near / (near + far)


class _StateRecord:
    """The states of all chains that were kept, in the form of `ChainRecord`."""

    def __init__(self, orders: LinearOrderChains, options: _core.RecordOptions, most: int) -> None:
        self._orders = orders
        self._options = options
        self._log_weights: list[NDArray[np.float64]] = []
        self._codes: list[NDArray[np.uint8]] = []
        self._dags: list[NDArray[np.uint64]] = []
        self._edges = EdgeBatches(orders.edges, most) if options.edges else None

    def keep(self) -> None:
        """Keep the states as they are."""
        dags = self._options.dags
        self._orders.observe(edges=self._options.edges, draw_dags=dags > 0)
        for number in range(dags):
            if number > 0:
                self._orders.observe(edges=False, draw_dags=True)
            self._dags.append(self._orders.dags())
        self._log_weights.append(self._orders.log_weights())
        self._codes.append(self._orders.orders())
        if self._edges is not None:
            self._edges.add()

    def of(self, chain: int, threads: int) -> dict[str, Any]:
        """Return the record of a chain."""
        n, states = self._orders.tables.nodes, len(self._log_weights)
        dags = np.array([each[chain] for each in self._dags], dtype=np.uint64)
        parents = dags.reshape(len(self._dags), n, (n + 63) // 64)
        extensions = np.zeros(len(parents))
        if self._options.count_extensions and len(parents) > 0:
            extensions = _core.log_linear_extensions(
                parents, self._options.extension_budget, threads, None
            )
        codes = np.array([each[chain] for each in self._codes], dtype=np.uint16)
        found = {
            "log_weights": np.array([each[chain] for each in self._log_weights]),
            "codes": codes.reshape(states, n if states > 0 else 0),
            "dag_counts": np.full(states, self._options.dags, dtype=np.uint32),
            "parents": parents,
            "log_extensions": np.asarray(extensions),
            "extension_errors": np.zeros(len(parents)),
        }
        return found if self._edges is None else found | self._edges.of(chain)

    def clear_draws(self) -> None:
        """Forget the states, but not the sums of their edges."""
        self._log_weights, self._codes, self._dags = [], [], []


class DeviceChains:
    """Running chains of a device; see `Chains`.

    Parameters
    ----------
    device, tables
        The device, and the score sums for it.
    job
        What the chains are made from.
    """

    def __init__(self, device: KernelDevice, tables: OrderTables, job: ChainJob) -> None:
        self._orders = LinearOrderChains(
            device,
            tables,
            job.count,
            job.seed,
            neighbours=neighbour_share(getattr(job.space, "moves", None)),
        )
        most = max(_FEWEST_BATCHES, min(job.record.edge_batches, _BATCHES_OF_ALL // job.count))
        self._kept = _StateRecord(self._orders, job.record, most)
        self._thinning = 1
        self._threads = 1
        self._counted: tuple[list[int], NDArray[np.uint64]] = (
            [0, 0],
            np.zeros((2, job.count), dtype=np.uint64),
        )

    def __len__(self) -> int:
        """Return the number of chains."""
        return self._orders.chains

    def start(self, burn_in: int, threads: int, progress: Listener) -> None:
        """Run the burn-in; the chains have begun from random states."""
        self.burn_in(burn_in, threads, progress)

    def burn_in(self, steps: int, threads: int, progress: Listener) -> None:
        """Continue the chains without draws; counts of moves begin anew."""
        self._threads = threads
        done = 0
        while done < steps:
            piece = min(max(1, -(-steps // _PIECES)), steps - done)
            self._orders.walk(piece)
            done += piece
            if progress is not None:
                progress(done / steps)
        self._counted = (list(self._orders.proposed), self._orders.accepted())

    def set_thinning(self, thinning: int) -> None:
        """Set the number of steps between draws."""
        self._thinning = thinning

    def sample(self, draws: int, threads: int, progress: Listener) -> None:
        """Continue the chains for this many draws."""
        self._threads = threads
        for draw in range(draws):
            self._orders.walk(self._thinning)
            self._kept.keep()
            if progress is not None:
                progress((draw + 1) / draws)

    def record(self, chain: int, /) -> dict[str, Any]:
        """Return the record of a chain."""
        return self._kept.of(chain, self._threads)

    def take_draws(self, chain: int) -> dict[str, Any]:
        """Return the record of a chain and discard its draws here."""
        raise _no_directory()

    def save_state(self) -> bytes:
        """Return everything that determines the continuation of the chains."""
        raise _no_directory()

    def restore_state(self, state: bytes) -> None:
        """Continue from the state returned by `save_state` of identically made chains."""
        raise _no_directory()

    def moves(self, chain: int, /) -> dict[str, tuple[int, int]]:
        """Return the numbers of proposed and accepted moves of each kind."""
        proposed, accepted = self._counted
        made = self._orders.accepted()[:, chain] - accepted[:, chain]
        near, far = (self._orders.proposed[kind] - proposed[kind] for kind in (0, 1))
        return {"adjacent": (near, int(made[0])), "swap": (far, int(made[1]))}

    def path(self, chain: int, /) -> list[tuple[float, float]]:
        """Return the one inverse temperature."""
        return [(1.0, 1.0)]

    def exchanges(self, chain: int, /) -> list[tuple[int, int]]:
        """Return nothing: there is one temperature."""
        return []

    def round_trips(self, chain: int, /) -> int:
        """Return zero: there is one temperature."""
        return 0

    def ratios(self, chain: int, /) -> list[Any]:
        """Return nothing: there is one temperature."""
        return []


class DeviceAnnealedRuns:
    """The annealing runs of a device so far; see `AnnealedRuns`.

    Parameters
    ----------
    device, tables
        The device, and the score sums for it.
    job
        What the runs are made from.
    """

    def __init__(self, device: KernelDevice, tables: OrderTables, job: AnnealingJob) -> None:
        self._device = device
        self._tables = tables
        self._job = job
        self._inverse = np.array([_inverse_temperature(point) for point in job.path][1:])
        self._logs: list[NDArray[np.float64]] = []
        self._parts: list[tuple[int, _StateRecord]] = []
        self._threads = 1
        self._moves = np.zeros((2, 2), dtype=np.int64)

    def __len__(self) -> int:
        """Return the number of runs."""
        return sum(count for count, _ in self._parts)

    def run(self, first: int, count: int, threads: int, progress: Listener) -> None:
        """Make runs by index."""
        job = self._job
        self._threads = threads
        orders = LinearOrderChains(
            self._device,
            self._tables,
            count,
            job.seed,
            first_chain=first,
            neighbours=neighbour_share(getattr(job.space, "moves", None)),
        )
        orders.anneal(self._inverse)
        kept = _StateRecord(orders, job.record, _FEWEST_BATCHES)
        kept.keep()
        for step in range(0, job.stretch - job.stretch % job.thinning, job.thinning):
            orders.walk(job.thinning)
            kept.keep()
            if progress is not None:
                progress(step / job.stretch)
        orders.walk(job.stretch % job.thinning)
        self._logs.append(orders.annealed())
        self._parts.append((count, kept))
        made = orders.accepted().sum(axis=1).astype(np.int64)
        self._moves += np.array([np.array(orders.proposed) * count, made]).T
        if progress is not None:
            progress(1.0)

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log importance weight of every run."""
        return np.concatenate(self._logs) if self._logs else np.zeros(0)

    def record(self, run: int, /) -> dict[str, Any]:
        """Return the record of a run."""
        for count, kept in self._parts:
            if run < count:
                return kept.of(run, self._threads)
            run -= count
        raise IndexError(run)

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return the numbers of proposed and accepted moves of each kind."""
        (near, near_made), (far, far_made) = self._moves.tolist()
        return {"adjacent": (near, near_made), "swap": (far, far_made)}

    def save_runs(self, first: int) -> bytes:
        """Return the runs from an index on, as saved by the core."""
        raise _no_directory()

    def restore_runs(self, runs: bytes) -> None:
        """Add runs returned by `save_runs`."""
        raise _no_directory()


def _inverse_temperature(point: float | tuple[float, float]) -> float:
    return float(point[0] if isinstance(point, tuple) else point)


def _no_directory() -> ArgumentError:
    return ArgumentError(
        "runs on a device are not kept in a run directory; leave out ",
        option("device"),
        " or directory",
    )
