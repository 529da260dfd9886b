"""DAGs and CPDAGs: equivalence classes, distances, and comparison with a known graph."""

from arcwise.graphs.comparison import EdgeCounts, GraphComparison, compare
from arcwise.graphs.cpdags import Cpdag
from arcwise.graphs.dag import Dag
from arcwise.graphs.distance import structural_hamming_distance
from arcwise.graphs.equivalence import cpdag
from arcwise.graphs.linear_extensions import linear_extensions
from arcwise.graphs.shape import skeleton, v_structures

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
