"""Times things side by side and reads how much memory a process holds."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path


def side_by_side(
    work: Mapping[str, Callable[[], object]],
    repetitions: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Return the shortest time of each, in seconds.

    All take turns, so that what else the machine does falls on each alike; the
    shortest time is the one with the least of it.
    """
    best = dict.fromkeys(work, float("inf"))
    for _ in range(repetitions):
        for name, function in work.items():
            start = clock()
            function()
            best[name] = min(best[name], clock() - start)
    return best


def held_bytes() -> int:
    """Return the memory this process holds now."""
    return _status("VmRSS")


def most_held_bytes() -> int:
    """Return the most memory this process ever held.

    Not by `getrusage`, whose figure a process takes over from the one that started it.
    """
    return _status("VmHWM")


def _status(field: str) -> int:
    for each in Path("/proc/self/status").read_text().splitlines():
        name, _, value = each.partition(":")
        if name == field:
            return int(value.split()[0]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def in_own_process(script: str, arguments: list[str]) -> dict[str, float]:
    """Run a script that prints one JSON object, in a process of its own, and return it."""
    finished = subprocess.run(
        [sys.executable, script, *arguments], check=True, capture_output=True, text=True
    )
    answer: dict[str, float] = json.loads(finished.stdout)
    return answer


def heading(text: str) -> None:
    print(f"\n{text}")


def line(what: str, value: str) -> None:
    print(f"  {what:<58}{value:>20}")
