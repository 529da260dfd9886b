"""`Account`: what `learn` chose and why, and the findings about the reliability of the result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from arcwise.model.model import Modularity
from arcwise.records.settings import Algorithm
from arcwise.support.html import card, listed

Part = Literal["computation", "data and model"]
"""The part that a finding concerns: the quality of the computation, or of data and model."""

Severity = Literal["note", "caution", "serious"]
"""Worth knowing; a reason to doubt the result; a reason not to use it."""

DataVerdict = Literal["no problem found", "questionable", "poor", "unknown"]
"""The verdict on data and model; "unknown" if there is no table."""

SIGNS: dict[Severity, str] = {"serious": "✗", "caution": "!", "note": "·"}
_GRAVITY: dict[Severity, int] = {"serious": 0, "caution": 1, "note": 2}


@dataclass(frozen=True)
class Finding:
    """One thing to know about the reliability of a result.

    The text is saved with results and shown in Python, in the shell and in reports, so it names
    neither arguments nor options.

    Parameters
    ----------
    part
        What it concerns: the computation, or the data and the model.
    severity
        How serious it is.
    topic
        The subject in one or two words, the same for all findings of a kind.
    fact
        What was found, as a sentence without its full stop.
    advice
        What to do about it, as the end of that sentence; empty if there is nothing to do.

    Examples
    --------
    >>> found = Finding("computation", "caution", "chains", "There is one chain", "run four")
    >>> found.sentence
    'There is one chain; run four.'
    """

    part: Part
    severity: Severity
    topic: str
    fact: str
    advice: str = ""

    @property
    def sentence(self) -> str:
        """The fact followed by the advice."""
        return f"{self.fact}; {self.advice}." if self.advice else f"{self.fact}."


Verdict = Literal["exact", "reliable", "doubtful", "not converged", "unknown"]
UNCONVERGED: tuple[Verdict, ...] = ("doubtful", "not converged")
"""The verdicts under which no figure is shown without qualification."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """The choices of `learn`, or of the user, as values; they do not depend on the machine."""

    score: str
    prior: str
    modularity: Modularity
    parents: str  # the source of the parent sets: ``"all"``, or the method of choosing candidates
    # Whether likely parents may be missing: growth of the candidates was cut short, and no other
    # parent is allowed.
    parents_left_out: bool = False
    families: int  # the number of parent sets
    algorithm: Algorithm
    exact_operations: int | None  # the cost of exact computation; None if it is impossible
    exact_limit: float  # the largest cost for which exact computation is chosen
    arguments: Mapping[str, Any]  # the arguments of the algorithm, as plain values
    seed: int

    def as_dict(self) -> dict[str, Any]:
        """Return all values in one dictionary, including the arguments."""
        values: dict[str, Any] = {}
        for name, value in vars(self).items():
            values |= value if name == "arguments" else {name: value}
        return values


@dataclass(frozen=True)
class Account:
    """The choices of `learn` with their reasons, and the reliability of the result.

    Parameters
    ----------
    choices
        The steps taken and their reasons, in sentences.
    chosen
        The choices as values, for programs.
    verdict, trust
        The reliability of the computation, as a verdict and in sentences; see `diagnose`.
    data_verdict, findings
        The verdict on data and model, and the findings about both.
    seconds
        The total running time.
    sensitivity
        How much the result changes under other priors and scores, in sentences; empty if time
        did not suffice to compute it.

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
        """Return the account in sentences, one on each line."""
        reliability = (f"{self.verdicts}.", *with_signs(self.findings))
        parts = [("What was done:", self.choices), ("Reliability:", reliability)]
        if self.sensitivity:
            parts.append(("Under other assumptions:", self.sensitivity))
        return "\n\n".join("\n".join([title, *lines]) for title, lines in parts)

    def _repr_html_(self) -> str:
        """Return the account as lists of sentences, for notebooks."""
        return card(
            "Account",
            listed("What was done", self.choices),
            reliability_html(self.verdict, self.data_verdict, self.findings),
            listed("Under other assumptions", self.sensitivity) if self.sensitivity else "",
        )


def by_gravity(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in decreasing severity, otherwise in the order given."""
    return sorted(findings, key=lambda finding: _GRAVITY[finding.severity])


def sentences_of(findings: Iterable[Finding]) -> list[str]:
    """Return a sentence for each, without repeating advice."""
    sentences: list[str] = []
    given: list[str] = []
    for finding in findings:
        repeated = any(finding.advice in advice for advice in given)
        sentences.append(f"{finding.fact}." if repeated else finding.sentence)
        if finding.advice:
            given.append(finding.advice)
    return sentences


def with_signs(findings: Iterable[Finding]) -> list[str]:
    """Return a sentence for each, without repeating advice, after the sign of its severity.

    Examples
    --------
    >>> with_signs([Finding("computation", "caution", "chains", "There is one chain", "run four")])
    ['! There is one chain; run four.']
    """
    found = list(findings)
    sentences = zip(found, sentences_of(found), strict=True)
    return [f"{SIGNS[finding.severity]} {sentence}" for finding, sentence in sentences]


def reliability_html(computation: str, data_and_model: str, findings: Iterable[Finding]) -> str:
    """Return both verdicts with their findings, for notebooks."""
    found = list(findings)
    parts: tuple[tuple[Part, str], ...] = (
        ("computation", computation),
        ("data and model", data_and_model),
    )
    return "".join(
        listed(
            f"{part.capitalize()}: {verdict}",
            # A note needs no sign beside the dot of a list.
            [
                sentence.removeprefix(f"{SIGNS['note']} ")
                for sentence in with_signs(each for each in found if each.part == part)
            ],
        )
        for part, verdict in parts
    )


def data_verdict(findings: Iterable[Finding]) -> DataVerdict:
    """Return the verdict of findings about data and model."""
    gravest = min((_GRAVITY[finding.severity] for finding in findings), default=2)
    verdicts: tuple[DataVerdict, ...] = ("poor", "questionable", "no problem found")
    return verdicts[gravest]
