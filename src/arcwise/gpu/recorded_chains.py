"""`RecordedChains`: what running chains of a device have in common, whatever moves them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from arcwise.engines.sampling_jobs import ChainJob, Listener
from arcwise.errors import ArgumentError, option
from arcwise.gpu.order_chains import OrderChains
from arcwise.gpu.state_record import FEWEST_BATCHES, StateRecord

_BATCHES_OF_ALL = 256  # of edge sums, at least, over all chains


class RecordedChains(ABC):
    """Running chains of a device whose states are recorded there; see `Chains`.

    Parameters
    ----------
    recorded
        The chains whose states are draws.
    job
        What the chains are made from.
    """

    def __init__(self, recorded: OrderChains, job: ChainJob) -> None:
        most = max(
            FEWEST_BATCHES, min(job.options.record.edge_batches, _BATCHES_OF_ALL // job.count)
        )
        self._kept = StateRecord(recorded, job.options.record, most)
        self._thinning = 1
        self._threads = 1

    @abstractmethod
    def _walk_to_draw(self, steps: int) -> None:
        """Make the steps before a draw."""

    def set_thinning(self, thinning: int) -> None:
        """Set the number of steps between draws."""
        self._thinning = thinning

    def sample(self, draws: int, threads: int, progress: Listener) -> None:
        """Continue the chains for this many draws."""
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
        """Return everything that determines the continuation of the chains."""
        raise no_directory()

    def restore_state(self, state: bytes) -> None:
        """Continue from the state returned by `save_state` of identically made chains."""
        raise no_directory()


def no_directory() -> ArgumentError:
    """Return the refusal of a run directory."""
    return ArgumentError(
        "runs on a device are not kept in a run directory; leave out ",
        option("device"),
        " or directory",
    )
