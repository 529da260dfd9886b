"""The checkpoints of a run in its ledger: its controller, its draws, and the state of its chains.

When they are made has no effect on the draws.
"""

from __future__ import annotations

import io
import zlib
from abc import ABC, abstractmethod
from datetime import UTC, datetime
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from arcwise.engines.sampling_jobs import AnnealedRuns, Chains
from arcwise.errors import RunDirectoryError
from arcwise.records.chain_record import DRAW_ARRAYS, ChainRecord, refuse_other_draws
from arcwise.runs.checkpoint_clock import CheckpointClock
from arcwise.runs.control import AnnealingController, ChainController, Controller
from arcwise.runs.ledger import Ledger
from arcwise.runs.packing import decompressed, pack, unpack
from arcwise.runs.reading import reading
from arcwise.support.plain_dataclasses import PlainDataclasses
from arcwise.support.signals import uninterrupted

_FIRST_STEPS = 16  # steps or draws before the chains first pause
_FIRST_RUNS = 2  # runs before the first look at the clock
_MOST_PENDING = 64 << 20  # bytes of draws in memory
_MOST_LOADED = 1 << 30  # bytes of draws read back; more are thinned

_FORM = PlainDataclasses()

Moves = dict[str, tuple[int, int]]


# The sums of edges of the chains at the start of stages, by the draws of a chain before these.
Marks = dict[int, NDArray[np.float64]]


class Checkpoints(ABC, Generic[Controller]):
    """The checkpoints of a run.

    Parameters
    ----------
    ledger
        The ledger to write to.
    seconds
        The time between two checkpoints.
    first_part
        The amount of work before the first look at the clock.
    """

    def __init__(self, ledger: Ledger, seconds: float, first_part: int) -> None:
        self._ledger = ledger
        self._clock = CheckpointClock(seconds, first_part)
        self.last = ledger.last()
        self._finished = self.last is not None and bool(self.last.facts["finished"])
        self.seconds = 0.0 if self.last is None else float(self.last.facts["seconds"])

    def controller(self, begin: Controller) -> Controller:
        """Return the controller of the last checkpoint of a run that began with this one."""
        with reading(self._ledger.path):
            assert self.last is not None
            stored: Controller = _FORM.read(type(begin), self.last.facts["controller"])
            self._refuse_other(stored)
        if not stored.continues(begin):
            raise RunDirectoryError(
                f"the ledger '{self._ledger.path}' does not match its settings; start the run "
                "again in another directory"
            )
        return stored

    def part(self, left: int, *, draws: bool = False) -> int:
        """Return how much to do before the next pause."""
        return self._clock.part(left, draws=draws)

    def pause(self, controller: Controller, seconds: float, *, finished: bool) -> None:
        """Make a checkpoint if one is due, or the run is finished."""
        if self._clock.look() or finished or self._full():
            self.save(controller, seconds, finished=finished)
        self._clock.resume()

    def save(self, controller: Controller, seconds: float, *, finished: bool) -> None:
        """Make a checkpoint."""
        if self._finished:
            return
        # Interrupted after taking the draws, it would lose them.
        with uninterrupted():
            counts = self._moves()
            facts, draws, state = self._contents()
            facts |= {
                "time": datetime.now(UTC).isoformat(timespec="seconds"),
                "seconds": seconds,
                "finished": finished,
                "controller": _FORM.write(controller),
                "proposed": {name: sum(own[name][0] for own in counts) for name in counts[0]},
                "accepted": {name: sum(own[name][1] for own in counts) for name in counts[0]},
            }
            self._ledger.append(facts, draws, state)
            self._finished = finished
            self._clock.saved()

    def _full(self) -> bool:
        """Return whether what was made since the last checkpoint fills the memory."""
        return False

    @abstractmethod
    def _refuse_other(self, controller: Controller) -> None:
        """Raise `ValueError` for a controller that is not of the run as it was restored."""

    @abstractmethod
    def _moves(self) -> list[Moves]:
        """Return the numbers of proposed and accepted moves."""

    @abstractmethod
    def _contents(self) -> tuple[dict[str, Any], bytes, bytes]:
        """Return facts, the draws since the last checkpoint, and the state to resume from."""


