"""Runs chains until a stopping rule is met: in stages, each as long as all before it.

Only the last stage counts, so that about half of a run is burn-in however long it turns out
to be; the rule is checked when a stage ends. Where too few steps or seconds are left for
another stage, the last one is extended to the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError, RunDirectoryError, option
from arcwise.records.budget import Budget
from arcwise.records.chain_record import ChainRecord
from arcwise.records.convergence import Convergence
from arcwise.records.stopping_rule import StoppingRule
from arcwise.records.traces import Traces
from arcwise.runs.chain_loop import ChainLoop
from arcwise.spaces.space import Space
from arcwise.statistics.chains import chain_convergence, trace_convergence
from arcwise.statistics.settled import settled

_FIRST_DRAWS = 512  # kept states of a chain in the first stage of the usual length
_MOST_DRAWS = 8_192  # in any stage; beyond, they are thinned
_FINAL_CHECKS = 4  # of the rule, while the last stage is extended to the end
_PIECES = 16  # of a stage, and of the burn-in before the first

SHORTEST = 1e-6
"""Seconds that chains have run at least, for rates."""

# Of the time, and seconds for each pair of variables: what comes after sampling, which is edge
# probabilities with their errors, the diagnosis and the best DAG.
_SHARE_AFTER = 0.05
_SECONDS_PER_PAIR = 3e-6
_SHORTEST_SHARE = 0.3  # of what is left when chains start, for sampling


@dataclass(frozen=True, eq=False)
class Boundary:
    """The start of a stage: states kept before it, their edge sums, steps, and its thinning."""

    states: int
    edge_sums: Sequence[NDArray[np.float64] | None]
    steps: int
    thinning: int


class Stages:
    """The stages of a run.

    Parameters
    ----------
    loop
        The chains.
    budget
        The stopping rule, and the limits in steps or seconds.
    nodes
        The number of variables.
    states_are_dags
        Whether a state is one DAG.
    first_steps
        The steps of a chain before the first stage, unless the budget is too short for them.
    """

    def __init__(
        self,
        loop: ChainLoop,
        budget: Budget,
        nodes: int,
        *,
        states_are_dags: bool,
        first_steps: int,
    ) -> None:
        assert budget.rule is not None
        self.rule: StoppingRule = budget.rule
        self.met = False
        self._loop = loop
        self._budget = budget
        self._nodes = nodes
        self._states_are_dags = states_are_dags
        self._first_steps = first_steps
        self._boundaries: list[Boundary] = []
        self._wanted = 0  # states of the stage
        # With a budget in seconds: when sampling ends, and the time it has until then.
        self._end = self._time = 0.0

    def run(self) -> None:
        """Run until the rule is met or the limit is reached."""
        loop = self._loop
        self._first_burn_in()
        length = loop.steps
        while True:
            self._begin(length)
            in_time = self._sample(self._wanted)
            if self._check() or not in_time:
                return
            length = loop.steps
            if self._steps_left() < length:
                break
        for part in range(_FINAL_CHECKS):
            draws = int(self._steps_left() / (_FINAL_CHECKS - part)) // loop.thinning
            if draws == 0:
                continue
            self._wanted += draws
            in_time = self._sample(draws)
            if self._check() or not in_time:
                return

    def share(self, loop: ChainLoop) -> float:
        """Return the fraction done, by the limit or by the rule, whichever is nearer."""
        states = loop.draws - (self._boundaries[-1].states if self._boundaries else 0)
        shares = [
            self.rule.progress(loop.convergence, states) if loop.convergence is not None else 0.0
        ]
        if self._budget.steps is not None:
            shares.append(loop.steps / self._budget.steps)
        if self._budget.seconds is not None:
            shares.append(loop.seconds / self._budget.seconds)
        return min(0.999, max(shares))

    def records(self) -> tuple[list[ChainRecord], Boundary]:
        """Return the record of each chain in the stage that counts, and where it begins.

        If the last stage was cut short before its middle, the stage before it counts.
        """
        records = self._loop.records()
        if not self._boundaries:
            return records, Boundary(0, [None] * len(records), self._loop.steps, 1)
        first, ends = self._boundaries[-1], [record.states for record in records]
        sums = [record.edge_sums for record in records]
        if min(ends) - first.states < self._wanted / 2 and len(self._boundaries) > 1:
            before = self._boundaries[-2]
            if before.thinning != first.thinning:
                ends, sums = [first.states] * len(records), list(first.edge_sums)
            first = before
        return [
            record.between(first.states, end, _difference(last, start))
            for record, end, last, start in zip(records, ends, sums, first.edge_sums, strict=True)
        ], first

    def _first_burn_in(self) -> None:
        loop, budget = self._loop, self._budget
        # States are kept at most every 2 n steps, as drawing from one costs more than a step.
        usual = max(10 * self._nodes**2, _FIRST_DRAWS * 2 * self._nodes, Space.first_steps)
        steps = max(usual, self._first_steps)
        if budget.steps is not None:
            steps = max(1, min(steps, budget.steps // 4))
        # A longer first stage has more draws.
        thinning = budget.thinning or max(1, min(usual, steps) // _FIRST_DRAWS)
        steps = max(1, steps // thinning) * thinning
        if budget.steps is not None and budget.steps - steps < thinning:
            raise ArgumentError(
                option("steps"),
                f" is {budget.steps} and thinning is {thinning}, so no state would be kept; give "
                "more steps or less thinning",
            )
        loop.start()
        if budget.seconds is not None:
            self._end = time_to_stop(loop, budget.seconds, self._nodes)
            self._time = max(0.0, self._end - loop.started)
        if budget.seconds is None:
            for piece in equal_parts(steps, _PIECES):
                loop.burn_in(piece)
        else:
            piece = 16
            while loop.steps == 0 or (
                loop.steps < steps and loop.seconds_of_chains < self._time / 4
            ):
                before = loop.seconds
                loop.burn_in(min(piece, steps - loop.steps))
                if loop.seconds - before < self._time / 40:
                    piece *= 2
            if budget.thinning is None:
                # If time is short, states are kept more often, within reason.
                thinning = min(thinning, max(1, self._nodes // 4, loop.steps // _FIRST_DRAWS))
        loop.thin(thinning)

    def _begin(self, steps: int) -> None:
        loop = self._loop
        if self._boundaries:
            # A step of burn-in resets the counts of moves, exchanges and ratios, and lets
            # temperatures adapt to what the last stage has seen.
            loop.burn_in(1)
        thinning = loop.thinning
        while self._budget.thinning is None and steps // thinning > _MOST_DRAWS:
            thinning *= 2
        loop.thin(thinning)
        left = self._steps_left()
        self._wanted = max(1, int(min(steps, left)) // thinning)
        sums = loop.observed(lambda: [record.edge_sums for record in loop.records()])
        self._boundaries.append(Boundary(loop.draws, sums, loop.steps, thinning))

    def _sample(self, draws: int) -> bool:
        if self._budget.seconds is not None:
            return self._loop.sample_within(draws, self._end, piece=self._time / 40)
        for piece in equal_parts(draws, _PIECES):
            self._loop.sample(piece)
        return True

    def _check(self) -> bool:
        loop = self._loop
        seen = loop.observed(self._measure)
        try:
            figures, states = seen
            loop.convergence = Convergence(**figures)
            self.met = self.rule.progress(loop.convergence, states) >= 1.0
        except (TypeError, ValueError, AttributeError):
            # Only what was read from a ledger can be anything else.
            raise RunDirectoryError(
                "the ledger of the run holds no convergence figures where it should; start the run "
                "again in another directory"
            ) from None
        return self.met

    def _measure(self) -> tuple[dict[str, float | None], int]:
        """Return the figures the rule needs, in the form that a ledger stores, and the states."""
        records = settled(self.records()[0], states_are_dags=self._states_are_dags)
        if self.rule.needs_edges:
            found = chain_convergence(records, self._nodes)
        else:
            found = trace_convergence(Traces(tuple(record.log_weights for record in records)))
        return asdict(found), min(record.states for record in records)

    def _steps_left(self) -> float:
        """Return the steps left to each chain, estimated from its rate if time is the limit."""
        budget, loop = self._budget, self._loop
        if budget.steps is not None:
            return budget.steps - loop.steps
        if budget.seconds is not None:
            left = max(0.0, self._end - loop.seconds)
            return left * loop.steps / max(loop.seconds_of_chains, SHORTEST)
        return float("inf")


def _difference(
    last: NDArray[np.float64] | None, first: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    # Rounding of the sums may make a tiny difference negative.
    return last if last is None or first is None else np.maximum(last - first, 0.0)


def time_to_stop(loop: ChainLoop, seconds: float, nodes: int) -> float:
    """Return when chains have to end for the whole computation to end in time.

    Parameters
    ----------
    loop
        The chains, which have been started.
    seconds
        The time for the whole computation.
    nodes
        The number of variables.
    """
    after = _SHARE_AFTER * seconds + loop.slowness * _SECONDS_PER_PAIR * nodes**2
    # However short the time is, some of it is for sampling.
    return max(seconds - after, loop.started + _SHORTEST_SHARE * (seconds - loop.started))


def equal_parts(total: int, count: int) -> list[int]:
    """Return at most this many parts of nearly equal size, none of them empty."""
    ends = [total * i // count for i in range(count + 1)]
    return [b - a for a, b in pairwise(ends) if b > a]
