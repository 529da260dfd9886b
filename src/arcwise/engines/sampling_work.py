"""Annealing runs and chains as a worker makes them, from score sums that it maps.

Each run and each chain has random streams of its own by its number, so it comes out
the same wherever it is made, in whatever company and however often.
"""

from __future__ import annotations

import pickle
import threading
import time
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.algorithms.ladders import linear
from arcwise.engines.host_files import OPENED, HostFile, opened
from arcwise.engines.work import Work
from arcwise.spaces import Space

# A chain that nobody has asked for in this time is of a call that is over. If it is not, the chain
# is made anew.
_HELD_FOR = 900.0

Ladder = int | NDArray[np.float64]
"""Inverse temperatures, or the number of equal steps from 0 to 1, which is shorter."""


def as_short_ladder(inverse_temperatures: list[float]) -> Ladder:
    """Return the inverse temperatures in the form that tasks carry."""
    steps = len(inverse_temperatures) - 1
    if steps > 0 and inverse_temperatures == linear(steps):
        return steps
    return np.array(inverse_temperatures)


@dataclass(frozen=True)
class RecordSettings:
    """The core's options of what is kept, as they travel."""

    dags: int
    dag_time_share: float
    count_extensions: bool
    extension_budget: int
    estimate_extensions: bool
    edges: bool
    edge_batches: int

    @classmethod
    def of(cls, options: _core.RecordOptions) -> RecordSettings:
        """Return the core's options in this form."""
        return cls(**{each.name: getattr(options, each.name) for each in fields(cls)})

    def options(self) -> _core.RecordOptions:
        """Return them as the core wants them."""
        options = _core.RecordOptions()
        for each in fields(self):
            setattr(options, each.name, getattr(self, each.name))
        return options


@dataclass(frozen=True, eq=False)
class SamplingJob:
    """What all annealing runs or chains of one call have in common.

    Parameters
    ----------
    table
        The file of the score sums.
    space
        The space, with all that it leaves to the model chosen.
    ladder
        The inverse temperatures.
    record
        What is kept.
    seed
        The seed.
    """

    table: HostFile
    space: Space
    ladder: Ladder
    record: RecordSettings
    seed: int

    def core_space(self) -> _core.Space:
        """Return the space of the core on the mapped sums, made once by a process."""
        sums = opened(self.table)
        made: _core.Space = OPENED.get(
            (self.table.hash, pickle.dumps(self.space)), lambda: self.space.build(sums)
        )
        return made

    def inverse_temperatures(self) -> list[float]:
        """Return the inverse temperatures written out."""
        if isinstance(self.ladder, int):
            return linear(self.ladder)
        return [float(number) for number in self.ladder]


@dataclass(frozen=True)
class RunMade:
    """One annealing run: its log weight, what was kept, and its moves."""

    log_weight: float
    record: dict[str, Any]
    moves: dict[str, tuple[int, int]]


@dataclass(frozen=True, eq=False)
class AnnealingWork(Work):
    """Some annealing runs, by their numbers."""

    job: SamplingJob
    stretch: int
    thinning: int
    first: int
    count: int

    def do(self) -> list[RunMade]:
        """Make the runs, one after the other."""
        space, ladder = self.job.core_space(), self.job.inverse_temperatures()
        made = []
        for number in range(self.first, self.first + self.count):
            one = _core.AnnealedRuns(
                space,
                ladder,
                self.stretch,
                self.thinning,
                self.job.record.options(),
                self.job.seed,
            )
            one.run(number, 1, 1, None)
            made.append(RunMade(float(one.log_weights()[0]), one.record(0), one.moves()))
        return made


Command = tuple[Literal["start", "burn in", "thinning", "sample"], int]
"""What a chain is to do next, and how much of it."""


@dataclass(frozen=True)
class ChainMade:
    """All there is to say about one chain."""

    record: dict[str, Any]
    moves: dict[str, tuple[int, int]]
    inverse_temperatures: list[float]
    exchanges: tuple[list[int], list[int]]
    ratios: list[Any]


@dataclass(frozen=True)
class ChainReached:
    """How far a chain is, and once it is through what is looked at between pieces, or all."""

    finished: bool
    share: float
    log_weights: NDArray[np.float64] | None = None
    moves: dict[str, tuple[int, int]] | None = None
    made: ChainMade | None = None


