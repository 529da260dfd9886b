"""`Finding`: one thing to know about the reliability of a result, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from arcwise.support.html import listed

Part = Literal["computation", "data and model"]
"""Whether the posterior was computed well, and whether it is the posterior to compute."""

Severity = Literal["note", "caution", "serious"]
"""Worth knowing; a reason to doubt the result; a reason not to use it."""

DataVerdict = Literal["no problem found", "questionable", "poor", "unknown"]
"""What the findings about data and model come to; "unknown" if there is no table."""

SIGNS: dict[Severity, str] = {"serious": "✗", "caution": "!", "note": "·"}
_GRAVITY: dict[Severity, int] = {"serious": 0, "caution": 1, "note": 2}


@dataclass(frozen=True)
class Finding:
    """One thing to know about the reliability of a result.

    The words are kept with results and shown in Python, in the shell and in reports alike, so
    they name neither arguments nor options.

    Parameters
    ----------
    part
        What it concerns: the computation, or the data and the model.
    severity
        How much it matters.
    topic
        What it is about, in a word or two, the same for all findings of a kind.
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
        """The fact with the advice."""
        return f"{self.fact}; {self.advice}." if self.advice else f"{self.fact}."


def by_gravity(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings with the most serious first, otherwise in the order given."""
    return sorted(findings, key=lambda finding: _GRAVITY[finding.severity])


def in_words(findings: Iterable[Finding]) -> list[str]:
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
    """Return a sentence for each, without repeating advice, after a sign of how much it matters.

    Examples
    --------
    >>> with_signs([Finding("computation", "caution", "chains", "There is one chain", "run four")])
    ['! There is one chain; run four.']
    """
    found = list(findings)
    told = zip(found, in_words(found), strict=True)
    return [f"{SIGNS[finding.severity]} {sentence}" for finding, sentence in told]


def reliability_html(computation: str, data_and_model: str, findings: Iterable[Finding]) -> str:
    """Return both verdicts, each with its findings, as notebooks show them."""
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
    """Return what findings about data and model come to."""
    gravest = min((_GRAVITY[finding.severity] for finding in findings), default=2)
    verdicts: tuple[DataVerdict, ...] = ("poor", "questionable", "no problem found")
    return verdicts[gravest]
