"""The reliability of a posterior in its two parts: verdicts, their reasons, and figures."""

from __future__ import annotations

from typing import Any

from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.records.findings import SIGNS, Part, in_words
from arcwise.support.words import number

# For each verdict a style class for its colour, and a sign for readers who do not see colours.
_GOOD, _DOUBTFUL, _BAD = ("good", "✓"), ("doubtful", "!"), ("bad", "✗")
_LOOKS = {
    "exact": _GOOD,
    "reliable": _GOOD,
    "doubtful": _DOUBTFUL,
    "not converged": _BAD,
    "no problem found": _GOOD,
    "questionable": _DOUBTFUL,
    "poor": _BAD,
}


def reliability(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return both verdicts with their findings, and the figures of the computation."""
    return {
        "computation": _part(diagnosis, "computation", diagnosis.verdict),
        "data": _part(diagnosis, "data and model", diagnosis.data_verdict),
        "rows": _figures(diagnosis),
    }


def _part(diagnosis: Diagnosis, part: Part, verdict: str) -> dict[str, Any]:
    look, sign = _LOOKS.get(verdict, ("open", "?"))
    findings = [finding for finding in diagnosis.findings if finding.part == part]
    return {
        "title": part[:1].upper() + part[1:],
        "verdict": verdict[:1].upper() + verdict[1:],
        "look": look,
        "sign": sign,
        "findings": [
            {"severity": finding.severity, "sign": SIGNS[finding.severity], "sentence": sentence}
            for finding, sentence in zip(findings, in_words(findings), strict=True)
        ],
    }


def _figures(diagnosis: Diagnosis) -> list[tuple[str, str, str]]:
    """Return names, values and explanations of the figures that are known."""
    found, edge = diagnosis.convergence, diagnosis.most_different_edge
    annealed = diagnosis.effective_runs is not None
    rows = [
        ("R-hat of the log posterior", found.rhat, "1 if the chains agree"),
        ("Largest R-hat of an edge", found.edge_rhat, "1 if the chains agree"),
        (
            "Largest difference between "
            + ("chains" if diagnosis.chains <= 4 else "four groups of chains"),
            found.difference,
            f"in the probability of {edge[0]} → {edge[1]}" if edge else "in an edge probability",
        ),
        (
            "Effective sample size (ESS) of the log posterior",
            None if annealed else found.ess,
            "the equivalent number of independent draws",
        ),
        (
            "Smallest ESS of an edge",
            found.edge_ess,
            "among edges that change often enough to estimate it",
        ),
        (
            "Largest standard error of an edge",
            diagnosis.largest_standard_error,
            "Monte Carlo error only",
        ),
        (
            "ESS of the weighted DAGs",
            diagnosis.effective_dags,
            "the equivalent number of equally weighted DAGs",
        ),
        (
            "ESS of annealing",
            diagnosis.effective_runs,
            "the equivalent number of equally weighted particles",
        ),
        (
            "Lowest acceptance rate of exchanges",
            diagnosis.worst_acceptance,
            "between adjacent temperatures",
        ),
        (
            "Fewest round trips of a chain",
            None if diagnosis.round_trips is None else min(diagnosis.round_trips, default=None),
            "states that went from the hottest temperature to the coldest and back",
        ),
    ]
    return [(name, _figure(value), note) for name, value, note in rows if value is not None]


def _figure(value: float) -> str:
    return number(round(value) if 100 <= value < 1e15 else value, 3)
