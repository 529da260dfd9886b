"""`Checkpoints`: when checkpoints of a run are due, and what the last one contains.

Their times have no effect on the draws.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from arcwise.engines import Moves
from arcwise.errors import RunDirectoryError
from arcwise.runs.control import Controller, Kind
from arcwise.runs.ledger import Ledger
from arcwise.support.plain import PlainDataclasses

_MOST_SHARE_OF_COST = 0.1  # largest share of the time spent on checkpoints and pauses for them
_FIRST_PART = 2  # steps, draws or runs before the clock is first read

_FORM = PlainDataclasses()


class Checkpoints:
    """The checkpoints of a run in its ledger, each with its controller and its clock."""

    def __init__(self, ledger: Ledger, seconds: float) -> None:
        self.ledger = ledger
        self.clock = CheckpointClock(seconds, _FIRST_PART)
        self.last = ledger.last()
        self.seconds = 0.0 if self.last is None else float(self.last.facts["seconds"])
        self.finished = self.last is not None and bool(self.last.facts["finished"])

    def controller(self, begin: Controller) -> Controller:
        """Return the controller of the last checkpoint of a run that began with the given one."""
        if self.last is None:
            return begin
        stored: Controller = _FORM.read(type(begin), self.last.facts["controller"])
        if not stored.continues(begin):
            raise RunDirectoryError(
                f"the ledger '{self.ledger.path}' does not match its settings; start the run "
                "again in another directory"
            )
        return stored

    def write(
        self,
        controller: Controller,
        seconds: float,
        moves: Moves,
        contents: tuple[dict[str, Any], bytes, bytes],
    ) -> None:
        """Write a checkpoint: facts, the draws since the last one, and the state of the chains."""
        facts, draws, state = contents
        self.finished = controller.action.kind is Kind.FINISH
        facts |= {
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": seconds,
            "finished": self.finished,
            "controller": _FORM.write(controller),
            "moves": moves,
        }
        self.ledger.append(facts, draws, state)
        self.clock.saved()


class CheckpointClock:
    """When a checkpoint is due, and how much work to do before reading the clock again.

    If checkpoints cost more than a tenth of the time between them, they are made less often.
    """

    def __init__(self, seconds: float, part: int) -> None:
        self._seconds = seconds  # requested between two checkpoints
        self._paces = [_Pace(part), _Pace(part)]
        self._current = (self._paces[0], part)
        self._cost = 0.0
        self._saved = self._looked = time.monotonic()

    def part(self, most: int, *, draws: bool = False) -> int:
        """Return the number of steps or draws before the clock is read again, at most `most`."""
        pace = self._paces[draws]
        self._current = (pace, min(most, pace.size))
        return self._current[1]

    def look(self) -> bool:
        """Return whether a checkpoint is due, after the part is completed."""
        now = time.monotonic()
        pace, made = self._current
        pace.learn(made, now - self._looked, self._seconds)
        self._looked = now
        return now - self._saved >= max(self._seconds, self._cost / _MOST_SHARE_OF_COST)

    def resume(self) -> None:
        """Start timing a part."""
        self._looked = time.monotonic()

    def saved(self) -> None:
        """Start timing the interval to the next checkpoint, after one has been written."""
        self._saved = time.monotonic()
        self._cost = self._saved - self._looked


class _Pace:
    """How much work to do in one part.

    A part takes a fixed time, such as the round trip to a cluster, plus the time of its work.
    A part should take about a quarter of the time between checkpoints, but long enough for the
    fixed time to be negligible.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._shortest: dict[int, float] = {}

    def learn(self, made: int, seconds: float, between_checkpoints: float) -> None:
        """Double or halve the size according to the time a part took."""
        if made != self.size:  # the end of a call is not a whole part
            return
        self._shortest[made] = min(seconds, self._shortest.get(made, seconds))
        fixed = self._fixed_seconds()
        if seconds < max(between_checkpoints / 8, fixed / _MOST_SHARE_OF_COST):
            self.size *= 2
        elif seconds > max(between_checkpoints / 2, 3 * fixed / _MOST_SHARE_OF_COST):
            self.size = max(1, self.size // 2)

    def _fixed_seconds(self) -> float:
        """Return the fixed time of a part of any size s: 2 t(s) - t(2 s) if t is linear."""
        for small in (self.size, self.size // 2):
            if small in self._shortest and 2 * small in self._shortest:
                return max(0.0, 2 * self._shortest[small] - self._shortest[2 * small])
        return 0.0
