"""The classes of results: posteriors, estimates, diagnoses, comparisons."""

from arcwise.algorithms.exact_sampling import ImportanceWeightedDags
from arcwise.algorithms.growth import Growth
from arcwise.algorithms.reverse_annealing import ReverseAnnealing, StochasticUpperBound
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
from arcwise.dynamics.forecast import Forecast
from arcwise.dynamics.impulse_response import ImpulseResponse
from arcwise.dynamics.lagged_edges import LaggedEdge, ProcessEdge
from arcwise.dynamics.steps import StepPosteriors
from arcwise.graphs import EdgeCounts, GraphComparison
from arcwise.learning import CrossValidation
from arcwise.model.candidates import Candidates
from arcwise.parameters.effect import EffectEstimate, LevelEffects, LinearEffect, MeanEffects
from arcwise.parameters.effect_matrix import Effects
from arcwise.parameters.interventional import Interventional
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
from arcwise.records.account import Account, Finding
from arcwise.records.runs import (
    AnnealingRun,
    ChainRun,
    ExactRun,
    ImputationRun,
    MergedRun,
    UniqueDagsRun,
)
from arcwise.records.settings import Convergence
from arcwise.runs.status import RunStatus
from arcwise.series import IncompleteTimeSeries, TimeSeries

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
    "Forecast",
    "GraphComparison",
    "Growth",
    "ImportanceWeightedDags",
    "ImpulseResponse",
    "ImputationRun",
    "IncompleteTimeSeries",
    "Interventional",
    "LaggedEdge",
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
    "ProcessEdge",
    "ReverseAnnealing",
    "RunComparison",
    "RunStatus",
    "StepPosteriors",
    "StochasticUpperBound",
    "SummaryGraphComparison",
    "ThresholdGraph",
    "TimeSeries",
    "UniqueDagsRun",
]
