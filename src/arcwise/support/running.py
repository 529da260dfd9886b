"""Signals that end a run: SIGTERM acts like Ctrl-C, and neither interrupts a checkpoint.

After SIGTERM no other run is begun: a script that goes from run to run would otherwise keep what
each of them has so far and go on with the next, and could not be ended but by force.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import KW_ONLY, dataclass, replace
from html import escape
from pathlib import Path
from types import FrameType
from typing import Any, Self

from arcwise.errors import ArcwiseWarning, ArgumentError, CutShortWarning, TimeIsUpError, option
from arcwise.support.checks import (
    checked_seed,
    checked_threads,
    folder_path,
    positive_number,
    real_number,
)
from arcwise.support.devices import Processors, as_device
from arcwise.support.names import duration, shown
from arcwise.support.settings import Settings, setting

_told_to_end = False


def refuse_after_sigterm() -> None:
    """Raise KeyboardInterrupt if SIGTERM has ended a run of this process before."""
    if _told_to_end:
        raise KeyboardInterrupt


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Make SIGTERM raise KeyboardInterrupt within the context, unless it has a handler.

    Only the main thread receives signals; in other threads nothing is changed.
    """
    if not _in_main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Defer Ctrl-C and SIGTERM until the end of the context."""
    if not _in_main_thread():
        yield
        return
    waiting: list[tuple[int, FrameType | None]] = []
    handlers: dict[int, Any] = {}
    for number in map(int, (signal.SIGINT, signal.SIGTERM)):
        handler = signal.getsignal(number)
        # A signal that ends the process or is ignored cannot be deferred.
        if callable(handler):
            handlers[number] = handler
            signal.signal(number, lambda *received: waiting.append(received))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for number, frame in waiting:
        handlers[number](number, frame)


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _told_to_end  # by one signal for the whole process
    _told_to_end = True
    raise KeyboardInterrupt


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


# --- Clock ----------------------------------------------------------------------------------------

# `warn`: warnings that point at the user's line, however deep they are issued.


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


# --- Progress -------------------------------------------------------------------------------------

# How progress is shown: a bar on a terminal, a line in a notebook, or lines in a log.
#
# Nothing is needed for it beyond the plain dependencies: a notebook's line is an output of the
# cell that is replaced in place, not a widget.


Show = Callable[[float], None]

# Stages shorter than the first of these leave no trace; a log of an hour has a page of lines.
_FIRST_LINE, _BETWEEN_LINES = 10.0, 30.0
_FIRST_IN_NOTEBOOK, _BETWEEN_IN_NOTEBOOK = 0.5, 0.25
# Before this share is done, what it took says too little of what is left.
_SHARE_THAT_TELLS = 0.02

_hidden: ContextVar[bool] = ContextVar("hidden", default=False)


@dataclass(eq=False, repr=False)
class ProgressUpdate(float):
    """The fraction of a run that is done, as a plain number with details of its progress.

    Examples
    --------
    >>> moment = ProgressUpdate(0.25, rate=52_000.0, unit="steps", acceptance=0.31, rhat=1.004)
    >>> moment == 0.25
    True
    >>> moment.words
    '52,000 steps/s, 31% accepted, R-hat 1.004'
    """

    share: float  # the fraction done, from 0 to 1
    _: KW_ONLY
    # The amount done so far, the amount per second, and its unit.
    steps: int = 0
    rate: float | None = None
    unit: str = "steps"
    acceptance: float | None = None  # the acceptance rate since the burn-in
    # R-hat and the effective sample size of the log posterior, or for annealing the effective
    # sample size of the particles; as last computed.
    rhat: float | None = None
    effective: float | None = None
    seconds_left: float | None = None  # the estimated remaining time in seconds

    def __new__(cls, share: float, **_: Any) -> ProgressUpdate:
        """Create the number; see the class."""
        return super().__new__(cls, share)

    @property
    def words(self) -> str:
        """The details, without the fraction and the time, as a phrase."""
        parts = []
        if self.rate is not None:
            parts.append(f"{self.rate:,.{0 if self.rate >= 10 else 1}f} {self.unit}/s")
        if self.acceptance is not None:
            parts.append(f"{self.acceptance:.0%} accepted")
        if self.rhat is not None:
            parts.append(f"R-hat {self.rhat:.3f}")
        if self.effective is not None:
            parts.append(f"ESS {self.effective:,.0f}")
        return ", ".join(parts)


def is_hidden() -> bool:
    """Return whether no progress is shown now."""
    return _hidden.get()


@contextmanager
def hidden_progress() -> Iterator[None]:
    """Show no progress meanwhile, whatever asks for it."""
    before = _hidden.set(True)
    try:
        yield
    finally:
        _hidden.reset(before)


def tell(sentence: str) -> None:
    """Print a sentence on what is about to be done to standard error, unless progress is hidden."""
    if not _hidden.get():
        print(sentence, file=sys.stderr, flush=True)


def shown_progress(what: str) -> AbstractContextManager[Show | None]:
    """Show the progress of a stage as suits the place, through the function that is yielded."""
    if _hidden.get():
        return nullcontext()
    if _in_notebook():
        return _notebook_line(what)
    # Colours may be forced in a log file, too, so that Rich must not be asked.
    return _bar(what) if sys.stderr.isatty() else _log_lines(what)


def _in_notebook() -> bool:
    """Return whether a Jupyter kernel runs this, which has imported IPython then."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


