"""Stopping rules for chains, such as ``"rhat<1.01, ess>400"``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from arcwise.errors import ArgumentError, option
from arcwise.records.convergence import Convergence
from arcwise.support.words import shown

# A quantity that never changed in fewer draws than this may still change.
_FEWEST_STATES = 1_000

# The figures of `Convergence`, and on which side of its bound each must be.
_SENSES = {"rhat": "<", "ess": ">", "edge_rhat": "<", "edge_ess": ">", "difference": "<"}
# Bounds at or below these could never be met.
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
        """Return how close the figure is to its bound, 1 if the condition is met.

        A figure that is undefined because the quantity never changed meets the condition
        once each chain has a thousand draws; a difference between chains is always defined.
        """
        value: float | None = getattr(measured, self.name)
        if value is None:
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
    """Return the condition that a part of a rule stands for, or refuse it."""

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
    """Return the stopping rule a user gave, as an object or as text; None for none."""
    return None if value is None else StoppingRule.parse(value)
