"""Chains and annealing runs as the algorithms see them, and the jobs engines make them from."""

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
"""A function that receives the fraction of a call that is done."""

Moves = dict[str, tuple[int, int]]
"""The numbers of proposed and accepted moves of each kind."""


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

    def moves(self, chain: int, /) -> Moves:
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

    def moves(self) -> Moves:
        """Return the numbers of proposed and accepted moves of each kind."""
        ...

    def save_runs(self, first: int) -> bytes:
        """Return the runs from an index on, as saved by the core."""
        ...

    def restore_runs(self, runs: bytes) -> None:
        """Add runs returned by `save_runs`."""
        ...


def total_moves(chains: Chains) -> Moves:
    """Return the numbers of proposed and accepted moves of each kind, over all chains."""
    counts = [chains.moves(chain) for chain in range(len(chains))]
    return {
        name: (sum(own[name][0] for own in counts), sum(own[name][1] for own in counts))
        for name in counts[0]
    }


def acceptance(moves: Moves) -> dict[str, float | None]:
    """Return the acceptance rate of each kind of move; None if it was not proposed."""
    return {name: accepted / count if count else None for name, (count, accepted) in moves.items()}


@dataclass(frozen=True, eq=False)
class ChainJob:
    """Everything chains are made from.

    Parameters
    ----------
    sums, space
        The score sums of the model, and the space built on them.
    core_space
        The same space in the core.
    options
        The options of the core.
    seed
        The seed.
    count
        The number of chains.
    """

    sums: ScoreSums
    space: Space
    core_space: _core.Space
    options: _core.ChainOptions
    seed: int
    count: int

    def in_core(self) -> _core.Chains:
        """Return the chains of this process."""
        return _core.Chains(self.core_space, self.options, self.seed, 0, self.count)


@dataclass(frozen=True, eq=False)
class AnnealingJob:
    """Everything annealing runs are made from.

    Parameters
    ----------
    sums, space, core_space, options, seed
        As for `ChainJob`.
    open_ended
        Whether the number of runs is not fixed in advance.
    """

    sums: ScoreSums
    space: Space
    core_space: _core.Space
    options: _core.AnnealingOptions
    seed: int
    open_ended: bool

    def in_core(self) -> _core.AnnealedRuns:
        """Return the runs of this process."""
        return _core.AnnealedRuns(self.core_space, self.options, self.seed)
