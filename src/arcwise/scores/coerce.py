"""`as_score`: a score from any of the forms in which it may be given."""

from __future__ import annotations

from typing import Any

from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.scores.base import NAMED_SCORES, LocalScore
from arcwise.scores.bdeu import BDeu
from arcwise.scores.bge import BGe
from arcwise.scores.conditional_gaussian import ConditionalGaussian
from arcwise.scores.function import FunctionScore
from arcwise.support.words import quoted, shown


def as_score(value: Any, data: Data | None = None) -> LocalScore:
    """Return a score from any accepted form.

    Parameters
    ----------
    value
        A `LocalScore`; a name such as ``"bdeu"``; a function of the name of a node and
        those of its parents; or None to choose by the data: `BDeu` if all columns are
        discrete, `BGe` if all are continuous, `ConditionalGaussian` if there are both.
    data
        The data to choose by.

    Examples
    --------
    >>> as_score("bdeu")
    BDeu(equivalent_sample_size=1.0)
    """
    if isinstance(value, LocalScore):
        return value
    if value is None and data is not None:
        continuous = [kind == "continuous" for kind in data.kinds.values()]
        if all(continuous):
            return BGe()
        return ConditionalGaussian() if any(continuous) else BDeu()
    if isinstance(value, str) and value.lower() in NAMED_SCORES:
        return NAMED_SCORES[value.lower()]()
    if isinstance(value, type) and issubclass(value, LocalScore):
        raise ArgumentError(
            f"score is the class {value.__name__}; give an instance, {value.__name__}()"
        )
    if callable(value):
        return FunctionScore(value)
    raise ArgumentError(
        f"score is {shown(value)}; give one of {quoted(NAMED_SCORES)}, a score such as BDeu(), or "
        "a function of a node and its parents"
    )
