"""What is sent to a worker and what comes back, whatever the work is."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from arcwise import _core
from arcwise.cluster import host_files
from arcwise.errors import ArcwiseError
from arcwise.sums import score_table

_WAIT_FOR_FILE = 1.0


class Work(ABC):
    """Some of the work of a run, which any worker can do with the same result."""

    @abstractmethod
    def do(self) -> Any:
        """Do it and return what is wanted of it."""


@dataclass(frozen=True)
class Versions:
    """What the driver and all workers must have in common for results to be the same."""

    arcwise: str
    score_table: int
    byte_order: str
    python: str

    @classmethod
    def own(cls) -> Versions:
        """Return those of this process."""
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        return cls(_core.version, score_table.VERSION, sys.byteorder, python)


@dataclass(frozen=True)
class Done:
    """The work is done, in so many seconds."""

    value: Any
    seconds: float
    worker: str


@dataclass(frozen=True)
class Missing:
    """The work needs a file that the worker's machine does not have."""

    worker: str


@dataclass(frozen=True)
class Unfit:
    """The worker is of another version than the driver."""

    versions: Versions
    worker: str


@dataclass(frozen=True)
class Failed:
    """The work cannot be done anywhere, for a reason that is a sentence for the user."""

    kind: type[ArcwiseError]
    sentence: str


@dataclass(frozen=True)
class About:
    """What the driver asks every worker before there is work."""

    versions: Versions
    place: str
    has_files: bool


def about(files: tuple[host_files.HostFile, ...]) -> About:
    """Return the versions of this worker, where its files are and whether these are there."""
    found = all(host_files.find(file) is not None for file in files)
    return About(Versions.own(), host_files.place(), found)


def perform(work: Work, versions: Versions) -> Done | Missing | Unfit | Failed:
    """Do some work on a worker, if it can."""
    worker = _address()
    if Versions.own() != versions:
        return Unfit(Versions.own(), worker)
    start = time.perf_counter()
    try:
        return Done(work.do(), time.perf_counter() - start, worker)
    except host_files.FileMissing:
        # Not at once: idle as it seems, this worker would be given all work there is meanwhile.
        time.sleep(_WAIT_FOR_FILE)
        return Missing(worker)
    except ArcwiseError as error:
        # As a value: not all errors survive the way with their traceback.
        return Failed(type(error), str(error))


def _address() -> str:
    try:
        return str(import_module("distributed").get_worker().address)
    except ValueError:
        return ""
