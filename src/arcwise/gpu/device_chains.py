"""Running chains of a device, as the algorithms see them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.engines.sampling_jobs import ChainJob, Listener
from arcwise.errors import ArgumentError, option
from arcwise.gpu.canonical_orders import ORDER_POSTERIOR, POSTERIOR, CanonicalOrderChains
from arcwise.gpu.device import KernelDevice
from arcwise.gpu.linear_orders import LinearOrderChains
from arcwise.gpu.order_tables import OrderTables
from arcwise.gpu.sampled_orders import SampledOrders
from arcwise.gpu.state_record import FEWEST_BATCHES, StateRecord
from arcwise.gpu.swap_chains import moves_by_name

BATCHES_OF_ALL = 256  # of edge sums, at least, over all chains
_PIECES = 32  # of a burn-in, between which progress is told
_FEWEST_STEPS = 1024  # of a piece
_MOST_STARTS = 20  # tries to find states of positive weight
_FEWEST_STARTING_STEPS = 4  # times the square of the number of nodes


class DeviceChains:
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
        self._order_steps = job.order_steps
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
        most = max(FEWEST_BATCHES, min(job.record.edge_batches, BATCHES_OF_ALL // job.count))
        self._kept = StateRecord(self._orders, job.record, most)
        self._thinning = 1
        self._threads = 1
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
        return self._kept.of([chain], self._threads)

    def take_draws(self, chain: int) -> dict[str, Any]:
        """Return the record of a chain and discard its draws here."""
        raise no_directory()

    def save_state(self) -> bytes:
        """Return everything that determines the continuation of the chains."""
        raise no_directory()

    def restore_state(self, state: bytes) -> None:
        """Continue from the state returned by `save_state` of identically made chains."""
        raise no_directory()

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


def no_directory() -> ArgumentError:
    """Return the refusal of a run directory."""
    return ArgumentError(
        "runs on a device are not kept in a run directory; leave out ",
        option("device"),
        " or directory",
    )
