"""How long samplers run: `Budget` for chains, and `AnnealingBudget`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arcwise.errors import ArgumentError, option
from arcwise.records.algorithm import Algorithm
from arcwise.records.stopping_rule import Condition, StoppingRule
from arcwise.support.words import shown

# The default number of draws of each chain: one in 2 n steps, within these bounds. More would add
# little information, and DAGs drawn from them would fill the memory.
_FEWEST_DRAWS = 1_000
_MOST_DRAWS = 10_000

# The fraction discarded of chains that begin anywhere, which is about that of a run that ends by a
# stopping rule; and of those that begin where chains of orders have settled.
_USUAL_BURN_IN = 0.5
_SETTLED_BURN_IN = 0.2

_DEFAULT_RUNS = {Algorithm.AIS: 100, Algorithm.SMC: 8}


def _only_one(*names: str) -> ArgumentError:
    one, other = map(option, names)
    return ArgumentError("both ", one, " and ", other, " were given; give only one of them")


@dataclass(frozen=True)
class Budget:
    """How long chains run: a number of steps, a time, or until a stopping rule is met.

    Parameters
    ----------
    steps
        Steps of each chain, burn-in included.
    seconds
        Wall-clock time, burn-in included.
    effective_samples
        The requested effective sample size of the log posterior, over all chains:
        shorthand for a stopping rule.
    burn_in
        The fraction of steps or seconds at the start that is discarded; None for a half, or a
        fifth of chains that begin where those of orders have settled.
    thinning
        Steps between draws; None for 2 n, but at least 1,000 and at most 10,000 draws of
        each chain.
    until
        A stopping rule; if steps or seconds are also given, whichever comes first.
    """

    steps: int | None = None
    seconds: float | None = None
    effective_samples: float | None = None
    burn_in: float | None = None
    thinning: int | None = None
    until: StoppingRule | None = None

    def __post_init__(self) -> None:
        """Refuse limits that do not go together."""
        if self.steps is not None and self.seconds is not None:
            raise _only_one("steps", "seconds")
        if self.rule is not None and self.burn_in not in (None, _USUAL_BURN_IN):
            raise ArgumentError(
                option("burn_in"),
                f" is {shown(self.burn_in)}, but with a stopping rule the burn-in is always about "
                "half of the run; leave it out, or give no stopping rule",
            )

    @property
    def rule(self) -> StoppingRule | None:
        """The stopping rule, if any, including that for the effective sample size."""
        rule = self.until
        if self.effective_samples is None:
            return rule
        wanted = StoppingRule((Condition("ess", self.effective_samples),))
        return wanted if rule is None else rule & wanted

    @property
    def discarded(self) -> float:
        """The fraction discarded at the start, as far as it is known without the model."""
        return _USUAL_BURN_IN if self.burn_in is None else self.burn_in

    def resolved(self, nodes: int, *, settled_start: bool) -> Budget:
        """Return it with the default burn-in, and number of steps if it sets no limit."""
        burn_in = self.discarded
        if self.burn_in is None and self.rule is None and settled_start:
            burn_in = _SETTLED_BURN_IN
        limited = (self.steps, self.seconds, self.rule) != (None, None, None)
        steps = self.steps if limited else max(20_000, 200 * nodes**2)
        return replace(self, burn_in=burn_in, steps=steps)

    def thinned(self, steps: int, nodes: int) -> int:
        """Return the steps between draws for a chain of this many steps."""
        if self.thinning is not None:
            return self.thinning
        draws = min(_MOST_DRAWS, max(_FEWEST_DRAWS, steps // (2 * nodes)))
        return max(1, steps // draws)


@dataclass(frozen=True)
class AnnealingBudget:
    """The number of annealing runs, their total time, or the effective sample size to reach.

    Parameters
    ----------
    runs
        The number of runs: particles of `ais`, populations of `smc`.
    seconds, effective_samples
        As for `ais`.
    """

    runs: int | None = None
    seconds: float | None = None
    effective_samples: float | None = None

    def named(self, runs: str) -> AnnealingBudget:
        """Return it, or refuse a number of runs, of which this is the name, besides others."""
        if self.runs is not None and self.open_ended:
            raise _only_one(runs, "effective_samples" if self.seconds is None else "seconds")
        return self

    @property
    def open_ended(self) -> bool:
        """Whether the number of runs is not fixed in advance."""
        return self.seconds is not None or self.effective_samples is not None

    def resolved(self, algorithm: Algorithm) -> AnnealingBudget:
        """Return it with the default number of runs, if it sets no limit."""
        unlimited = self == AnnealingBudget()
        return replace(self, runs=_DEFAULT_RUNS[algorithm]) if unlimited else self
