"""Comparison of posteriors with a known graph and with each other, and of models."""

from arcwise.comparison.compare import compare
from arcwise.comparison.curves import EdgeCurve
from arcwise.comparison.known_graph import (
    MeanDistance,
    PosteriorComparison,
    compare_with_graph,
    roc,
)
from arcwise.comparison.models import ModelComparison, ModelEvidence, compare_models
from arcwise.comparison.other_assumptions import sensitivity
from arcwise.comparison.runs import RunComparison, compare_posteriors
from arcwise.comparison.summary_graphs import SummaryGraphComparison, compare_summary_graphs

__all__ = [
    "EdgeCurve",
    "MeanDistance",
    "ModelComparison",
    "ModelEvidence",
    "PosteriorComparison",
    "RunComparison",
    "SummaryGraphComparison",
    "compare",
    "compare_models",
    "compare_posteriors",
    "compare_summary_graphs",
    "compare_with_graph",
    "roc",
    "sensitivity",
]
