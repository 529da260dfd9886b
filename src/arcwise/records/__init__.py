"""Records of runs: settings, draws, traces, temperature ladders, convergence figures."""

from arcwise.records.account import Account, Choices
from arcwise.records.algorithm import Algorithm
from arcwise.records.budget import Budget
from arcwise.records.convergence import Convergence
from arcwise.records.runs import (
    AnnealingRun,
    ChainRun,
    ExactRun,
    ImputationRun,
    MergedRun,
    UniqueDagsRun,
)
from arcwise.records.settings import AnnealingSettings, ChainSettings, Recording
from arcwise.records.tempering import Tempering
from arcwise.records.traces import Traces

__all__ = [
    "Account",
    "Algorithm",
    "AnnealingRun",
    "AnnealingSettings",
    "Budget",
    "ChainRun",
    "ChainSettings",
    "Choices",
    "Convergence",
    "ExactRun",
    "ImputationRun",
    "MergedRun",
    "Recording",
    "Tempering",
    "Traces",
    "UniqueDagsRun",
]
