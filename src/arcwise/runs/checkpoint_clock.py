"""`CheckpointClock`: when a checkpoint is due, and how much to do before looking again."""

from __future__ import annotations

import time


class CheckpointClock:
    """The clock of a log.

    Parameters
    ----------
    seconds
        The time between two checkpoints.
    part
        The amount of work before the first look at the clock.
    """

    def __init__(self, seconds: float, part: int) -> None:
        self.part = part
        self._seconds = seconds
        self._saved = self._looked = time.monotonic()

    def look(self) -> bool:
        """Return whether a checkpoint is due, and adjust the work before the next look.

        Parts take at most about a quarter of the time between checkpoints, by doubling.
        """
        now = time.monotonic()
        if now - self._looked < self._seconds / 8:
            self.part *= 2
        elif now - self._looked > self._seconds / 2:
            self.part = max(1, self.part // 2)
        return now - self._saved >= self._seconds

    def resume(self) -> None:
        """Start timing a part: the run continues."""
        self._looked = time.monotonic()

    def saved(self) -> None:
        """Start timing until the next checkpoint: one has been made."""
        self._saved = time.monotonic()