class _Held:
    """A chain that waits on this worker for its next piece of work."""

    def __init__(self, chains: _core.Chains) -> None:
        self.chains = chains
        self.started = False
        self.at = 0  # the command it is at
        self.amount = 0  # of that command done
        self.used = time.monotonic()
        self.lock = threading.Lock()


_HELD: dict[tuple[str, int], _Held] = {}
_HELD_LOCK = threading.Lock()


@dataclass(frozen=True, eq=False)
class ChainWork(Work):
    """The next seconds of one chain.

    A worker keeps the chain between pieces. One that does not have it, since
    the worker that had it is gone, begins anew: the chain comes out the same.

    Parameters
    ----------
    job
        What all chains have in common.
    identity
        Distinguishes the chains of this call from those of all others.
    exchanges_per_step, adapt
        As the core's chains take them.
    number
        The number of the chain.
    commands
        All that it is to do from its beginning on.
    seconds
        How long this piece is to take.
    give
        Whether everything about the chain is wanted once it is through.
    as_it_is
        Whether it is to stay where it is, since the run was interrupted.
    """

    job: SamplingJob
    identity: str
    exchanges_per_step: int
    adapt: bool
    number: int
    commands: tuple[Command, ...]
    seconds: float
    give: bool = False
    as_it_is: bool = False

    def do(self) -> ChainReached:
        """Go on with the chain until the time is over."""
        held = self._held()
        with held.lock:
            end = time.perf_counter() + self.seconds
            while self._goes_on(held) and time.perf_counter() < end:
                self._advance(held, end)
            if self._goes_on(held):
                return ChainReached(False, self._share(held))
            record, moves = held.chains.record(0), held.chains.moves(0)
            made = None
            if self.give:
                made = ChainMade(
                    record,
                    moves,
                    held.chains.inverse_temperatures(0),
                    held.chains.exchanges(0),
                    list(held.chains.ratios(0)),
                )
            return ChainReached(True, 1.0, record["log_weights"], moves, made)

    def _goes_on(self, held: _Held) -> bool:
        return held.at < len(self.commands) and not self.as_it_is

    def _held(self) -> _Held:
        key = (self.identity, self.number)
        space = self.job.core_space()
        with _HELD_LOCK:
            if key not in _HELD or _HELD[key].at > len(self.commands):
                made = _core.Chains(
                    space,
                    self.job.inverse_temperatures(),
                    self.exchanges_per_step,
                    self.adapt,
                    1,
                    self.job.record.options(),
                    self.job.seed,
                    self.number,
                    1,
                )
                _HELD[key] = _Held(made)
            held = _HELD[key]
            held.used = time.monotonic()
            oldest = held.used - _HELD_FOR
            for other in [other for other, of in _HELD.items() if of.used < oldest]:
                if not _HELD[other].lock.locked():
                    del _HELD[other]
            return held

    def _advance(self, held: _Held, end: float) -> None:
        """Do the command the chain is at, or a part of it that takes up the time."""
        what, amount = self.commands[held.at]
        if what == "thinning":
            held.chains.set_thinning(amount)
        elif what == "sample":
            _by_pieces(held, amount, end, lambda draws: held.chains.sample(draws, 1, None))
        elif what == "burn in":
            self._burn_in(held, amount, end)
        else:
            if not held.started:
                held.chains.start(0, 1, None)
                held.started = True
            self._burn_in(held, amount, end)
        if what == "thinning" or held.amount >= amount:
            held.at, held.amount = held.at + 1, 0

    def _burn_in(self, held: _Held, steps: int, end: float) -> None:
        # Temperatures are adapted over the whole of a burn-in, which is then not to be divided.
        if self.adapt:
            held.chains.burn_in(steps, 1, None)
            held.amount = steps
        else:
            _by_pieces(held, steps, end, lambda some: held.chains.burn_in(some, 1, None))

    def _share(self, held: _Held) -> float:
        def length(command: Command) -> float:
            return 0.0 if command[0] == "thinning" else float(command[1])

        whole = sum(map(length, self.commands))
        return (sum(map(length, self.commands[: held.at])) + held.amount) / max(1.0, whole)


def _by_pieces(held: _Held, amount: int, end: float, do: Any) -> None:
    """Do an amount of something in pieces, found by doubling, until the time is over."""
    piece = 1
    while held.amount < amount:
        now = time.perf_counter()
        if now >= end:
            return
        some = min(piece, amount - held.amount)
        do(some)
        held.amount += some
        if time.perf_counter() - now < (end - now) / 8:
            piece *= 2
