"""Running chains of a device, as the algorithms see them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.engines.sampling_jobs import ChainJob, Listener
from arcwise.errors import ArgumentError
from arcwise.gpu.canonical_orders import ORDER_POSTERIOR, POSTERIOR, CanonicalOrderChains
from arcwise.gpu.device import KernelDevice
from arcwise.gpu.linear_orders import LinearOrderChains
from arcwise.gpu.order_tables import OrderTables
from arcwise.gpu.recorded_chains import RecordedChains
from arcwise.gpu.sampled_orders import SampledOrders
from arcwise.gpu.swap_chains import moves_by_name

_PIECES = 32  # of a burn-in, between which progress is told
_FEWEST_STEPS = 1024  # of a piece
_MOST_STARTS = 20  # tries to find states of positive weight
_FEWEST_STARTING_STEPS = 4  # times the square of the number of nodes


class DeviceChains(RecordedChains):
    """Running chains of a device at one temperature; see `Chains`.

    Parameters
    ----------
    device, tables
        The device, and the score sums for it.
    job
        What the chains are made from.
    """

    def __init__(self, device: KernelDevice, tables: OrderTables, job: ChainJob) -> None:
        kind = SampledOrders.of(job.space, job.sums.variables, renumbers=True)
        self._order_steps = job.options.order_steps
        self._orders: LinearOrderChains | CanonicalOrderChains
        if kind.canonical:
            self._orders = kind.chains(
                device, tables, job.count, job.seed, point=(0.0, 0.0), renumber=True
            )
        else:
            kind.refuse_relocations()
            self._orders = LinearOrderChains(
                device, tables, job.count, job.seed, neighbours=kind.neighbours
            )
        super().__init__(self._orders, job)
        self._counted: tuple[list[int], NDArray[np.uint64], int] = (
            list(self._orders.proposed),
            self._orders.accepted(),
            0,
        )

    def __len__(self) -> int:
        """Return the number of chains."""
        return self._orders.chains

    def start(self, burn_in: int, threads: int, progress: Listener) -> None:
        """Run the burn-in; linear orders have begun from random ones."""
        if isinstance(self._orders, CanonicalOrderChains):
            settle(self._orders, self._order_steps)
            self._orders.take_canonical_orders()
            self._orders.go_to(POSTERIOR)
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
        self._counted = (list(self._orders.proposed), self._orders.accepted(), self._numbered)

    @property
    def _numbered(self) -> int:
        return getattr(self._orders, "numbered", 0)

    def _walk_to_draw(self, steps: int) -> None:
        self._orders.walk(steps)

    def moves(self, chain: int, /) -> dict[str, tuple[int, int]]:
        """Return the numbers of proposed and accepted moves of each kind."""
        proposed, accepted, numbered = self._counted
        made = self._orders.accepted()[:, chain] - accepted[:, chain]
        tried = [now - then for now, then in zip(self._orders.proposed, proposed, strict=True)]
        found = moves_by_name(tried, made.tolist())
        anew = self._numbered - numbered
        return found | ({"renumber": (anew, anew)} if anew > 0 else {})

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


def settle(orders: CanonicalOrderChains, steps: int) -> None:
    """Take chains from random orders to linear orders of positive weight, in so many steps.

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
            return
    raise ArgumentError(
        "No structure that satisfies the constraints was found to start from; check that the "
        "required edges and parent sets can be had together."
    )
