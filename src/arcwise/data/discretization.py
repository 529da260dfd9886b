"""Discretize continuous columns: cut them into intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import MAX_LEVELS, Column, DiscreteColumn
from arcwise.data.completeness import check_choice
from arcwise.data.encoding import check_variable
from arcwise.data.messages import check_mapping, warn
from arcwise.data.reader import read
from arcwise.data.table import Data
from arcwise.errors import ArgumentError, DataError, Wording
from arcwise.support import words
from arcwise.support.names import as_list
from arcwise.support.words import plural, quoted

METHODS = ("quantile", "uniform")
DEFAULT_BINS = 3
MIN_DIGITS = 4
ROUND_TRIP_DIGITS = 17


def discretize(
    data: Any,
    *,
    method: Literal["quantile", "uniform"] = "quantile",
    bins: int | Mapping[str, int] = DEFAULT_BINS,
    columns: Sequence[str] | None = None,
    breaks: Mapping[str, Sequence[float]] | None = None,
) -> Data:
    """Discretize continuous columns, so that a score for discrete data can use them.

    The levels are the intervals that hold a value, in ascending order, each closed on the
    left and open on the right: ``(-inf, 1.5)``, ``[1.5, 4)``, ``[4, inf)``. An interval
    without a value is not a level; if ties leave fewer levels than requested, there is a
    warning. Cut points that were not given in `breaks` are rounded to as few digits as
    keep every row in its interval.

    Parameters
    ----------
    data
        A Data, or anything that `read` accepts.
    method
        "quantile": intervals that hold about the same number of rows; "uniform":
        intervals of about the same width.
    bins
        The number of intervals, 2 or more, for all columns or by name (3 for the others).
    columns
        The columns to discretize. By default all continuous ones and those named in `bins`
        and `breaks`; a column of integers is discretized only if it is named.
    breaks
        Cut points by column; they take precedence over `method` and `bins`.

    Returns
    -------
    Data
        The table with those columns discrete; weights and interventions are kept.

    Examples
    --------
    >>> table = {"height": [1.5, 1.6, 1.7, 1.8, 1.9, 2.0]}
    >>> discretize(table, bins=2).to_dict()["height"]
    ['(-inf, 1.8)', '(-inf, 1.8)', '(-inf, 1.8)', '[1.8, inf)', '[1.8, inf)', '[1.8, inf)']
    >>> discretize(table, breaks={"height": [1.55]}).columns[0].levels
    ('(-inf, 1.55)', '[1.55, inf)')
    """
    check_choice(Wording("method", "the method of --discretize"), method, METHODS)
    table = read(data)
    if breaks is not None:
        check_mapping("breaks", breaks)
    cut_points = {name: _checked_breaks(name, points) for name, points in (breaks or {}).items()}
    named_bins = dict(bins) if isinstance(bins, Mapping) else {}
    for argument, names in (("breaks", cut_points), ("bins", named_bins)):
        for name in names:
            check_variable(name, table.variables, argument)
    chosen = _chosen(table, columns, {**cut_points, **named_bins})
    collapsed: dict[str, tuple[int, int]] = {}
    result: list[Column] = []
    for column in table.columns:
        if column.name not in chosen:
            result.append(column)
            continue
        values = _numbers(column)
        if column.name in cut_points:
            cuts = cut_points[column.name]
            wanted = len(cuts) + 1
        else:
            count = named_bins.get(column.name, DEFAULT_BINS) if named_bins else bins
            wanted = _checked_bins(column.name, count)
            cuts = _cuts(values, wanted, method)
        intervals = _intervals(column.name, values, cuts, exact=column.name in cut_points)
        if intervals.size < wanted:
            collapsed[column.name] = (intervals.size, wanted)
        result.append(intervals)
    if collapsed:
        shown = ", ".join(f"{name!r} ({a} of {b})" for name, (a, b) in collapsed.items())
        warn(
            f"some intervals hold no value, so that there are fewer levels than requested in "
            f"{shown}"
        )
    return Data(result, table.weights, table.intervened, table.name)


def _chosen(table: Data, columns: Sequence[str] | None, named: Mapping[str, Any]) -> set[str]:
    if columns is None:
        return {name for name, kind in table.kinds.items() if kind == "continuous"} | set(named)
    if isinstance(columns, str):
        columns = [columns]
    columns = as_list(columns, "columns", "a list of names")
    for name in columns:
        check_variable(name, table.variables, "columns")
    left_out = [name for name in named if name not in columns]
    if left_out:
        raise ArgumentError(
            f"bins or breaks name {quoted(left_out)}, which columns leaves out; add the name to "
            "columns, or drop it from bins and breaks"
        )
    return set(columns)


def _checked_breaks(name: str, points: Sequence[float]) -> NDArray[np.float64]:
    try:
        cuts = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        cuts = np.array([])
    if cuts.ndim != 1 or not cuts.size or not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
        raise ArgumentError(
            f"breaks[{name!r}] is {words.shown(points)}; give at least one finite number, in "
            "ascending order"
        )
    return cuts


def _checked_bins(name: str, count: object) -> int:
    whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
    if not whole or not 2 <= count <= MAX_LEVELS:  # type: ignore[operator]
        raise ArgumentError(
            f"the number of bins for {name!r} is {words.shown(count)}; give a whole number from 2 "
            f"to {MAX_LEVELS}"
        )
    return int(count)  # type: ignore[call-overload, no-any-return]


def _numbers(column: Column) -> NDArray[np.float64]:
    numbers = column.numbers()
    if numbers is None:
        raise DataError(
            f"column {column.name!r} is categorical and cannot be cut into intervals; leave it out "
            "of columns"
        )
    return numbers


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


def _intervals(
    name: str, values: NDArray[np.float64], cuts: NDArray[np.float64], *, exact: bool
) -> DiscreteColumn:
    codes = np.searchsorted(cuts, values, side="right")
    observed, positions = np.unique(codes, return_inverse=True)
    if len(observed) < 2:
        raise DataError(
            f"the values of column {name!r}, {values.min():.6g} to {values.max():.6g}, all fall "
            f"into one of {plural(len(cuts) + 1, 'interval')}; choose other breaks or another "
            "method, or leave the column out"
        )
    texts = [repr(cut) for cut in cuts.tolist()] if exact else _rounded(values, cuts, codes)
    edges = ["-inf", *(text.removesuffix(".0") for text in texts), "inf"]
    labels = [
        f"{'[' if code else '('}{edges[code]}, {edges[code + 1]})" for code in observed.tolist()
    ]
    return DiscreteColumn(name, positions.astype(np.uint16), tuple(labels))


def _rounded(
    values: NDArray[np.float64], cuts: NDArray[np.float64], codes: NDArray[np.int64]
) -> list[str]:
    """Round the cuts to the fewest digits that keep every value in its interval."""
    for digits in range(MIN_DIGITS, ROUND_TRIP_DIGITS):
        texts = [f"{cut:.{digits}g}" for cut in cuts.tolist()]
        rounded = np.array(texts, dtype=np.float64)
        if (np.diff(rounded) > 0).all() and np.array_equal(
            np.searchsorted(rounded, values, side="right"), codes
        ):
            return texts
    return [repr(cut) for cut in cuts.tolist()]
