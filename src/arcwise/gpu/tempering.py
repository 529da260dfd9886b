"""Coupled chains on a device: groups with one chain per target, which exchange their states.

The targets lie on a path of inverse temperatures, or on the bridge from linear to canonical
orders. `DeviceTemperedChains` has the interface that the algorithms use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.engines import ChainJob, Listener
from arcwise.gpu.device import KernelStruct
from arcwise.gpu.device_chains import Batches, RecordedChains, settle
from arcwise.gpu.order_chains import DeviceTables, OrderChains, Point, SampledOrders, log_add

# Passes of exchanges between two sweeps, as in core/arcwise/chains/replicas.cpp.
_MOST_PASSES = 16
_PASSES_ON_BRIDGE = 2
_MOST_BATCHES = 64
_FIRST_RECORDED = 1 << 40  # beyond the numbers of all chains that move
# Sweeps before the targets first adapt, doubled at each adaptation, as in the core.
_FIRST_SWEEPS_TO_ADAPT = 64


class TemperedOrders:
    """Groups of chains, the hottest target first."""

    def __init__(
        self,
        tables: DeviceTables,
        kind: SampledOrders,
        points: Sequence[Point],
        groups: int,
        seed: int,
    ) -> None:
        self._device = tables.device
        self._tables = tables
        self._kind = kind
        self._seed = seed
        self.groups = groups
        self.points = list(points)
        self.passes = 0
        self._orders = self._new_chains(len(points))
        # The recorded states, which have separate random numbers.
        self.coldest = OrderChains(
            tables, kind, groups, seed, first_chain=_FIRST_RECORDED, point=kind.posterior
        )
        self._set_levels()

    def _new_chains(self, levels: int) -> OrderChains:
        count = levels * self.groups
        return OrderChains(self._tables, self._kind, count, self._seed, point=(0.0, 0.0))

    def _set_levels(self) -> None:
        """Assign the chains of each group to the levels in order, and reset the counts."""
        levels = np.repeat(np.arange(len(self.points), dtype=np.uint32), self.groups)
        self._level_of = self._device.upload(levels)
        self._chain_of = self._device.upload(np.arange(len(levels), dtype=np.uint32))
        self._targets = self._orders.targets(self.points)
        self.forget_counts()

    def forget_counts(self) -> None:
        """Reset the counts of moves, exchanges and trips, and the ratios."""
        pairs = len(self.points) - 1
        trips = np.zeros(len(self.points) * self.groups, dtype=np.uint8)
        trips[self.chains_at(0)] = 1
        self._counts: dict[str, Any] = {
            "trips": self._device.upload(trips),
            "round_trips": self._device.zeros(self.groups, np.uint64),
            "exchanged": self._device.zeros(pairs * self.groups, np.uint64),
            "refusals": self._device.zeros(pairs * self.groups, np.float64),
        }
        self.proposed_exchanges = np.zeros(pairs, dtype=np.int64)
        self._read: dict[str, tuple[int, NDArray[Any]]] = {}
        self._moved = self._orders.counts()
        self.ratios = RatioBatches(self, pairs)

    @property
    def bridged(self) -> bool:
        """Whether the targets are at different points of the bridge."""
        return len({bridge for _, bridge in self.points}) > 1

    def start(self, steps: int) -> None:
        """Move to states of positive weight within the given number of steps."""
        settle(self._orders, steps)
        self._reweigh()
        self.forget_counts()

    def walk(self, steps: int) -> None:
        """Take the given number of steps at all levels."""
        self._orders.walk_and_relocate(
            self._targets, steps, levels=self._level_of, groups=self.groups
        )

    def exchange(self) -> None:
        """Exchange states between neighbouring levels, with the number of passes of the core."""
        levels = len(self.points)
        passes = _PASSES_ON_BRIDGE if self.bridged else min(levels, _MOST_PASSES)
        if self.bridged:
            for _ in range(passes):
                items = (levels - self.passes % 2) // 2 * self.groups
                if items > 0:
                    self._launch("exchange_replica_pairs", items, np.uint64(self.passes))
                self._count_pass()
            return
        self._launch(
            "exchange_replica_groups", self.groups, np.uint64(self.passes), np.uint64(passes)
        )
        for _ in range(passes):
            self._count_pass()

    def _count_pass(self) -> None:
        self.proposed_exchanges[self.passes % 2 :: 2] += 1
        self.passes += 1

    def _launch(self, kernel: str, items: int, *more: Any, log_ratios: Any = None) -> None:
        groups = KernelStruct(
            self._device,
            {
                "groups": self.groups,
                "levels": len(self.points),
                "level_of": self._level_of,
                "chain_of": self._chain_of,
                **self._counts,
                "log_ratios": log_ratios,
            },
        )
        chains = self._orders.as_struct(targets=self._targets, levels=self._level_of)
        blocks = min(-(-items // 64), 65535)
        self._device.launch(kernel, blocks, 64, (chains.buffer, groups.buffer, *more))
        self._device.synchronize()  # before the memory it reads is released

    def add_ratios(self, log_ratios: Any) -> None:
        """Add the density ratios of neighbouring levels to an array of the device."""
        pairs = len(self.points) - 1
        self._launch("add_replica_ratios", pairs * self.groups, log_ratios=log_ratios)

    def chains_at(self, level: int) -> NDArray[np.uint32]:
        """Return the chain of each group at a level."""
        return self._device.download(self._chain_of, level * self.groups, self.groups)

    def take_coldest(self) -> OrderChains:
        """Return chains with the states of the coldest level, for recording."""
        self.coldest.take_states(self._orders, self.chains_at(len(self.points) - 1))
        return self.coldest

    def refusal_rates(self) -> NDArray[np.float64]:
        """Return the rejection rate of exchanges for each pair of levels, over all groups."""
        found = self._device.download(self._counts["refusals"]).reshape(-1, self.groups)
        proposed = np.maximum(self.proposed_exchanges * self.groups, 1)
        rates = found.sum(axis=1) / proposed
        return np.asarray(np.where(self.proposed_exchanges > 0, rates, 0.5))

    def exchanged(self) -> NDArray[np.uint64]:
        """Return the number of accepted exchanges, as [pair, group]."""
        return self._counted("exchanged").reshape(-1, self.groups)

    def round_trips(self) -> NDArray[np.uint64]:
        """Return the number of round trips from the hottest to the coldest level in each group."""
        return self._counted("round_trips")

    def _counted(self, name: str) -> NDArray[Any]:
        """Return counts, which are read once after each exchange and requested group by group."""
        if name not in self._read or self._read[name][0] != self.passes:
            self._read[name] = self.passes, self._device.download(self._counts[name])
        return self._read[name][1]

    def moves(self, group: int) -> dict[str, tuple[int, int]]:
        """Return the numbers of proposed and accepted moves of each kind at the coldest level."""
        column = (len(self.points) - 1) * self.groups + group
        return self._orders.moves_since(self._moved, column)

    def spread(self, points: Sequence[Point]) -> None:
        """Continue at other, possibly more, targets with the same two ends."""
        last, count = len(self.points) - 1, len(points)
        # New levels start from the state of a neighbouring level, as in the core.
        sources = np.concatenate(
            [self.chains_at(level * last // (count - 1)) for level in range(count)]
        )
        before = self._orders
        if count != len(self.points):
            self._orders = self._new_chains(count)
            # The random number streams continue.
            self._orders.steps, self._orders.proposed = before.steps, list(before.proposed)
        self._orders.take_states(before, sources)
        self.points = list(points)
        self._set_levels()
        self._reweigh()

    def _reweigh(self) -> None:
        self._orders.weigh_at(self._targets, levels=self._level_of)
        # A state of weight zero, where the target has none, is replaced by that of the next level.
        columns = np.arange(len(self.points) * self.groups, dtype=np.uint32)
        missing = (self._orders.unit_weights()[:, 1] > 0).reshape(-1, self.groups)
        moved = columns.reshape(-1, self.groups).copy()
        for level in range(len(self.points) - 2, -1, -1):
            if self.points[level][0] >= 1.0:
                moved[level] = np.where(missing[level], moved[level + 1], moved[level])
        if (moved.ravel() != columns).any():
            self._orders.take_states(self._orders, moved.ravel())
            self._orders.weigh_at(self._targets, levels=self._level_of)


class RatioBatches:
    """Batches of log sums of the density ratios of all pairs of levels and groups."""

    def __init__(self, chains: TemperedOrders, pairs: int) -> None:
        self._chains = chains
        self._shape = (pairs, chains.groups)
        self._batches = Batches(_MOST_BATCHES, log_add)
        self._joined: tuple[int, NDArray[np.float64]] | None = None
        self._empty()

    def _empty(self) -> None:
        nothing = np.full(self._shape[0] * self._shape[1], -np.inf)
        self._running = self._chains.coldest.device.upload(nothing)

    def _sums(self) -> NDArray[np.float64]:
        return self._chains.coldest.device.download(self._running).reshape(self._shape)

    def add(self) -> None:
        """Add the ratios of the current states."""
        self._chains.add_ratios(self._running)
        if self._batches.count_one():
            self._batches.append(self._sums())
            self._empty()

    def of(self, group: int) -> list[tuple[NDArray[np.float64], int, int]]:
        """Return the log sums of the batches, the count and the batch size of each pair."""
        count, size = self._batches.count, self._batches.size
        if self._joined is None or self._joined[0] != count:
            unfinished = [self._sums()] if count % size != 0 else []
            found = [*self._batches.whole, *unfinished]
            self._joined = count, np.array(found).reshape(len(found), *self._shape)
        points, offset = self._chains.points, self._chains.coldest.tables.offset
        # Weights on the device do not include the offset.
        left_out = np.diff([inverse for inverse, _ in points]) * offset
        sums = self._joined[1][:, :, group] + left_out
        return [(sums[:, pair].copy(), count, size) for pair in range(self._shape[0])]


class DeviceTemperedChains(RecordedChains):
    """Coupled chains on a device, all with the same targets; see `Chains`."""

    def __init__(self, tables: DeviceTables, job: ChainJob) -> None:
        kind = SampledOrders.of(job.space, job.sums.variables)
        self._job = job
        points = kind.points(job.options.path)
        self._orders = TemperedOrders(tables, kind, points, job.count, job.seed)
        super().__init__(self._orders.coldest, job)
        self._steps_in_sweep = 0
        self._sweeps_since_spread = 0
        self._sweeps_to_adapt = _FIRST_SWEEPS_TO_ADAPT

    def __len__(self) -> int:
        """Return the number of chains, each comprising all temperatures."""
        return self._orders.groups

    def start(self, burn_in: int, threads: int, progress: Listener) -> None:
        """Start from states of positive weight and run the burn-in."""
        self._orders.start(self._job.options.order_steps)
        self.burn_in(burn_in, threads, progress)

    def burn_in(self, steps: int, threads: int, progress: Listener) -> None:
        """Continue the chains without draws, and reset the counts of moves and exchanges."""
        self._threads = threads
        self._walk(steps, progress, sampled=False)
        self._orders.forget_counts()

    def _walk(self, steps: int, progress: Listener, *, sampled: bool) -> None:
        """Take steps with exchanges in between; the targets adapt until sampling begins."""
        options, left = self._job.options, steps
        while left > 0:
            if self._steps_in_sweep == options.steps_between_exchanges:
                self._exchange(sampled=sampled)
            adapts = options.adapt and not sampled
            if adapts and self._sweeps_since_spread >= self._sweeps_to_adapt:
                self._adapt()
            piece = min(left, options.steps_between_exchanges - self._steps_in_sweep)
            self._orders.walk(piece)
            self._steps_in_sweep += piece
            left -= piece
            if progress is not None:
                progress(1.0 - left / steps)

    def _exchange(self, *, sampled: bool) -> None:
        if sampled:
            self._orders.ratios.add()
        self._orders.exchange()
        self._steps_in_sweep = 0
        self._sweeps_since_spread += 1

    def _adapt(self) -> None:
        """Move the targets so that all pairs have the same rejection rate over all chains."""
        orders = self._orders
        points = _core.adapted_path(
            orders.points, orders.refusal_rates().tolist(), self._job.options.most_temperatures
        )
        orders.spread(points)
        self._sweeps_since_spread = 0
        self._sweeps_to_adapt *= 2

    def _walk_to_draw(self, steps: int) -> None:
        self._walk(steps, None, sampled=True)
        self._orders.take_coldest()

    def moves(self, chain: int, /) -> dict[str, tuple[int, int]]:
        """Return the numbers of proposed and accepted moves of each kind, at the posterior."""
        return self._orders.moves(chain)

    def path(self, chain: int, /) -> list[tuple[float, float]]:
        """Return the possibly adapted inverse temperatures, and the points on the bridge."""
        bridged = any(place < 1.0 for _, place in self._job.options.path)
        return [(inverse, place if bridged else 1.0) for inverse, place in self._orders.points]

    def exchanges(self, chain: int, /) -> list[tuple[int, int]]:
        """Return the numbers of proposed and accepted exchanges, by pair of temperatures."""
        proposed = self._orders.proposed_exchanges.tolist()
        made = self._orders.exchanged()[:, chain].tolist()
        return list(zip(proposed, made, strict=True))

    def round_trips(self, chain: int, /) -> int:
        """Return the number of round trips from the hottest temperature to the coldest."""
        return int(self._orders.round_trips()[chain])

    def ratios(self, chain: int, /) -> list[Any]:
        """Return the log sums of batches, their count and batch size, by pair of temperatures."""
        return self._orders.ratios.of(chain)
