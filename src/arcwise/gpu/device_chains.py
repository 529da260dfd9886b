"""Running chains of a device, as the algorithms see them."""

from __future__ import annotations

from typing import Any

from arcwise.engines.sampling_jobs import ChainJob, Listener
from arcwise.errors import ArgumentError
from arcwise.gpu.order_chains import OrderChains
from arcwise.gpu.order_tables import DeviceTables
from arcwise.gpu.recorded_chains import RecordedChains
from arcwise.gpu.sampled_orders import ORDER_POSTERIOR, SampledOrders

_PIECES = 32  # of a burn-in, between which progress is told
_FEWEST_STEPS = 1024  # of a piece
_MOST_STARTS = 20  # tries to find states of positive weight
_FEWEST_STARTING_STEPS = 4  # times the square of the number of nodes


class DeviceChains(RecordedChains):
    """Running chains of a device at one temperature; see `Chains`.

    Parameters
    ----------
    tables
        The score sums, on the device.
    job
        What the chains are made from.
    """

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
        """Continue the chains without draws; counts of moves begin anew."""
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


def settle(orders: OrderChains, steps: int) -> None:
    """Take chains from random orders to linear orders of positive weight, in so many steps.

    Those over canonical orders are then at the canonical orders of DAGs.

    Raises
    ------
    ArgumentError
        If some find none.
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
