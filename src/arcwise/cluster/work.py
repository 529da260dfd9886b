"""`Work` and its results: the messages between driver and workers.

Each annealing run and each chain has its own random streams, determined by its index, so that its
result does not depend on the worker, on other work there, or on repetitions. Score sums are mapped
into the memory of the workers.
"""

from __future__ import annotations

import pickle
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.cluster import host_files
from arcwise.cluster.host_files import OPENED, HostFile, opened
from arcwise.engines import AnnealingJob, ChainJob
from arcwise.errors import ArcwiseError, EngineError
from arcwise.model import score_sums
from arcwise.records.settings import Path, filled, linear
from arcwise.spaces import Space

_WAIT_FOR_FILE = 1.0  # seconds


class Work(ABC):
    """A piece of work, with the same result on any worker."""

    @abstractmethod
    def do(self) -> Any:
        """Do the work and return its result."""


@dataclass(frozen=True, eq=False)
class FileWork(Work):
    """A function of the contents of a file, and of further arguments."""

    function: Callable[..., Any]
    file: HostFile
    arguments: tuple[Any, ...]

    def do(self) -> Any:
        """Call the function."""
        return self.function(opened(self.file), *self.arguments)


@dataclass(frozen=True)
class Versions:
    """The versions in which driver and workers must agree for identical results."""

    arcwise: str
    score_table: int
    byte_order: str
    python: str

    @classmethod
    def own(cls) -> Versions:
        """Return the versions of this process."""
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        return cls(_core.version, score_sums.VERSION, sys.byteorder, python)


@dataclass(frozen=True)
class Done:
    """The result of completed work, and the time it took in seconds."""

    value: Any
    seconds: float
    worker: str


@dataclass(frozen=True)
class Missing:
    """The work needs a file that the worker's machine does not have."""

    worker: str


@dataclass(frozen=True)
class Unfit:
    """The worker has different versions from the driver."""

    versions: Versions
    worker: str


@dataclass(frozen=True)
class Failed:
    """The work cannot be done on any worker, for a reason stated in a sentence for the user."""

    kind: type[ArcwiseError]
    sentence: str


@dataclass(frozen=True)
class About:
    """The answer of a worker to the driver's inquiry before work is submitted."""

    versions: Versions
    place: str
    has_files: bool


def about(files: tuple[HostFile, ...]) -> About:
    """Return the versions of this worker, the location of its files and whether it has `files`."""
    found = all(host_files.find(file) is not None for file in files)
    return About(Versions.own(), host_files.place(), found)


def perform(work: Work, versions: Versions) -> Done | Missing | Unfit | Failed:
    """Do a piece of work on a worker, if possible."""
    worker = _address()
    if Versions.own() != versions:
        return Unfit(Versions.own(), worker)
    start = time.perf_counter()
    try:
        return Done(work.do(), time.perf_counter() - start, worker)
    except host_files.FileMissing:
        # The answer is delayed, as an idle worker would meanwhile receive all remaining work.
        time.sleep(_WAIT_FOR_FILE)
        return Missing(worker)
    except ArcwiseError as error:
        # The error is returned as a value, as not all errors can be pickled with their traceback.
        return Failed(type(error), str(error))
    except MemoryError:
        return Failed(
            EngineError,
            f"the worker {worker} has not enough memory for its part of the run; give workers more "
            "memory, or start fewer per machine",
        )


def _address() -> str:
    try:
        return str(import_module("distributed").get_worker().address)
    except ValueError:
        return ""


Options = TypeVar("Options", _core.ChainOptions, _core.AnnealingOptions)

Ladder = int | NDArray[np.float64]
"""The points of a path, or the number of equal steps from 0 to 1."""


def as_short_ladder(path: Path) -> Ladder:
    """Return a path in the compact form used in tasks."""
    points = np.array(path)
    if points.ndim == 2 and (points[:, 1] == 1.0).all():
        points = points[:, 0]
    steps = len(points) - 1
    if steps > 0 and points.tolist() == linear(steps):
        return steps
    return points


def values_of(options: object) -> dict[str, Any]:
    """Return the options of the core except the path, in a form that can be pickled."""
    values = {name: getattr(options, name) for name in dir(options) if name[0] != "_"}
    values.pop("path", None)
    if "record" in values:
        values["record"] = values_of(values["record"])
    return values


@dataclass(frozen=True, eq=False)
class SamplingJob:
    """What all annealing runs or chains of one call have in common."""

    table: HostFile  # the file of the score sums
    space: Space  # with everything resolved that depends on the model
    ladder: Ladder
    options: dict[str, Any]  # the other options of the core; see `values_of`
    seed: int

    @classmethod
    def of(cls, table: HostFile, job: ChainJob | AnnealingJob) -> SamplingJob:
        """Return the part of a job that workers need, given the file of the score sums."""
        ladder = as_short_ladder(job.options.path)
        return cls(table, job.space, ladder, values_of(job.options), job.seed)

    def core_space(self) -> _core.Space:
        """Return the core's space on the mapped sums, built once per process."""
        sums = opened(self.table)
        made: _core.Space = OPENED.get(
            (self.table.hash, pickle.dumps(self.space)), lambda: self.space.build(sums)
        )
        return made

    def options_in(self, options: Options) -> Options:
        """Return the options of the core with all values of the job."""
        record = filled(_core.RecordOptions(), **self.options["record"])
        values = self.options | {"record": record, "path": self.path()}
        return filled(options, **values)

    def path(self) -> Path:
        """Return the path as a list."""
        if isinstance(self.ladder, int):
            return list(linear(self.ladder))
        points = self.ladder.tolist()
        return points if self.ladder.ndim == 1 else [tuple(point) for point in points]


