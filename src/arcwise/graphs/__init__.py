"""DAGs and CPDAGs: equivalence classes, distances, and comparison with a known graph."""

from arcwise.graphs.comparison import (
    EdgeCounts,
    GraphComparison,
    compare,
    skeleton,
    structural_hamming_distance,
    v_structures,
)
from arcwise.graphs.cpdags import Cpdag, cpdag
from arcwise.graphs.dag import Dag
from arcwise.graphs.linear_extensions import linear_extensions

__all__ = [
    "Cpdag",
    "Dag",
    "EdgeCounts",
    "GraphComparison",
    "compare",
    "cpdag",
    "linear_extensions",
    "skeleton",
    "structural_hamming_distance",
    "v_structures",
]
