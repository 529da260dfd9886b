"""Deadlines that are already over, or will be when a test says so."""

from __future__ import annotations

import time

from arcwise.support.clock import Deadline


def past(seconds: float = 5.0) -> Deadline:
    """Return a deadline that is long over."""
    return Deadline(seconds, began=time.perf_counter() - 1000.0)


class Jumping:
    """A clock that shows the real time, and jumps far ahead when it is told to."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.perf_counter() + self.ahead

    def jump(self) -> None:
        """Let all deadlines pass."""
        self.ahead = 1e6
