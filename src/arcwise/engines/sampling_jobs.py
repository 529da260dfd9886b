"""Chains and annealing runs as the algorithms see them, and what an engine makes them from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise import _core

if TYPE_CHECKING:
    from arcwise.spaces import Space
    from arcwise.sums import ScoreSums

Listener = Callable[[float], None] | None
"""Who hears which share of a call is done."""


class Chains(Protocol):
    """Markov chains on their way; the core's `Chains` are, and those of a cluster."""

    def __len__(self) -> int:
        """Return how many chains there are."""
        ...

    def start(self, burn_in: int, threads: int, progress: Listener) -> None:
        """Start every chain from a random state and let it burn in."""
        ...

    def plan_burn_in(self, steps: int) -> None:
        """Plan a burn-in that `go_on_burning_in` makes piece by piece."""
        ...

    def go_on_burning_in(self, steps: int, threads: int, progress: Listener) -> None:
        """Make a piece of the burn-in that was planned."""
        ...

    def set_thinning(self, thinning: int) -> None:
        """Set the steps between two kept states."""
        ...

    def sample(self, draws: int, threads: int, progress: Listener) -> None:
        """Go on and keep so many states."""
        ...

    def record(self, chain: int, /) -> dict[str, Any]:
        """Return what was kept of a chain."""
        ...

    def take_draws(self, chain: int) -> dict[str, Any]:
        """Return the record, whose draws are then no longer kept here."""
        ...

    def save_state(self) -> bytes:
        """Return all that the chains' further path depends on."""
        ...

    def restore_state(self, state: bytes) -> None:
        """Go on from what `save_state` of chains made alike returned."""
        ...

    def moves(self, chain: int, /) -> dict[str, tuple[int, int]]:
        """Return how many moves of each kind were proposed and accepted."""
        ...

    def inverse_temperatures(self, chain: int, /) -> list[float]:
        """Return the inverse temperatures, which may have been adapted."""
        ...

    def exchanges(self, chain: int, /) -> tuple[list[int], list[int]]:
        """Return how many exchanges were proposed and accepted, by pair of temperatures."""
        ...

    def ratios(self, chain: int, /) -> list[Any]:
        """Return by pair of temperatures the log sums of batches, the count and the batch size."""
        ...


class AnnealedRuns(Protocol):
    """Annealing runs, as many as were asked for so far; the core's, and those of a cluster."""

    def __len__(self) -> int:
        """Return how many runs there are."""
        ...

    def run(self, first: int, count: int, threads: int, progress: Listener) -> None:
        """Make runs by their numbers; if it is interrupted, the first ones that are done count."""
        ...

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log weight of every run."""
        ...

    def record(self, run: int, /) -> dict[str, Any]:
        """Return what was kept of a run."""
        ...

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return how many moves of each kind were proposed and accepted."""
        ...

    def save_runs(self, first: int) -> bytes:
        """Return the runs from a number on, as the core saves them."""
        ...

    def restore_runs(self, runs: bytes) -> None:
        """Add what `save_runs` returned."""
        ...


@dataclass(frozen=True, eq=False)
class ChainJob:
    """All that chains are made from.

    Parameters
    ----------
    sums, space
        The score sums of the model, and the space on them.
    core_space
        The same space as the core has it.
    inverse_temperatures, exchanges_per_step, adapt
        The temperatures of each chain, how many exchanges follow a step, and whether the
        burn-in moves the temperatures.
    record
        What is kept of states.
    seed
        The seed.
    count
        The number of chains.
    """

    sums: ScoreSums
    space: Space
    core_space: _core.Space
    inverse_temperatures: list[float]
    exchanges_per_step: int
    adapt: bool
    record: _core.RecordOptions
    seed: int
    count: int

    def in_core(self) -> _core.Chains:
        """Return the chains of this process."""
        return _core.Chains(
            self.core_space,
            self.inverse_temperatures,
            self.exchanges_per_step,
            self.adapt,
            1,
            self.record,
            self.seed,
            0,
            self.count,
        )


@dataclass(frozen=True, eq=False)
class AnnealingJob:
    """All that annealing runs are made from.

    Parameters
    ----------
    sums, space, core_space, record, seed
        As for `ChainJob`.
    inverse_temperatures
        What a run goes through.
    stretch, thinning
        Steps at the posterior at the end of a run, and between two kept states of them.
    open_ended
        Whether it is not known yet how many runs will be asked for.
    """

    sums: ScoreSums
    space: Space
    core_space: _core.Space
    inverse_temperatures: list[float]
    stretch: int
    thinning: int
    record: _core.RecordOptions
    seed: int
    open_ended: bool

    def in_core(self) -> _core.AnnealedRuns:
        """Return the runs of this process."""
        return _core.AnnealedRuns(
            self.core_space,
            self.inverse_temperatures,
            self.stretch,
            self.thinning,
            self.record,
            self.seed,
        )
