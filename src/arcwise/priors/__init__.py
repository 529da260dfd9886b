"""Structure priors: modular weights on DAGs.

The weight of a DAG is the product of the weights of its families. A node v with the parents P
has a weight of the form ::

    log weight(v, P) = constant[v] + size[v, |P|] + sum of edge[u, v] over u in P

A user-defined prior is a subclass of `Prior` with the one method `terms`.
"""

from arcwise.families.families import FamilyFunction
from arcwise.priors.base import (
    EdgePenalty,
    Fair,
    FunctionPrior,
    Prior,
    PriorTerms,
    Product,
    Sparse,
    Uniform,
    as_prior,
)
from arcwise.priors.edge_probabilities import DistanceToDag, EdgeProbabilities, EdgeWeights

__all__ = [
    "DistanceToDag",
    "EdgePenalty",
    "EdgeProbabilities",
    "EdgeWeights",
    "Fair",
    "FamilyFunction",
    "FunctionPrior",
    "Prior",
    "PriorTerms",
    "Product",
    "Sparse",
    "Uniform",
    "as_prior",
]