class _Stage:
    """A stage of a computation, and how far it is."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = time.monotonic()
        self.share: float = 0.0

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    @property
    def words(self) -> str:
        parts = [f"{self._what}: {float(self.share):.0%}"]
        left = getattr(self.share, "seconds_left", None)
        if left is None and self.share >= _SHARE_THAT_TELLS:
            left = self.seconds * (1.0 / self.share - 1.0)
        if isinstance(self.share, ProgressUpdate) and self.share.words:
            parts.append(self.share.words)
        if left is not None:
            parts.append(f"about {duration(left)} left")
        return ", ".join(parts)

    def end(self) -> str:
        return f"{self._what}: {duration(self.seconds)}"


@contextmanager
def _log_lines(what: str) -> Iterator[Show]:
    """Print a line now and then, by the clock, so that a stage that tells nothing is seen, too."""
    stage = _Stage(what)
    ended = threading.Event()
    printed = False

    def watch() -> None:
        nonlocal printed
        wait = _FIRST_LINE
        while not ended.wait(wait):
            print(stage.words, file=sys.stderr, flush=True)
            printed = True
            wait = _BETWEEN_LINES

    def show(share: float) -> None:
        stage.share = share

    watcher = threading.Thread(target=watch, name="arcwise-progress", daemon=True)
    watcher.start()
    try:
        yield show
    finally:
        ended.set()
        watcher.join()
        if printed:
            print(stage.end(), file=sys.stderr, flush=True)


@contextmanager
def _notebook_line(what: str) -> Iterator[Show]:
    """Keep an output of the cell up to date; afterwards it says how long the stage took."""
    from IPython.display import display

    stage = _Stage(what)
    handle: Any = None
    due = _FIRST_IN_NOTEBOOK

    def show(share: float) -> None:
        nonlocal handle, due
        stage.share = share
        if stage.seconds < due:
            return
        due = stage.seconds + _BETWEEN_IN_NOTEBOOK
        line = _bundle(stage.words, f'<progress max="1" value="{float(share):.4f}"></progress> ')
        if handle is None:
            handle = display(line, raw=True, display_id=True)
        else:
            handle.update(line, raw=True)

    try:
        yield show
    finally:
        if handle is not None:
            handle.update(_bundle(stage.end()), raw=True)


def _bundle(words: str, before: str = "") -> dict[str, str]:
    return {"text/plain": words, "text/html": f"<small>{before}{escape(words)}</small>"}


@contextmanager
def _bar(what: str) -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft
    from rich.table import Column

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TimeLeft(),
        TextColumn("{task.fields[words]}", table_column=Column(no_wrap=True, overflow="ellipsis")),
        console=Console(stderr=True),
        transient=True,
    ) as bars:
        task = bars.add_task(what, total=1.0, words="")

        def show(share: float) -> None:
            words = share.words if isinstance(share, ProgressUpdate) else ""
            bars.update(task, completed=float(share), words=words)

        yield show


# --- Running --------------------------------------------------------------------------------------

# How a long computation runs: on how many processors, and the reporting of progress.


Progress = bool | Callable[[float], None] | None
"""True to show it, a function of the fraction done, or None for silence.

