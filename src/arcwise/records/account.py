"""`Account`: what was chosen for the user and why, and how far the result can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from arcwise.model.targets import Target
from arcwise.records.algorithm import Algorithm

Verdict = Literal["exact", "trustworthy", "doubtful", "not converged", "unknown"]


@dataclass(frozen=True)
class Choices:
    """What was chosen, or given, for programs; nothing in it depends on the machine.

    Parameters
    ----------
    score, prior
        As they show themselves.
    target
        The posterior that was wanted.
    parents
        Where parent sets come from: ``"all"``, or how candidates were found.
    families
        The number of parent sets.
    algorithm
        The algorithm.
    exact_operations, exact_limit
        What exact computation would take, None if it cannot be had at all, and up to
        what it is chosen.
    arguments
        The arguments of the algorithm, as plain values.
    seed
        The seed.
    """

    score: str
    prior: str
    target: Target
    parents: str
    families: int
    algorithm: Algorithm
    exact_operations: int | None
    exact_limit: float
    arguments: Mapping[str, Any]
    seed: int

    def as_dict(self) -> dict[str, Any]:
        """Return all as one table, the arguments among them."""
        return {
            "score": self.score,
            "prior": self.prior,
            "target": self.target,
            "parents": self.parents,
            "families": self.families,
            "algorithm": self.algorithm.value,
            "exact_operations": self.exact_operations,
            "exact_limit": self.exact_limit,
            **self.arguments,
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Account:
    """What the one call tells besides the numbers.

    Parameters
    ----------
    choices
        What was done and why, in sentences.
    chosen
        The same for programs.
    verdict, trust
        How far the result can be trusted, as a word and in sentences; see `diagnose`.
    seconds
        The time all of it took.

    Examples
    --------
    >>> import arcwise
    >>> posterior = arcwise.learn({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5}, progress=None)
    >>> posterior.account.verdict, posterior.account.chosen.parents
    ('exact', 'all')
    """

    choices: tuple[str, ...]
    chosen: Choices
    verdict: Verdict
    trust: tuple[str, ...]
    seconds: float
