"""How well `learn` says beforehand how long it will take: seconds said and taken, on many tables.

Each table is learnt without `seconds` by a process of its own with the defaults of the shell. What
it says on standard error is held against what its stages took, by the time of the processors over
the cores it used, as the clock depends on what else the machine does. Stages that take less than
a moment are not announced. Tables are those given as files, and simulated ones.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from measuring import heading
from seconds import SHELL, simulated

_UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_NOT_ANNOUNCED = 5.0  # seconds that the shell does not speak of


@dataclass(frozen=True)
class Forecast:
    """The seconds said and taken for one table, and what was said."""

    table: str
    said: float | None
    taken: float
    processor: float
    words: str

    @property
    def factor(self) -> float:
        """By how much the forecast is off, at least 1; what is not announced takes a moment."""
        said = self.said or _NOT_ANNOUNCED
        if self.said is None and self.processor <= _NOT_ANNOUNCED:
            return 1.0
        return max(said / self.processor, self.processor / said)


def seconds_in(words: str) -> float | None:
    """Return the sum of the times in sentences such as "about 2 min 5 s"; None if there is none."""
    found = re.findall(r"about ((?:[\d.,]+ (?:ms|s|min|h|d)\b ?)+)", words)
    if not found:
        return None
    parts = [part for each in found for part in re.findall(r"([\d.,]+) (ms|s|min|h|d)\b", each)]
    return sum(float(number.replace(",", "")) * _UNITS[unit] for number, unit in parts)


def learnt(path: Path, options: list[str], limit: float) -> Forecast | None:
    """Learn a table in a process of its own; None if it takes longer than the limit."""
    command = [sys.executable, "-c", SHELL, "learn", str(path), "--threads", "1", *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    try:
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    taken = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    words = " ".join(ended.stderr.split())
    return Forecast(path.stem, seconds_in(words), taken, processor, words[:160])


def main() -> None:
    """Print the table of seconds said and taken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="tables to learn")
    parser.add_argument("--sizes", nargs="*", type=int, default=[20, 50, 100])
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for each")
    parser.add_argument("--steps", type=int, help="of chains, which otherwise end by their rule")
    arguments = parser.parse_args()
    heading("Seconds said by arcwise learn beforehand, and taken, on one thread")
    print("| table | said | processor | clock | factor | |")
    print("|---|---:|---:|---:|---:|---|")
    options = [] if arguments.steps is None else ["--steps", str(arguments.steps)]
    with tempfile.TemporaryDirectory() as folder:
        made = simulated(Path(folder), arguments.sizes, everything=False)
        given = ((path, ["--constant", "keep"]) for path in arguments.files)
        for path, own in (*given, *((path, []) for path in made)):
            found = learnt(path, [*options, "--until", "none", *own], arguments.limit)
            if found is None:
                print(f"| {path.stem} | | | more than {arguments.limit:g} | | |", flush=True)
                continue
            said = "" if found.said is None else f"{found.said:.0f}"
            print(
                f"| {found.table} | {said} | {found.processor:.1f} | {found.taken:.1f} | "
                f"{found.factor:.1f} | {found.words} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