It is shown as a bar on a terminal, a line that is kept up to date in a notebook, and now and then a
line elsewhere, as in a log. Samplers call the function with a `ProgressUpdate`: the fraction, with
further details.
"""


_halted: ContextVar[Callable[[], bool] | None] = ContextVar("halted", default=None)


@contextmanager
def halted_by(asked: Callable[[], bool]) -> Iterator[None]:
    """End the runs of this thread, as Ctrl-C would, once a function says so.

    Signals come to the main thread alone.
    """
    token = _halted.set(asked)
    try:
        yield
    finally:
        _halted.reset(token)


def _halting(
    progress: Callable[[float], None] | None, asked: Callable[[], bool]
) -> Callable[[float], None]:
    def watched(share: float) -> None:
        if asked():
            raise KeyboardInterrupt
        if progress is not None:
            progress(share)

    return watched


@dataclass(frozen=True)
class Stage:
    """How the core runs one stage of a computation; results do not depend on it."""

    device: Processors  # the processors it runs on
    # A function of the share done. With a deadline it also ends the run when the time is up, by a
    # `TimeIsUpError`.
    progress: Callable[[float], None] | None = None
    deadline: Deadline = NEVER  # by when the run has to end

    def __post_init__(self) -> None:
        """Watch the deadline, and what halts this thread, wherever progress is reported."""
        watched, asked = self.deadline.watch(self.progress), _halted.get()
        if asked is not None:
            watched = _halting(watched, asked)
        object.__setattr__(self, "progress", watched)

    @property
    def threads(self) -> int:
        """The number of threads on this machine."""
        return self.device.threads

    @property
    def quiet(self) -> Stage:
        """The same stage without progress reports."""
        return Stage(self.device, None, self.deadline)


CHECKPOINT_SECONDS = 60.0


def _checked_progress(value: Any, name: object) -> Progress:
    if isinstance(value, bool) or callable(value):
        return value  # type: ignore[no-any-return]
    raise ArgumentError(
        f"progress is {shown(value)}; give True or False, or a function of the share done"
    )


@dataclass(frozen=True, kw_only=True)
class TimedRun(Settings):
    """What carries out a computation without random numbers on processors, see `Run`."""

    seconds: float | Deadline | None = setting(
        None,
        "Wall-clock time for the whole call, as the budget or the limit; a `Deadline` counts from "
        "its own beginning.",
        help="Time for everything, reading the data included, as the budget instead of steps.",
        metavar="SECONDS",
        kind=float | None,
    )
    threads: int | None = setting(
        None,
        "The number of threads; None for all cores.",
        check=lambda value, name: checked_threads(value),
        help="Number of threads (default: all cores).",
        metavar="N",
    )
    progress: Progress = setting(
        None,
        "True for a live progress bar, if there is a terminal or notebook to show it; a function "
        "of the fraction done; or None.",
        check=_checked_progress,
        in_shell=False,
    )

    def __post_init__(self) -> None:
        """Start the clock, unless the time is a part of that of another run."""
        super().__post_init__()
        self._set("_starts_clock", not isinstance(self.seconds, Deadline))
        self._set("seconds", Deadline.of(self.seconds))

    @property
    def deadline(self) -> Deadline:
        """By when the computation has to end."""
        assert isinstance(self.seconds, Deadline)
        return self.seconds

    @property
    def processors(self) -> Processors:
        """The processors of this machine that it may use."""
        return Processors.available(self.threads)

    @property
    def quiet(self) -> Self:
        """The same run without progress reports."""
        return replace(self, progress=None)

    def within(self, share: float) -> Self:
        """Return the run of a part that may take this share of the time that is left."""
        return replace(self, seconds=self.deadline.part(share))

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Warn at the end of what was left out for lack of time, if the clock began with this run.

        Otherwise that is for whoever started the clock.
        """
        yield
        if getattr(self, "_starts_clock", False):
            for sentence in self.deadline.cuts:
                warn(CutShortWarning(sentence.removesuffix(".")))

    @contextmanager
    def stage(self, what: str = "", *, timed: bool = True) -> Iterator[Stage]:
        """Yield a stage of the run, with its progress shown if requested.

        During the stage, SIGTERM acts like Ctrl-C.
        """
        device, deadline = self.processors, self.deadline if timed else NEVER
        with sigterm_interrupts():
            if self.progress is True:
                with shown_progress(what) as show:
                    yield Stage(device, show, deadline)
            else:
                yield Stage(device, self.progress or None, deadline)


