"""When chains have run long enough: rules such as ``"rhat<1.01, ess>400"``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from arcwise.errors import ArgumentError
from arcwise.records.convergence import Convergence

# A quantity that never changed in fewer states than these may still begin to.
_FEWEST_STATES = 1_000

# The figures of `Convergence`, and on which side of its bound each is to be.
_SENSES = {"rhat": "<", "ess": ">", "edge_rhat": "<", "edge_ess": ">", "difference": "<"}
# Below these, no run however long would be enough.
_FLOORS = {"rhat": 1.0, "edge_rhat": 1.0, "ess": 0.0, "edge_ess": 0.0, "difference": 0.0}


@dataclass(frozen=True)
class Condition:
    """One quantity and the number it is to pass."""

    name: str
    bound: float

    def __str__(self) -> str:
        """Return it as it is written."""
        return f"{self.name}{_SENSES[self.name]}{self.bound:g}"

    def progress(self, measured: Convergence, states: int) -> float:
        """Return how near the quantity has come, 1 where the condition is met.

        A quantity that never changed is as good as it will be once there are a
        thousand states of each chain; a difference between chains is always known.
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
        """Return the rule of a text, conditions separated by commas or "and"."""
        if isinstance(text, StoppingRule):
            return text
        if not isinstance(text, str):
            raise ArgumentError(f"until is {text!r}; {_FORM}")
        conditions = []
        for part in re.split(r",|;|\band\b", text):
            found = re.fullmatch(r"\s*([a-z_-]+)\s*([<>])=?\s*([0-9.eE+-]+)\s*", part)
            name = found[1].replace("-", "_") if found else ""
            if found is None or name not in _SENSES:
                raise ArgumentError(f"until has {part.strip()!r}; {_FORM}")
            if found[2] != _SENSES[name]:
                raise ArgumentError(
                    f"until has {part.strip()!r}; {name} is to be {_WORDS[_SENSES[name]]} a "
                    f"number, as in {name}{_SENSES[name]}{_EXAMPLES[name]}"
                )
            try:
                bound = float(found[3])
            except ValueError:
                raise ArgumentError(f"until has {part.strip()!r}; {_FORM}") from None
            if not _FLOORS[name] < bound < float("inf"):
                raise ArgumentError(
                    f"until has {part.strip()!r}; give {name} a number above {_FLOORS[name]:g}"
                )
            conditions.append(Condition(name, bound))
        return cls(tuple(conditions))

    def __str__(self) -> str:
        """Return it as it is written."""
        return ", ".join(map(str, self.conditions))

    def __and__(self, other: StoppingRule) -> StoppingRule:
        """Return the rule that both must hold."""
        return StoppingRule(self.conditions + other.conditions)

    def refuse_unknowable(self, chains: int, dags_per_state: int) -> None:
        """Refuse conditions on what such a run cannot tell."""
        names = {condition.name for condition in self.conditions}
        if "difference" in names and chains < 2:
            raise ArgumentError(
                "until has a difference between chains, and there is one chain; give chains=2 or "
                "more"
            )
        if names & {"edge_rhat", "edge_ess"} and dags_per_state < 1:
            raise ArgumentError(
                "until has edge_rhat or edge_ess, which are found from DAGs, and dags_per_state is "
                "0; give 1"
            )

    @property
    def needs_edges(self) -> bool:
        """Whether it has a condition on edges, which take longer to look at than log weights."""
        return any(condition.name not in ("rhat", "ess") for condition in self.conditions)

    def progress(self, measured: Convergence, states: int) -> float:
        """Return how near the farthest condition has come; 1 where all are met."""
        return min(condition.progress(measured, states) for condition in self.conditions)


_EXAMPLES = {"rhat": 1.01, "ess": 400, "edge_rhat": 1.1, "edge_ess": 100, "difference": 0.05}
_WORDS = {"<": "below", ">": "above"}
_FORM = (
    "give conditions such as 'rhat<1.01, ess>400' on rhat, ess, edge_rhat, edge_ess or difference"
)


def as_stopping_rule(value: Any) -> StoppingRule | None:
    """Return the rule that a user gave, as one or as text; None for none."""
    return None if value is None else StoppingRule.parse(value)
