"""Structure priors: modular weights on DAGs, one class and one file each.

The weight of a DAG is the product over its families, a node v with the
parents P, of weights of the form ::

    log weight(v, P) = constant[v] + size[v, |P|] + sum of edge[u, v] over u in P

A user-defined prior is a subclass of `Prior` with the one method `terms`.
"""

from arcwise.families.functions import FamilyFunction
from arcwise.priors.base import Prior, Product
from arcwise.priors.coerce import as_prior
from arcwise.priors.distance import DistanceToDag
from arcwise.priors.edge_probabilities import EdgeProbabilities
from arcwise.priors.edge_weights import EdgeWeights
from arcwise.priors.fair import Fair
from arcwise.priors.function import FunctionPrior
from arcwise.priors.penalty import EdgePenalty
from arcwise.priors.terms import PriorTerms
from arcwise.priors.uniform import Uniform

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
    "Uniform",
    "as_prior",
]
