"""Comparison of posteriors with a known graph (distances, ROC curves) and with each other."""

from arcwise.comparison.compare import compare
from arcwise.comparison.curves import EdgeCurve
from arcwise.comparison.known_graph import (
    MeanDistance,
    PosteriorComparison,
    compare_with_graph,
    roc,
)
from arcwise.comparison.runs import EdgeDifference, RunComparison, compare_posteriors

__all__ = [
    "EdgeCurve",
    "EdgeDifference",
    "MeanDistance",
    "PosteriorComparison",
    "RunComparison",
    "compare",
    "compare_posteriors",
    "compare_with_graph",
    "roc",
]
