"""How far the numbers can be trusted: a word, sentences, and the figures behind them."""

from __future__ import annotations

from typing import Any

from arcwise.posterior import Posterior
from arcwise.report.wording import number


def trust(posterior: Posterior) -> dict[str, Any]:
    """Return the verdict with its reasons."""
    if posterior.algorithm == "exact":
        return {"verdict": "exact", "level": "good", "sign": "✓", "sentences": [], "rows": []}
    done = posterior.summary
    rows = [
        (label, number(done[name]))
        for name, label in {
            "rhat_log_weight": "R-hat of the log weight",
            "effective_samples_log_weight": "Effective samples of the log weight",
        }.items()
        if name in done
    ]
    return {"verdict": "unknown", "level": "open", "sign": "?", "sentences": [], "rows": rows}
