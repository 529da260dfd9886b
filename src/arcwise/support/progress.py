"""How progress is shown: a bar on a terminal, a line in a notebook, or lines in a log.

Nothing is needed for it beyond the plain dependencies: a notebook's line is an output of the cell
that is replaced in place, not a widget.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import KW_ONLY, dataclass
from html import escape
from typing import Any

from arcwise.support.words import duration

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
