"""Features of DAGs: edges, paths, Markov blankets, CPDAG edges, and combinations of them."""

from arcwise.features.edges import (
    Blanket,
    CpdagEdge,
    Edge,
    InBlanket,
    NumberOfEdges,
    ParentSet,
    Path,
    SkeletonEdge,
    VStructure,
    path_through,
)
from arcwise.features.feature import And, Comparison, Conditional, Feature, FunctionOfDag, Not, Or
from arcwise.features.grammar import AnyFeature as AnyFeature
from arcwise.features.grammar import as_feature, parse

__all__ = [
    "And",
    "Blanket",
    "Comparison",
    "Conditional",
    "CpdagEdge",
    "Edge",
    "Feature",
    "FunctionOfDag",
    "InBlanket",
    "Not",
    "NumberOfEdges",
    "Or",
    "ParentSet",
    "Path",
    "SkeletonEdge",
    "VStructure",
    "as_feature",
    "parse",
    "path_through",
]
