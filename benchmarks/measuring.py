"""One way to time, to read how much memory is held, and to print tables and draw figures."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from arcwise import _core
from arcwise.model import ScoreSums
from arcwise.records.settings import filled
from arcwise.spaces import Space

Found = TypeVar("Found")
Clock = Callable[[], float]


def side_by_side(
    work: Mapping[str, Callable[[], object]], repetitions: int, clock: Clock = time.perf_counter
) -> dict[str, float]:
    """Return the shortest time of each, in seconds.

    All take turns, so that other work of the machine affects each alike; the shortest time is
    the one that it affects least.
    """
    best = dict.fromkeys(work, float("inf"))
    for _ in range(repetitions):
        for name, function in work.items():
            start = clock()
            function()
            best[name] = min(best[name], clock() - start)
    return best


def timed(work: Callable[[], Found], clock: Clock = time.perf_counter) -> tuple[float, Found]:
    """Return the seconds that work takes, and its result."""
    start = clock()
    result = work()
    return clock() - start, result


class Chain:
    """One chain, which makes steps, or draws DAGs from its states, in pieces of equal size."""

    def __init__(self, space: Space, sums: ScoreSums, dags: int = 0, **options: Any) -> None:
        record = filled(_core.RecordOptions(), dags_per_state=dags)
        filled_options = filled(_core.ChainOptions(), record=record, **options)
        self._chains = _core.Chains(space.build(sums), filled_options, 1, 0, 1)
        self._chains.start(0, 1, None)
        self._draws = dags > 0
        self.steps = 16

    def go(self) -> None:
        """Make a piece of steps."""
        advance = self._chains.sample if self._draws else self._chains.burn_in
        advance(self.steps, 1, None)

    def warm_up(self, steps: int = 0, *, piece: float, clock: Clock, pieces: int = 4) -> None:
        """Make some steps, find how many a piece of some seconds has, and make some pieces."""
        if steps:
            self._chains.burn_in(steps, 1, None)
        while timed(self.go, clock)[0] <= piece:
            self.steps *= 2
        for _ in range(pieces):
            self.go()


def held_bytes() -> int:
    """Return the memory that this process holds now."""
    return _status("VmRSS")


def most_held_bytes() -> int:
    """Return the most memory that this process ever held.

    `getrusage` would count what the process that started this one held.
    """
    return _status("VmHWM")


def _status(field: str) -> int:
    for each in Path("/proc/self/status").read_text().splitlines():
        name, _, value = each.partition(":")
        if name == field:
            return int(value.split()[0]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def in_own_process(function: Callable[..., Found], *arguments: Any) -> Found:
    """Return the result of a function of a module, called in a new process."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def heading(text: str) -> None:
    print(f"\n{text}", flush=True)


def line(what: str, value: str) -> None:
    print(f"  {what:<58}{value:>20}", flush=True)


class Table:
    """A Markdown table, printed row by row."""

    def __init__(self, *heads: str, align: str = "l") -> None:
        """Print the heads; columns are aligned as the letters l and r say, the others right."""
        self.row(*heads)
        rule = ("---" if each == "l" else "---:" for each in align.ljust(len(heads), "r"))
        print(f"|{'|'.join(rule)}|", flush=True)

    def row(self, *cells: object) -> None:
        padded = (f" {cell} " if str(cell) else " " for cell in cells)
        print(f"|{'|'.join(padded)}|", flush=True)


@contextmanager
def figure(path: Path, width: float, height: float) -> Iterator[Any]:
    """Give an empty figure, and write it as SVG that is the same whenever it is drawn."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise SystemExit("figures need matplotlib, which is not installed") from None
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "arcwise", "font.size": 8}):
        drawn = Figure(figsize=(width, height), layout="constrained")
        yield drawn
        path.parent.mkdir(parents=True, exist_ok=True)
        drawn.savefig(path, metadata={"Date": None})
    print(f"figure written to {path}")
