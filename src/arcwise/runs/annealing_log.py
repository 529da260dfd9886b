"""`AnnealingLog`: records completed annealing runs in a ledger.

Every run has its own random numbers, so that it is the same wherever and whenever it is
made: the ledger holds the completed ones, and to resume is to make the others.
"""

from __future__ import annotations

import time
import zlib
from datetime import UTC, datetime

from arcwise.engines.sampling_jobs import AnnealedRuns
from arcwise.runs.checkpoint_clock import CheckpointClock
from arcwise.runs.ledger import Ledger
from arcwise.support.signals import uninterrupted

_FIRST_PART = 2  # runs before the first look at the clock


class AnnealingLog:
    """The log of annealing runs.

    Parameters
    ----------
    ledger
        The ledger to write to.
    annealed
        Runs made with the settings of the ledger; the completed ones are restored to it.
    checkpoint_seconds
        The time between two checkpoints.
    """

    def __init__(self, ledger: Ledger, annealed: AnnealedRuns, checkpoint_seconds: float) -> None:
        self._ledger = ledger
        self._annealed = annealed
        self._clock = CheckpointClock(checkpoint_seconds, _FIRST_PART)
        self._finished = False
        last = ledger.last()
        before = 0.0
        if last is not None:
            before = float(last.facts["seconds"])
            self._finished = bool(last.facts["finished"])
            for runs in ledger.draws():
                annealed.restore_runs(zlib.decompress(runs))
        self._written = len(annealed)
        self.began = time.perf_counter() - before
        self._clock.saved()
        self._clock.resume()

    @property
    def finished(self) -> bool:
        """Whether the budget is spent."""
        return self._finished

    def part(self, left: int) -> int:
        """Return the number of runs to make before the next look at the clock."""
        return self._clock.part(left)

    def rest(self) -> None:
        """Save the completed runs if a checkpoint is due."""
        if self._clock.look():
            self.save()
        self._clock.resume()

    def save(self, *, finished: bool = False) -> None:
        """Save the runs completed since the last checkpoint."""
        if self._finished or (len(self._annealed) == self._written and not finished):
            return
        with uninterrupted():
            first = self._written
            moves = self._annealed.moves()
            self._ledger.append(
                {
                    "time": datetime.now(UTC).isoformat(timespec="seconds"),
                    "seconds": time.perf_counter() - self.began,
                    "runs": len(self._annealed),
                    "log_weights": self._annealed.log_weights()[first:].tolist(),
                    "finished": finished,
                    "proposed": {name: counts[0] for name, counts in moves.items()},
                    "accepted": {name: counts[1] for name, counts in moves.items()},
                    "calls": [],
                },
                zlib.compress(self._annealed.save_runs(first), 1),
                b"",
            )
            self._written = len(self._annealed)
            self._finished = finished
            self._clock.saved()
