"""The loops that carry out the actions of a controller: for chains and for annealing runs.

Actions are divided into parts, between which progress is shown and checkpoints are written.
"""

from __future__ import annotations

import io
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from arcwise.engines import AnnealedRuns, Chains, Moves, total_moves
from arcwise.errors import TimeIsUpError
from arcwise.records.chain_record import DRAW_ARRAYS, ChainRecord, Traces, refuse_other_draws
from arcwise.records.settings import AnnealingSettings, ChainSettings, Convergence
from arcwise.runs.checkpoints import Checkpoints
from arcwise.runs.control import (
    AnnealingController,
    Boundary,
    ChainController,
    Controller,
    Kind,
    Observation,
)
from arcwise.runs.ledger import decompressed, pack, reading, unpack
from arcwise.spaces import Space
from arcwise.statistics.convergence import chain_convergence, settled, trace_convergence
from arcwise.statistics.log_estimates import effective_runs
from arcwise.support.running import Deadline, ProgressUpdate, Stage, uninterrupted

_FIRST_LOOK = 64  # draws of a chain before R-hat is first shown; then after every doubling
_PARTS = 16  # parts of a burn-in or stage, so that interrupted chains have similar lengths
_PIECE = 16  # particles between two computations of the effective number
_MOST_PENDING = 64 << 20  # bytes of draws in memory before a checkpoint is forced
_MOST_LOADED = 1 << 30  # bytes of draws read back from the ledger; beyond, they are thinned

Listener = Callable[[float], None] | None


class Driver(ABC, Generic[Controller]):
    """A run in progress: its controller, its clock, and its checkpoints if it has a directory.

    A run with a checkpoint resumes from it, with the controller and the clock stored there.
    """

    def __init__(
        self, begin: Controller, stage: Stage, deadline: Deadline, checkpoints: Checkpoints | None
    ) -> None:
        self.controller: Controller = begin
        self._stage = stage
        self._checkpoints = checkpoints
        self._deadline = deadline
        limited = begin.timed and deadline.limited
        self._began = deadline.began if limited else deadline.now
        if checkpoints is None:
            return
        checkpoints.clock.resume()
        if checkpoints.last is not None:
            with reading(checkpoints.ledger.path):
                self.controller = checkpoints.controller(begin)
                self._restore(checkpoints, checkpoints.last.state)
            self._began = deadline.now - checkpoints.seconds
        checkpoints.clock.saved()
        checkpoints.clock.resume()

    @property
    def seconds(self) -> float:
        """The running time so far, without interruptions."""
        return self._deadline.now - self._began

    def parts(self) -> Iterator[tuple[Kind, int]]:
        """Yield the parts of actions to `perform`, until the controller finishes."""
        while (action := self.controller.action).kind is not Kind.FINISH:
            left = action.amount
            while True:
                part = self._part(left, action.amount)
                if part > 0 or action.amount == 0:
                    yield action.kind, part
                left -= part
                if left == 0:
                    break
                self.controller = self.controller.partly(part)
                self._pause(part)
            self.controller = self.controller.advance(self._observed())
            self._pause(part)

    def save(self) -> None:
        """Write a checkpoint, unless one of the finished run exists."""
        if self._checkpoints is not None and not self._checkpoints.finished:
            # An interruption after the draws are taken from the chains would lose them.
            with uninterrupted():
                self._checkpoints.write(
                    self.controller, self.seconds, self._moves(), self._contents()
                )

    def _pause(self, part: int) -> None:
        finished = self.controller.action.kind is Kind.FINISH
        if self._checkpoints is not None:
            if self._checkpoints.clock.look() or finished or self._full():
                self.save()
            self._checkpoints.clock.resume()
        if self._stage.progress is not None and (part > 0 or finished):
            self._look()
            self._show(0.0)

    def _within(self, part: int) -> Listener:
        """Return the listener to which the chains report the completed share of a part."""
        if self._stage.progress is None:
            return None
        return lambda share: self._show(share * part)

    def _show(self, further: float) -> None:
        """Show progress, given the steps or runs completed in the current part."""
        assert self._stage.progress is not None
        self._stage.progress(self._update(further))

    def _full(self) -> bool:
        """Return whether the draws since the last checkpoint fill the memory allotted to them."""
        return False

    @abstractmethod
    def _part(self, left: int, whole: int) -> int:
        """Return how much of the remaining action to perform before the next pause."""

    @abstractmethod
    def perform(self, kind: Kind, part: int) -> None:
        """Perform part of an action."""

    @abstractmethod
    def _observed(self) -> Observation:
        """Return what the controller needs to know after an action."""

    @abstractmethod
    def _look(self) -> None:
        """Compute the figures to be shown between parts."""

    @abstractmethod
    def _update(self, further: float) -> ProgressUpdate:
        """Return the progress, given the steps or runs completed in the current part."""

    @abstractmethod
    def _moves(self) -> Moves:
        """Return the numbers of proposed and accepted moves."""

    @abstractmethod
    def _contents(self) -> tuple[dict[str, Any], bytes, bytes]:
        """Return the facts, the draws since the last checkpoint, and the state to resume from."""

    @abstractmethod
    def _restore(self, checkpoints: Checkpoints, state: bytes | None) -> None:
        """Restore the state of the last checkpoint; raise `ValueError` if it is inconsistent."""


