"""Local scores: the log marginal likelihood of a node given its parents.

A user-defined score is a function of a node and its parents, or a subclass of
`LocalScore` with the one method `fill`.
"""

from arcwise.laws import (
    ConditionalLinearGaussian,
    DirichletPrior,
    Law,
    LinearGaussian,
    NormalWishart,
    ProbabilityTables,
    RegressionPrior,
)
from arcwise.scores.base import FunctionScore, LawScore, LocalScore
from arcwise.scores.conditional_gaussian import ConditionalGaussian
from arcwise.scores.discrete import BIC, BDe, BDeu
from arcwise.scores.family_scores import FamilyScores, as_score, read_scores
from arcwise.scores.gaussian import BGe, DegenerateGaussian

__all__ = [
    "BIC",
    "BDe",
    "BDeu",
    "BGe",
    "ConditionalGaussian",
    "ConditionalLinearGaussian",
    "DegenerateGaussian",
    "DirichletPrior",
    "FamilyScores",
    "FunctionScore",
    "Law",
    "LawScore",
    "LinearGaussian",
    "LocalScore",
    "NormalWishart",
    "ProbabilityTables",
    "RegressionPrior",
    "as_score",
    "read_scores",
]
