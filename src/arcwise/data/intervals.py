"""`Discretization`: which columns are cut into intervals and how, and the cutting itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import MAX_LEVELS, KindName
from arcwise.data.completeness import check_choice
from arcwise.data.encoding import check_variable
from arcwise.data.messages import check_mapping
from arcwise.data.options import DISCRETIZATION_METHOD
from arcwise.data.raw import RawLabels
from arcwise.errors import ArgumentError, DataError, option
from arcwise.support import words
from arcwise.support.checks import real_numbers
from arcwise.support.names import as_list
from arcwise.support.words import plural, quoted

Method = Literal["quantile", "uniform"]

METHODS = ("quantile", "uniform")
DEFAULT_BINS = 3
MIN_DIGITS = 4
ROUND_TRIP_DIGITS = 17


@dataclass(frozen=True, eq=False)
class Cut:
    """How one column is cut: by a method into bins, or at given points."""

    method: str = "quantile"
    bins: int = DEFAULT_BINS
    points: NDArray[np.float64] | None = None

    @property
    def wanted(self) -> int:
        """The number of intervals asked for."""
        return self.bins if self.points is None else len(self.points) + 1


@dataclass(frozen=True, eq=False)
class Discretization:
    """Which columns are cut into intervals, and how each of them.

    Parameters
    ----------
    others
        How continuous columns without an entry of their own are cut; None to leave them as
        they are.
    columns
        How the columns of these names are cut, whatever their kind.
    named_by
        The argument that names each of these columns, where it is not `discretize`.
    """

    others: Cut | None = None
    columns: Mapping[str, Cut] = field(default_factory=dict)
    named_by: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, value: Any) -> Discretization:
        """Return the discretization that a user's words stand for.

        Parameters
        ----------
        value
            ``"quantile:3"`` or ``"uniform:4"``, for all continuous columns (without a number,
            3 intervals); or a mapping from columns to such a text, a number of intervals or a
            list of cut points. In the mapping the key None stands for all other continuous
            columns. Also a Discretization, or None for none.

        Examples
        --------
        >>> Discretization.parse({"age": [18, 65], "income": "uniform:4"}).columns["income"].bins
        4
        """
        if isinstance(value, Discretization):
            return value
        if value is None:
            return cls()
        if isinstance(value, str):
            return cls(_parsed(value))
        if not isinstance(value, Mapping):
            raise ArgumentError(
                option("discretize"),
                f" is {words.shown(value)}; give a method such as 'quantile:3', or a mapping from "
                "columns to methods, numbers of intervals or lists of cut points",
            )
        each = {name: _cut(name, given) for name, given in value.items()}
        return cls(each.pop(None, None), each)

    @classmethod
    def of(
        cls,
        method: str,
        bins: int | Mapping[str, int],
        columns: Sequence[str] | None,
        breaks: Mapping[str, Sequence[float]] | None,
    ) -> Discretization:
        """Return the discretization that the arguments of `discretize` stand for."""
        check_choice(DISCRETIZATION_METHOD, method, METHODS)
        if breaks is not None:
            check_mapping("breaks", breaks)
        points = {name: _checked_breaks(name, given) for name, given in (breaks or {}).items()}
        own_bins = bins if isinstance(bins, Mapping) else {}
        for_all = DEFAULT_BINS if isinstance(bins, Mapping) else bins
        named: dict[str, Cut] = {
            name: Cut(method, _checked_bins(name, count)) for name, count in own_bins.items()
        }
        named |= {name: Cut(points=given) for name, given in points.items()}
        named_by = dict.fromkeys(own_bins, "bins") | dict.fromkeys(points, "breaks")
        if columns is None:
            return cls(Cut(method, _checked_bins(None, for_all)), named, named_by)
        if isinstance(columns, str):
            columns = [columns]
        columns = as_list(columns, "columns", "a list of names")
        left_out = [name for name in named if name not in columns]
        if left_out:
            raise ArgumentError(
                f"bins or breaks name {quoted(left_out)}, which columns leaves out; add the name "
                "to columns, or drop it from bins and breaks"
            )
        chosen = {
            name: named[name] if name in named else Cut(method, _checked_bins(name, for_all))
            for name in map(_checked_name, columns)
        }
        return cls(None, chosen, dict.fromkeys(columns, "columns"))

    def check_names(self, variables: Sequence[str]) -> None:
        """Refuse names that are not variables."""
        for name in self.columns:
            check_variable(name, variables, self.named_by.get(name, option("discretize")))

    def cut_for(self, name: str, kind: KindName) -> Cut | None:
        """Return how a column of this kind is cut; None if it is not."""
        return self.columns.get(name, self.others if kind == "continuous" else None)


def cut(name: str, values: NDArray[np.float64], how: Cut) -> RawLabels:
    """Return the values as labels, the intervals they lie in; NaN is missing.

    The intervals are closed on the left and open on the right, and each holds a value.
    """
    gaps = np.isnan(values)
    present = values[~gaps]
    if not len(present):
        raise DataError(
            f"column {name!r} has no values to be cut into intervals; leave it out with ",
            option("drop", name),
        )
    cuts = _cuts(present, how.bins, how.method) if how.points is None else how.points
    places = np.searchsorted(cuts, present, side="right")
    observed, positions = np.unique(places, return_inverse=True)
    if len(observed) < 2:
        raise DataError(
            f"the values of column {name!r}, {present.min():.6g} to {present.max():.6g}, all fall "
            f"into one of {plural(len(cuts) + 1, 'interval')}; choose other breaks or another "
            "method, or leave the column out"
        )
    exact = how.points is not None
    texts = [repr(point) for point in cuts.tolist()] if exact else _rounded(present, cuts, places)
    edges = ["-inf", *(text.removesuffix(".0") for text in texts), "inf"]
    labels = [
        f"{'[' if place else '('}{edges[place]}, {edges[place + 1]})" for place in observed.tolist()
    ]
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~gaps] = positions
    return RawLabels(name, codes, tuple(labels), declared=True)


def _checked_name(name: Any) -> str:
    if not isinstance(name, str):
        raise ArgumentError(f"columns holds {words.shown(name)}; give names of columns")
    return name


def _parsed(text: str) -> Cut:
    method, _, bins = text.partition(":")
    check_choice(DISCRETIZATION_METHOD, method, METHODS)
    if bins and not (bins.isdecimal() and len(bins) < 10):
        raise ArgumentError(
            option("discretize"),
            f" has {words.shown(bins)} bins; give a whole number, as in quantile:3",
        )
    return Cut(method, _checked_bins(None, int(bins)) if bins else DEFAULT_BINS)


def _cut(name: object, given: Any) -> Cut:
    if isinstance(given, Cut):
        return given
    if isinstance(given, str):
        return _parsed(given)
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return Cut(bins=_checked_bins(name, given))
    return Cut(points=_checked_breaks(name, given))


def _checked_breaks(name: object, points: Any) -> NDArray[np.float64]:
    try:
        cuts = real_numbers(points, "breaks")
    except ArgumentError:
        cuts = np.array([])
    if cuts.ndim != 1 or not cuts.size or not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
        raise ArgumentError(
            f"breaks[{words.shown(name)}] is {words.shown(points)}; give at least one finite "
            "number, in ascending order"
        )
    return cuts


def _checked_bins(name: object, count: object) -> int:
    whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
    if not whole or not 2 <= count <= MAX_LEVELS:  # type: ignore[operator]
        of = "" if name is None else f" for {words.shown(name)}"
        raise ArgumentError(
            f"the number of bins{of} is {words.shown(count)}; give a whole number from 2 to "
            f"{MAX_LEVELS}"
        )
    return int(count)  # type: ignore[call-overload, no-any-return]


def _cuts(values: NDArray[np.float64], bins: int, method: str) -> NDArray[np.float64]:
    shares = np.arange(1, bins) / bins
    low, high = values.min(), values.max()
    if method == "uniform":
        # Not low + share * (high - low): the difference of two floats may overflow.
        return np.unique((1 - shares) * low + shares * high)
    cuts = np.quantile(values, shares, method="higher")
    # Each cut is an observed value, so no interval is empty, except the first if a cut were the
    # smallest value: ties there get an interval of their own.
    if low < high:
        cuts = np.where(cuts > low, cuts, values[values > low].min())
    return np.unique(cuts)


def _rounded(
    values: NDArray[np.float64], cuts: NDArray[np.float64], places: NDArray[np.int64]
) -> list[str]:
    """Round the cuts to the fewest digits that keep every value in its interval."""
    for digits in range(MIN_DIGITS, ROUND_TRIP_DIGITS):
        texts = [f"{cut:.{digits}g}" for cut in cuts.tolist()]
        rounded = np.array(texts, dtype=np.float64)
        if (np.diff(rounded) > 0).all() and np.array_equal(
            np.searchsorted(rounded, values, side="right"), places
        ):
            return texts
    return [repr(cut) for cut in cuts.tolist()]
