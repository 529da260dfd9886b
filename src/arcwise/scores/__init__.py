"""Local scores: how well a parent set explains a node, one class and one file each.

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
from arcwise.scores.base import LocalScore
from arcwise.scores.bde import BDe
from arcwise.scores.bdeu import BDeu
from arcwise.scores.bge import BGe
from arcwise.scores.bic import BIC
from arcwise.scores.coerce import as_score
from arcwise.scores.conditional_gaussian import ConditionalGaussian
from arcwise.scores.degenerate_gaussian import DegenerateGaussian
from arcwise.scores.family_scores import FamilyScores, read_scores
from arcwise.scores.function import FunctionScore
from arcwise.scores.law_score import LawScore

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
