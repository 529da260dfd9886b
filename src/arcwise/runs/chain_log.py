"""`ChainLog`: records a run of chains in its ledger, and replays it when resumed.

A run is a sequence of calls to `ChainLoop`, such as a number of burn-in steps or of draws.
The ledger holds the completed calls, with the clock at their end and what was observed of
the chains in between, and at each checkpoint how much of the next call is done. The times
of checkpoints do not affect the draws.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.engines.sampling_jobs import Chains
from arcwise.errors import RunDirectoryError
from arcwise.records.chain_record import DRAW_ARRAYS, ChainRecord, refuse_other_draws
from arcwise.runs.checkpoint_clock import CheckpointClock
from arcwise.runs.ledger import Ledger
from arcwise.runs.packing import pack, unpack
from arcwise.runs.reading import reading
from arcwise.support.signals import uninterrupted

if TYPE_CHECKING:
    from arcwise.runs.chain_loop import ChainLoop

_FIRST_PART = 16  # steps or draws before the chains first pause
_MOST_PENDING = 64 << 20  # bytes of draws in memory
_MOST_STATES = 1 << 48  # more than any run can have made
_MOST_LOADED = 1 << 30  # bytes of draws read back; more are thinned


class ChainLog:
    """The log of a run of chains.

    Parameters
    ----------
    ledger
        The ledger to write to.
    chains
        Chains made with the settings of the run; they are restored to the last checkpoint.
    checkpoint_seconds
        The time between two checkpoints.
    bytes_per_state
        The approximate size of a kept state.
    most_loaded
        The maximum number of bytes of draws read back; None for 1 GiB. If there are more,
        every second, fourth, ... state is read, from the start of the run.
    """

    def __init__(
        self,
        ledger: Ledger,
        chains: Chains,
        *,
        checkpoint_seconds: float,
        bytes_per_state: int,
        most_loaded: int | None = None,
    ) -> None:
        self._ledger = ledger
        self._clock = CheckpointClock(checkpoint_seconds, _FIRST_PART)
        self._bytes = max(1, bytes_per_state * len(chains))
        self._most_loaded = _MOST_LOADED if most_loaded is None else most_loaded
        self._calls: list[list[Any]] = []  # of the run so far, to be replayed
        self._new: list[list[Any]] = []  # since the last checkpoint
        self._resumed: tuple[int, float] | None = None
        self._states = 0  # of each chain in the ledger
        self._finished = False
        last = ledger.last()
        if last is not None:
            assert last.state is not None
            self._calls = [_checked_call(call) for call in ledger.calls()]
            self._resumed = int(last.facts["begun"]), float(last.facts["seconds"])
            self._states = int(last.facts["states"])
            if not 0 <= self._states < _MOST_STATES:
                raise ValueError("states")
            self._finished = bool(last.facts["finished"])
            chains.restore_state(last.state)
        self._clock.saved()
        self._clock.resume()

    def replayed(self, call: str, size: int) -> float | None:
        """Return the clock at the end of this call, if it is in the log."""
        if not self._calls:
            return None
        name, made, seconds = self._next()
        if (name, made) != (call, size):
            raise self._mismatch(f"{name} {made}", f"{call} {size}")
        return float(seconds)

    def resumed(self) -> tuple[int, float] | None:
        """Return how much of the first call not in the log is done, and the clock."""
        resumed, self._resumed = self._resumed, None
        self._clock.resume()
        return resumed

    def part(self, left: int, draws: bool) -> int:
        """Return the number of steps or draws to make before the chains pause again."""
        most = max(1, _MOST_PENDING // self._bytes) if draws else left
        return self._clock.part(min(left, most), draws=draws)

    def rest(self, loop: ChainLoop, made: int) -> None:
        """Save the run if a checkpoint is due, given how much of the current call is done."""
        pending = loop.draws - self._states
        if self._clock.look() or pending * self._bytes >= _MOST_PENDING:
            self._save(loop, made, finished=False)
        self._clock.resume()

    def note(self, loop: ChainLoop, call: str, size: int) -> None:
        """Record that a call is completed."""
        self._new.append([call, size, loop.seconds])
        self.rest(loop, 0)

    def observed(self, look: Callable[[], Any]) -> Any:
        """Return what was observed here originally, or observe now and record it."""
        if self._calls:
            name, value, _ = self._next()
            if name != "seen":
                raise self._mismatch(name, "an observation")
            with reading(self._ledger.path):
                return _read(value)
        value = look()
        self._new.append(["seen", _written(value), 0.0])
        return value

    def records(self, chains: Chains) -> list[ChainRecord]:
        """Return the draws of each chain, thinned if they would need too much memory."""
        records = [chains.record(chain) for chain in range(len(chains))]
        states = max(len(record["log_weights"]) for record in records) + self._states
        every = 1
        while states * self._bytes > every * self._most_loaded:
            every *= 2
        parts: list[list[dict[str, NDArray[Any]]]] = [[] for _ in records]
        passed = 0
        for draws in self._ledger.draws():
            with reading(self._ledger.path):
                written = unpack(draws)
                for record, like in zip(written, records, strict=True):
                    refuse_other_draws(record, like)
                if len({len(record["log_weights"]) for record in written}) != 1:
                    raise ValueError("chains of different lengths")
            for chain, record in enumerate(written):
                parts[chain].append(_thinned(record, passed, every))
                length = len(record["log_weights"])
            passed += length
        for chain, record in enumerate(records):
            parts[chain].append(_thinned(record, passed, every))
        return [
            ChainRecord.of(
                record
                | _together(parts[chain])
                | {"summed": passed + len(record["log_weights"]), "every": every}
            )
            for chain, record in enumerate(records)
        ]

    def finish(self, loop: ChainLoop) -> None:
        """Record that the run is complete."""
        if not self._finished:
            self._save(loop, 0, finished=True)
            self._finished = True

    def _save(self, loop: ChainLoop, begun: int, *, finished: bool) -> None:
        # Interrupted after taking the draws, it would lose them.
        with uninterrupted():
            self._append(loop, begun, finished)

    def _append(self, loop: ChainLoop, begun: int, finished: bool) -> None:
        chains = loop.chains
        records = [chains.take_draws(chain) for chain in range(len(chains))]
        draws = pack([{name: record[name] for name in DRAW_ARRAYS} for record in records])
        self._states += len(records[0]["log_weights"])
        moves = [chains.moves(chain) for chain in range(len(chains))]
        self._ledger.append(
            {
                "time": datetime.now(UTC).isoformat(timespec="seconds"),
                "seconds": loop.seconds_now,
                "steps": loop.steps,
                "states": self._states,
                "thinning": loop.thinning,
                "begun": begun,
                "finished": finished,
                "proposed": {name: sum(own[name][0] for own in moves) for name in moves[0]},
                "accepted": {name: sum(own[name][1] for own in moves) for name in moves[0]},
                "calls": self._new,
            },
            draws,
            chains.save_state(),
        )
        self._new = []
        self._clock.saved()

    def _next(self) -> list[Any]:
        return self._calls.pop(0)

    def _mismatch(self, recorded: str, expected: str) -> RunDirectoryError:
        return RunDirectoryError(
            f"the ledger '{self._ledger.path}' does not match its settings (it records "
            f"{recorded!r} instead of {expected!r}); start the run again in another directory"
        )


def _checked_call(call: Any) -> list[Any]:
    """Return a call as name, size and clock; what was observed may be anything."""
    name, size, seconds = call
    if not isinstance(name, str) or not (name == "seen" or isinstance(size, int)):
        raise ValueError(name)
    return [name, size, float(seconds)]


def _together(parts: list[dict[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    # A part without states does not know the length of a state's code.
    filled = [part for part in parts if len(part["log_weights"])] or parts[-1:]
    return {name: np.concatenate([part[name] for part in filled]) for name in DRAW_ARRAYS}


def _thinned(record: dict[str, Any], passed: int, every: int) -> dict[str, NDArray[Any]]:
    """Return one draw in `every`, counted from the start of the chain."""
    if every == 1:
        return {name: record[name] for name in DRAW_ARRAYS}
    chosen = (np.arange(len(record["log_weights"])) + passed) % every == every - 1
    dags = np.repeat(chosen, record["dag_counts"])
    of_states = {name: record[name][chosen] for name in DRAW_ARRAYS[:3]}
    return of_states | {name: record[name][dags] for name in DRAW_ARRAYS[3:]}


def _written(value: Any) -> Any:
    """Return plain values for JSON, with arrays packed."""
    if isinstance(value, np.ndarray):
        return {"packed": base64.b64encode(pack([{"": value}])).decode()}
    if isinstance(value, list | tuple):
        return [_written(item) for item in value]
    if isinstance(value, dict):
        return {"named": {key: _written(item) for key, item in value.items()}}
    return value


def _read(value: Any) -> Any:
    """Return the value `_written` was given, with tuples as lists."""
    if isinstance(value, list):
        return [_read(item) for item in value]
    if isinstance(value, dict):
        if "packed" in value:
            return unpack(base64.b64decode(value["packed"]))[0][""]
        return {key: _read(item) for key, item in value["named"].items()}
    return value
