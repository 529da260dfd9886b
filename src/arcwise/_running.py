"""How a long computation runs: on how many threads, and who hears of its progress."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from arcwise._checks import whole_number

Progress = bool | Callable[[float], None] | None
"""True for a bar on the terminal, a function of the share done, or None for silence."""


@dataclass(frozen=True)
class Run:
    """What the core is told about a run; the answer never depends on it."""

    threads: int
    progress: Callable[[float], None] | None = None


@contextmanager
def running(threads: int | None, progress: Progress, what: str) -> Iterator[Run]:
    """Give the settings of a run, with a progress bar around it if one is wanted.

    Parameters
    ----------
    threads
        The number of threads; None for all cores this process may use.
    progress
        See `Progress`.
    what
        The bar's label.
    """
    count = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    if threads is not None:
        count = whole_number(threads, "threads", at_least=1)
    if progress is True:
        with _bar(what) as show:
            yield Run(count, show)
    else:
        yield Run(count, progress or None)


@contextmanager
def _bar(what: str) -> Iterator[Callable[[float], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    console = Console(stderr=True)
    with RichProgress(
        *columns,
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as bars:
        task = bars.add_task(what, total=1.0)
        yield lambda share: bars.update(task, completed=share)
