"""The loop that carries out what a controller asks for, of chains and of annealing runs.

Actions are made in parts, between which progress is shown and checkpoints are made.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from arcwise.engines.sampling_jobs import AnnealedRuns, Chains
from arcwise.errors import TimeIsUpError
from arcwise.records.chain_record import ChainRecord
from arcwise.records.convergence import Convergence
from arcwise.records.traces import Traces
from arcwise.runs.checkpoints import AnnealingCheckpoints, ChainCheckpoints, Checkpoints, Marks
from arcwise.runs.control import (
    AnnealingController,
    Boundary,
    ChainController,
    Controller,
    Kind,
    Observation,
)
from arcwise.statistics.chains import chain_convergence, trace_convergence
from arcwise.statistics.log_weights import effective_runs
from arcwise.statistics.settled import settled
from arcwise.support.clock import Deadline
from arcwise.support.progress import ProgressUpdate
from arcwise.support.running import Stage

_FIRST_LOOK = 64  # draws of a chain before R-hat is shown; then whenever they have doubled
_NONE = np.zeros(0)  # edges, where they are not recorded
_PARTS = 16  # of a burn-in or stage; chains that are interrupted are about as far as each other


class Driver(ABC, Generic[Controller]):
    """A run in progress: its controller, its clock and its checkpoints.

    Parameters
    ----------
    controller
        The controller of a run that has not begun; that of the last checkpoint takes its place.
    stage
        The number of threads, and the listener for progress.
    checkpoints
        The checkpoints of the run, if it has a directory.
    began
        The time from which seconds are counted.
    """

    def __init__(
        self,
        controller: Controller,
        stage: Stage,
        checkpoints: Checkpoints[Controller] | None,
        began: float,
    ) -> None:
        self.controller: Controller = controller
        self._stage = stage
        self._checkpoints: Checkpoints[Controller] | None = checkpoints
        self._began = began
        if checkpoints is not None and checkpoints.last is not None:
            self.controller = checkpoints.controller(controller)
            self._began = time.perf_counter() - checkpoints.seconds

    @property
    def seconds(self) -> float:
        """The time since the beginning, without interruptions."""
        return time.perf_counter() - self._began

    def drive(self) -> None:
        """Carry out actions until the controller finishes."""
        while (action := self.controller.action).kind is not Kind.FINISH:
            left = action.amount
            while True:
                part = self._part(left, action.amount)
                if part > 0 or action.amount == 0:
                    self._perform(action.kind, part)
                left -= part
                if left == 0:
                    break
                self.controller = self.controller.partly(part)
                self._pause(part)
            self.controller = self.controller.advance(self._observed())
            self._pause(part)

    @abstractmethod
    def _part(self, left: int, whole: int) -> int:
        """Return how much of an action to do before the next pause."""

    @abstractmethod
    def _perform(self, kind: Kind, part: int) -> None:
        """Do part of an action."""

    @abstractmethod
    def _observed(self) -> Observation:
        """Return what the controller is told after an action."""

    @abstractmethod
    def _report(self) -> None:
        """Report progress between parts."""

    def _pause(self, part: int) -> None:
        finished = self.controller.action.kind is Kind.FINISH
        if self._checkpoints is not None:
            self._checkpoints.pause(self.controller, self.seconds, finished=finished)
        if part > 0 or finished:
            self._report()


class ChainDriver(Driver[ChainController]):
    """A run of chains in progress.

    Parameters
    ----------
    chains
        The chains.
    controller, stage, checkpoints
        See `Driver`.
    deadline
        The clock of the whole computation, from whose beginning a budget in seconds is counted.
    states_are_dags
        Whether a state is one DAG.
    """

    def __init__(
        self,
        chains: Chains,
        controller: ChainController,
        stage: Stage,
        checkpoints: ChainCheckpoints | None,
        deadline: Deadline,
        *,
        states_are_dags: bool,
    ) -> None:
        limited = controller.timed and deadline.limited
        began = deadline.began if limited else time.perf_counter()
        super().__init__(controller, stage, checkpoints, began)
        self.chains = chains
        self._deadline = deadline
        self.states_are_dags = states_are_dags
        self._stored = checkpoints
        # The sums of edges at the start of a stage, by the draws before it.
        self._marks: Marks = {} if checkpoints is None else checkpoints.marks
        self._figures = self.controller.figures  # as last shown or measured
        self._states = 0  # of the shortest chain when they were measured
        self._acceptance: float | None = None
        self._next_look = _FIRST_LOOK
        self._reported = 0.0

    def records(self) -> list[ChainRecord]:
        """Return all draws of each chain so far."""
        if self._stored is not None:
            return self._stored.records()
        chains = range(len(self.chains))
        return [ChainRecord.of(self.chains.record(chain)) for chain in chains]

    def counted(self) -> tuple[list[ChainRecord], Boundary]:
        """Return the draws of each chain in the stage that counts, and where it begins.

        If the last stage was cut short before its middle, the stage before it counts.
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
                # Rounding of the sums may make a tiny difference negative.
                sums = np.maximum(own - mark, 0.0)
            parts.append(record.between(first.states, end, sums))
        return parts, first

    def _part(self, left: int, whole: int) -> int:
        # The pieces of a budget in seconds are actions of their own.
        part = left if self.controller.timed else min(left, -(-whole // _PARTS))
        if part == 0 or self._checkpoints is None:
            return part
        return self._checkpoints.part(part, draws=self.controller.action.kind is Kind.SAMPLE)

    def _perform(self, kind: Kind, part: int) -> None:
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
            sums = [chains.record(chain).get("edge_sums", _NONE) for chain in range(len(chains))]
            self._marks[now.draws] = np.stack(sums)
        elif kind is Kind.MEASURE:
            self._measure()

    def _observed(self) -> Observation:
        slowness = self._deadline.slowness if self._deadline.limited else 1.0
        return Observation(self.seconds, slowness, self._figures, self._states)

    def _measure(self) -> None:
        """Compute the figures that the rule needs."""
        rule = self.controller.budget.rule
        records = settled(self.counted()[0], states_are_dags=self.states_are_dags)
        if rule is not None and rule.needs_edges:
            self._figures = chain_convergence(records, self.controller.nodes)
        else:
            self._figures = _of_traces(records)
        self._states = min(record.states for record in records)

    def _within(self, steps: int) -> Callable[[float], None] | None:
        if self._stage.progress is None:
            return None
        return lambda share: self._show(self.controller.steps + int(share * steps))

    def _report(self) -> None:
        if self._stage.progress is None:
            return
        counts = [self.chains.moves(chain).values() for chain in range(len(self.chains))]
        proposed, accepted = (sum(move[i] for moves in counts for move in moves) for i in (0, 1))
        self._acceptance = accepted / proposed if proposed else None
        if self.controller.draws >= self._next_look:
            self._next_look = 2 * self.controller.draws
            self._figures = _of_traces(self.records())
        self._show(self.controller.steps)

    def _show(self, steps: int) -> None:
        assert self._stage.progress is not None
        seconds, share = self.seconds, 1.0
        if self.controller.action.kind is not Kind.FINISH:
            share = self.controller.share(steps, seconds, self._figures)
        # Several criteria may alternate; progress never goes backwards.
        self._reported = min(1.0, max(share, self._reported))
        sampling = seconds - self.controller.started
        found = self._figures or Convergence()
        self._stage.progress(
            ProgressUpdate(
                self._reported,
                steps=steps,
                rate=len(self.chains) * steps / sampling if steps and sampling > 0 else None,
                acceptance=self._acceptance,
                rhat=found.rhat,
                effective=found.ess,
                seconds_left=seconds * (1 / self._reported - 1) if self._reported > 0 else None,
            )
        )


def _of_traces(records: list[ChainRecord]) -> Convergence:
    return trace_convergence(Traces(tuple(record.log_weights for record in records)))


class AnnealingDriver(Driver[AnnealingController]):
    """Annealing runs in progress.

    Parameters
    ----------
    annealed
        The runs.
    controller, stage, checkpoints
        See `Driver`.
    fewest
        The number of runs that the engine makes at once.
    deadline
        The clock of the whole computation.
    may_be_cut
        Whether the time may cut a piece off after the first, as all runs take the same steps.
    """

    def __init__(
        self,
        annealed: AnnealedRuns,
        controller: AnnealingController,
        stage: Stage,
        checkpoints: AnnealingCheckpoints | None,
        deadline: Deadline,
        *,
        fewest: int,
        may_be_cut: bool,
    ) -> None:
        began = deadline.began if deadline.limited else time.perf_counter()
        super().__init__(controller, stage, checkpoints, began)
        self._annealed = annealed
        self._fewest = fewest
        self._deadline = deadline
        self._may_be_cut = may_be_cut
        self.was_cut = False
        self._effective: float | None = None  # as last measured, between parts

    def drive(self) -> None:
        """Make runs until the budget is spent; those that are finished are kept in any case."""
        try:
            super().drive()
        except TimeIsUpError:
            if len(self._annealed) > 0:
                self.was_cut = True
                self.controller = self._with_all_made().cut_off()
                self._pause(0)
                return
            raise
        except KeyboardInterrupt:
            self.controller = self._with_all_made()
            if self._checkpoints is not None:
                self._checkpoints.save(self.controller, self.seconds, finished=False)
            raise

    def _with_all_made(self) -> AnnealingController:
        return self.controller.partly(len(self._annealed) - self.controller.runs)

    @property
    def _open_ended(self) -> bool:
        return self.controller.budget.open_ended

    def _part(self, left: int, whole: int) -> int:
        if self._open_ended or (self._stage.progress is None and self._checkpoints is None):
            return left
        # Parts double in size; each run has its own random numbers, wherever parts end.
        part = min(max(self.controller.size, self._fewest, self.controller.runs), left)
        if self._checkpoints is None:
            return part
        return min(max(self._checkpoints.part(part), self._fewest), left)

    def _perform(self, kind: Kind, part: int) -> None:
        done = self.controller.runs
        if not self._open_ended:
            self._annealed.run(done, part, self._stage.threads, self._within(part))
            return
        # Of particles only the first piece may be cut off, as there would be nothing at all
        # otherwise; populations all take the same steps, so that none is rarer for being slow.
        cut_off = done == 0 or self._may_be_cut
        watch = self._deadline.watch(None) if cut_off else None
        self._annealed.run(done, part, self._stage.threads, watch)

    def _observed(self) -> Observation:
        return Observation(self.seconds, effective=self._measured())

    def _measured(self) -> float:
        self._effective = float(effective_runs(self._annealed.log_weights()))
        return self._effective

    def _within(self, part: int) -> Callable[[float], None] | None:
        if self._stage.progress is None:
            return None
        done, count = self.controller.runs, self.controller.budget.runs or 1
        return lambda share: self._show((done + share * part) / count, done + share * part)

    def _report(self) -> None:
        if self._stage.progress is not None:
            self._measured()
            self._show(self.controller.share, self.controller.runs)

    def _show(self, share: float, runs: float) -> None:
        assert self._stage.progress is not None
        seconds = self.seconds
        self._stage.progress(
            ProgressUpdate(
                share,
                steps=int(runs),
                rate=runs / seconds if runs > 0 and seconds > 0 else None,
                unit="runs",
                effective=self._effective,
                seconds_left=seconds * (1 / share - 1) if share > 0 else None,
            )
        )
