"""Chains that run on a device at one temperature, and the records of their states.

Sums along chains are divided into batches, from which standard errors are estimated. Records have
the form of `ChainRecord`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.engines import ChainJob, Listener
from arcwise.errors import ArgumentError, option
from arcwise.gpu.order_chains import ORDER_POSTERIOR, DeviceTables, OrderChains, SampledOrders

Array = NDArray[np.float64]


class Batches:
    """Batches of equal size; when there are too many, neighbours are merged, which doubles it."""

    def __init__(self, most: int, merge: Callable[[Array, Array], Array]) -> None:
        self._most = most + most % 2
        self._merge = merge
        self.whole: list[Array] = []
        self.size = 1
        self.count = 0

    def count_one(self) -> bool:
        """Count a state of each chain, and return whether it completes a batch."""
        self.count += 1
        return self.count % self.size == 0

    def append(self, batch: Array) -> None:
        """Add a complete batch."""
        self.whole.append(batch)
        if len(self.whole) == self._most:
            pairs = zip(self.whole[::2], self.whole[1::2], strict=True)
            self.whole = [self._merge(one, other) for one, other in pairs]
            self.size *= 2


class EdgeBatches:
    """Batches of the edge probabilities of chains."""

    def __init__(self, sums: Callable[[], Array], most: int) -> None:
        self._sums = sums
        self._batches = Batches(most, np.add)
        self._before: Array | float = 0.0
        self._total: tuple[int, Array] | None = None  # and the number of states

    def add(self) -> None:
        """Count one more state of each chain, whose edges have been added to the sums."""
        if self._batches.count_one():
            now = self._sums()
            self._batches.append(now - self._before)
            self._before = now

    def of(self, chains: Sequence[int]) -> dict[str, Any]:
        """Return the fields of the record of one chain, or of several in sequence."""
        states = self._batches.count
        if self._total is None or self._total[0] != states:
            self._total = states, self._sums()
        if len(chains) == 1:
            total = self._total[1][chains[0]]
            batches = [each[chains[0]] for each in self._batches.whole]
            size = self._batches.size
        else:
            # Two batches: all states of either half of the chains.
            half = len(chains) // 2
            parts = [self._total[1][chains[:half]], self._total[1][chains[half : 2 * half]]]
            total = self._total[1][list(chains)].sum(axis=0)
            batches, size = [part.sum(axis=0) for part in parts], half * states
        return {
            "edge_sums": total,
            "edge_batches": np.array(batches).reshape(len(batches), *total.shape),
            "edge_batch_size": size,
        }


FEWEST_BATCHES = 2


class StateRecord:
    """The states kept of all chains."""

    def __init__(self, orders: OrderChains, options: _core.RecordOptions, most: int) -> None:
        self._orders = orders
        self._options = options
        self._log_weights: list[NDArray[np.float64]] = []
        self._codes: list[NDArray[np.uint16]] = []
        self._dags: list[NDArray[np.uint64]] = []
        self._edges = EdgeBatches(orders.edges, most) if options.edges else None

    def keep(self) -> None:
        """Keep the current states."""
        dags = self._options.dags_per_state
        self._orders.observe(edges=self._options.edges, draw_dags=dags > 0)
        for number in range(dags):
            if number > 0:
                self._orders.observe(edges=False, draw_dags=True)
            self._dags.append(self._orders.dags())
        self._log_weights.append(self._orders.log_weights())
        self._codes.append(self._orders.codes())
        if self._edges is not None:
            self._edges.add()

    def of(self, chains: Sequence[int], threads: int) -> dict[str, Any]:
        """Return the record of one chain, or of the chains of a population in sequence."""
        columns = list(chains)
        n, kept = self._orders.tables.nodes, len(self._log_weights)
        states = kept * len(columns)
        dags = np.array([each[columns] for each in self._dags], dtype=np.uint64)
        if kept > 0 and self._options.dags_per_state > 0:
            # The axes become chain, state, and number of the DAG of a state.
            dags = np.moveaxis(dags, 1, 0)
        parents = dags.reshape(states * self._options.dags_per_state, n, (n + 63) // 64)
        extensions = np.zeros(len(parents))
        if self._options.count_extensions and len(parents) > 0:
            extensions = _core.log_linear_extensions(
                parents, self._options.extension_budget, threads, None
            )
        codes = np.array([each[columns] for each in self._codes], dtype=np.uint16)
        length = codes.shape[-1] if kept > 0 else 0
        logs = np.array([each[columns] for each in self._log_weights])
        found = {
            "log_weights": np.ascontiguousarray(logs.T).reshape(states),
            "codes": np.ascontiguousarray(np.moveaxis(codes, 1, 0)).reshape(states, length)
            if kept > 0
            else codes.reshape(0, 0),
            "dag_counts": np.full(states, self._options.dags_per_state, dtype=np.uint32),
            "parents": np.ascontiguousarray(parents),
            "log_extensions": np.asarray(extensions),
            "extension_errors": np.zeros(len(parents)),
        }
        return found if self._edges is None else found | self._edges.of(columns)


_BATCHES_OF_ALL = 256  # batches of edge sums over all chains, of which each has at least two


class RecordedChains(ABC):
    """Chains that run on a device and whose states are recorded; see `Chains`."""

    def __init__(self, recorded: OrderChains, job: ChainJob) -> None:
        most = max(
            FEWEST_BATCHES, min(job.options.record.edge_batches, _BATCHES_OF_ALL // job.count)
        )
        self._kept = StateRecord(recorded, job.options.record, most)
        self._thinning = 1
        self._threads = 1

    @abstractmethod
    def _walk_to_draw(self, steps: int) -> None:
        """Take the steps before a draw."""

    def set_thinning(self, thinning: int) -> None:
        """Set the number of steps between draws."""
        self._thinning = thinning

    def sample(self, draws: int, threads: int, progress: Listener) -> None:
        """Continue the chains for a number of draws."""
        self._threads = threads
        for draw in range(draws):
            self._walk_to_draw(self._thinning)
            self._kept.keep()
            if progress is not None:
                progress((draw + 1) / draws)

    def record(self, chain: int, /) -> dict[str, Any]:
        """Return the record of a chain."""
        return self._kept.of([chain], self._threads)

    def take_draws(self, chain: int) -> dict[str, Any]:
        """Return the record of a chain and discard its draws here."""
        raise no_directory()

    def save_state(self) -> bytes:
        """Return the state that determines the continuation of the chains."""
        raise no_directory()

    def restore_state(self, state: bytes) -> None:
        """Continue from the state returned by `save_state` of identically constructed chains."""
        raise no_directory()


def no_directory() -> ArgumentError:
    """Return the error that refuses a run directory."""
    return ArgumentError(
        "runs on a device are not kept in a run directory; leave out ",
        option("device"),
        " or directory",
    )


_PIECES = 32  # of a burn-in, between which progress is reported
_FEWEST_STEPS = 1024  # of a piece


class DeviceChains(RecordedChains):
    """Chains that run on a device at one temperature; see `Chains`."""

    def __init__(self, tables: DeviceTables, job: ChainJob) -> None:
        kind = SampledOrders.of(job.space, job.sums.variables, renumbers=True)
        self._order_steps = job.options.order_steps
        self._orders = OrderChains(tables, kind, job.count, job.seed, point=(0.0, 0.0))
        super().__init__(self._orders, job)
        self._counted = self._orders.counts()

    def __len__(self) -> int:
        """Return the number of chains."""
        return self._orders.chains

    def start(self, burn_in: int, threads: int, progress: Listener) -> None:
        """Start from states of positive weight and run the burn-in."""
        settle(self._orders, self._order_steps)
        self._orders.go_to(self._orders.kind.posterior)
        self.burn_in(burn_in, threads, progress)

    def burn_in(self, steps: int, threads: int, progress: Listener) -> None:
        """Continue the chains without draws, and reset the counts of moves."""
        self._threads = threads
        done = 0
        while done < steps:
            piece = min(max(_FEWEST_STEPS, -(-steps // _PIECES)), steps - done)
            self._orders.walk(piece)
            done += piece
            if progress is not None:
                progress(done / steps)
        self._counted = self._orders.counts()

    def _walk_to_draw(self, steps: int) -> None:
        self._orders.walk(steps)

    def moves(self, chain: int, /) -> dict[str, tuple[int, int]]:
        """Return the numbers of proposed and accepted moves of each kind."""
        return self._orders.moves_since(self._counted, chain)

    def path(self, chain: int, /) -> list[tuple[float, float]]:
        """Return the only inverse temperature."""
        return [(1.0, 1.0)]

    def exchanges(self, chain: int, /) -> list[tuple[int, int]]:
        """Return an empty list, as there is one temperature."""
        return []

    def round_trips(self, chain: int, /) -> int:
        """Return zero, as there is one temperature."""
        return 0

    def ratios(self, chain: int, /) -> list[Any]:
        """Return an empty list, as there is one temperature."""
        return []


_MOST_STARTS = 20  # attempts to find states of positive weight
_FEWEST_STARTING_STEPS = 4  # times the square of the number of nodes


def settle(orders: OrderChains, steps: int) -> None:
    """Move chains from random orders to linear orders of positive weight in the given steps.

    Chains over canonical orders are then moved to the canonical orders of DAGs.
    """
    count = max(steps, _FEWEST_STARTING_STEPS * orders.tables.nodes**2)
    rising = [((step + 1) / (count // 2), 0.0) for step in range(count // 2)]
    for _ in range(_MOST_STARTS):
        orders.go_to((0.0, 0.0))
        orders.anneal(rising)
        orders.walk(count - count // 2)
        if (orders.unit_weights()[:, 1] == 0).all():
            assert orders.point == ORDER_POSTERIOR
            if orders.kind.canonical:
                orders.take_canonical_orders()
            return
    raise ArgumentError(
        "No structure that satisfies the constraints was found to start from; check that the "
        "required edges and parent sets can be had together."
    )
