"""`Account`: what `learn` chose and why, and the reliability of the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from arcwise.model.modularity import Modularity
from arcwise.records.algorithm import Algorithm
from arcwise.records.findings import DataVerdict, Finding, reliability_html, with_signs
from arcwise.support.html import card, listed

Verdict = Literal["exact", "reliable", "doubtful", "not converged", "unknown"]
UNCONVERGED: tuple[Verdict, ...] = ("doubtful", "not converged")
"""The verdicts beside which no figure stands unqualified."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What was chosen or given, for programs; independent of the machine.

    Parameters
    ----------
    score, prior
        The score and the prior, as text.
    modularity
        The requested posterior.
    parents
        The source of the parent sets: ``"all"``, or how candidates were found.
    parents_left_out
        Whether likely parents may be left out: growth of the candidates was cut short, and no
        other parent is allowed besides them.
    families
        The number of parent sets.
    algorithm
        The algorithm.
    exact_operations, exact_limit
        The cost of exact computation, None if it is impossible, and the largest cost for
        which it is chosen.
    arguments
        The arguments of the algorithm, as plain values.
    seed
        The seed.
    """

    score: str
    prior: str
    modularity: Modularity
    parents: str
    parents_left_out: bool = False
    families: int
    algorithm: Algorithm
    exact_operations: int | None
    exact_limit: float
    arguments: Mapping[str, Any]
    seed: int

    def as_dict(self) -> dict[str, Any]:
        """Return everything as one table, including the arguments."""
        values: dict[str, Any] = {}
        for name, value in vars(self).items():
            values |= value if name == "arguments" else {name: value}
        return values


@dataclass(frozen=True)
class Account:
    """What `learn` reports besides the posterior itself.

    Parameters
    ----------
    choices
        What was done and why, in sentences.
    chosen
        The same for programs.
    verdict, trust
        The reliability of the computation, as a verdict and in sentences; see `diagnose`.
    data_verdict, findings
        The verdict on data and model, and the findings about both.
    seconds
        The total running time.
    sensitivity
        How much the result moves under other priors and scores, in sentences; none if that
        could not be told in the time there was.

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
    data_verdict: DataVerdict = "unknown"
    findings: tuple[Finding, ...] = ()
    sensitivity: tuple[str, ...] = ()

    @property
    def verdicts(self) -> str:
        """Both verdicts in words."""
        return f"computation {self.verdict}, data and model {self.data_verdict}"

    def __str__(self) -> str:
        """Return everything in sentences, a line for each."""
        reliability = (f"{self.verdicts}.", *with_signs(self.findings))
        parts = [("What was done:", self.choices), ("Reliability:", reliability)]
        if self.sensitivity:
            parts.append(("Under other assumptions:", self.sensitivity))
        return "\n\n".join("\n".join([title, *lines]) for title, lines in parts)

    def _repr_html_(self) -> str:
        """Return everything as lists of sentences, for notebooks."""
        return card(
            "Account",
            listed("What was done", self.choices),
            reliability_html(self.verdict, self.data_verdict, self.findings),
            listed("Under other assumptions", self.sensitivity) if self.sensitivity else "",
        )
