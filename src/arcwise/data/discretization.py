"""`discretize`: cut continuous columns into intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from arcwise.data.columns import Column
from arcwise.data.encoding import DEFAULT_BINS, Discretization, Method, cut, discrete
from arcwise.data.examination import numbers_of
from arcwise.data.messages import warn
from arcwise.data.reader import read_table
from arcwise.data.reading import Reading
from arcwise.data.sources import raw_column_of
from arcwise.data.table import Data
from arcwise.data.wording import fewer_intervals, with_sizes
from arcwise.errors import ArgumentError
from arcwise.support.settings import Settings, keywords_of, setting


@dataclass(frozen=True, kw_only=True)
class _Cutting(Settings):
    """Which columns are cut into intervals, and how."""

    method: Method = setting(
        "quantile",
        '"quantile": intervals that hold about the same number of rows; "uniform": intervals of '
        "about the same width.",
    )
    bins: int | Mapping[str, int] = setting(
        DEFAULT_BINS,
        "The number of intervals, 2 or more, for all columns or by name (3 for the others).",
    )
    columns: Sequence[str] | None = setting(
        None,
        "The columns to discretize. By default all continuous ones and those named in `bins` and "
        "`breaks`; a column of integers is discretized only if it is named.",
    )
    breaks: Mapping[str, Sequence[float]] | None = setting(
        None, "Cut points by column; they take precedence over `method` and `bins`."
    )


@dataclass(frozen=True, kw_only=True)
class _Arguments(Reading, _Cutting):
    """The arguments of `discretize`."""

    data: Any = field(kw_only=False)


@keywords_of(_Arguments, described_by=(Reading,))
def discretize(data: Any, cutting: _Cutting, reading: Reading) -> Any:
    """Discretize continuous columns, so that a score for discrete data can use them.

    The levels are the intervals that hold a value, in ascending order, each closed on the
    left and open on the right: ``(-inf, 1.5)``, ``[1.5, 4)``, ``[4, inf)``. An interval
    without a value is not a level; if ties leave fewer levels than requested, there is a
    warning. Cut points that were not given in `breaks` are rounded to as few digits as
    keep every row in its interval.

    Besides the arguments described here, it takes those of `arcwise.read`, such as
    ``missing="level"``, which makes missing a level beside the intervals.

    Parameters
    ----------
    data
        A Data, or anything that `read` accepts.

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
    how = Discretization.of(cutting.method, cutting.bins, cutting.columns, cutting.breaks)
    if reading.discretize is not None:
        raise ArgumentError("discretize has no argument 'discretize'; give method, bins or breaks")
    if not isinstance(data, Data) or reading.specified:
        return read_table(data, replace(reading, discretize=cast(Any, how)))
    how.check_names(data.variables)
    result: list[Column] = []
    collapsed: dict[str, tuple[int, int]] = {}
    done: dict[str, int] = {}
    for column in data.columns:
        chosen = how.cut_for(column.name, column.kind.name)
        if chosen is None:
            result.append(column)
            continue
        intervals = cut(column.name, numbers_of(raw_column_of(column)), chosen)
        if len(intervals.levels) < chosen.wanted:
            collapsed[column.name] = (len(intervals.levels), chosen.wanted)
        done[column.name] = len(intervals.levels)
        result.append(discrete(intervals, None))
    if collapsed:
        warn(fewer_intervals(collapsed))
    notes = [f"Cut into intervals: {with_sizes(done, 'intervals')}."] if done else []
    return data.replaced(
        columns=result,
        notes=[*data.notes, *notes],
        preparation=data.preparation.with_discretized(done),
    )
