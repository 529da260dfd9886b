"""Bayesian structure discovery: how probable each edge between the variables is.

data -> local score + prior = model -> space x algorithm -> posterior -> features
"""

# The forms of other packages are methods of posteriors, filled in by this import.
from arcwise import exchange as _exchange  # noqa: F401
from arcwise import features, plots, report, simulate
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
from arcwise.algorithms.given_order import GivenOrder
from arcwise.algorithms.growth import Growth, grow
from arcwise.algorithms.growth_steps import growth_memory
from arcwise.algorithms.map import map
from arcwise.algorithms.mc3 import mc3
from arcwise.algorithms.mcmc import mcmc
from arcwise.algorithms.memory import exact_cost
from arcwise.algorithms.resume import resume
from arcwise.algorithms.unique_dags import unique_dags
from arcwise.candidates import Candidates, candidates
from arcwise.cluster import DaskEngine
from arcwise.comparison import (
    EdgeCurve,
    MeanDistance,
    PosteriorComparison,
    RunComparison,
    compare_posterior,
    compare_runs,
    roc,
)
from arcwise.constraints import Constraints
from arcwise.data import Data, discretize, read
from arcwise.diagnostics.diagnose import diagnose
from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.engines import Engine, Threads
from arcwise.engines.batch import batch
from arcwise.errors import ArcwiseError, ArcwiseWarning
from arcwise.families import Families
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
from arcwise.graphs.dag import Dag
from arcwise.graphs.linear_extensions import linear_extensions
from arcwise.learning import sample
from arcwise.model import Model
from arcwise.parameters.effects import Effects, effects
from arcwise.parameters.interventional import interventional
from arcwise.parameters.level_estimates import Interventional
from arcwise.parameters.predictive import log_predictive
from arcwise.posterior import (
    CredibleSet,
    DagSample,
    Estimate,
    MapResult,
    Posterior,
    ThresholdGraph,
)
from arcwise.posterior.evidence import Evidence
from arcwise.priors import DistanceToDag, EdgePenalty, EdgeWeights, Fair, FunctionPrior, Uniform
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
    "CredibleSet",
    "Dag",
    "DagSample",
    "Dags",
    "DaskEngine",
    "Data",
    "Diagnosis",
    "DistanceToDag",
    "EdgeCounts",
    "EdgeCurve",
    "EdgePenalty",
    "EdgeWeights",
    "Effects",
    "Engine",
    "Estimate",
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
    "Interventional",
    "Layerings",
    "LinearOrders",
    "MapResult",
    "MeanDistance",
    "Model",
    "PartialOrders",
    "Partitions",
    "Posterior",
    "PosteriorComparison",
    "RunComparison",
    "RunStatus",
    "ScoreSums",
    "Space",
    "Threads",
    "ThresholdGraph",
    "Uniform",
    "__version__",
    "ais",
    "ancestor_probabilities",
    "batch",
    "candidates",
    "compare",
    "compare_posterior",
    "compare_runs",
    "cpdag",
    "diagnose",
    "discretize",
    "effects",
    "evidence",
    "exact",
    "exact_cost",
    "features",
    "grow",
    "growth_memory",
    "importance_weighted_dags",
    "interventional",
    "linear_extensions",
    "log_predictive",
    "map",
    "mc3",
    "mcmc",
    "plots",
    "read",
    "read_scores",
    "report",
    "resume",
    "roc",
    "sample",
    "samples_for",
    "score",
    "simulate",
    "skeleton",
    "status",
    "structural_hamming_distance",
    "unique_dags",
    "v_structures",
]
