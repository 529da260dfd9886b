"""Clocks that tests advance, so that no result depends on the speed or load of the machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from arcwise.runs.control import Kind
from arcwise.runs.driver import AnnealingDriver, ChainDriver
from arcwise.support.running import Deadline


def past(seconds: float = 5.0) -> Deadline:
    """Return a deadline that is long over."""
    return Deadline(seconds, began=time.perf_counter() - 1000.0)


class WorkClock:
    """A clock that is advanced by the work that a test specifies, and by nothing else.

    Parameters
    ----------
    reading
        The seconds that pass whenever the clock is read. The core reads it between pieces of its
        work, at most twenty times a second.
    """

    def __init__(self, reading: float = 0.0) -> None:
        self.now = 0.0
        self._reading = reading

    def __call__(self) -> float:
        self.now += self._reading
        return self.now

    def deadline(self, seconds: float) -> Deadline:
        """Return a deadline that begins now, in a process that has the processor to itself."""
        return Deadline(seconds, clock=self, processor=self)

    def jump(self) -> None:
        """Let all deadlines pass."""
        self.now += 1e6

    def timed(self, function: Callable[..., Any], seconds: float) -> Callable[..., Any]:
        """Return the function, each call of which takes this long on the clock."""

        def taking(*arguments: Any, **named: Any) -> Any:
            result = function(*arguments, **named)
            self.now += seconds
            return result

        return taking


@contextmanager
def steps_take(seconds: float) -> Iterator[WorkClock]:
    """Yield a clock that each step of all chains, or each annealing run, advances."""
    clock = WorkClock()
    chains, annealing = ChainDriver.perform, AnnealingDriver.perform

    def of_chains(driver: ChainDriver, kind: Kind, part: int) -> None:
        chains(driver, kind, part)
        each = driver.controller.thinning if kind is Kind.SAMPLE else 1
        clock.now += part * each * seconds

    def of_annealing(driver: AnnealingDriver, kind: Kind, part: int) -> None:
        annealing(driver, kind, part)
        clock.now += part * seconds

    with (
        patch.object(ChainDriver, "perform", of_chains),
        patch.object(AnnealingDriver, "perform", of_annealing),
    ):
        yield clock