class ChainCheckpoints(Checkpoints[ChainController]):
    """The checkpoints of a run of chains, which are restored to the last one.

    Parameters
    ----------
    ledger, seconds
        See `Checkpoints`.
    chains
        Chains made with the settings of the run.
    bytes_per_state
        The approximate size of a kept state.
    thin
        Whether draws may be left out when they are read back: if they exceed 1 GiB, every second,
        fourth, ... state is read, from the start of the run.
    """

    def __init__(
        self, ledger: Ledger, seconds: float, chains: Chains, *, bytes_per_state: int, thin: bool
    ) -> None:
        super().__init__(ledger, seconds, _FIRST_STEPS)
        self._chains = chains
        self._bytes = max(1, bytes_per_state * len(chains))
        self._thin = thin
        self._states = 0  # of each chain in the ledger
        self._pending = 0
        self.marks: Marks = {}
        if self.last is not None:
            assert self.last.state is not None
            self._states = int(self.last.facts["states"])
            self._restore(self.last.state)
        self._clock.saved()
        self._clock.resume()

    def part(self, left: int, *, draws: bool = False) -> int:
        """Return the steps or draws to make before the chains pause again."""
        most = max(1, _MOST_PENDING // self._bytes) if draws else left
        part = super().part(min(left, most), draws=draws)
        self._pending += part if draws else 0
        return part

    def records(self) -> list[ChainRecord]:
        """Return the draws of each chain, thinned if they would need too much memory."""
        records = [self._chains.record(chain) for chain in range(len(self._chains))]
        states = max(len(record["log_weights"]) for record in records) + self._states
        every = 1
        while self._thin and states * self._bytes > every * _MOST_LOADED:
            every *= 2
        parts: list[list[dict[str, NDArray[Any]]]] = [[] for _ in records]
        passed = 0
        with reading(self._ledger.path):
            for draws in self._ledger.draws():
                written = unpack(draws)
                for record, like in zip(written, records, strict=True):
                    refuse_other_draws(record, like)
                if len({len(record["log_weights"]) for record in written}) != 1:
                    raise ValueError("chains of different lengths")
                for chain, record in enumerate(written):
                    parts[chain].append(_thinned(record, passed, every))
                passed += len(written[0]["log_weights"])
            if passed != self._states:
                raise ValueError("draws are missing")
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

    def _full(self) -> bool:
        return self._pending * self._bytes >= _MOST_PENDING

    def _refuse_other(self, controller: ChainController) -> None:
        starts = {boundary.states for boundary in controller.boundaries}
        if controller.budget.rule is None:
            starts = set()
        if controller.draws != self._states or not starts <= set(self.marks):
            raise ValueError("the controller is of other chains")

    def _moves(self) -> list[Moves]:
        return [self._chains.moves(chain) for chain in range(len(self._chains))]

    def _contents(self) -> tuple[dict[str, Any], bytes, bytes]:
        chains = self._chains
        records = [chains.take_draws(chain) for chain in range(len(chains))]
        draws = pack([{name: record[name] for name in DRAW_ARRAYS} for record in records])
        self._states += len(records[0]["log_weights"])
        self._pending = 0
        return {"states": self._states}, draws, self._state()

    def _state(self) -> bytes:
        """Return the marks and the state of the chains, uncompressed, as both may be large."""
        whole = io.BytesIO()
        np.save(whole, np.array([*self.marks], dtype=np.int64), allow_pickle=False)
        for sums in self.marks.values():
            np.save(whole, sums, allow_pickle=False)
        whole.write(self._chains.save_state())
        return whole.getvalue()

    def _restore(self, state: bytes) -> None:
        whole = io.BytesIO(state)
        for states in np.load(whole, allow_pickle=False).tolist():
            self.marks[states] = np.load(whole, allow_pickle=False)
        self._chains.restore_state(whole.read())
        sums = self._chains.record(0).get("edge_sums", np.zeros(0))
        shape = (len(self._chains), *sums.shape)
        if any(mark.shape != shape or mark.dtype != np.float64 for mark in self.marks.values()):
            raise ValueError("marks of other chains")


class AnnealingCheckpoints(Checkpoints[AnnealingController]):
    """The checkpoints of annealing runs, of which the completed ones are restored.

    Every run has its own random numbers, so that it is the same wherever and whenever it is
    made.

    Parameters
    ----------
    ledger, seconds
        See `Checkpoints`.
    annealed
        Runs made with the settings of the ledger.
    """

    def __init__(self, ledger: Ledger, seconds: float, annealed: AnnealedRuns) -> None:
        super().__init__(ledger, seconds, _FIRST_RUNS)
        self._annealed = annealed
        for runs in ledger.draws():
            annealed.restore_runs(decompressed(runs))
        self._written = len(annealed)
        self._clock.saved()
        self._clock.resume()

    def save(self, controller: AnnealingController, seconds: float, *, finished: bool) -> None:
        """Make a checkpoint, if there are new runs."""
        if finished or len(self._annealed) > self._written:
            super().save(controller, seconds, finished=finished)

    def _refuse_other(self, controller: AnnealingController) -> None:
        if controller.runs != len(self._annealed):
            raise ValueError("the controller is of other runs")

    def _moves(self) -> list[Moves]:
        return [self._annealed.moves()]

    def _contents(self) -> tuple[dict[str, Any], bytes, bytes]:
        first, self._written = self._written, len(self._annealed)
        facts = {"log_weights": self._annealed.log_weights()[first:].tolist()}
        return facts, zlib.compress(self._annealed.save_runs(first), 1), b""


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
