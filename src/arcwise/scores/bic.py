"""`BIC`: the Bayesian information criterion, for discrete or continuous data."""

from __future__ import annotations

from dataclasses import dataclass

from arcwise import _core
from arcwise.data import Data
from arcwise.errors import DataError, Wording
from arcwise.laws import Law, LinearGaussian, ProbabilityTables
from arcwise.scores.base import IndependenceTest, LocalScore
from arcwise.scores.discrete import discrete_score, intervention_mask


@dataclass(frozen=True)
class BIC(LocalScore, name="bic"):
    """The Bayesian information criterion, on the scale of a log marginal likelihood.

    The maximised log likelihood of a family minus half the logarithm of the number of
    rows for each of its parameters: ``q (r - 1)`` for a node with r levels whose parents
    have q configurations, and the number of parents plus 2 for a Gaussian node. With row
    weights, the number of rows is their sum.

    Examples
    --------
    >>> import arcwise
    >>> scores = arcwise.score({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]}, BIC())
    >>> round(scores.log_score("b", ["a"]), 6)  # likelihood 1, two parameters
    -1.386294
    """

    def law(self, data: Data) -> Law:
        """Return what the parameters of a family are, which have no prior."""
        return ProbabilityTables(None) if _all_discrete(data) else LinearGaussian(None)

    def independence_test(self, data: Data) -> IndependenceTest:
        """Return the test of the same kind of parameters."""
        return "g-squared" if _all_discrete(data) else "fisher-z"

    def visits_rows(self, data: Data) -> bool:
        """Return whether contingency tables are counted."""
        return _all_discrete(data)

    def in_core(self, data: Data) -> _core.FamilyScore:
        """Return the score as the core computes it."""
        if _all_discrete(data):
            return discrete_score(data, "BIC", _core.PseudoCounts.none)
        if "discrete" in data.kinds.values() and not _numbers_only(data):
            raise DataError(
                "BIC needs columns of one kind, but the data have discrete and continuous ones; "
                "discretize the continuous ones with ",
                Wording("arcwise.discretize", "--discretize quantile:3"),
                ", or declare another kind with ",
                Wording("kinds=", "--discrete and --continuous"),
            )
        return _core.gaussian_bic_score(
            data.continuous_values("BIC"),
            list(data.variables),
            data.weights,
            intervention_mask(data),
        )


def _all_discrete(data: Data) -> bool:
    return "continuous" not in data.kinds.values()


def _numbers_only(data: Data) -> bool:
    try:
        data.continuous_values("BIC")
    except DataError:
        return False
    return True
