"""What a fuzzing target is, what counts as a failure, and the worker that goes through cases.

A case is known by its target, a seed and a number, and nothing else goes into it, so that every
failure can be had again. All that a case may end in is an answer, an error or a warning of the
library's own; a target that knows the answer compares it.
"""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import random
import resource
import signal
import struct
import tempfile
import time
import traceback
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import ClassVar

from arcwise.errors import ArcwiseError, ArcwiseWarning

TARGETS: dict[str, type[Target]] = {}
"""All targets by name; their modules enter them."""

MEMORY = 3 << 30
"""Bytes a worker may take besides what it has when its target is set up."""

# The case, the cases done, when this one began, and the processor time used until then.
_PROGRESS = struct.Struct("<QQdd")
PROGRESS_SIZE = _PROGRESS.size


class Target(ABC):
    """Something that takes input from outside.

    Parameters
    ----------
    folder
        An empty folder for files.
    """

    name: ClassVar[str]
    share: ClassVar[float] = 1.0
    """How much time it gets beside others."""
    most_seconds: ClassVar[float | None] = None
    """After this, a call that is at work is interrupted, and no failure: it was asked for much."""

    def __init_subclass__(cls, name: str | None = None) -> None:
        """Enter the target under its name."""
        if name is not None:
            cls.name = name
            TARGETS[name] = cls

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.set_up()

    def set_up(self) -> None:  # noqa: B027
        """Make what all cases start from, if anything."""

    @abstractmethod
    def case(self, draw: random.Random) -> None:
        """Make one input and give it to the library."""


class _StillRunning(BaseException):
    """A call was at work for as long as it may; no error of the library's, and caught by none."""


@contextmanager
def _interrupted_after(seconds: float | None) -> Iterator[None]:
    if seconds is None:
        yield
        return

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise _StillRunning

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except _StillRunning:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def run_case(target: Target, seed: int, number: int) -> str | None:
    """Run one case; return None if all is well, or what is wrong."""
    draw = random.Random(f"{seed}:{target.name}:{number}")
    try:
        with warnings.catch_warnings(), _interrupted_after(target.most_seconds):
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ArcwiseWarning)
            target.case(draw)
    except ArcwiseError as error:
        return _unsayable(error)
    except BaseException:
        return traceback.format_exc()
    return None


def _unsayable(error: ArcwiseError) -> str | None:
    """Return what is wrong with a message: it must be a sentence that a terminal can show."""
    for sentence in (str(error), error.in_shell()):
        if len(sentence) > 4_000:
            return f"a message of {len(sentence):,} characters: {sentence[:200]!r}..."
        if not sentence.strip() or sentence != sentence.strip():
            return f"a message without a sentence: {sentence!r}"
    return None


def work(
    name: str, seed: int, first: int, cases: int, seconds: float, report: Path, progress: Path
) -> None:
    """Go through cases until their number or the time is used up; failures go to `report`.

    Parameters
    ----------
    name, seed
        The target and the seed.
    first, cases
        The number of the first case, and how many there are at most.
    seconds
        The time there is at most.
    report
        Where to add a line for each failure.
    progress
        A file of `PROGRESS_SIZE` bytes that says which case is at work, for whoever watches.
    """
    with (
        open(report.with_suffix(".crash"), "w") as crash,
        tempfile.TemporaryDirectory() as folder,
        open(progress, "r+b") as shared,
        mmap.mmap(shared.fileno(), PROGRESS_SIZE) as memory,
    ):
        faulthandler.enable(crash)
        warnings.simplefilter("ignore", ArcwiseWarning)
        target = TARGETS[name](Path(folder))
        _limit_memory()
        start = time.monotonic()
        for number in range(first, first + cases):
            if time.monotonic() - start > seconds:
                break
            now = time.monotonic(), time.process_time()
            _PROGRESS.pack_into(memory, 0, number, number - first, *now)
            problem = run_case(target, seed, number)
            if problem is not None:
                with open(report, "a", encoding="utf-8", errors="backslashreplace") as out:
                    print(json.dumps([name, seed, number, problem]), file=out)
            now = time.monotonic(), time.process_time()
            _PROGRESS.pack_into(memory, 0, number + 1, number + 1 - first, *now)


def progress_of(path: Path) -> tuple[int, int, float, float]:
    """Return the case a worker is at, how many it has done, and the two clocks when it began."""
    with open(path, "rb") as file:
        case, done, began, used = _PROGRESS.unpack(file.read(PROGRESS_SIZE))
    return case, done, began, used


def _limit_memory() -> None:
    # A sanitizer reserves most of the address space for itself.
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        return
    with open("/proc/self/statm", encoding="ascii") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))
