"""`Transformation`: which continuous columns are replaced by their normal scores, and the scores.

Scores of continuous data take columns to be normal, and a few extreme values then look like edges:
where outliers meet, and in mixed tables as variances that differ between levels. Ranks put in
order keep which rows are larger and forget by how much: the normal score of a value is the
quantile of its rank, (rank - 1/2) / N, of the standard normal distribution. Dependence by
monotone functions of normal variables, a Gaussian copula, becomes linear by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import Kind
from arcwise.data.encoding import check_variable
from arcwise.errors import ArgumentError, option
from arcwise.support.words import shown

NORMAL_SCORES = "normal-scores"
NONE = "none"


@dataclass(frozen=True)
class Transformation:
    """Which columns are replaced by their normal scores.

    Parameters
    ----------
    others
        Whether all continuous columns are that have no entry of their own.
    columns
        Whether the columns of these names are.
    """

    others: bool
    columns: Mapping[str, bool]

    @classmethod
    def parse(cls, value: Any) -> Transformation:
        """Return the transformation that a user's words stand for.

        Parameters
        ----------
        value
            ``"normal-scores"`` for all continuous columns, ``"none"`` or None for none, or a
            mapping from columns to these; its key None stands for all other continuous columns.

        Examples
        --------
        >>> Transformation.parse({"income": "normal-scores"}).wanted("income", "continuous")
        True
        """
        if not isinstance(value, Mapping):
            return cls(_parsed(value), {})
        each = {name: _parsed(given) for name, given in value.items()}
        return cls(each.pop(None, False), each)

    def check_names(self, variables: Sequence[str]) -> None:
        """Refuse names that are no variables."""
        for name in self.columns:
            check_variable(name, variables, option("transform"))

    def wanted(self, name: str, kind: Kind) -> bool:
        """Say whether a column is to be transformed; those that are named must be continuous."""
        asked = self.columns.get(name, self.others and kind == "continuous")
        if asked and kind != "continuous":
            raise ArgumentError(
                option("transform"),
                f" names {name!r}, which is discrete and has no normal scores; leave it out",
            )
        return asked


def _parsed(value: object) -> bool:
    if value is None or (isinstance(value, str) and value == NONE):
        return False
    if isinstance(value, str) and value == NORMAL_SCORES:
        return True
    raise ArgumentError(
        option("transform"),
        f" is {shown(value)}; give '{NORMAL_SCORES}' or '{NONE}', for all continuous columns or by "
        "name",
    )


def normal_scores(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the normal score of each value; those that are equal share that of their mean rank.

    Parameters
    ----------
    values
        Finite numbers, or NaN, which stays.

    Examples
    --------
    >>> normal_scores(np.array([3.0, 1000.0, -5.0])).round(3).tolist()
    [0.0, 0.967, -0.967]
    """
    scores = np.full(len(values), np.nan)
    present = ~np.isnan(values)
    _, inverse, counts = np.unique(values[present], return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2.0  # of the ranks from 0 to N of each value
    inverse_cdf = NormalDist().inv_cdf
    each = np.array([inverse_cdf(share) for share in (middle / max(1, present.sum())).tolist()])
    scores[present] = each[inverse]
    return scores
