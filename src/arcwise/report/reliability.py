"""The reliability of a posterior: a verdict, its reasons, and the figures behind it."""

from __future__ import annotations

from typing import Any

from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.support.words import number

# For each verdict a style class for its colour, and a sign for readers who do not see colours.
_LOOKS = {
    "exact": ("good", "✓"),
    "reliable": ("good", "✓"),
    "doubtful": ("doubtful", "!"),
    "not converged": ("bad", "✗"),
}


def reliability(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return the verdict with its sentences and figures."""
    look, sign = _LOOKS.get(diagnosis.verdict, ("open", "?"))
    return {
        "verdict": diagnosis.verdict[:1].upper() + diagnosis.verdict[1:],
        "look": look,
        "sign": sign,
        "sentences": list(diagnosis.sentences),
        "rows": _figures(diagnosis),
    }


def _figures(diagnosis: Diagnosis) -> list[tuple[str, str, str]]:
    """Return names, values and explanations of the figures that are known."""
    found, edge = diagnosis.convergence, diagnosis.most_different_edge
    annealed = diagnosis.effective_runs is not None
    rows = [
        ("R-hat of the log posterior", found.rhat, "1 if the chains agree"),
        ("Largest R-hat of an edge", found.edge_rhat, "1 if the chains agree"),
        (
            "Largest difference between chains",
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
