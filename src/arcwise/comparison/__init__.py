"""Comparison of posteriors with a known graph and with each other, and of models."""

from arcwise.comparison.compare import (
    RunComparison,
    SummaryGraphComparison,
    compare,
    compare_posteriors,
    compare_summary_graphs,
)
from arcwise.comparison.known_graph import (
    EdgeCurve,
    MeanDistance,
    PosteriorComparison,
    compare_with_graph,
    roc,
)
from arcwise.comparison.models import ModelComparison, ModelEvidence, compare_models
from arcwise.comparison.other_assumptions import sensitivity

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