@dataclass(frozen=True, eq=False)
class AnnealingWork(Work):
    """Annealing runs with consecutive indices."""

    job: SamplingJob
    first: int
    count: int

    def do(self) -> list[bytes]:
        """Perform the runs in sequence, and return each in the format of the core."""
        space = self.job.core_space()
        options = self.job.options_in(_core.AnnealingOptions())
        made = []
        for number in range(self.first, self.first + self.count):
            one = _core.AnnealedRuns(space, options, self.job.seed)
            one.run(number, 1, 1, None)
            made.append(one.save_runs(0))
        return made


@dataclass(frozen=True)
class Command:
    """The next task of a chain."""

    what: Literal["start", "burn in", "sample"]
    amount: int  # the number of burn-in steps or draws
    thinning: int | None  # the steps between draws; None to leave it unchanged


@dataclass(frozen=True)
class ChainReached:
    """The progress of a chain with a command, and its state at the end of the command."""

    share: float = 0.0  # the completed fraction of the command
    state: bytes | None = None  # the state of the chain at the end of the command
    draws: dict[str, Any] | None = None  # the draws of the command, in the core's record
    unknown: bool = False  # whether the worker does not have the chain, and needs its state


class _Held:
    """A chain kept on this worker for its next piece of work."""

    def __init__(self, chains: _core.Chains, version: int) -> None:
        self.chains = chains
        self.version = version  # the number of completed commands
        self.amount = 0  # completed amount of the current command
        self.last: ChainReached | None = None  # the last result, in case its message is lost
        self.used = time.monotonic()
        self.lock = threading.Lock()


# A chain that was not requested for this number of seconds belongs to a call that has ended.
_HELD_FOR = 900.0
_HELD: dict[tuple[str, int], _Held] = {}
_HELD_LOCK = threading.Lock()


@dataclass(frozen=True, eq=False)
class ChainWork(Work):
    """A few seconds of work on one chain.

    A worker keeps the chain between pieces. If that worker is lost, another one receives the state
    before the command, so that the chain is the same.
    """

    job: SamplingJob
    identity: str  # distinguishes the chains of this call from all others
    number: int  # the index of the chain
    version: int  # the number of commands completed before
    command: Command
    seconds: float  # the intended duration of this piece
    state: bytes | None = None  # before the command, if the worker may not have the chain
    as_it_is: bool = False  # whether to stop at the current state, as the run was interrupted

    def do(self) -> ChainReached:
        """Advance the chain until the time is up."""
        held = self._held()
        if held is None:
            return ChainReached(unknown=True)
        with held.lock:
            if held.version == self.version + 1 and held.last is not None:
                return held.last
            end = time.perf_counter() + self.seconds
            if not self.as_it_is:
                self._advance(held, end)
                if held.amount < self.command.amount:
                    return ChainReached(held.amount / self.command.amount)
            draws = held.chains.take_draws(0)
            held.last = ChainReached(1.0, held.chains.save_state(), draws)
            held.version, held.amount = self.version + 1, 0
            return held.last

    def _held(self) -> _Held | None:
        key = (self.identity, self.number)
        space = self.job.core_space()
        with _HELD_LOCK:
            held = _HELD.get(key)
            if held is None or held.version not in (self.version, self.version + 1):
                if self.state is None and self.version > 0:
                    return None
                options = self.job.options_in(_core.ChainOptions())
                made = _core.Chains(space, options, self.job.seed, self.number, 1)
                if self.state is not None:
                    made.restore_state(self.state)
                held = _HELD[key] = _Held(made, self.version)
            held.used = time.monotonic()
            oldest = held.used - _HELD_FOR
            for other in [other for other, of in _HELD.items() if of.used < oldest]:
                if not _HELD[other].lock.locked():
                    del _HELD[other]
            return held

    def _advance(self, held: _Held, end: float) -> None:
        """Execute the command, or as much of it as time allows."""
        chains, command = held.chains, self.command
        if held.amount == 0:
            if command.what == "start":
                chains.start(0, 1, None)
            if command.thinning is not None:
                chains.set_thinning(command.thinning)
        do = chains.sample if command.what == "sample" else chains.burn_in
        piece = 1
        while held.amount < command.amount:
            now = time.perf_counter()
            if now >= end and held.amount > 0:
                return
            some = min(piece, command.amount - held.amount)
            do(some, 1, None)
            held.amount += some
            # The size of a piece is found by doubling.
            if time.perf_counter() - now < (end - now) / 8:
                piece *= 2
