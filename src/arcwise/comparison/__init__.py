"""Posteriors compared with a known graph: distances, precision and recall, ROC curves."""

from arcwise.comparison.curves import EdgeCurve
from arcwise.comparison.known_graph import (
    MeanDistance,
    PosteriorComparison,
    compare_posterior,
    roc,
)

__all__ = ["EdgeCurve", "MeanDistance", "PosteriorComparison", "compare_posterior", "roc"]
