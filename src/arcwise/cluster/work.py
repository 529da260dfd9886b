"""`Work` and its results: the messages between driver and workers."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from arcwise import _core
from arcwise.cluster import host_files
from arcwise.errors import ArcwiseError, EngineError
from arcwise.sums import score_table

_WAIT_FOR_FILE = 1.0


class Work(ABC):
    """A piece of work, which any worker can do with the same result."""

    @abstractmethod
    def do(self) -> Any:
        """Do the work and return its result."""


@dataclass(frozen=True, eq=False)
class FileWork(Work):
    """A function of the contents of a file, and of further arguments."""

    function: Callable[..., Any]
    file: host_files.HostFile
    arguments: tuple[Any, ...]

    def do(self) -> Any:
        """Call the function."""
        return self.function(host_files.opened(self.file), *self.arguments)


@dataclass(frozen=True)
class Versions:
    """The versions that the driver and all workers must share for identical results."""

    arcwise: str
    score_table: int
    byte_order: str
    python: str

    @classmethod
    def own(cls) -> Versions:
        """Return the versions of this process."""
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        return cls(_core.version, score_table.VERSION, sys.byteorder, python)


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
    """What the driver asks every worker before it submits work."""

    versions: Versions
    place: str
    has_files: bool


def about(files: tuple[host_files.HostFile, ...]) -> About:
    """Return the versions of this worker, the location of its files and whether it has these."""
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
        # Not at once: this worker would seem idle, and be given all remaining work meanwhile.
        time.sleep(_WAIT_FOR_FILE)
        return Missing(worker)
    except ArcwiseError as error:
        # As a value: not all errors can be pickled with their traceback.
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
