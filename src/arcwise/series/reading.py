"""`read_in_time`: the table of a time series, its times and subjects, and its static columns."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import Column
from arcwise.data.incomplete import OBSERVED, IncompleteData
from arcwise.data.raw import RawColumn, RawLabels, RawNumbers, UnusableColumnError, suggestion, warn
from arcwise.data.reader import Reading, examine
from arcwise.data.sources import RENAME, checked_names, named_columns, raw_column, raw_column_of
from arcwise.data.table import Data, Slices
from arcwise.errors import ArgumentError, DataError, Wording, option
from arcwise.series.order import TIME, Rows, Times, ordered_rows, read_times
from arcwise.support.names import as_list, quoted, shown

SUBJECT = option("subject")
STATIC = option("static")


@dataclass(frozen=True, eq=False)
class TableInTime:
    """A table of a time series, with its rows in their original order."""

    data: Data  # the variables
    times: Times | None  # None if the rows are in order
    subjects: NDArray[np.int64]  # the number of each row's subject
    names: Sequence[object]  # the names of the subjects; [None] for a single one without a name
    # The mask of values to be imputed, as [row, variable]; None if no value is missing.
    missing: NDArray[np.bool_] | None = None

    def values(self, variable: str) -> NDArray[Any]:
        """Return the codes or numbers of a column, with placeholders where they are missing."""
        return self.data.columns[self.data.index(variable)].computable()

    def gaps(self, variable: str) -> NDArray[np.bool_]:
        """Return the mask of rows in which a variable is missing."""
        if self.missing is None:
            return np.zeros(self.data.rows, dtype=np.bool_)
        return self.missing[:, self.data.index(variable)]


@dataclass(frozen=True, eq=False)
class _SplitTable:
    """The times and subjects of a table's rows, and its other columns."""

    times: Times | None  # None if the rows are in order
    subjects: NDArray[np.int64]  # the number of each row's subject
    names: Sequence[object]  # the names of the subjects; [None] for a single one without a name
    others: Mapping[str, Any]  # raw columns by name

    def raw(self, names: Sequence[str]) -> dict[str, RawColumn]:
        """Return the named columns that exist."""
        chosen = {name: self.others[name] for name in names if name in self.others}
        return {name: _raw(name, values) for name, values in chosen.items()}


def _split_table(
    table: Any, time: str | None, subject: str | None, names: Sequence[str] | None = None
) -> _SplitTable:
    """Split off the columns of times and subjects of a table."""
    columns = _columns(table, names)
    times = None if time is None else read_times(time, _column(time, columns, TIME))
    whose = None if subject is None else _column(subject, columns, SUBJECT)
    others = {name: values for name, values in columns.items() if name not in (time, subject)}
    if not others:
        raise DataError("the table has no columns besides times and subjects; give some variables")
    if subject is None or whose is None:
        first = next(iter(others.values()))
        rows = len(first.missing) if isinstance(first, RawNumbers | RawLabels) else len(first)
        return _SplitTable(times, np.zeros(rows, dtype=np.int64), [None], others)
    codes, found = _numbered(_subjects(subject, whose))
    return _SplitTable(times, codes, found, others)


def read_in_time(
    table: Any, time: str | None, subject: str | None, reading: Reading
) -> TableInTime:
    """Read the variables of a table, and its times and subjects."""
    split = _split_table(table, time, subject, reading.names)
    rest = list(split.others)
    chosen = table.select(rest) if isinstance(table, Data) else split.others
    examined = examine(chosen, replace(reading, names=None), empty_rows=True)
    if isinstance(table, str | os.PathLike):
        examined.name = Path(table).name
    for warning in examined.warnings:
        warn(warning)
    found, times, subjects = examined.data(), split.times, split.subjects
    if examined.kept is not None:
        times = None if times is None else times.take(examined.kept)
        subjects = subjects[examined.kept]
    if isinstance(found, IncompleteData):
        return TableInTime(found.table, times, subjects, split.names, found.missing)
    return TableInTime(found, times, subjects, split.names)


def _columns(table: Any, names: Any) -> dict[str, Any]:
    if isinstance(table, Data):
        if table.slices is not None:
            raise ArgumentError("the table has lagged columns already; give the one without them")
        return {column.name: raw_column_of(column) for column in table.columns}
    pairs = named_columns(table, names)
    found = checked_names([name for name, _ in pairs], RENAME)
    return {name: values for name, (_, values) in zip(found, pairs, strict=True)}


def _column(name: object, columns: Mapping[str, Any], argument: Wording) -> Any:
    if not isinstance(name, str):
        raise ArgumentError(argument, f" is {shown(name)}; give the name of a column")
    if name not in columns:
        hint = suggestion(name, list(columns))
        raise ArgumentError(argument, f" names {name!r}, which is not a column{hint}")
    return columns[name]


def _raw(name: str, values: Any) -> RawColumn:
    if isinstance(values, RawNumbers | RawLabels):
        return values
    try:
        return raw_column(name, values)
    except UnusableColumnError as error:
        raise DataError(f"column {name!r} {error}; give numbers or text") from None


def _subjects(name: str, values: Any) -> RawColumn:
    column = _raw(name, values)
    gaps = np.flatnonzero(column.missing)
    if len(gaps):
        raise DataError(
            f"the column of subjects {name!r} has no value in row {gaps[0] + 1}; give every row "
            "its subject, or leave these rows out"
        )
    return column


def _numbered(column: RawColumn) -> tuple[NDArray[np.int64], Sequence[Any]]:
    """Return the number of the subject of each row, and the names of the subjects."""
    values = column.codes if isinstance(column, RawLabels) else column.values
    distinct, codes = np.unique(values, return_inverse=True)
    names = distinct.tolist()
    if isinstance(column, RawLabels):
        names = [column.levels[code] for code in names]
    return codes.reshape(-1).astype(np.int64), names


