"""How a long computation runs: on which device, and the reporting of progress."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from arcwise.support.clock import NEVER, Deadline
from arcwise.support.devices import Device, Processors
from arcwise.support.signals import sigterm_interrupts

Progress = bool | Callable[[float], None] | None
"""True for a progress bar on the terminal, a function of the fraction done, or None for silence.

Samplers call the function with a `ProgressUpdate`: the fraction, with further details.
"""


class ProgressUpdate(float):
    """The fraction of a run that is done, as a plain number with details of its progress.

    Parameters
    ----------
    share
        The fraction done, from 0 to 1.
    steps, rate, unit
        The amount done so far, the amount per second, and its unit.
    acceptance
        The acceptance rate since the burn-in.
    rhat, effective
        R-hat and the effective sample size of the log posterior, or for annealing the
        effective sample size of the particles; as last computed.
    seconds_left
        The estimated remaining time in seconds.

    Examples
    --------
    >>> moment = ProgressUpdate(0.25, rate=52_000.0, unit="steps", acceptance=0.31, rhat=1.004)
    >>> moment == 0.25
    True
    >>> moment.words
    '52,000 steps/s, 31% accepted, R-hat 1.004'
    """

    def __new__(cls, share: float, **_: Any) -> ProgressUpdate:
        """Create the number; see the class."""
        return super().__new__(cls, share)

    def __init__(
        self,
        share: float,
        *,
        steps: int = 0,
        rate: float | None = None,
        unit: str = "steps",
        acceptance: float | None = None,
        rhat: float | None = None,
        effective: float | None = None,
        seconds_left: float | None = None,
    ) -> None:
        self.steps = steps
        self.rate = rate
        self.unit = unit
        self.acceptance = acceptance
        self.rhat = rhat
        self.effective = effective
        self.seconds_left = seconds_left

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


@dataclass(frozen=True)
class Run:
    """How the core runs a computation; results depend on no more than the kind of device.

    Parameters
    ----------
    device
        Where it runs.
    progress
        A function of the share done. With a deadline it also ends the run when the time is
        up, by a `TimeIsUpError`.
    deadline
        By when the run has to end.
    """

    device: Device
    progress: Callable[[float], None] | None = None
    deadline: Deadline = NEVER

    def __post_init__(self) -> None:
        """Watch the deadline wherever progress is reported."""
        object.__setattr__(self, "progress", self.deadline.watch(self.progress))

    @property
    def threads(self) -> int:
        """The number of threads on this machine."""
        return self.device.threads

    @property
    def quiet(self) -> Run:
        """The same without progress reports."""
        return Run(self.device, None, self.deadline)


@contextmanager
def running(
    threads: int | None, progress: Progress, what: str, deadline: Deadline = NEVER
) -> Iterator[Run]:
    """Yield the settings of a run, with a progress bar if requested.

    During the run, SIGTERM acts like Ctrl-C.

    Parameters
    ----------
    threads
        The number of threads; None for all cores available to this process.
    progress
        See `Progress`.
    what
        The label of the progress bar.
    deadline
        By when the run has to end.
    """
    device = Processors.available(threads)
    with sigterm_interrupts():
        if progress is True:
            with _bar(what) as show:
                yield Run(device, show, deadline)
        else:
            yield Run(device, progress or None, deadline)


@contextmanager
def _bar(what: str) -> Iterator[Callable[[float], None] | None]:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress
    from rich.table import Column

    console = Console(stderr=True)
    # Rich would also draw into a log file if colours are forced; to it a notebook is not a
    # terminal, and without ipywidgets it would only issue a warning.
    notebook = console.is_jupyter and importlib.util.find_spec("ipywidgets") is not None
    if not (notebook or (console.is_terminal and console.file.isatty())):
        yield None
        return
    with RichProgress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[words]}", table_column=Column(no_wrap=True, overflow="ellipsis")),
        console=console,
        transient=True,
    ) as bars:
        task = bars.add_task(what, total=1.0, words="")

        def show(share: float) -> None:
            words = share.words if isinstance(share, ProgressUpdate) else ""
            bars.update(task, completed=float(share), words=words)

        yield show
