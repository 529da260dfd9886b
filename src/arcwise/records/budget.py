"""How long samplers run: `Budget`, stopping rules, and the convergence figures they use."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from arcwise.errors import ArgumentError, option
from arcwise.support.words import shown


class Algorithm(StrEnum):
    """The algorithm that computed a posterior.

    Examples
    --------
    >>> Algorithm("mcmc") is Algorithm.MCMC
    True
    """

    EXACT = "exact"
    MCMC = "mcmc"
    MC3 = "mc3"
    AIS = "ais"
    SMC = "smc"
    UNIQUE_DAGS = "unique-dags"
    IMPUTATION = "imputation"


@dataclass(frozen=True)
class Convergence:
    """The agreement of chains and their effective sample sizes.

    Figures that do not apply are None: all of them for an exact run, all but an effective sample
    size for annealing, and the difference for a single chain.

    Parameters
    ----------
    rhat
        R-hat of the log posterior; infinite if every chain is constant at a different value.
    ess
        The effective sample size of the log posterior; for annealing, of the particles.
    edge_rhat
        The largest R-hat of an edge.
    edge_ess
        The smallest known effective sample size of an edge.
    difference
        The largest difference of an edge probability between two chains, as averaged along the
        chains, or from their DAGs if chains do not average it.

    Examples
    --------
    >>> Convergence(rhat=1.01).ess is None
    True
    """

    rhat: float | None = None
    ess: float | None = None
    edge_rhat: float | None = None
    edge_ess: float | None = None
    difference: float | None = None


# A quantity that has not changed in fewer draws than this may still change.
_FEWEST_STATES = 1_000
# On which side of its bound each figure of `Convergence` must be.
_SENSES = {"rhat": "<", "ess": ">", "edge_rhat": "<", "edge_ess": ">", "difference": "<"}
# Bounds at or below these can never be met.
_FLOORS = {"rhat": 1.0, "edge_rhat": 1.0, "ess": 0.0, "edge_ess": 0.0, "difference": 0.0}


@dataclass(frozen=True)
class Condition:
    """A convergence figure and the bound it must meet."""

    name: str
    bound: float

    def __str__(self) -> str:
        """Return the rule as users write it."""
        return f"{self.name}{_SENSES[self.name]}{self.bound:g}"

    def progress(self, measured: Convergence, states: int) -> float:
        """Return how close the figure is to its bound, 1 if the condition is met."""
        value: float | None = getattr(measured, self.name)
        if value is None:  # the quantity never changed; a difference is always defined
            return float(self.name != "difference" and states >= _FEWEST_STATES)
        if _SENSES[self.name] == ">":
            return min(1.0, value / self.bound)
        if value < self.bound:
            return 1.0
        floor = _FLOORS[self.name]
        return min(0.99, (self.bound - floor) / (value - floor))


@dataclass(frozen=True)
class StoppingRule:
    """Conditions that must all hold.

    Examples
    --------
    >>> rule = StoppingRule.parse("rhat < 1.01, ess > 400")
    >>> str(rule)
    'rhat<1.01, ess>400'
    """

    conditions: tuple[Condition, ...]

    @classmethod
    def parse(cls, text: Any) -> StoppingRule:
        """Parse a rule, with conditions separated by commas or "and"."""
        if isinstance(text, StoppingRule):
            return text
        if not isinstance(text, str):
            raise ArgumentError(option("until"), f" is {shown(text)}; {_FORM}")
        return cls(tuple(_condition(part) for part in re.split(r",|;|\band\b", text)))

    def __str__(self) -> str:
        """Return the rule as users write it."""
        return ", ".join(map(str, self.conditions))

    def __and__(self, other: StoppingRule) -> StoppingRule:
        """Return the rule that requires both."""
        return StoppingRule(self.conditions + other.conditions)

    def refuse_unknowable(self, chains: int, dags_per_state: int) -> None:
        """Refuse conditions that such a run cannot evaluate."""
        names = {condition.name for condition in self.conditions}
        if "difference" in names and chains < 2:
            raise ArgumentError(
                option("until"),
                " requires a difference between chains, but there is only one chain; set ",
                option("chains"),
                " to 2 or more",
            )
        if names & {"edge_rhat", "edge_ess"} and dags_per_state < 1:
            raise ArgumentError(
                option("until"),
                " uses edge_rhat or edge_ess, which are computed from DAGs, but ",
                option("dags_per_state"),
                " is 0; set it to 1 or more",
            )

    @property
    def needs_edges(self) -> bool:
        """Whether it has a condition on edges, which take longer to check than traces."""
        return any(condition.name not in ("rhat", "ess") for condition in self.conditions)

    def progress(self, measured: Convergence, states: int) -> float:
        """Return how close the farthest condition is to being met; 1 if all are met."""
        return min(condition.progress(measured, states) for condition in self.conditions)


_EXAMPLES = {"rhat": 1.01, "ess": 400, "edge_rhat": 1.1, "edge_ess": 100, "difference": 0.05}
_WORDS = {"<": "below", ">": "above"}
_FORM = (
    "give conditions such as 'rhat<1.01, ess>400' on rhat, ess, edge_rhat, edge_ess or difference"
)


def _condition(text: str) -> Condition:
    """Parse one condition of a rule."""

    def refused(remedy: str) -> ArgumentError:
        return ArgumentError(option("until"), f" has {text.strip()!r}; {remedy}")

    found = re.fullmatch(r"\s*([a-z_-]+)\s*([<>])=?\s*([0-9.eE+-]+)\s*", text)
    name = found[1].replace("-", "_") if found else ""
    if found is None or name not in _SENSES:
        raise refused(_FORM)
    sense = _SENSES[name]
    if found[2] != sense:
        example = f"{name}{sense}{_EXAMPLES[name]}"
        raise refused(f"require {name} to be {_WORDS[sense]} a number, as in {example}")
    try:
        bound = float(found[3])
    except ValueError:
        raise refused(_FORM) from None
    if not _FLOORS[name] < bound < float("inf"):
        raise refused(f"give {name} a bound above {_FLOORS[name]:g}")
    return Condition(name, bound)


def as_stopping_rule(value: Any) -> StoppingRule | None:
    """Return the stopping rule from an object or a text; None for None."""
    return None if value is None else StoppingRule.parse(value)


# The default number of draws of each chain is one in 2 n steps, within these bounds. More would
# add little information, and DAGs drawn from them would fill the memory.
_FEWEST_DRAWS = 1_000
_MOST_DRAWS = 10_000
# The fraction discarded from chains that begin at random states, which is about that of a run with
# a stopping rule, and from chains that begin where chains of orders have converged.
_USUAL_BURN_IN = 0.5
_SETTLED_BURN_IN = 0.2

_DEFAULT_RUNS = {Algorithm.AIS: 100, Algorithm.SMC: 8}


def _only_one(*names: str) -> ArgumentError:
    one, other = map(option, names)
    return ArgumentError("both ", one, " and ", other, " were given; give only one of them")


@dataclass(frozen=True)
class Budget:
    """How long chains run: a number of steps, a time, or until a stopping rule is met."""

    steps: int | None = None  # steps of each chain, burn-in included
    seconds: float | None = None  # wall-clock time, burn-in included
    # The requested effective sample size of the log posterior, over all chains: shorthand for a
    # stopping rule.
    effective_samples: float | None = None
    # The fraction of steps or seconds discarded at the start; None for a half, or for a fifth if
    # chains begin where chains of orders have converged.
    burn_in: float | None = None
    # Steps between draws; None for 2 n, but at least 1,000 and at most 10,000 draws of each chain.
    thinning: int | None = None
    until: StoppingRule | None = None  # steps or seconds are then upper limits

    def __post_init__(self) -> None:
        """Refuse incompatible limits."""
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
        """The fraction discarded at the start, a half by default; see `resolved`."""
        return _USUAL_BURN_IN if self.burn_in is None else self.burn_in

    def resolved(self, nodes: int, *, settled_start: bool) -> Budget:
        """Return the budget with the default burn-in, and the default steps if it has no limit."""
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
    """The number of annealing runs, their total time, or the effective sample size to reach."""

    runs: int | None = None  # the number of runs: particles of `ais`, populations of `smc`
    seconds: float | None = None
    effective_samples: float | None = None

    def named(self, runs: str) -> AnnealingBudget:
        """Return the budget, or refuse a number of runs, called `runs`, besides another limit."""
        if self.runs is not None and self.open_ended:
            raise _only_one(runs, "effective_samples" if self.seconds is None else "seconds")
        return self

    @property
    def open_ended(self) -> bool:
        """Whether the number of runs is not fixed in advance."""
        return self.seconds is not None or self.effective_samples is not None

    def resolved(self, algorithm: Algorithm) -> AnnealingBudget:
        """Return the budget with the default number of runs, if it has no limit."""
        unlimited = self == AnnealingBudget()
        return replace(self, runs=_DEFAULT_RUNS[algorithm]) if unlimited else self