def static_columns(
    read: TableInTime, rows: Rows, declared: str | Sequence[str] | None
) -> tuple[str, ...]:
    """Return the declared columns and all others that do not change within any subject."""
    data, names = read.data, read.names
    if isinstance(declared, str):
        declared = [declared]
    wanted = [] if declared is None else as_list(declared, STATIC, "a list of columns")
    for name in wanted:
        if not isinstance(name, str) or name not in data.variables:
            hint = suggestion(str(name), data.variables)
            raise ArgumentError(STATIC, f" names {shown(name)}, which is not a column{hint}")
    several = len(rows.starts()) > 1
    found = []
    for name in data.variables:
        values, gaps = read.values(name), read.gaps(name)
        known = values[_first_known(rows, gaps)]
        changed = np.flatnonzero((values[rows.order] != known) & ~gaps[rows.order])
        if name in wanted and len(changed):
            who = names[rows.subjects[changed[0]]]
            raise DataError(
                STATIC,
                f" names {name!r}, which changes"
                + ("" if who is None else f" within the subject {shown(who)}")
                + "; leave it out, as only what is the same at all times is static",
            )
        # With a single subject, a column that never changes is constant rather than static.
        if name in wanted or (not len(changed) and several):
            found.append(name)
    if len(found) == len(data.columns):
        raise DataError(
            f"{quoted(found)} {'does' if len(found) == 1 else 'do'} not change within any subject, "
            "so that nothing happens in time; give columns that do, or learn from one row for each "
            "subject"
        )
    return tuple(found)


def with_static_known(read: TableInTime, rows: Rows, static: Sequence[str]) -> TableInTime:
    """Return the table with each known static value at all times of its subject."""
    if read.missing is None or not static:
        return read
    missing = read.missing.copy()
    columns: list[Column] = list(read.data.columns)
    for name in static:
        place = read.data.index(name)
        source = np.empty(read.data.rows, dtype=np.int64)
        source[rows.order] = _first_known(rows, read.gaps(name))
        columns[place] = columns[place].take(source)
        missing[:, place] = missing[source, place]
    return replace(read, data=read.data.replaced(columns=columns), missing=missing)


def unknown_values(read: TableInTime, rows: Rows, static: Sequence[str]) -> NDArray[np.int64]:
    """Return a number for each missing value, as [row, variable]; -1 for observed values.

    A missing value of a subject, a time and a variable is a single unknown, and a static variable
    has one for all times.
    """
    count = len(read.data.variables)
    if read.missing is None:
        return np.full((read.data.rows, count), OBSERVED, dtype=np.int64)
    numbers = np.arange(read.data.rows)[:, np.newaxis] * count + np.arange(count)
    first = np.empty(read.data.rows, dtype=np.int64)
    first[rows.order] = _first_known(rows, np.zeros(read.data.rows, dtype=np.bool_))
    for name in static:
        place = read.data.index(name)
        numbers[:, place] = numbers[first, place]
    return np.where(read.missing, numbers, OBSERVED)


def _first_known(rows: Rows, gaps: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each place the first row of its subject with a value, otherwise its first row."""
    starts = rows.starts()
    length = len(rows.order)
    known = np.where(gaps[rows.order], length, np.arange(length))
    first = np.minimum.reduceat(known, starts)
    first = np.where(first == length, starts, first)
    counts = np.diff(np.append(starts, length))
    return np.asarray(rows.order[np.repeat(first, counts)])


def latest_slices(
    table: Any, slices: Slices, time: str | None, subject: str | None
) -> tuple[Sequence[object], dict[str, list[object]]]:
    """Return the subjects, and by column the last slices of each, to forecast the next one."""
    split = _split_table(table, time, subject)
    known = split.raw([*slices.variables, *slices.static])
    absent = [name for name in (*slices.variables, *slices.static) if name not in known]
    needed = [name for name in absent if name in slices.static or slices.lags]
    if needed:
        raise DataError(
            f"the history lacks {quoted(needed)}, from which the next slice is forecast; give a "
            "table with the columns that were learned from"
        )
    rows = ordered_rows(split.times, split.subjects, split.names, split=True)
    last = np.append(rows.starts()[1:], len(rows.order)) - 1  # the last row of each subject
    columns: dict[str, list[object]] = {}
    for place in slices.places:
        if place.lag == 0:
            continue
        back = last
        if place.lag is not None and place.lag > 1:
            back = rows.earlier(place.lag - 1)[last]
            if (back < 0).any():
                short = int(np.flatnonzero(back < 0)[0])
                who = split.names[int(rows.subjects[last[short]])]
                raise DataError(
                    f"the history{'' if who is None else f' of {shown(who)}'} has no row "
                    f"{place.lag} steps before the next slice; give at least {max(slices.lags)} "
                    "rows without a gap at its end"
                )
        if place.lag is None:
            back = _last_known(known[place.variable], rows, back)
        columns[place.name] = _values(known[place.variable], rows.order[back].tolist())
    return [split.names[int(rows.subjects[row])] for row in last.tolist()], columns


def _last_known(column: RawColumn, rows: Rows, last: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the last place of each subject with a value, otherwise its last place."""
    places = np.where(column.missing[rows.order], -1, np.arange(len(rows.order)))
    found = np.maximum.reduceat(places, rows.starts())
    return np.asarray(np.where(found < 0, last, found))


def _values(column: RawColumn, rows: Sequence[int]) -> list[object]:
    if isinstance(column, RawLabels):
        return [None if column.codes[row] < 0 else column.levels[column.codes[row]] for row in rows]
    assert isinstance(column, RawNumbers)
    return [None if column.missing[row] else column.values[row].item() for row in rows]
