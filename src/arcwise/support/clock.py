"""`warn`: warnings that point at the user's line, however deep they are issued."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from arcwise.errors import ArcwiseWarning, CutShortWarning, TimeIsUpError, option
from arcwise.support.checks import positive_number


def warn(message: str | ArcwiseWarning, category: type[ArcwiseWarning] | None = None) -> None:
    """Issue a warning at the innermost line outside the package."""
    level = 1
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level + 1)


def _is_ours(module: str) -> bool:
    return module == "arcwise" or module.startswith("arcwise.")


# --- Clock ----------------------------------------------------------------------------------------

# `Deadline`: the moment by which a computation has to end, shared by all its stages.


class Deadline:
    """The seconds given to a computation, counted from its beginning.

    One object is handed from stage to stage, so that each knows what the stages before it
    have left. Whatever takes ``seconds`` takes it in their place.

    Parameters
    ----------
    seconds
        The time for everything; None for no limit.
    began
        When the computation began, on the clock; None for now.
    clock, processor
        The clock, and that of the processor time used, in seconds; tests may set their own.
    whole
        The deadline that this is a part of.

    Examples
    --------
    >>> now = 100.0
    >>> deadline = Deadline(10.0, clock=lambda: now)
    >>> now = 104.0
    >>> deadline.spent, deadline.left
    (4.0, 6.0)
    >>> deadline.part(0.5).left
    3.0
    """

    def __init__(
        self,
        seconds: float | None = None,
        *,
        began: float | None = None,
        clock: Callable[[], float] = time.perf_counter,
        processor: Callable[[], float] = time.process_time,
        whole: Deadline | None = None,
    ) -> None:
        self.seconds = None if seconds is None else positive_number(seconds, option("seconds"))
        self.began = clock() if began is None else began
        self.whole = self if whole is None else whole
        self._cuts: list[str] = []
        self._clock = clock
        # What is counted from an earlier moment is counted from the start of the process.
        self._processor = processor
        self._processor_began = processor() if began is None else 0.0

    @classmethod
    def of(cls, seconds: float | Deadline | None) -> Deadline:
        """Return a deadline as it is, and seconds as one that begins now."""
        return seconds if isinstance(seconds, Deadline) else cls(seconds)

    def __repr__(self) -> str:
        """Show the seconds given and those left."""
        if self.seconds is None:
            return "<Deadline: none>"
        return f"<Deadline: {self.left:.1f} of {self.seconds:g} s left>"

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self.seconds is not None

    @property
    def now(self) -> float:
        """What the clock shows, in seconds."""
        return self._clock()

    @property
    def spent(self) -> float:
        """The seconds since the beginning."""
        return self.now - self.began

    @property
    def left(self) -> float:
        """The seconds that are left: infinite without a limit, never negative."""
        return float("inf") if self.seconds is None else max(0.0, self.seconds - self.spent)

    @property
    def passed(self) -> bool:
        """Whether the time is up."""
        return self.left == 0.0

    @property
    def slowness(self) -> float:
        """The seconds that have passed for each of processor time, within reason.

        Where other programs use the processors too, what cannot be cut short takes so many times
        as long.
        """
        used = self.whole._processor() - self.whole._processor_began
        if used < _ENOUGH_TO_TELL:
            return 1.0
        return min(_SLOWEST, max(1.0, self.spent / used))

    def part(self, share: float) -> Deadline:
        """Return the deadline of a stage that may take this share of what is left."""
        if self.seconds is None:
            return self
        end = max(self.seconds * _SHORTEST, self.spent + share * self.left)
        return Deadline(end, began=self.began, clock=self._clock, whole=self.whole)

    @property
    def cuts(self) -> tuple[str, ...]:
        """What was left out so far, by any part, as whole sentences."""
        return tuple(self.whole._cuts)

    def cut(self, sentence: str) -> None:
        """Note that a stage left something out, for the account of the whole computation."""
        if self.whole is NEVER:  # there is no account
            warn(CutShortWarning(sentence.removesuffix(".")))
        elif sentence not in self.cuts:
            self.whole._cuts.append(sentence)

    def check(self) -> None:
        """Raise `TimeIsUpError` if the time is up."""
        if self.passed:
            raise TimeIsUpError(f"the {self.seconds:g} seconds given are over")

    def watch(self, progress: Callable[[float], None] | None) -> Callable[[float], None] | None:
        """Return a progress function that ends the computation when the time is up.

        The core calls it many times a second to learn whether to go on, as it does for Ctrl-C.

        Parameters
        ----------
        progress
            What is to be called with the share done, if anything.
        """
        if self.seconds is None:
            return progress

        def show(share: float) -> None:
            self.check()
            if progress is not None:
                progress(share)

        return show


_ENOUGH_TO_TELL = 0.2  # seconds of processor time
_SLOWEST = 4.0  # as a process may also wait for something else
_SHORTEST = 1e-9  # of the seconds, as they must be positive

NEVER = Deadline()
"""No limit, where nobody asked for one."""


@contextmanager
def shared_clock(seconds: float | Deadline | None) -> Iterator[Deadline]:
    """Yield the deadline of a public function, and warn of what was left out to keep it.

    With a deadline in place of seconds it is for the caller to tell.
    """
    deadline = Deadline.of(seconds)
    yield deadline
    if deadline is not seconds:
        for sentence in deadline.cuts:
            warn(CutShortWarning(sentence.removesuffix(".")))


def process_began() -> float:
    """Return when this process began, on the clock of `time.perf_counter`; now if unknown."""
    now = time.perf_counter()
    try:
        with open("/proc/self/stat", "rb") as file:
            # The name of the program, in parentheses, may hold spaces.
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return now
    return now - max(0.0, age)
