"""`ChainLoop`: the one loop that runs chains, piece by piece, and tells how they stand.

Where the pieces end makes no difference to the draws. After each, whoever has
joined `after_piece` is called with all chains at rest: the place to look at what was
kept, or to save it.
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
from arcwise.support.running import ProgressUpdate, Run

_FIRST_LOOK = 64  # states of a chain before R-hat is shown; then whenever they have doubled


class Log(Protocol):
    """Who writes a run down, so that it can go on after a kill; see `arcwise.runs`.

    A run that goes on is played again from its first call: what the log has is
    skipped, with the clock as it was then, so that the same decisions lead to the
    call it was stopped in.
    """

    def replayed(self, call: str, size: int) -> float | None:
        """Return the clock at the end of this call, if the log has it."""

    def resumed(self) -> tuple[int, float] | None:
        """Return how much of the first call that the log does not have is made, and the clock.

        None if the run was not stopped, or goes on already.
        """

    def part(self, left: int, draws: bool) -> int:
        """Return how many of these steps or draws to make before the chains are at rest again."""

    def rest(self, loop: ChainLoop, made: int) -> None:
        """Hear that chains are at rest in the middle of a call, so much of which is made."""

    def note(self, loop: ChainLoop, call: str, size: int) -> None:
        """Write down that a call is made."""

    def observed(self, look: Callable[[], Any]) -> Any:
        """Return what was seen here when the run came by first, or look, and remember it."""

    def records(self, chains: Chains) -> list[ChainRecord]:
        """Return all that was kept of each chain, also what is no longer in memory."""

    def finish(self, loop: ChainLoop) -> None:
        """Write down that the run has come to its end."""


class ChainLoop:
    """Chains on their way.

    Parameters
    ----------
    chains
        The chains.
    run
        How many threads, and who hears of the progress.
    share
        Which share of the run is done, asked whenever progress is told.
    log
        Who writes the run down, if anyone; its chains stand where it was stopped.
    """

    def __init__(
        self,
        chains: Chains,
        run: Run,
        share: Callable[[ChainLoop], float],
        log: Log | None = None,
    ) -> None:
        self.chains = chains
        self.after_piece: list[Callable[[ChainLoop], None]] = [ChainLoop._look]
        self.steps = 0
        self.draws = 0
        self.thinning = 1
        # The time the chains have run by the end of the last call: decisions rest on this alone, so
        # that they are the same when the run is played again.
        self.seconds = 0.0
        self.acceptance: float | None = None
        self.convergence: Convergence | None = None
        self._run = run
        self._share = share
        self._log = log
        self._told = 0.0
        self._next_look = _FIRST_LOOK
        self._ahead = 0
        self._began = time.perf_counter()

    @property
    def seconds_now(self) -> float:
        """The time the chains have run, also in the middle of a call."""
        return time.perf_counter() - self._began

    def start(self) -> None:
        """Draw the states the chains begin with."""
        if not self._replayed("start", 0):
            self.chains.start(0, self._run.threads, None)
            self._note("start", 0)

    def burn_in(self, steps: int) -> None:
        """Run steps that are not kept; counts of moves begin anew after them."""
        if self._replayed("burn in", steps):
            self.steps += steps
            return
        made = self._made_before()
        if made == 0:
            self.chains.plan_burn_in(steps)
        self.steps += made
        while made < steps:
            part = steps - made
            part = part if self._log is None else self._log.part(part, draws=False)
            self._ahead = part
            self.chains.go_on_burning_in(part, self._run.threads, self._inside())
            made += part
            self._rest(made, steps)
        self._done("burn in", steps)

    def thin(self, thinning: int) -> None:
        """Set the steps between two kept states."""
        self.thinning = thinning
        if not self._replayed("thin", thinning):
            self.chains.set_thinning(thinning)
            self._note("thin", thinning)

    def sample(self, draws: int) -> None:
        """Keep so many states of each chain."""
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
        """Return what `look` sees of the chains, or what it saw when the run came by first."""
        return look() if self._log is None else self._log.observed(look)

    def records(self) -> list[ChainRecord]:
        """Return all that was kept of each chain so far."""
        if self._log is not None:
            return self._log.records(self.chains)
        return [ChainRecord.of(self.chains.record(chain)) for chain in range(len(self.chains))]

    def sample_within(self, draws: int, seconds: float | None, *, piece: float) -> bool:
        """Keep so many states, or as many as there is time for; say whether it was all.

        What is done with a kept state may take longer than getting there, so pieces
        begin with one state and double while they take less than a share of the time.
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
        """Tell that all is done."""
        if self._log is not None:
            self._log.finish(self)
        self._tell(1.0, self.steps)

    def _inside(self) -> Callable[[float], None] | None:
        if self._run.progress is None:
            return None
        return lambda share: self._tell_at(self.steps + int(share * self._ahead))

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
            self._tell_at(self.steps)

    def _made_before(self) -> int:
        """Return how much of the present call was made before the run was stopped."""
        resumed = None if self._log is None else self._log.resumed()
        if resumed is None:
            return 0
        made, clock = resumed
        self._began = time.perf_counter() - clock
        return made

    def _replayed(self, call: str, size: int) -> bool:
        """Say whether the log has this call, and set the clock to its end if so."""
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
        """See how the chains stand, if anyone is told."""
        if self._run.progress is None:
            return
        counts = [self.chains.moves(chain).values() for chain in range(len(self.chains))]
        proposed, accepted = (sum(move[i] for moves in counts for move in moves) for i in (0, 1))
        self.acceptance = accepted / proposed if proposed else None
        if self.draws >= self._next_look:
            self._next_look = 2 * self.draws
            traces = Traces(tuple(record.log_weights for record in self.records()))
            self.convergence = trace_convergence(traces)

    def _tell_at(self, steps: int) -> None:
        position, clock = self.steps, self.seconds
        self.steps, self.seconds = steps, self.seconds_now
        try:
            share = self._share(self)
        finally:
            self.steps, self.seconds = position, clock
        self._tell(share, steps)

    def _tell(self, share: float, steps: int) -> None:
        if self._run.progress is None:
            return
        # Two ways to tell how far it is may take turns; what was told stays.
        self._told = min(1.0, max(share, self._told))
        seconds = self.seconds_now
        found = self.convergence or Convergence()
        self._run.progress(
            ProgressUpdate(
                self._told,
                steps=steps,
                rate=len(self.chains) * steps / seconds if steps and seconds > 0 else None,
                acceptance=self.acceptance,
                rhat=found.rhat,
                effective=found.ess,
                seconds_left=seconds * (1 / self._told - 1) if self._told > 0 else None,
            )
        )
