"""Traces `arcwise learn` up to the first step of its main run: `python tools/walk.py [PATH...]`.

It prints the files of the package that functions were entered in between `arcwise.cli.main` and
that step, in the order of their first entry, and the functions on the stack there. What is run when
a module is imported does not count. The paths are

    sampled   22 discrete variables, so that chains sample
    missing   the same with values missing
    time      22 discrete variables in time, each with the slice before

How the first step of the main run is found: a step is a call of a method of a chain of the core (of
a class of `_core` named Chain, Chains or Runs), other than one that prepares or reads. Steps belong
to one run if they were made within one call from `cli` or `learning` of a function elsewhere, as of
an algorithm: these two packages decide on runs, the others carry them out. Several runs come before
the main one, for the parameters of the prior, for candidates and as trials; the main run is the
last one, and this is known when the command has ended.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import arcwise
import arcwise.cli
from arcwise import _core

PACKAGE = Path(arcwise.__file__).parent
_CHAINS = re.compile(r"(Chains?|Runs)$")
_NO_STEP = re.compile(r"(_|set_|take_|save_|restore_|append_|record|moves|path|shares|log_|ratios)")
_DECIDING = ("cli", "learning")


@dataclass(frozen=True)
class Place:
    """What had been entered when a run made its first step, and what was on the stack."""

    files: list[str]
    stack: list[str]


@dataclass
class Walk:
    """The files that have been entered so far, and the first steps of the runs so far."""

    files: dict[str, None] = field(default_factory=dict)
    runs: dict[FrameType, Place] = field(default_factory=dict)
    importing: int = 0

    def event(self, frame: FrameType, event: str, _: object) -> None:
        """Note a function that is entered, unless it is by an import."""
        code = frame.f_code
        if code.co_name == "<module>":
            self.importing += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not self.importing and code.co_flags & inspect.CO_OPTIMIZED:
            file = file_of(code)
            if file is not None:
                self.files.setdefault(file)

    def step(self) -> None:
        """Note where a run is that makes a step, if it is its first one."""
        frames = [frame for frame in _frames(sys._getframe(2)) if file_of(frame.f_code) is not None]
        deciding = [place for place, frame in enumerate(frames) if _package(frame) in _DECIDING]
        run = frames[min(deciding[-1] + 1, len(frames) - 1)]
        if run not in self.runs:
            stack = [f"{file_of(each.f_code)}:{each.f_code.co_qualname}" for each in frames]
            self.runs[run] = Place(list(self.files), stack)


def file_of(code: CodeType) -> str | None:
    """Return the file of the package that a function is in, None for one of another package."""
    path = Path(code.co_filename)
    return path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else None


def _frames(innermost: FrameType | None) -> list[FrameType]:
    """Return the frames on the stack, the outermost first."""
    found = []
    while innermost is not None:
        found.append(innermost)
        innermost = innermost.f_back
    return found[::-1]


def _package(frame: FrameType) -> str:
    return (file_of(frame.f_code) or "").split("/")[0]


@contextlib.contextmanager
def _chains_report(step: Callable[[], None]) -> Iterator[None]:
    """Let the chains of the core report each call that makes steps."""
    replaced: list[tuple[Any, str, Any]] = []
    for name, kind in vars(_core).items():
        if not (isinstance(kind, type) and _CHAINS.search(name)):
            continue
        for method in [each for each in vars(kind) if not _NO_STEP.match(each)]:
            original = getattr(kind, method)
            replaced.append((kind, method, original))
            setattr(kind, method, _reporting(original, step))
    assert replaced, "the core has no chains that are known here"
    try:
        yield
    finally:
        for kind, method, original in replaced:
            setattr(kind, method, original)


def _reporting(original: Any, step: Callable[[], None]) -> Callable[..., Any]:
    def reporting(*arguments: Any, **named: Any) -> Any:
        step()
        return original(*arguments, **named)

    return reporting


def walk(arguments: list[str]) -> Place:
    """Run a command, and return where its main run made its first step."""
    traced = Walk()
    silent = io.StringIO()
    with (
        _chains_report(traced.step),
        contextlib.redirect_stdout(silent),
        contextlib.redirect_stderr(silent),
    ):
        sys.setprofile(traced.event)
        try:
            status = arcwise.cli.main(arguments)
        finally:
            sys.setprofile(None)
    assert status == 0, silent.getvalue()
    return list(traced.runs.values())[-1]


# --- The three commands ---------------------------------------------------------------------------

_VARIABLES, _ROWS = 22, 120


def _levels(*, in_time: bool) -> np.ndarray[Any, Any]:
    """Return a table in which each column copies the one before it, or its row, with errors."""
    random = np.random.default_rng(1)
    table = random.integers(0, 2, (_ROWS, _VARIABLES))
    for row in range(1, _ROWS):
        for column in range(1, _VARIABLES):
            if random.random() < 0.8:
                table[row, column] = table[row - in_time, column - 1]
    return table


def _write(name: str, path: Path) -> None:
    table = _levels(in_time=name == "time")
    cells = [[f"v{value}" for value in row] for row in table]
    header = [f"x{column}" for column in range(_VARIABLES)]
    if name == "missing":
        for row in range(0, _ROWS, 10):
            cells[row][row % _VARIABLES] = ""
    if name == "time":
        header.append("when")
        cells = [[*row, str(number)] for number, row in enumerate(cells)]
    path.write_text("\n".join(",".join(row) for row in [header, *cells]) + "\n", encoding="utf-8")


_FEW_STEPS = "--steps 300 --chains 2 --max-indegree 3 --seed 1 --threads 1 --quiet --out out"
PATHS = {"sampled": "", "missing": "--completions 2", "time": "--time when"}


def main() -> None:
    """Trace what is asked for and print it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help=", ".join(PATHS))
    parser.add_argument("--short", action="store_true", help="the numbers alone")
    asked = parser.parse_args()
    for name in asked.paths or PATHS:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            _write(name, Path("table.csv"))
            found = walk(f"learn table.csv {_FEW_STEPS} {PATHS[name]}".split())
        packages = Counter(file.split("/")[0] for file in found.files)
        shares = ", ".join(f"{package} {number}" for package, number in packages.most_common())
        print(f"{name}: {len(found.files)} files, {len(found.stack)} frames ({shares})")
        if not asked.short:
            print("  files:", *found.files, sep="\n    ")
            print("  on the stack:", *found.stack, sep="\n    ")


if __name__ == "__main__":
    main()
