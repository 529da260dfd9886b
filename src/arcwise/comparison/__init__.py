"""Posteriors compared with a known graph (distances, ROC curves) and with each other."""

from arcwise.comparison.curves import EdgeCurve
from arcwise.comparison.known_graph import (
    MeanDistance,
    PosteriorComparison,
    compare_posterior,
    roc,
)
from arcwise.comparison.runs import EdgeDifference, RunComparison, compare_runs

__all__ = [
    "EdgeCurve",
    "EdgeDifference",
    "MeanDistance",
    "PosteriorComparison",
    "RunComparison",
    "compare_posterior",
    "compare_runs",
    "roc",
]
