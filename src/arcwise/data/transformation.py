"""`Transformation`: which continuous columns are modelled as functions of themselves, and which.

Scores of continuous data take columns to be normal, and a few extreme values then look like edges:
where outliers meet, and in mixed tables as variances that differ between levels. A column can be
modelled on another scale, such as its logarithm (`scales.py`), if the evidence of the column alone
prefers that by far. Or it is replaced by its normal scores. Ranks put in
order keep which rows are larger and forget by how much: the normal score of a value is the
quantile of its rank, (rank - 1/2) / N, of the standard normal distribution. Dependence by
monotone functions of normal variables, a Gaussian copula, becomes linear by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import KindName
from arcwise.data.encoding import check_variable
from arcwise.data.scales import Scale, asinh_scale, chosen_scale, log_scale
from arcwise.errors import ArgumentError, option
from arcwise.support.words import quoted, shown

Method = Literal["normal-scores", "log", "asinh", "by-evidence", "none"]


@dataclass(frozen=True)
class Transformation:
    """How columns are transformed.

    Parameters
    ----------
    others
        How all continuous columns are that have no entry of their own.
    columns
        How the columns of these names are.
    """

    others: Method
    columns: Mapping[str, Method]

    @classmethod
    def parse(cls, value: Any) -> Transformation:
        """Return the transformation that a user's words stand for.

        Parameters
        ----------
        value
            ``"normal-scores"``, ``"log"``, ``"asinh"`` or ``"by-evidence"`` for all continuous
            columns, ``"none"`` or None for none, or a mapping from columns to these; its key None
            stands for all other continuous columns.

        Examples
        --------
        >>> Transformation.parse({"income": "log"}).wanted("income", "continuous")
        'log'
        """
        if not isinstance(value, Mapping):
            return cls(_parsed(value), {})
        each = {name: _parsed(given) for name, given in value.items()}
        return cls(each.pop(None, "none"), each)

    def check_names(self, variables: Sequence[str]) -> None:
        """Refuse names that are no variables."""
        for name in self.columns:
            check_variable(name, variables, option("transform"))

    def wanted(self, name: str, kind: KindName) -> Method:
        """Return how a column is to be transformed; those that are named must be continuous."""
        if kind == "continuous":
            return self.columns.get(name, self.others)
        asked = self.columns.get(name, "none")
        if asked not in ("none", "by-evidence"):
            raise ArgumentError(
                option("transform"),
                f" names {name!r}, which is discrete and cannot be transformed; leave it out",
            )
        return "none"


def _parsed(value: object) -> Method:
    if value is None:
        return "none"
    for method in get_args(Method):
        if isinstance(value, str) and value == method:
            return method  # type: ignore[no-any-return]
    raise ArgumentError(
        option("transform"),
        f" is {shown(value)}; give one of {quoted(get_args(Method))}, for all continuous columns "
        "or by name",
    )


def asked_scale(name: str, values: NDArray[np.float64], method: Method) -> Scale | None:
    """Return the scale that a column is to be modelled on; None for that of its values.

    Parameters
    ----------
    name
        The column, for messages.
    values
        Its values that are not missing.
    method
        How it is to be transformed.
    """
    if method not in ("log", "asinh", "by-evidence") or not len(values):
        return None
    if method == "by-evidence":
        return chosen_scale(values)
    found = log_scale(values) if method == "log" else asinh_scale(values)
    if found is None:
        raise ArgumentError(
            option("transform"),
            f" is {method!r} for {name!r}, "
            + (
                "which has values that are not positive; give 'asinh' or 'none'"
                if method == "log"
                else "half of whose values are equal; give 'normal-scores' or 'none'"
            ),
        )
    return found


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
