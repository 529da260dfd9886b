"""Bayesian structure discovery: how probable each edge between the variables is.

data -> local score + prior = model -> space x algorithm -> posterior -> features
"""

from arcwise import simulate
from arcwise._core import version as __version__
from arcwise.algorithms.ais import ais
from arcwise.algorithms.evidence import evidence
from arcwise.algorithms.exact import ancestor_probabilities, exact
from arcwise.algorithms.exact_sampling import (
    ExactSampler,
    ImportanceWeightedDags,
    importance_weighted_dags,
    samples_for,
)
from arcwise.algorithms.growing import growth_memory
from arcwise.algorithms.growth import Growth, grow
from arcwise.algorithms.map import map
from arcwise.algorithms.mc3 import mc3
from arcwise.algorithms.mcmc import mcmc
from arcwise.algorithms.memory import exact_cost
from arcwise.algorithms.unique_dags import unique_dags
from arcwise.candidates import Candidates, candidates
from arcwise.constraints import Constraints
from arcwise.dag import Dag
from arcwise.data import Data, discretize, read
from arcwise.engines import DaskEngine, Engine, Threads
from arcwise.engines.batch import batch
from arcwise.errors import ArcwiseError, ArcwiseWarning
from arcwise.families import Families
from arcwise.given_order import GivenOrder
from arcwise.graphs import (
    Cpdag,
    EdgeCounts,
    GraphComparison,
    compare,
    cpdag,
    skeleton,
    structural_hamming_distance,
    v_structures,
)
from arcwise.linear_extensions import linear_extensions
from arcwise.model import Model
from arcwise.posterior import DagSample, MapResult, Posterior
from arcwise.posterior.evidence import Evidence
from arcwise.priors import DistanceToDag, EdgePenalty, EdgeWeights, Fair, FunctionPrior, Uniform
from arcwise.runs.resuming import resume
from arcwise.runs.status import RunStatus, status
from arcwise.scores import BIC, BDe, BDeu, BGe, FamilyScores, FunctionScore, read_scores, score
from arcwise.spaces import (
    BucketOrders,
    Dags,
    Layerings,
    LinearOrders,
    PartialOrders,
    Partitions,
    Space,
)
from arcwise.sums import ScoreSums

__all__ = [
    "BIC",
    "ArcwiseError",
    "ArcwiseWarning",
    "BDe",
    "BDeu",
    "BGe",
    "BucketOrders",
    "Candidates",
    "Constraints",
    "Cpdag",
    "Dag",
    "DagSample",
    "Dags",
    "DaskEngine",
    "Data",
    "DistanceToDag",
    "EdgeCounts",
    "EdgePenalty",
    "EdgeWeights",
    "Engine",
    "Evidence",
    "ExactSampler",
    "Fair",
    "Families",
    "FamilyScores",
    "FunctionPrior",
    "FunctionScore",
    "GivenOrder",
    "GraphComparison",
    "Growth",
    "ImportanceWeightedDags",
    "Layerings",
    "LinearOrders",
    "MapResult",
    "Model",
    "PartialOrders",
    "Partitions",
    "Posterior",
    "RunStatus",
    "ScoreSums",
    "Space",
    "Threads",
    "Uniform",
    "__version__",
    "ais",
    "ancestor_probabilities",
    "batch",
    "candidates",
    "compare",
    "cpdag",
    "discretize",
    "evidence",
    "exact",
    "exact_cost",
    "grow",
    "growth_memory",
    "importance_weighted_dags",
    "linear_extensions",
    "map",
    "mc3",
    "mcmc",
    "read",
    "read_scores",
    "resume",
    "samples_for",
    "score",
    "simulate",
    "skeleton",
    "status",
    "structural_hamming_distance",
    "unique_dags",
    "v_structures",
]