@dataclass(frozen=True, kw_only=True)
class SeededRun(TimedRun):
    """What carries out a computation with random numbers on processors, see `Run`."""

    seed: int = setting(
        0,
        "The seed; results do not depend on the number of threads.",
        check=checked_seed,
        help="Seed of the random numbers.",
        metavar="N",
    )


@dataclass(frozen=True, kw_only=True)
class LocalRun(SeededRun):
    """What carries out a computation in this process, see `Run`."""

    device: object = setting(
        None,
        'None for the processors. ``"gpu"``: chains over linear or canonical orders run on a '
        "graphics processor, each in a thread of its own, so that it takes thousands of chains to "
        "keep it busy; all nodes may have up to 16 possible parents. Log weights are rounded to "
        "less than a billionth of a nat, and draws differ from those of processors. "
        '``"auto"``: where there is one, and at least 256 chains that it can run.',
        check=lambda value, name: None if value is None else as_device(value),
        help="gpu: a graphics processor computes exact posteriors, samples linear and canonical "
        "orders, and scores families by bdeu and bge; auto: where there is one and it is worth it "
        "(default: the processors).",
        metavar="gpu|auto",
        kind=str | None,
    )


@dataclass(frozen=True, kw_only=True)
class Run(LocalRun):
    """What carries a computation out: made once, and passed from stage to stage as it is."""

    engine: Any = setting(
        None,
        "Where chains run and families are scored: None for threads of this process, or a Dask "
        "cluster, given as a `DaskEngine`, a `distributed.Client` or the address of its "
        'scheduler, such as ``"dask://10.0.0.1:8786"``. It does not affect the result.',
        in_shell=False,  # which has options for each part of an address
    )
    directory: str | os.PathLike[str] | None = setting(
        None,
        "The run directory, created if necessary: draws are saved as the run proceeds, and after "
        "any interruption `resume` continues from the last checkpoint. If it holds a run with the "
        "same settings, that run is continued. The result has all DAGs if they take up to 1 GiB, "
        "otherwise those of every second state, every fourth and so on; sums over all states are "
        "kept in any case.",
        check=lambda value, name: folder_path(value, "directory"),
        help="Run directory: draws are saved as the run proceeds, so that arcwise resume can "
        "continue after any interruption. Results are written there, too, unless --out is given.",
        flag="--run",
        metavar="FOLDER",
        kind=Path | None,
    )
    checkpoint_seconds: float = setting(
        CHECKPOINT_SECONDS,
        "The time between checkpoints; it does not affect the result.",
        check=lambda value, name: real_number(
            value, name, lambda x: 0.0 <= x < float("inf"), "a time in seconds"
        ),
        help="Time between checkpoints of --run, in seconds.",
        flag="--checkpoint",
        metavar="SECONDS",
    )

    @property
    def folder(self) -> Path | None:
        """The run directory, as a path."""
        return None if self.directory is None else Path(self.directory)

    @property
    def aside(self) -> Self:
        """A run beside this one: quiet, on threads of this process, and kept nowhere."""
        return replace(self, engine=None, device=None, progress=None, directory=None)


@contextmanager
def running(
    threads: int | None, progress: Progress, what: str, deadline: Deadline = NEVER
) -> Iterator[Stage]:
    """Yield a stage of a computation that is no part of a `Run`, see `Run.stage`."""
    run = TimedRun(threads=threads, progress=progress, seconds=deadline)
    with run.stage(what) as stage:
        yield stage
