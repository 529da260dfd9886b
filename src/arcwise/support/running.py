"""How a long computation runs: on how many processors, and the reporting of progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from arcwise.errors import ArgumentError
from arcwise.support.clock import NEVER, Deadline
from arcwise.support.devices import Processors
from arcwise.support.progress import shown_progress
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

    Parameters
    ----------
    asked
        Whether to end.
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
    """How the core runs one stage of a computation; results do not depend on it.

    Parameters
    ----------
    device
        The processors it runs on.
    progress
        A function of the share done. With a deadline it also ends the run when the time is
        up, by a `TimeIsUpError`.
    deadline
        By when the run has to end.
    """

    device: Processors
    progress: Callable[[float], None] | None = None
    deadline: Deadline = NEVER

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


@contextmanager
def running(
    threads: int | None, progress: Progress, what: str, deadline: Deadline = NEVER
) -> Iterator[Stage]:
    """Yield a stage of a computation, with its progress shown if requested.

    During the run, SIGTERM acts like Ctrl-C.

    Parameters
    ----------
    threads
        The number of threads; None for all cores available to this process.
    progress
        See `Progress`.
    what
        The stage, as it is called where progress is shown.
    deadline
        By when the run has to end.
    """
    device = Processors.available(threads)
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise ArgumentError(
            f"progress is {shown(progress)}; give True or False, or a function of the share done"
        )
    with sigterm_interrupts():
        if progress is True:
            with shown_progress(what) as show:
                yield Stage(device, show, deadline)
        else:
            yield Stage(device, progress or None, deadline)
