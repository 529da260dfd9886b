"""How far the result of a run can be trusted, as one word and in sentences."""

from __future__ import annotations

from typing import Any

from arcwise.posterior import Posterior


def trust(posterior: Posterior) -> dict[str, Any]:
    """Return the verdict and its sentences, as fields of the summary."""
    verdict, sentences = _verdict(posterior)
    return {"verdict": verdict, "trust": sentences}


def _verdict(posterior: Posterior) -> tuple[str, list[str]]:
    if posterior.algorithm == "exact":
        error = 0.0 if posterior.error is None else posterior.error
        return "exact", [
            f"The probabilities are exact for this model, but for rounding of about {error:.1g}."
        ]
    summary = posterior.summary
    if posterior.algorithm == "ais":
        effective = summary["effective_runs"]
        good = effective >= 20
        return ("trustworthy" if good else "doubtful"), [
            f"The {summary['runs']} annealing runs are worth {effective:.1f} equally weighted ones"
            + ("." if good else ", which is too few; give more steps or more runs.")
        ]
    return _verdict_of_chains(summary)


def _verdict_of_chains(summary: Any) -> tuple[str, list[str]]:
    rhat, edge_rhat = summary["rhat_log_weight"], summary["largest_rhat_edge"]
    difference = summary["largest_edge_difference_between_chains"]
    effective = summary["effective_samples_log_weight"]
    words = [
        f"R-hat of the log weight is {_shown(rhat)}, of the worst edge {_shown(edge_rhat)}; chains "
        f"differ in the probability of an edge by up to {_shown(difference)}; the draws are worth "
        f"{_shown(effective)} independent ones."
    ]
    apart = (rhat or 1.0) > 1.05 or (edge_rhat or 1.0) > 1.2 or (difference or 0.0) > 0.3
    unsure = (rhat or 1.0) > 1.01 or (edge_rhat or 1.0) > 1.1 or (difference or 0.0) > 0.1
    if apart:
        words.append(
            "The chains have not come together: do not rely on these probabilities; give more "
            "seconds, or algorithm='mc3', which passes between separate modes more easily."
        )
        return "not converged", words
    if unsure or difference is None or (effective or 0.0) < 400:
        words.append(
            "The chains have nearly come together: take probabilities as rough, and give more "
            "seconds for finer ones."
        )
        return "doubtful", words
    words.append(
        "The chains agree, so the probabilities can be trusted to within their standard errors."
    )
    return "trustworthy", words


def _shown(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.3g}"
