"""Chains and annealing runs as the algorithms see them, and the jobs engines make them from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise import _core

if TYPE_CHECKING:
    from arcwise.records.tempering import Path, Tempering
    from arcwise.spaces import Space
    from arcwise.sums import ScoreSums

Listener = Callable[[float], None] | None
"""A function that receives the fraction of a call that is done."""


class Chains(Protocol):
    """Running Markov chains: those of the core, or of a cluster."""

    def __len__(self) -> int:
        """Return the number of chains."""
        ...

    def start(self, burn_in: int, threads: int, progress: Listener) -> None:
        """Start every chain from a random state and run its burn-in."""
        ...

    def burn_in(self, steps: int, threads: int, progress: Listener) -> None:
        """Continue the chains without draws; counts of moves and exchanges begin anew."""
        ...

    def set_thinning(self, thinning: int) -> None:
        """Set the number of steps between draws."""
        ...

    def sample(self, draws: int, threads: int, progress: Listener) -> None:
        """Continue the chains for this many draws."""
        ...

    def record(self, chain: int, /) -> dict[str, Any]:
        """Return the record of a chain."""
        ...

    def take_draws(self, chain: int) -> dict[str, Any]:
        """Return the record of a chain and discard its draws here."""
        ...

    def save_state(self) -> bytes:
        """Return everything that determines the continuation of the chains."""
        ...

    def restore_state(self, state: bytes) -> None:
        """Continue from the state returned by `save_state` of identically made chains."""
        ...

    def moves(self, chain: int, /) -> dict[str, tuple[int, int]]:
        """Return the numbers of proposed and accepted moves of each kind."""
        ...

    def path(self, chain: int, /) -> list[tuple[float, float]]:
        """Return the inverse temperatures, perhaps adapted, and the places on the bridge."""
        ...

    def exchanges(self, chain: int, /) -> list[tuple[int, int]]:
        """Return the numbers of proposed and accepted exchanges, by pair of temperatures."""
        ...

    def round_trips(self, chain: int, /) -> int:
        """Return how often a state went from the hottest temperature to the coldest and back."""
        ...

    def ratios(self, chain: int, /) -> list[Any]:
        """Return log sums of batches, their count and batch size, by pair of temperatures."""
        ...


class AnnealedRuns(Protocol):
    """The annealing runs requested so far: those of the core, or of a cluster."""

    def __len__(self) -> int:
        """Return the number of runs."""
        ...

    def run(self, first: int, count: int, threads: int, progress: Listener) -> None:
        """Make runs by index; if interrupted, those up to the first unfinished one are kept."""
        ...

    def log_weights(self) -> NDArray[np.float64]:
        """Return the log importance weight of every run."""
        ...

    def record(self, run: int, /) -> dict[str, Any]:
        """Return the record of a run."""
        ...

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return the numbers of proposed and accepted moves of each kind."""
        ...

    def save_runs(self, first: int) -> bytes:
        """Return the runs from an index on, as saved by the core."""
        ...

    def restore_runs(self, runs: bytes) -> None:
        """Add runs returned by `save_runs`."""
        ...


@dataclass(frozen=True, eq=False)
class ChainJob:
    """Everything chains are made from.

    Parameters
    ----------
    sums, space
        The score sums of the model, and the space built on them.
    core_space
        The same space in the core.
    tempering
        The temperatures of each chain, and how states are exchanged between them.
    record
        What is recorded of states.
    seed
        The seed.
    count
        The number of chains.
    order_steps
        Chains begin where one of linear orders is after so many steps; 0 for random states.
    adapt_moves
        Whether the shares of the kinds of moves are adapted during the burn-in.
    first_dag
        Where the first chain begins, as bits of the parents of each node; empty: as the others.
    """

    sums: ScoreSums
    space: Space
    core_space: _core.Space
    tempering: Tempering
    record: _core.RecordOptions
    seed: int
    count: int
    order_steps: int = 0
    adapt_moves: bool = False
    first_dag: tuple[int, ...] = ()

    def in_core(self) -> _core.Chains:
        """Return the chains of this process."""
        return _core.Chains(
            self.core_space,
            self.tempering.path,
            self.tempering.steps_between_exchanges,
            self.tempering.adapt,
            self.tempering.most_temperatures or 0,
            1,
            self.record,
            self.seed,
            0,
            self.count,
            self.order_steps,
            self.adapt_moves,
            self.first_dag,
        )


@dataclass(frozen=True, eq=False)
class AnnealingJob:
    """Everything annealing runs are made from.

    Parameters
    ----------
    sums, space, core_space, record, seed
        As for `ChainJob`.
    path
        The annealing schedule.
    stretch, thinning
        Steps at the posterior at the end of a run, and steps between draws of these.
    open_ended
        Whether the number of runs is not fixed in advance.
    population, steps
        The number of states of a run, and the steps at each temperature but the first; empty
        for one at each.
    """

    sums: ScoreSums
    space: Space
    core_space: _core.Space
    path: Path
    stretch: int
    thinning: int
    record: _core.RecordOptions
    seed: int
    open_ended: bool
    population: int = 1
    steps: tuple[int, ...] = ()

    def in_core(self) -> _core.AnnealedRuns:
        """Return the runs of this process."""
        return _core.AnnealedRuns(
            self.core_space,
            self.path,
            self.stretch,
            self.thinning,
            self.record,
            self.seed,
            self.population,
            self.steps,
        )
