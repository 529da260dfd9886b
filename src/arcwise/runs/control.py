"""The controllers of runs: what chains or particles do next, given the observations so far.

A controller is an immutable value that holds the next action. `advance` takes the observation
made when that action is completed, and returns the controller with the action after it. Nothing
else has an influence, neither a clock nor the chains themselves, so that a run resumed with the
controller of its last checkpoint takes the same actions as an uninterrupted one. Pauses within an
action, for progress or for a checkpoint, do not matter either: the controller stored there holds
the rest of the action.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeVar

from arcwise.errors import ArgumentError, option
from arcwise.records.settings import AnnealingBudget, Budget, Convergence
from arcwise.spaces import Space

SHORTEST = 1e-6
"""The least running time in seconds by which a number of steps is divided for a rate."""

_ANY_NUMBER = 1 << 62
_FIRST_BURN_IN = 16  # steps of the first piece of a burn-in limited by time
_PIECES_OF_TIME = 40  # pieces grow until each takes more than this fraction of the time

# Runs with a stopping rule.
_FIRST_DRAWS = 512  # draws of a chain in a first stage of the usual length
_MOST_DRAWS = 8_192  # draws of a chain in any stage; longer stages are thinned
_FINAL_CHECKS = 4  # checks of the rule while the last stage is extended to the end
_FIRST_SHARE = 0.25  # share of the time or the steps before the first stage

# The share of the time, and the seconds per pair of variables, reserved for the work after
# sampling: edge probabilities with their errors, the diagnosis and the best DAG.
_SHARE_AFTER = 0.05
_SECONDS_PER_PAIR = 3e-6
_SHORTEST_SHARE = 0.3  # least share for sampling of the time left when chains start

# Annealing runs.
_MOST_RUNS_OF_WEIGHT_ZERO = 4096
_LARGEST_PIECE = 1 << 16  # runs


class Kind(Enum):
    """The kind of an action."""

    START = "start"
    BURN_IN = "burn in"
    THIN = "thin"
    MARK = "mark"
    SAMPLE = "sample"
    MEASURE = "measure"
    ANNEAL = "anneal"
    FINISH = "finish"


@dataclass(frozen=True)
class Action:
    """What to do next, and how much of it: a number of steps, draws or annealing runs.

    An action draws the initial states (START), takes steps that are discarded (BURN_IN), sets the
    steps between draws (THIN), stores the sums at the start of a stage (MARK), makes draws
    (SAMPLE), computes the figures of the stopping rule (MEASURE), or performs annealing runs
    (ANNEAL).
    """

    kind: Kind
    amount: int = 0


@dataclass(frozen=True)
class Observation:
    """What is observed when the action of a controller is completed."""

    seconds: float  # running time, without interruptions
    slowness: float = 1.0  # see `Deadline.slowness`
    figures: Convergence | None = None  # after MEASURE
    states: int = 0  # draws of the shortest chain, after MEASURE
    effective: float = 0.0  # effective number of runs, after ANNEAL


@dataclass(frozen=True)
class Boundary:
    """The start of a stage: the draws and steps of a chain before it, and its thinning."""

    states: int
    steps: int
    thinning: int


@dataclass(frozen=True)
class ChainController:
    """The controller of chains, for budgets in steps and seconds and for stopping rules.

    Without a stopping rule, chains are started, complete their burn-in, and are sampled. With one,
    they are sampled in stages, each as long as all earlier ones together. Only the last stage
    counts, so that about half of a run of any length is burn-in. The rule is checked at the end of
    each stage. If too few steps or seconds are left for another stage, the last one is extended.
    """

    budget: Budget
    nodes: int
    burn_in: int  # steps before the first stage; fewer if time runs out
    thinning: int = 1
    action: Action = Action(Kind.START)
    seconds: float = 0.0  # the time at the end of the last action
    started: float = 0.0  # the time at which the chains had their first states
    end: float = math.inf  # the time at which sampling has to end
    steps: int = 0
    draws: int = 0
    piece: int = _FIRST_BURN_IN  # size of the next piece if the time is limited
    boundaries: tuple[Boundary, ...] = ()  # the starts of the last two stages
    length: int = _ANY_NUMBER  # length of the stage in steps
    wanted: int = 0  # draws wanted in the stage
    left: int = 0  # draws still to be made in the stage
    extensions: int = 0  # number of extensions of the last stage
    figures: Convergence | None = None
    met: bool = False

    def __post_init__(self) -> None:
        """Refuse values that only a damaged file can contain."""
        kind, amount = self.action.kind, self.action.amount
        draws = [0, *(boundary.states for boundary in self.boundaries), self.draws]
        counts = (self.steps, self.left, self.wanted, self.burn_in, amount, self.extensions)
        sound = (
            min(counts) >= 0
            and min(self.thinning, self.piece) >= 1
            and draws == sorted(draws)
            and 0.0 <= self.started <= self.seconds < math.inf
            and self.end >= 0.0
            and kind is not Kind.ANNEAL
            and (self.budget.rule is not None or kind not in (Kind.MARK, Kind.MEASURE))
        )
        if kind is Kind.SAMPLE:
            sound = sound and (amount <= self.left if self.timed else amount == self.left)
        if sound and self.budget.steps is not None:
            each = self.thinning if kind is Kind.SAMPLE else 1
            sound = self.steps + each * amount <= self.budget.steps
        if not sound:
            raise ValueError(f"no run is at {self}")

    @classmethod
    def of(
        cls, budget: Budget, nodes: int, first_steps: int = Space.first_steps
    ) -> ChainController:
        """Return the initial controller of a run.

        A stopping rule is first checked after `first_steps`, unless the budget is too short.
        """
        total = budget.steps
        if budget.rule is not None:
            # States are kept at most every 2 n steps, as drawing DAGs from one costs more than a
            # step.
            usual = max(10 * nodes**2, _FIRST_DRAWS * 2 * nodes, Space.first_steps)
            steps = max(usual, first_steps)
            if total is not None:
                steps = max(1, min(steps, int(total * _FIRST_SHARE)))
            # A longer first stage has more draws.
            thinning = budget.thinning or max(1, min(usual, steps) // _FIRST_DRAWS)
            steps = max(1, steps // thinning) * thinning
        elif total is None:
            return cls(budget, nodes, _ANY_NUMBER)
        else:
            steps = int(total * budget.discarded)
            thinning = budget.thinned(total - steps, nodes)
        if total is not None and total - steps < thinning:
            raise ArgumentError(
                option("steps"),
                f" is {total} with a burn-in of {steps}, and thinning is {thinning}, so no state "
                "would be kept; give more steps or less thinning",
            )
        return cls(budget, nodes, steps, thinning)

    def continues(self, begin: ChainController) -> bool:
        """Return whether this controller may descend from another one."""
        return (self.budget, self.nodes, self.burn_in) == (begin.budget, begin.nodes, begin.burn_in)

    @property
    def timed(self) -> bool:
        """Whether the time is limited."""
        return self.budget.seconds is not None

    def share(self, steps: int, seconds: float, figures: Convergence | None) -> float:
        """Return the completed fraction of the run, by the limit or rule that will end it first."""
        shares = [0.0]
        if self.budget.steps is not None:
            shares.append(steps / self.budget.steps)
        if self.budget.seconds is not None:
            shares.append(seconds / self.budget.seconds)
        if self.budget.rule is None:
            return max(shares)
        if figures is not None:
            before = self.boundaries[-1].states if self.boundaries else 0
            shares.append(self.budget.rule.progress(figures, self.draws - before))
        return min(0.999, max(shares))

    def partly(self, made: int) -> ChainController:
        """Return the controller after part of its action, with the rest of the action to do."""
        action = replace(self.action, amount=self.action.amount - made)
        if action.kind is Kind.BURN_IN:
            return replace(self, action=action, steps=self.steps + made)
        if action.kind is Kind.SAMPLE:
            steps = self.steps + made * self.thinning
            draws, left = self.draws + made, self.left - made
            return replace(self, action=action, steps=steps, draws=draws, left=left)
        return replace(self, action=action)

    def advance(self, seen: Observation) -> ChainController:
        """Return the controller once its action is completed, with the action that follows."""
        took, now = seen.seconds - self.seconds, self.partly(self.action.amount)
        now = replace(now, seconds=seen.seconds)
        match self.action.kind:
            case Kind.START:
                return now._started(seen.slowness)._burning_in()
            case Kind.BURN_IN if not self.boundaries:
                return now._paced(took)._burning_in()
            case Kind.BURN_IN:
                return now._next(Kind.MARK)
            case Kind.MARK:
                return replace(now, boundaries=now.boundaries[-1:])._next(Kind.THIN)
            case Kind.THIN:
                return now._begun()._sampling()
            case Kind.SAMPLE:
                return now._paced(took)._sampled()
            case Kind.MEASURE:
                return now._measured(seen)
            case _:
                return now

    def _next(self, kind: Kind, amount: int = 0) -> ChainController:
        return replace(self, action=Action(kind, amount))

    def _started(self, slowness: float) -> ChainController:
        seconds, started = self.budget.seconds, self.seconds
        if seconds is None:
            return replace(self, started=started)
        after = _SHARE_AFTER * seconds + slowness * _SECONDS_PER_PAIR * self.nodes**2
        # However short the time, part of it is reserved for sampling.
        end = max(seconds - after, started + _SHORTEST_SHARE * (seconds - started))
        return replace(self, started=started, end=end)

    @property
    def _time(self) -> float:
        """The seconds from the first states of the chains to the end of sampling."""
        return max(0.0, self.end - self.started)

    def _paced(self, took: float) -> ChainController:
        """Double the next piece while a piece takes a small share of the time."""
        if self.timed and took < self._time / _PIECES_OF_TIME:
            return replace(self, piece=2 * self.piece)
        return self

    def _burning_in(self) -> ChainController:
        """Continue the first burn-in, or begin the first stage."""
        left = self.burn_in - self.steps
        if not self.timed:
            return self._next(Kind.BURN_IN, left) if left > 0 else self._stage()
        share = self.budget.discarded if self.budget.rule is None else _FIRST_SHARE
        if left > 0 and (self.steps == 0 or self.seconds - self.started < share * self._time):
            return self._next(Kind.BURN_IN, min(self.piece, left))
        return self._stage()

    def _stage(self) -> ChainController:
        """Begin a stage as long as all earlier ones or, without a stopping rule, the only stage."""
        budget, thinning, length = self.budget, self.thinning, self.steps
        if budget.rule is None:
            if self.timed:
                thinning = budget.thinned(int(self._steps_left()), self.nodes)
            return replace(self, thinning=thinning)._next(Kind.THIN)
        if budget.thinning is None:
            if self.timed and not self.boundaries:
                # If time is short, states are kept more often, within limits.
                thinning = min(thinning, max(1, self.nodes // 4, length // _FIRST_DRAWS))
            while length // thinning > _MOST_DRAWS:
                thinning *= 2
        stage = replace(self, length=length, thinning=thinning)
        # A step of burn-in resets the counts of moves, exchanges and ratios, and lets the
        # temperatures adapt to the exchange rates of the last stage.
        return stage._next(Kind.BURN_IN, 1) if self.boundaries else stage._next(Kind.MARK)

    def _begun(self) -> ChainController:
        """Set the number of draws of the stage that begins here."""
        boundary = Boundary(self.draws, self.steps, self.thinning)
        wanted = self.length
        if self.budget.rule is not None or not self.timed:
            wanted = max(1, int(min(self.length, self._steps_left())) // self.thinning)
        boundaries = (*self.boundaries, boundary)
        return replace(self, boundaries=boundaries, wanted=wanted, left=wanted, piece=1)

    def _sampling(self) -> ChainController:
        return self._next(Kind.SAMPLE, min(self.piece, self.left) if self.timed else self.left)

    def _sampled(self) -> ChainController:
        """Continue sampling, unless the stage is complete or the time is over."""
        if self.left > 0 and self.seconds < self.end:
            return self._sampling()
        return self._next(Kind.FINISH if self.budget.rule is None else Kind.MEASURE)

    def _measured(self, seen: Observation) -> ChainController:
        """Finish if the rule is met or no steps are left; otherwise begin or extend a stage."""
        if self.budget.rule is None or seen.figures is None:
            raise ValueError("there is nothing to measure")
        met = self.budget.rule.progress(seen.figures, seen.states) >= 1.0
        judged = replace(self, figures=seen.figures, met=met)
        if met:
            return judged._next(Kind.FINISH)
        # If the time limit ended the stage, no steps are left.
        if self.extensions == 0 and self._steps_left() >= self.steps:
            return judged._stage()
        for extension in range(self.extensions, _FINAL_CHECKS):
            draws = int(self._steps_left() / (_FINAL_CHECKS - extension)) // self.thinning
            if draws > 0:
                judged = replace(judged, extensions=extension + 1, wanted=self.wanted + draws)
                return replace(judged, left=draws, piece=1)._sampling()
        return judged._next(Kind.FINISH)

    def _steps_left(self) -> float:
        """Return the steps left to each chain, estimated from its rate if the time is limited."""
        if self.budget.steps is not None:
            return self.budget.steps - self.steps
        if self.timed:
            left = max(0.0, self.end - self.seconds)
            return left * self.steps / max(self.seconds - self.started, SHORTEST)
        return math.inf


@dataclass(frozen=True)
class AnnealingController:
    """The controller of annealing runs: particles of `ais`, populations of `smc`.

    A given number of runs is a single action. If the number is open, runs are performed in whole
    pieces of equal size, as cutting off the last piece would make slow runs too rare.
    """

    budget: AnnealingBudget
    size: int  # runs per piece
    action: Action
    seconds: float = 0.0  # the time at the end of the last action
    runs: int = 0
    took: float = 0.0  # seconds of the last piece
    effective: float = 0.0  # effective number of runs

    def __post_init__(self) -> None:
        """Refuse values that only a damaged file can contain."""
        most = self.size if self.budget.runs is None else self.budget.runs - self.runs
        sound = self.action.kind in (Kind.ANNEAL, Kind.FINISH) and 0 <= self.action.amount <= most
        if not (sound and self.runs >= 0 and 1 <= self.size <= _LARGEST_PIECE):
            raise ValueError(f"no run is at {self}")

    @classmethod
    def of(cls, budget: AnnealingBudget, size: int) -> AnnealingController:
        """Return the initial controller of a computation."""
        return cls(budget, size, Action(Kind.ANNEAL, size if budget.runs is None else budget.runs))

    def continues(self, begin: AnnealingController) -> bool:
        """Return whether this controller may descend from another one."""
        return self.budget == begin.budget

    @property
    def timed(self) -> bool:
        """Whether the time is limited."""
        return self.budget.seconds is not None

    @property
    def share(self) -> float:
        """The completed fraction of an open number of runs, if a further piece must end in time."""
        shares = [0.0]
        if self.budget.seconds is not None:
            shares.append((self.seconds + self.took) / self.budget.seconds)
        if self.budget.effective_samples is not None:
            shares.append(self.effective / self.budget.effective_samples)
        return min(1.0, max(shares))

    def partly(self, made: int) -> AnnealingController:
        """Return the controller after part of its action, with the rest of the action to do."""
        action = replace(self.action, amount=self.action.amount - made)
        return replace(self, action=action, runs=self.runs + made)

    def cut_off(self) -> AnnealingController:
        """Return the controller of a computation that runs out of time within an action."""
        return replace(self, action=Action(Kind.FINISH))

    def advance(self, seen: Observation) -> AnnealingController:
        """Return the controller once its action is completed, with the action that follows."""
        now = self.partly(self.action.amount)
        took = seen.seconds - self.seconds
        now = replace(now, seconds=seen.seconds, took=took, effective=seen.effective)
        hopeless = now.runs >= _MOST_RUNS_OF_WEIGHT_ZERO and now.effective == 0.0
        if self.budget.runs is not None or now.share >= 1.0 or hopeless:
            return replace(now, action=Action(Kind.FINISH))
        return replace(now, action=Action(Kind.ANNEAL, self.size))


Controller = TypeVar("Controller", ChainController, AnnealingController)
