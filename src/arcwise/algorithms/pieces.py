"""`Pieces`: the one loop that runs chains, piece by piece, and tells how they stand.

Where the pieces end makes no difference to the draws. After each, whoever has
joined `after_piece` is called with all chains at rest: the place to look at what was
kept, or to save it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from arcwise import _core
from arcwise._running import Moment, Run
from arcwise.diagnostics.chains import trace_diagnostics
from arcwise.posterior.traces import Traces

_FIRST_LOOK = 64  # states of a chain before R-hat is shown; then whenever they have doubled


class Pieces:
    """Chains on their way.

    Parameters
    ----------
    chains
        The chains.
    run
        How many threads, and who hears of the progress.
    share
        Which share of the run is done, asked whenever progress is told.
    """

    def __init__(self, chains: _core.Chains, run: Run, share: Callable[[Pieces], float]) -> None:
        self.chains = chains
        self.after_piece: list[Callable[[Pieces], None]] = [Pieces._look]
        self.steps = 0
        self.draws = 0
        self.thinning = 1
        self.acceptance: float | None = None
        self.measured: dict[str, float | None] = {}
        self._run = run
        self._share = share
        self._told = 0.0
        self._next_look = _FIRST_LOOK
        self._ahead = 0
        self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """The time since the chains began."""
        return time.perf_counter() - self._began

    def start(self) -> None:
        """Draw the states the chains begin with."""
        self.chains.start(0, self._run.threads, None)

    def burn_in(self, steps: int) -> None:
        """Run steps that are not kept; counts of moves begin anew after them."""
        self._ahead = steps
        self.chains.burn_in(steps, self._run.threads, self._inside())
        self._done()

    def thin(self, thinning: int) -> None:
        """Set the steps between two kept states."""
        self.thinning = thinning
        self.chains.set_thinning(thinning)

    def sample(self, draws: int) -> None:
        """Keep so many states of each chain."""
        self._ahead = draws * self.thinning
        self.chains.sample(draws, self._run.threads, self._inside())
        self.draws += draws
        self._done()

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
        self._tell(1.0, self.steps)

    def _inside(self) -> Callable[[float], None] | None:
        if self._run.progress is None:
            return None
        return lambda share: self._tell_at(self.steps + int(share * self._ahead))

    def _done(self) -> None:
        self.steps += self._ahead
        self._ahead = 0
        for listener in self.after_piece:
            listener(self)
        if self._run.progress is not None:
            self._tell_at(self.steps)

    def _look(self) -> None:
        """See how the chains stand, if anyone is told."""
        if self._run.progress is None:
            return
        counts = [self.chains.moves(chain).values() for chain in range(len(self.chains))]
        proposed, accepted = (sum(move[i] for moves in counts for move in moves) for i in (0, 1))
        self.acceptance = accepted / proposed if proposed else None
        if self.draws >= self._next_look:
            self._next_look = 2 * self.draws
            self.measured = trace_diagnostics(
                Traces(
                    tuple(
                        self.chains.record(chain)["log_weights"]
                        for chain in range(len(self.chains))
                    )
                )
            )

    def _tell_at(self, steps: int) -> None:
        position, self.steps = self.steps, steps
        try:
            share = self._share(self)
        finally:
            self.steps = position
        self._tell(share, steps)

    def _tell(self, share: float, steps: int) -> None:
        if self._run.progress is None:
            return
        # Two ways to tell how far it is may take turns; what was told stays.
        self._told = min(1.0, max(share, self._told))
        seconds = self.seconds
        self._run.progress(
            Moment(
                self._told,
                steps=steps,
                rate=len(self.chains) * steps / seconds if steps and seconds > 0 else None,
                acceptance=self.acceptance,
                rhat=self.measured.get("rhat_log_weight"),
                effective=self.measured.get("effective_samples_log_weight"),
                seconds_left=seconds * (1 / self._told - 1) if self._told > 0 else None,
            )
        )
