"""`CheckpointClock`: when a run is to be written down, and how much it does between two looks."""

from __future__ import annotations

import time


class CheckpointClock:
    """The clock of a log.

    Parameters
    ----------
    seconds
        The time between two checkpoints.
    part
        How much of its work a run does before the first look at the clock.
    """

    def __init__(self, seconds: float, part: int) -> None:
        self.part = part
        self._seconds = seconds
        self._saved = self._looked = time.monotonic()

    def look(self) -> bool:
        """Say whether a checkpoint is due, and adjust how much is done before the next look.

        Parts take a quarter of the time between checkpoints or less, found by doubling.
        """
        now = time.monotonic()
        if now - self._looked < self._seconds / 8:
            self.part *= 2
        elif now - self._looked > self._seconds / 2:
            self.part = max(1, self.part // 2)
        return now - self._saved >= self._seconds

    def resume(self) -> None:
        """Begin to count a part: the run goes on."""
        self._looked = time.monotonic()

    def saved(self) -> None:
        """Begin to count the time to the next checkpoint: one is made."""
        self._saved = time.monotonic()
