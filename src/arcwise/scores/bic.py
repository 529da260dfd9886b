"""`BIC`: the maximised log likelihood less a penalty, for discrete or continuous data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arcwise import _core
from arcwise.data import Data
from arcwise.errors import DataError
from arcwise.scores.base import LocalScore
from arcwise.scores.discrete import fill_discrete, intervention_mask
from arcwise.support.running import Run


@dataclass(frozen=True)
class BIC(LocalScore, name="bic"):
    """The Bayesian information criterion, on the scale of a log marginal likelihood.

    The maximised log likelihood of a family less half the logarithm of the
    number of rows for each of its parameters: ``q (r - 1)`` for a node of r
    levels whose parents have q combinations, and the number of parents plus 2
    for a Gaussian node. With row weights, their sum is the number of rows.

    Examples
    --------
    >>> import arcwise
    >>> scores = arcwise.score({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]}, BIC())
    >>> round(scores.log_score("b", ["a"]), 6)  # likelihood 1, two parameters
    -1.386294
    """

    by_sets: ClassVar[bool] = True

    def fill(self, data: Data, table: _core.FamilyTable, run: Run) -> None:
        """Set every value of the table to the score of its family."""
        kinds = set(data.kinds.values())
        if kinds == {"discrete"}:
            fill_discrete(data, table, run, "BIC", _core.PseudoCounts.none)
            return
        if len(kinds) > 1 and not _numbers_only(data):
            raise DataError(
                "BIC needs columns of one kind, but the data have discrete and continuous ones; "
                "use arcwise.discretize(data), or kinds= to read some of them differently"
            )
        _core.score_gaussian_bic(
            table,
            data.continuous_values("BIC"),
            list(data.variables),
            data.weights,
            intervention_mask(data),
            run.threads,
            run.progress,
        )


def _numbers_only(data: Data) -> bool:
    try:
        data.continuous_values("BIC")
    except DataError:
        return False
    return True
