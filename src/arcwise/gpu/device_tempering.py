"""Coupled chains of a device, as the algorithms see them: sweeps of steps, and exchanges."""

from __future__ import annotations

from typing import Any

from arcwise import _core
from arcwise.engines.sampling_jobs import ChainJob, Listener
from arcwise.gpu.order_tables import DeviceTables
from arcwise.gpu.recorded_chains import RecordedChains
from arcwise.gpu.sampled_orders import SampledOrders
from arcwise.gpu.tempered_orders import TemperedOrders

# Sweeps before targets first adapt; then as many as all before, as in the core.
_FIRST_SWEEPS_TO_ADAPT = 64


class DeviceTemperedChains(RecordedChains):
    """Running coupled chains of a device, all with the same targets; see `Chains`.

    Parameters
    ----------
    tables
        The score sums, on the device.
    job
        What the chains are made from.
    """

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
        """Return the number of chains, all temperatures of each taken together."""
        return self._orders.groups

    def start(self, burn_in: int, threads: int, progress: Listener) -> None:
        """Start from states of positive weight and run the burn-in."""
        self._orders.start(self._job.options.order_steps)
        self.burn_in(burn_in, threads, progress)

    def burn_in(self, steps: int, threads: int, progress: Listener) -> None:
        """Continue the chains without draws; counts of moves and exchanges begin anew."""
        self._threads = threads
        self._walk(steps, progress, sampled=False)
        self._orders.forget_counts()

    def _walk(self, steps: int, progress: Listener, *, sampled: bool) -> None:
        """Make steps, with exchanges in between; targets adapt until states are sampled."""
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
        """Spread the targets so that exchanges are all as easy, over all chains."""
        orders = self._orders
        points = _core.adapted_path(
            orders.points,
            orders.refusal_rates().tolist(),
            self._job.options.most_temperatures,
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
        """Return the inverse temperatures, perhaps adapted, and the places on the bridge."""
        bridged = any(place < 1.0 for _, place in self._job.options.path)
        return [(inverse, place if bridged else 1.0) for inverse, place in self._orders.points]

    def exchanges(self, chain: int, /) -> list[tuple[int, int]]:
        """Return the numbers of proposed and accepted exchanges, by pair of temperatures."""
        proposed = self._orders.proposed_exchanges.tolist()
        made = self._orders.exchanged()[:, chain].tolist()
        return list(zip(proposed, made, strict=True))

    def round_trips(self, chain: int, /) -> int:
        """Return how often a state went from the hottest temperature to the coldest and back."""
        return int(self._orders.round_trips()[chain])

    def ratios(self, chain: int, /) -> list[Any]:
        """Return log sums of batches, their count and batch size, by pair of temperatures."""
        return self._orders.ratios.of(chain)