class ChainDriver(Driver[ChainController]):
    """A run of chains in progress."""

    def __init__(
        self,
        chains: Chains,
        settings: ChainSettings,
        nodes: int,
        stage: Stage,
        deadline: Deadline,
        checkpoints: Checkpoints | None = None,
    ) -> None:
        self.chains = chains
        self.states_are_dags = settings.space.states_are_dags
        # The edge sums of all chains at the start of each stage, by the number of draws before it.
        self._marks: dict[int, NDArray[np.float64]] = {}
        self._bytes = max(1, settings.bytes_per_state(nodes) * len(chains))
        self._written = 0  # draws per chain in the ledger
        self._states = 0  # draws of the shortest chain when the figures were last measured
        self._acceptance: float | None = None
        self._next_look = _FIRST_LOOK
        self._reported = 0.0
        # Coupled chains take as many steps at every temperature and mix faster.
        first_steps = Space.first_steps if settings.coupled else settings.space.first_steps
        begin = ChainController.of(settings.budget(deadline.seconds), nodes, first_steps)
        super().__init__(begin, stage, deadline, checkpoints)
        self._figures = self.controller.figures  # last shown or measured

    def records(self) -> list[ChainRecord]:
        """Return all draws of each chain so far, thinned if they would need too much memory.

        Under a stopping rule they are never thinned, as stages are located by counting draws.
        """
        records = [self.chains.record(chain) for chain in range(len(self.chains))]
        if self._checkpoints is None:
            return [ChainRecord(**record) for record in records]
        states = max(len(record["log_weights"]) for record in records) + self._written
        every = 1
        while self.controller.budget.rule is None and states * self._bytes > every * _MOST_LOADED:
            every *= 2
        parts: list[list[dict[str, NDArray[Any]]]] = [[] for _ in records]
        passed = 0
        ledger = self._checkpoints.ledger
        with reading(ledger.path):
            for draws in ledger.draws():
                written = unpack(draws)
                for record, like in zip(written, records, strict=True):
                    refuse_other_draws(record, like)
                if len({len(record["log_weights"]) for record in written}) != 1:
                    raise ValueError("chains of different lengths")
                for chain, record in enumerate(written):
                    parts[chain].append(_thinned(record, passed, every))
                passed += len(written[0]["log_weights"])
            if passed != self._written:
                raise ValueError("draws are missing")
        for chain, record in enumerate(records):
            parts[chain].append(_thinned(record, passed, every))
        return [
            ChainRecord(
                **(record | _concatenated(parts[chain])),
                summed=passed + len(record["log_weights"]),
                every=every,
            )
            for chain, record in enumerate(records)
        ]

    def counted(self) -> tuple[list[ChainRecord], Boundary]:
        """Return the draws of each chain in the stage that counts, and the start of that stage.

        If the last stage was cut short before its middle, the previous stage counts.
        """
        records, now = self.records(), self.controller
        if not now.boundaries:
            return records, Boundary(0, now.steps, now.thinning)
        first = now.boundaries[-1]
        if now.budget.rule is None:
            return records, first
        ends = [record.states for record in records]
        last: Iterable[NDArray[np.float64] | None] = [record.edge_sums for record in records]
        if min(ends) - first.states < now.wanted / 2 and len(now.boundaries) > 1:
            before = now.boundaries[-2]
            if before.thinning != first.thinning:
                ends, last = [first.states] * len(ends), self._marks[first.states]
            first = before
        parts = []
        for record, end, own, mark in zip(
            records, ends, last, self._marks[first.states], strict=True
        ):
            sums = None
            if record.edge_sums is not None and own is not None:
                # Rounding errors of the sums may make a tiny difference negative.
                sums = np.maximum(own - mark, 0.0)
            parts.append(record.between(first.states, end, sums))
        return parts, first

    def _part(self, left: int, whole: int) -> int:
        # With a budget in seconds, each piece is already a separate action.
        part = left if self.controller.timed else min(left, -(-whole // _PARTS))
        if part == 0 or self._checkpoints is None:
            return part
        draws = self.controller.action.kind is Kind.SAMPLE
        if draws:
            part = min(part, max(1, _MOST_PENDING // self._bytes))
        return self._checkpoints.clock.part(part, draws=draws)

    def perform(self, kind: Kind, part: int) -> None:
        """Perform part of an action on the chains."""
        chains, threads, now = self.chains, self._stage.threads, self.controller
        if kind is Kind.START:
            chains.start(0, threads, None)
        elif kind is Kind.BURN_IN:
            chains.burn_in(part, threads, self._within(part))
        elif kind is Kind.THIN:
            chains.set_thinning(now.thinning)
        elif kind is Kind.SAMPLE:
            chains.sample(part, threads, self._within(part * now.thinning))
        elif kind is Kind.MARK:
            for boundary in now.boundaries[:-1]:
                self._marks.pop(boundary.states, None)
            self._marks[now.draws] = np.stack([*map(self._edge_sums, range(len(chains)))])
        elif kind is Kind.MEASURE:
            self._measure()

    def _edge_sums(self, chain: int) -> NDArray[np.float64]:
        """Return the edge sums of a chain so far, empty if edges are not recorded."""
        sums: NDArray[np.float64] = self.chains.record(chain).get("edge_sums", np.zeros(0))
        return sums

    def _measure(self) -> None:
        """Compute the figures that the stopping rule needs."""
        rule = self.controller.budget.rule
        records = settled(self.counted()[0], states_are_dags=self.states_are_dags)
        if rule is not None and rule.needs_edges:
            self._figures = chain_convergence(records, self.controller.nodes)
        else:
            self._figures = _trace_figures(records)
        self._states = min(record.states for record in records)

    def _observed(self) -> Observation:
        slowness = self._deadline.slowness if self._deadline.limited else 1.0
        return Observation(self.seconds, slowness, self._figures, self._states)

    def _look(self) -> None:
        counts = self._moves().values()
        proposed, accepted = (sum(count[i] for count in counts) for i in (0, 1))
        self._acceptance = accepted / proposed if proposed else None
        if self.controller.draws >= self._next_look:
            self._next_look = 2 * self.controller.draws
            self._figures = _trace_figures(self.records())

    def _update(self, further: float) -> ProgressUpdate:
        now, seconds, share = self.controller, self.seconds, 1.0
        steps = now.steps + int(further)
        if now.action.kind is not Kind.FINISH:
            share = now.share(steps, seconds, self._figures)
        # The nearest of several criteria may change, but the progress shown never decreases.
        share = self._reported = min(1.0, max(share, self._reported))
        sampling = seconds - now.started
        found = self._figures or Convergence()
        return ProgressUpdate(
            share,
            steps=steps,
            rate=len(self.chains) * steps / sampling if steps and sampling > 0 else None,
            acceptance=self._acceptance,
            rhat=found.rhat,
            effective=found.ess,
            seconds_left=seconds * (1 / share - 1) if share > 0 else None,
        )

    def _full(self) -> bool:
        return (self.controller.draws - self._written) * self._bytes >= _MOST_PENDING

    def _moves(self) -> Moves:
        return total_moves(self.chains)

    def _contents(self) -> tuple[dict[str, Any], bytes, bytes]:
        records = [self.chains.take_draws(chain) for chain in range(len(self.chains))]
        draws = pack([{name: record[name] for name in DRAW_ARRAYS} for record in records])
        self._written += len(records[0]["log_weights"])
        # Marks and states of chains may be large, so they are not compressed.
        state = io.BytesIO()
        for array in (np.array([*self._marks], dtype=np.int64), *self._marks.values()):
            np.save(state, array, allow_pickle=False)
        state.write(self.chains.save_state())
        return {}, draws, state.getvalue()

    def _restore(self, checkpoints: Checkpoints, state: bytes | None) -> None:
        whole, now = io.BytesIO(state or b""), self.controller
        for states in np.load(whole, allow_pickle=False).tolist():
            self._marks[states] = np.load(whole, allow_pickle=False)
        self.chains.restore_state(whole.read())
        self._written = now.draws
        shape = (len(self.chains), *self._edge_sums(0).shape)
        if any(mark.shape != shape or mark.dtype != np.float64 for mark in self._marks.values()):
            raise ValueError("the sums are of other chains")
        starts = {boundary.states for boundary in now.boundaries}
        if now.budget.rule is not None and not starts <= set(self._marks):
            raise ValueError("the controller is of other chains")


class AnnealingDriver(Driver[AnnealingController]):
    """Annealing runs in progress.

    Each run has its own random numbers, so that its result does not depend on the machine, the
    order, or the division into parts.
    """

    def __init__(
        self,
        annealed: AnnealedRuns,
        settings: AnnealingSettings,
        fewest: int,
        stage: Stage,
        deadline: Deadline,
        checkpoints: Checkpoints | None = None,
    ) -> None:
        self._annealed = annealed
        self._fewest = fewest  # runs that the engine performs simultaneously
        self._populations = settings.states_per_run > 1
        self._written = 0  # runs in the ledger
        self._effective: float | None = None  # last measured, between parts
        self.was_cut = False
        # Populations take long, so one is run per thread at a time.
        size = stage.threads if self._populations else _PIECE
        begin = AnnealingController.of(settings.limits(deadline.seconds), size)
        super().__init__(begin, stage, deadline, checkpoints)

    def drive(self) -> None:
        """Perform runs until the budget is spent; completed runs are kept in any case."""
        try:
            for kind, part in self.parts():
                self.perform(kind, part)
        except (TimeIsUpError, KeyboardInterrupt) as end:
            self.controller = self.controller.partly(len(self._annealed) - self.controller.runs)
            self.was_cut = isinstance(end, TimeIsUpError) and len(self._annealed) > 0
            if self.was_cut:
                self.controller = self.controller.cut_off()
            if self.was_cut or len(self._annealed) > self._written:
                self.save()
            if not self.was_cut:
                raise

    def _part(self, left: int, whole: int) -> int:
        shown = self._stage.progress is not None or self._checkpoints is not None
        if self.controller.budget.open_ended or not shown:
            return left
        part = max(self.controller.size, self.controller.runs)  # doubling
        if self._checkpoints is not None:
            part = self._checkpoints.clock.part(part)
        return min(max(part, self._fewest), left)

    def perform(self, kind: Kind, part: int) -> None:
        """Perform further annealing runs."""
        listener = self._within(part)
        if self.controller.budget.open_ended:
            listener = None
            # Cutting off particles would make slow ones too rare, so only the first piece may be
            # cut off, without which there would be no result. Populations all take the same steps.
            if self._populations or self.controller.runs == 0:
                listener = self._deadline.watch(None)
        self._annealed.run(self.controller.runs, part, self._stage.threads, listener)

    def _observed(self) -> Observation:
        self._look()
        return Observation(self.seconds, effective=self._effective or 0.0)

    def _look(self) -> None:
        self._effective = float(effective_runs(self._annealed.log_weights()))

    def _update(self, further: float) -> ProgressUpdate:
        runs, count = self.controller.runs + further, self.controller.budget.runs
        seconds = self.seconds
        share = self.controller.share if count is None else runs / count
        return ProgressUpdate(
            share,
            steps=int(runs),
            rate=runs / seconds if runs > 0 and seconds > 0 else None,
            unit="runs",
            effective=self._effective,
            seconds_left=seconds * (1 / share - 1) if share > 0 else None,
        )

    def _moves(self) -> Moves:
        return self._annealed.moves()

    def _contents(self) -> tuple[dict[str, Any], bytes, bytes]:
        first, self._written = self._written, len(self._annealed)
        facts = {"log_weights": self._annealed.log_weights()[first:].tolist()}
        return facts, zlib.compress(self._annealed.save_runs(first), 1), b""

    def _restore(self, checkpoints: Checkpoints, state: bytes | None) -> None:
        for runs in checkpoints.ledger.draws():
            self._annealed.restore_runs(decompressed(runs))
        self._written = len(self._annealed)
        if self._written != self.controller.runs:
            raise ValueError("the controller is of other runs")


def _trace_figures(records: list[ChainRecord]) -> Convergence:
    return trace_convergence(Traces(tuple(record.log_weights for record in records)))


def _concatenated(parts: list[dict[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    # A part without states does not know how long the code of a state is.
    filled = [part for part in parts if len(part["log_weights"])] or parts[-1:]
    return {name: np.concatenate([part[name] for part in filled]) for name in DRAW_ARRAYS}


def _thinned(record: dict[str, Any], passed: int, every: int) -> dict[str, NDArray[Any]]:
    """Return every `every`-th draw, counted from the start of the chain."""
    if every == 1:
        return {name: record[name] for name in DRAW_ARRAYS}
    chosen = (np.arange(len(record["log_weights"])) + passed) % every == every - 1
    dags = np.repeat(chosen, record["dag_counts"])
    of_states = {name: record[name][chosen] for name in DRAW_ARRAYS[:3]}
    return of_states | {name: record[name][dags] for name in DRAW_ARRAYS[3:]}
