"""The rows of the benchmark of graphics processors, and how they are timed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import arcwise
from arcwise import _core

TABLE: list[tuple[str, ...]] = []


def say(text: str = "") -> None:
    print(text, flush=True)


def row(what: str, device: str, processors: str, agreement: str, rate: str) -> None:
    TABLE.append((what, device, processors, agreement, rate))
    say(_line(TABLE[-1]))


def say_all() -> None:
    say("\nAll rows: what, device, processors, agreement, rate")
    for each in TABLE:
        say(_line(each))


def _line(each: tuple[str, ...]) -> str:
    return f"  {each[0]:<52}{each[1]:>11}{each[2]:>12}  {each[3]:<38}{each[4]}"


def seconds_of(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def cpu_exact(model: arcwise.Model, order_modular: bool = True) -> Any:
    """Evidence, families and edges by all cores of the machine."""
    threads = os.cpu_count() or 1
    computation = _core.ExactComputation(model.weights.table, order_modular, 1e-8)
    return computation.posterior(_core.Processors(threads), None)
