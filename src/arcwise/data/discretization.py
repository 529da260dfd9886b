"""`discretize`: cut continuous columns into intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from arcwise.data.columns import Column
from arcwise.data.encoding import (
    DEFAULT_BINS,
    Cut,
    Discretization,
    Method,
    checked_bins,
    checked_breaks,
    cut,
    discrete,
)
from arcwise.data.examination import numbers_of
from arcwise.data.messages import checked_mapping, fewer_intervals, warn, with_sizes
from arcwise.data.reader import read_table
from arcwise.data.reading import Reading
from arcwise.data.sources import raw_column_of
from arcwise.data.table import Data
from arcwise.errors import ArgumentError, option
from arcwise.support.checks import one_of
from arcwise.support.names import as_list
from arcwise.support.settings import Settings, keywords_of, setting
from arcwise.support.words import quoted, shown


@dataclass(frozen=True, kw_only=True)
class _Cutting(Settings):
    """Which columns are cut into intervals, and how."""

    method: Method = setting(
        "quantile",
        '"quantile": intervals that hold about the same number of rows; "uniform": intervals of '
        "about the same width.",
        check=one_of(Method),
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
        None,
        "Cut points by column; they take precedence over `method` and `bins`.",
        check=checked_mapping,
    )

    @property
    def cuts(self) -> Discretization:
        """How each column is cut."""
        points = {name: checked_breaks(name, given) for name, given in (self.breaks or {}).items()}
        own_bins = self.bins if isinstance(self.bins, Mapping) else {}
        others = Cut(
            self.method,
            DEFAULT_BINS if isinstance(self.bins, Mapping) else checked_bins(None, self.bins),
        )
        named = {
            name: Cut(self.method, checked_bins(name, count)) for name, count in own_bins.items()
        }
        named |= {name: Cut(points=given) for name, given in points.items()}
        if self.columns is None:
            named_by = dict.fromkeys(own_bins, "bins") | dict.fromkeys(points, "breaks")
            return Discretization(others, named, named_by)
        given = [self.columns] if isinstance(self.columns, str) else self.columns
        columns = as_list(given, "columns", "a list of names")
        wrong = [name for name in columns if not isinstance(name, str)]
        if wrong:
            raise ArgumentError(f"columns holds {shown(wrong[0])}; give names of columns")
        left_out = [name for name in named if name not in columns]
        if left_out:
            raise ArgumentError(
                f"bins or breaks name {quoted(left_out)}, which columns leaves out; add the name "
                "to columns, or drop it from bins and breaks"
            )
        chosen = {name: named.get(name, others) for name in columns}
        return Discretization(None, chosen, dict.fromkeys(columns, "columns"))


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
    how = cutting.cuts
    if reading.discretize is not None:
        raise ArgumentError("discretize has no argument 'discretize'; give method, bins or breaks")
    if not isinstance(data, Data) or reading.specified:
        return read_table(data, replace(reading, discretize=cast(Any, how)))
    how.check_names(data.variables, option("discretize"))
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
