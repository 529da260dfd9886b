"""Algorithms: from a model to its posterior, one file each.

`exact`, `sample` (`mcmc`, `mc3`, `ais`), `map`, `evidence` and `grow` are available as
`arcwise.exact` and so on. This package exports algorithms for special purposes, and `Deadline`,
which several calls can share in place of seconds.
"""

from arcwise.algorithms.exact import ancestor_probabilities
from arcwise.algorithms.exact_computation import exact_cost
from arcwise.algorithms.exact_sampling import ExactSampler, importance_weighted_dags, samples_for
from arcwise.algorithms.given_order import GivenOrder
from arcwise.algorithms.growth_state import growth_memory
from arcwise.algorithms.reverse_annealing import reverse_annealing
from arcwise.algorithms.unique_dags import unique_dags
from arcwise.support.running import Deadline

__all__ = [
    "Deadline",
    "ExactSampler",
    "GivenOrder",
    "ancestor_probabilities",
    "exact_cost",
    "growth_memory",
    "importance_weighted_dags",
    "reverse_annealing",
    "samples_for",
    "unique_dags",
]
