"""The classes of results: posteriors, estimates, diagnoses, comparisons."""

from arcwise.algorithms.exact_sampling import ImportanceWeightedDags
from arcwise.algorithms.growth import Growth
from arcwise.algorithms.reverse_annealing import ReverseAnnealing, StochasticUpperBound
from arcwise.candidates import Candidates
from arcwise.comparison import (
    EdgeCurve,
    MeanDistance,
    ModelComparison,
    ModelEvidence,
    PosteriorComparison,
    RunComparison,
    SummaryGraphComparison,
)
from arcwise.diagnostics.diagnosis import Diagnosis
from arcwise.graphs import EdgeCounts, GraphComparison
from arcwise.parameters.effects import Effects
from arcwise.parameters.level_estimates import Interventional
from arcwise.posterior import (
    Adjacency,
    CredibleSet,
    DagSample,
    Estimate,
    Evidence,
    MapResult,
    Posterior,
    ThresholdGraph,
)
from arcwise.records import (
    Account,
    AnnealingRun,
    ChainRun,
    Convergence,
    ExactRun,
    MergedRun,
    UniqueDagsRun,
)
from arcwise.records.findings import Finding
from arcwise.runs.status import RunStatus

__all__ = [
    "Account",
    "Adjacency",
    "AnnealingRun",
    "Candidates",
    "ChainRun",
    "Convergence",
    "CredibleSet",
    "DagSample",
    "Diagnosis",
    "EdgeCounts",
    "EdgeCurve",
    "Effects",
    "Estimate",
    "Evidence",
    "ExactRun",
    "Finding",
    "GraphComparison",
    "Growth",
    "ImportanceWeightedDags",
    "Interventional",
    "MapResult",
    "MeanDistance",
    "MergedRun",
    "ModelComparison",
    "ModelEvidence",
    "Posterior",
    "PosteriorComparison",
    "ReverseAnnealing",
    "RunComparison",
    "RunStatus",
    "StochasticUpperBound",
    "SummaryGraphComparison",
    "ThresholdGraph",
    "UniqueDagsRun",
]
