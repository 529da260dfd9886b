"""How a long computation runs: on how many processors, and the reporting of progress."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from arcwise.errors import ArgumentError, CutShortWarning
from arcwise.support.checks import checked_seed, checked_threads, folder_path, real_number
from arcwise.support.clock import NEVER, Deadline, warn
from arcwise.support.devices import Processors, as_device
from arcwise.support.progress import shown_progress
from arcwise.support.settings import Settings, setting
from arcwise.support.signals import sigterm_interrupts
from arcwise.support.words import shown

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
