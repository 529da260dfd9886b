"""How far sampled edge probabilities are from exact ones, in units of their standard errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import binom, norm

from arcwise import Posterior
from chi_squared import FALSE_ALARM_RATE

_BEYOND_FOUR_ERRORS = 1e-3
_OFTEN = 20

Array = np.ndarray[Any, np.dtype[np.float64]]


def standard_scores(posterior: Posterior, exact: Array) -> Array:
    """Return (estimate - truth) / error for the edges that are often there and often not.

    Edges seen a few times at most have no error of their own and no normal law;
    they must be as rare as that.
    """
    assert posterior.edge_errors is not None
    summary = posterior.summary
    draws = sum(summary["states"]) if "states" in summary else summary["effective_runs"]
    draws = min(draws, summary.get("effective_dags", np.inf))
    often = draws * np.minimum(exact, 1 - exact) >= _OFTEN
    off = posterior.edges - exact
    assert np.abs(off)[~often].max(initial=0.0) < 4 * _OFTEN / draws
    scores: Array = off[often] / posterior.edge_errors[often]
    return scores


def assert_edges_within_errors(posterior: Posterior, exact: Array) -> None:
    """Assert that no more edges are beyond four standard errors than may be."""
    scores = standard_scores(posterior, exact)
    allowed = binom.ppf(1 - FALSE_ALARM_RATE, len(scores), _BEYOND_FOUR_ERRORS)
    assert (np.abs(scores) > 4).sum() <= allowed
    # Edges may all hang together, and then their mean square is that of one number.
    assert np.mean(np.square(scores)) < norm.isf(FALSE_ALARM_RATE / 2) ** 2
