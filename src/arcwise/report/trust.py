"""How far the numbers can be trusted: a word, sentences, and the figures behind them."""

from __future__ import annotations

from typing import Any

from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.support.words import number

# For each verdict a word for the page's colours, and a sign for those who do not see them.
_LOOKS = {
    "exact": ("good", "✓"),
    "trustworthy": ("good", "✓"),
    "doubtful": ("doubtful", "!"),
    "not converged": ("bad", "✗"),
}


def trust(diagnosis: Diagnosis) -> dict[str, Any]:
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
    """Return names, values and what to make of them, of those that are known."""
    found, edge = diagnosis.convergence, diagnosis.most_different_edge
    annealed = diagnosis.effective_runs is not None
    rows = [
        ("R-hat of the log weight", found.rhat, "1 if chains agree"),
        ("R-hat of an edge, the largest", found.edge_rhat, "1 if chains agree"),
        (
            "Difference between chains, the largest",
            found.difference,
            f"of the probability of {edge[0]} → {edge[1]}" if edge else "of an edge probability",
        ),
        (
            "Effective samples of the log weight",
            None if annealed else found.ess,
            "as many independent draws would be worth the same",
        ),
        (
            "Effective samples of an edge, the fewest",
            found.edge_ess,
            "of edges that change often enough to tell",
        ),
        (
            "Standard error of an edge, the largest",
            diagnosis.largest_standard_error,
            "by sampling alone",
        ),
        ("Effective DAGs", diagnosis.effective_dags, "equally weighted DAGs worth the same"),
        ("Effective runs", diagnosis.effective_runs, "equally weighted runs worth the same"),
        (
            "Exchanges between temperatures, the fewest",
            diagnosis.worst_acceptance,
            "share of those proposed",
        ),
    ]
    return [(name, _figure(value), note) for name, value, note in rows if value is not None]


def _figure(value: float) -> str:
    return number(round(value) if 100 <= value < 1e15 else value, 3)
