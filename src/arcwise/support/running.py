"""How a long computation runs: on which device, and who hears of its progress."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from arcwise.support.devices import Device, Processors
from arcwise.support.signals import sigterm_interrupts

Progress = bool | Callable[[float], None] | None
"""True for a bar on the terminal, a function of the share done, or None for silence.

Samplers give the function a `ProgressUpdate`, which is the share and more.
"""


class ProgressUpdate(float):
    """The share of a run that is done, and how it stands; a plain number to whoever wants no more.

    Parameters
    ----------
    share
        The share done, from 0 to 1.
    steps, rate, unit
        What was done so far, how much of it in a second, and what it is.
    acceptance
        The share of accepted proposals since the burn-in.
    rhat, effective
        R-hat and the effective sample size of the log weight, or for annealing the
        effective number of runs; as of the last look at them.
    seconds_left
        The seconds to go, by what the share says.

    Examples
    --------
    >>> moment = ProgressUpdate(0.25, rate=52_000.0, unit="steps", acceptance=0.31, rhat=1.004)
    >>> moment == 0.25
    True
    >>> moment.words
    '52,000 steps/s, 31% accepted, R-hat 1.004'
    """

    def __new__(cls, share: float, **_: Any) -> ProgressUpdate:
        """Make the number; see the class."""
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
        """All but the share and the time, as a phrase."""
        parts = []
        if self.rate is not None:
            parts.append(f"{self.rate:,.{0 if self.rate >= 10 else 1}f} {self.unit}/s")
        if self.acceptance is not None:
            parts.append(f"{self.acceptance:.0%} accepted")
        if self.rhat is not None:
            parts.append(f"R-hat {self.rhat:.3f}")
        if self.effective is not None:
            parts.append(f"{self.effective:,.0f} effective")
        return ", ".join(parts)


@dataclass(frozen=True)
class Run:
    """What the core is told about a run; the answer depends on no more than the kind of device.

    Parameters
    ----------
    device
        Where it runs.
    progress
        A function of the share done.
    """

    device: Device
    progress: Callable[[float], None] | None = None

    @property
    def threads(self) -> int:
        """The number of threads on this machine."""
        return self.device.threads

    @property
    def quiet(self) -> Run:
        """The same with nobody who hears of the progress."""
        return Run(self.device)


@contextmanager
def running(threads: int | None, progress: Progress, what: str) -> Iterator[Run]:
    """Give the settings of a run, with a progress bar around it if one is wanted.

    While it goes on, SIGTERM does what Ctrl-C does.

    Parameters
    ----------
    threads
        The number of threads; None for all cores this process may use.
    progress
        See `Progress`.
    what
        The bar's label.
    """
    device = Processors.available(threads)
    with sigterm_interrupts():
        if progress is True:
            with _bar(what) as show:
                yield Run(device, show)
        else:
            yield Run(device, progress or None)


@contextmanager
def _bar(what: str) -> Iterator[Callable[[float], None] | None]:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress
    from rich.table import Column

    console = Console(stderr=True)
    # Rich would also draw into a log if colours are forced there; a notebook is no terminal to it,
    # and without ipywidgets it has nothing but a warning.
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
