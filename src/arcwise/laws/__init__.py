"""Laws of a node given its parents: the parameters of a family and their posterior.

Effects, predictions, densities, forecasts and responses depend on a score only through its law.
"""

from arcwise.laws.conditional_gaussian import ConditionalLinearGaussian
from arcwise.laws.law import (
    Columns,
    Family,
    FamilyPosterior,
    FamilyPosteriors,
    Law,
    Parameters,
    configuration_numbers,
)
from arcwise.laws.regressions import (
    LinearGaussian,
    NormalWishart,
    RegressionParameters,
    RegressionPrior,
)
from arcwise.laws.tables import DirichletPrior, ProbabilityTables, TableParameters

__all__ = [
    "Columns",
    "ConditionalLinearGaussian",
    "DirichletPrior",
    "Family",
    "FamilyPosterior",
    "FamilyPosteriors",
    "Law",
    "LinearGaussian",
    "NormalWishart",
    "Parameters",
    "ProbabilityTables",
    "RegressionParameters",
    "RegressionPrior",
    "TableParameters",
    "configuration_numbers",
]
