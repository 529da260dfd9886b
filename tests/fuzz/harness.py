"""What a fuzzing target is, what counts as a failure, and the worker that goes through cases.

A case is known by its target, a seed and a number, and nothing else goes into it, so that every
failure can be had again. All that a case may end in is an answer, an error or a warning of the
library's own; a target that knows the answer compares it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
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
from dataclasses import astuple, dataclass
from enum import Enum
from pathlib import Path
from types import FrameType
from typing import ClassVar

from arcwise.errors import ArcwiseError, ArcwiseWarning

TARGETS: dict[str, type[Target]] = {}
"""All targets by name; their modules enter them."""

MEMORY = 3 << 30
"""Bytes a worker may take besides what it has when its target is set up."""


class Ending(Enum):
    """How a case may end."""

    ANSWERED = "answered"
    REFUSED = "refused"
    """With an error of the library's own."""
    CUT_OFF = "cut off"
    """It was asked for much, and at work for as long as it may."""
    FAILED = "failed"


@dataclass(frozen=True)
class Progress:
    """Where a worker is: its case, how those before it ended, and the clocks when it began."""

    case: int = 0
    answered: int = 0
    refused: int = 0
    cut_off: int = 0
    failed: int = 0
    began: float = 0.0
    """When this case began; 0 before the first."""
    processor: float = 0.0
    """The processor time used until then."""

    _LAYOUT: ClassVar = struct.Struct("<QQQQQdd")
    SIZE: ClassVar = _LAYOUT.size

    @property
    def done(self) -> int:
        """The number of cases that have ended."""
        return self.answered + self.refused + self.cut_off + self.failed

    def to(self, case: int, ending: Ending | None = None) -> Progress:
        """Return the progress when a case begins now, after another ended somehow."""
        return Progress(
            case,
            self.answered + (ending is Ending.ANSWERED),
            self.refused + (ending is Ending.REFUSED),
            self.cut_off + (ending is Ending.CUT_OFF),
            self.failed + (ending is Ending.FAILED),
            time.monotonic(),
            time.process_time(),
        )

    def write(self, memory: mmap.mmap) -> None:
        """Write it to where the watching process looks."""
        self._LAYOUT.pack_into(memory, 0, *astuple(self))

    @classmethod
    def read(cls, path: Path) -> Progress:
        """Read what a worker has written."""
        return cls(*cls._LAYOUT.unpack(path.read_bytes()))


class Target(ABC):
    """Something that takes input from outside.

    Parameters
    ----------
    folder
        An empty folder for files, which is the current one as well.
    """

    name: ClassVar[str]
    share: ClassVar[float] = 1.0
    """How much time it gets beside others."""
    most_seconds: ClassVar[float | None] = None
    """Of processor time, after which a call that is at work is cut off, and no failure."""

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
    def case(self, draw: random.Random) -> Ending | None:
        """Make one input and give it to the library; say how that ended unless it shows."""


@contextmanager
def opened(name: str) -> Iterator[Target]:
    """Set a target up in a folder of its own, where it also leaves what nobody asked it to."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield TARGETS[name](Path(folder))
        finally:
            os.chdir(before)


class _StillRunning(BaseException):
    """A call was at work for as long as it may; no error of the library's, and caught by none."""


@contextmanager
def _cut_off_after(seconds: float | None) -> Iterator[None]:
    """Raise `_StillRunning` after so much processor time, however busy the machine is."""
    if seconds is None:
        yield
        return

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise _StillRunning

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def run_case(target: Target, seed: int, number: int) -> tuple[Ending, str]:
    """Run one case; return how it ended, and what is wrong if it failed."""
    draw = random.Random(f"{seed}:{target.name}:{number}")
    try:
        with warnings.catch_warnings(), _cut_off_after(target.most_seconds):
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", ArcwiseWarning)
            ending = target.case(draw)
    except ArcwiseError as error:
        problem = _unsayable(error)
        return (Ending.REFUSED, "") if problem is None else (Ending.FAILED, problem)
    except _StillRunning:
        return Ending.CUT_OFF, ""
    except BaseException:
        return Ending.FAILED, traceback.format_exc()
    return ending or Ending.ANSWERED, ""


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
        A file of `Progress.SIZE` bytes that says where it is, for whoever watches.
    """
    with (
        open(report.with_suffix(".crash"), "w") as crash,
        open(progress, "r+b") as shared,
        mmap.mmap(shared.fileno(), Progress.SIZE) as memory,
    ):
        faulthandler.enable(crash)
        warnings.simplefilter("ignore", ArcwiseWarning)
        if TARGETS[name].most_seconds is not None:
            # An import that is cut off later would leave half a module.
            for module in ("polars", "matplotlib.figure"):
                with contextlib.suppress(ImportError):
                    importlib.import_module(module)

        with opened(name) as target:
            _limit_memory()
            start = time.monotonic()
            at = Progress().to(first)
            for number in range(first, first + cases):
                if time.monotonic() - start > seconds:
                    break
                at.write(memory)
                ending, problem = run_case(target, seed, number)
                if ending is Ending.FAILED:
                    with open(report, "a", encoding="utf-8", errors="backslashreplace") as out:
                        print(json.dumps([name, seed, number, problem]), file=out)
                at = at.to(number + 1, ending)
                at.write(memory)


def _limit_memory() -> None:
    # A sanitizer reserves most of the address space for itself.
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        return
    with open("/proc/self/statm", encoding="ascii") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))
