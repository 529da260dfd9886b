"""Features of DAGs: edges, paths, Markov blankets, CPDAG edges, and combinations of them."""

from arcwise.features.coerce import AnyFeature as AnyFeature
from arcwise.features.coerce import as_feature
from arcwise.features.edges import Edge, NumberOfEdges, ParentSet, SkeletonEdge
from arcwise.features.feature import And, Comparison, Conditional, Feature, Not, Or
from arcwise.features.functions import FunctionOfDag
from arcwise.features.grammar import parse
from arcwise.features.related import (
    Blanket,
    CpdagEdge,
    InBlanket,
    Path,
    VStructure,
    path_through,
)

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
