"""`ChainLoop`: the loop that runs chains in pieces and reports their progress.

Where the pieces end does not affect the draws. After each, the listeners in `after_piece`
are called while all chains pause, and can examine or save the draws.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from arcwise.engines.sampling_jobs import Chains
from arcwise.records.chain_record import ChainRecord
from arcwise.records.convergence import Convergence
from arcwise.records.traces import Traces
from arcwise.statistics.chains import trace_convergence
from arcwise.support.clock import NEVER, Deadline
from arcwise.support.progress import ProgressUpdate
from arcwise.support.running import Stage

_FIRST_LOOK = 64  # draws of a chain before R-hat is shown; then whenever they have doubled


class Log(Protocol):
    """Records a run so that it can be resumed if it is killed; see `arcwise.runs`.

    A resumed run is replayed from its first call: calls in the log are skipped, with the
    clock as it was then, so that the same decisions lead to the call in which it stopped.
    """

    def replayed(self, call: str, size: int) -> float | None:
        """Return the clock at the end of this call, if it is in the log."""

    def resumed(self) -> tuple[int, float] | None:
        """Return how much of the first call not in the log is done, and the clock.

        None if the run was not stopped, or has already been resumed.
        """

    def part(self, left: int, draws: bool) -> int:
        """Return the number of steps or draws to make before the chains pause again."""

    def rest(self, loop: ChainLoop, made: int) -> None:
        """Note that chains pause within a call, given how much of it is done."""

    def note(self, loop: ChainLoop, call: str, size: int) -> None:
        """Record that a call is completed."""

    def observed(self, look: Callable[[], Any]) -> Any:
        """Return what was observed here originally, or observe now and record it."""

    def records(self, chains: Chains) -> list[ChainRecord]:
        """Return all draws of each chain, including those no longer in memory."""

    def finish(self, loop: ChainLoop) -> None:
        """Record that the run is complete."""


class ChainLoop:
    """A run of chains in progress.

    Parameters
    ----------
    chains
        The chains.
    run
        The number of threads, and the listener for progress.
    share
        The fraction of the run that is done, called whenever progress is reported.
    log
        The log that records the run, if any; its chains are at its last checkpoint.
    deadline
        The clock of the whole computation, from whose beginning seconds are counted.
    """

    def __init__(
        self,
        chains: Chains,
        run: Stage,
        share: Callable[[ChainLoop], float],
        log: Log | None = None,
        deadline: Deadline = NEVER,
    ) -> None:
        self.chains = chains
        self.after_piece: list[Callable[[ChainLoop], None]] = [ChainLoop._look]
        self.steps = 0
        self.draws = 0
        self.thinning = 1
        # The time at the end of the last call: decisions depend on this alone, so that they are the
        # same when the run is replayed.
        self.seconds = 0.0
        self.started = 0.0  # when the chains had their first states
        self.acceptance: float | None = None
        self.convergence: Convergence | None = None
        self._run = run
        self._share = share
        self._log = log
        self._reported = 0.0
        self._next_look = _FIRST_LOOK
        self._ahead = 0
        self._began = deadline.began if deadline.limited else time.perf_counter()
        self._deadline = deadline

    @property
    def seconds_now(self) -> float:
        """The time since the beginning, also within a call."""
        return time.perf_counter() - self._began

    @property
    def slowness(self) -> float:
        """The seconds that pass for each of processor time; see `Deadline.slowness`."""
        return self._deadline.slowness if self._deadline.limited else 1.0

    @property
    def seconds_of_chains(self) -> float:
        """The time since the chains had their first states, at the end of the last call."""
        return self.seconds - self.started

    def start(self) -> None:
        """Draw the initial states of the chains."""
        if not self._replayed("start", 0):
            self.chains.start(0, self._run.threads, None)
            self._note("start", 0)
        self.started = self.seconds

    def burn_in(self, steps: int) -> None:
        """Run steps that are discarded; counts of moves are reset afterwards."""
        if self._replayed("burn in", steps):
            self.steps += steps
            return
        made = self._made_before()
        self.steps += made
        while made < steps:
            part = steps - made
            part = part if self._log is None else self._log.part(part, draws=False)
            self._ahead = part
            self.chains.burn_in(part, self._run.threads, self._inside())
            made += part
            self._rest(made, steps)
        self._done("burn in", steps)

    def thin(self, thinning: int) -> None:
        """Set the number of steps between draws."""
        self.thinning = thinning
        if not self._replayed("thin", thinning):
            self.chains.set_thinning(thinning)
            self._note("thin", thinning)

    def sample(self, draws: int) -> None:
        """Make this many draws from each chain."""
        if self._replayed("sample", draws):
            self.steps += draws * self.thinning
            self.draws += draws
            return
        made = self._made_before()
        self.steps += made * self.thinning
        self.draws += made
        while made < draws:
            part = draws - made
            part = part if self._log is None else self._log.part(part, draws=True)
            self._ahead = part * self.thinning
            self.chains.sample(part, self._run.threads, self._inside())
            made += part
            self.draws += part
            self._rest(made, draws)
        self._done("sample", draws)

    def observed(self, look: Callable[[], Any]) -> Any:
        """Return what `look` observes of the chains, or what it observed originally."""
        return look() if self._log is None else self._log.observed(look)

    def records(self) -> list[ChainRecord]:
        """Return all draws of each chain so far."""
        if self._log is not None:
            return self._log.records(self.chains)
        return [ChainRecord.of(self.chains.record(chain)) for chain in range(len(self.chains))]

    def sample_within(self, draws: int, seconds: float | None, *, piece: float) -> bool:
        """Make this many draws, or as many as time allows; return whether all were made.

        Processing a draw may take longer than the steps to it, so pieces begin with one
        draw and double while they take less than `piece` seconds.
        """
        size = 1
        while draws > 0:
            count = min(size, draws)
            before = self.seconds
            self.sample(count)
            draws -= count
            if seconds is not None and self.seconds >= seconds:
                return draws == 0
            if self.seconds - before < piece:
                size *= 2
        return True

    def finish(self) -> None:
        """Record and report that the run is complete."""
        if self._log is not None:
            self._log.finish(self)
        self._report(1.0, self.steps)

    def _inside(self) -> Callable[[float], None] | None:
        if self._run.progress is None:
            return None
        return lambda share: self._report_at(self.steps + int(share * self._ahead))

    def _rest(self, made: int, whole: int) -> None:
        self.steps += self._ahead
        self._ahead = 0
        if self._log is not None and made < whole:
            self._log.rest(self, made)

    def _done(self, call: str, size: int) -> None:
        self._note(call, size)
        for listener in self.after_piece:
            listener(self)
        if self._run.progress is not None:
            self._report_at(self.steps)

    def _made_before(self) -> int:
        """Return how much of the current call was done before the run was stopped."""
        resumed = None if self._log is None else self._log.resumed()
        if resumed is None:
            return 0
        made, clock = resumed
        self._began = time.perf_counter() - clock
        return made

    def _replayed(self, call: str, size: int) -> bool:
        """Return whether the log has this call, setting the clock to its end if so."""
        clock = None if self._log is None else self._log.replayed(call, size)
        if clock is None:
            return False
        self.seconds = clock
        self._began = time.perf_counter() - clock
        return True

    def _note(self, call: str, size: int) -> None:
        self.seconds = self.seconds_now
        if self._log is not None:
            self._log.note(self, call, size)

    def _look(self) -> None:
        """Update acceptance and convergence figures, if there is a listener."""
        if self._run.progress is None:
            return
        counts = [self.chains.moves(chain).values() for chain in range(len(self.chains))]
        proposed, accepted = (sum(move[i] for moves in counts for move in moves) for i in (0, 1))
        self.acceptance = accepted / proposed if proposed else None
        if self.draws >= self._next_look:
            self._next_look = 2 * self.draws
            traces = Traces(tuple(record.log_weights for record in self.records()))
            self.convergence = trace_convergence(traces)

    def _report_at(self, steps: int) -> None:
        position, clock = self.steps, self.seconds
        self.steps, self.seconds = steps, self.seconds_now
        try:
            share = self._share(self)
        finally:
            self.steps, self.seconds = position, clock
        self._report(share, steps)

    def _report(self, share: float, steps: int) -> None:
        if self._run.progress is None:
            return
        # Several criteria may alternate; progress never goes backwards.
        self._reported = min(1.0, max(share, self._reported))
        seconds = self.seconds_now
        sampling = seconds - self.started
        found = self.convergence or Convergence()
        self._run.progress(
            ProgressUpdate(
                self._reported,
                steps=steps,
                rate=len(self.chains) * steps / sampling if steps and sampling > 0 else None,
                acceptance=self.acceptance,
                rhat=found.rhat,
                effective=found.ess,
                seconds_left=seconds * (1 / self._reported - 1) if self._reported > 0 else None,
            )
        )
