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
from arcwise.learning import CrossValidation
from arcwise.parameters.effect import EffectEstimate, LevelEffects, LinearEffect
from arcwise.parameters.effect_matrix import Effects
from arcwise.parameters.level_estimates import Interventional
from arcwise.parameters.mean_effects import MeanEffects
from arcwise.parameters.predictions import LevelPredictions, NumberPredictions
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
    ImputationRun,
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
    "CrossValidation",
    "DagSample",
    "Diagnosis",
    "EdgeCounts",
    "EdgeCurve",
    "EffectEstimate",
    "Effects",
    "Estimate",
    "Evidence",
    "ExactRun",
    "Finding",
    "GraphComparison",
    "Growth",
    "ImportanceWeightedDags",
    "ImputationRun",
    "Interventional",
    "LevelEffects",
    "LevelPredictions",
    "LinearEffect",
    "MapResult",
    "MeanDistance",
    "MeanEffects",
    "MergedRun",
    "ModelComparison",
    "ModelEvidence",
    "NumberPredictions",
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
