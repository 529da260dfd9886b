"""`read_in_time`: a table, with its columns of times and subjects set aside."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.examination import examine
from arcwise.data.incomplete import IncompleteData
from arcwise.data.messages import suggestion, warn
from arcwise.data.raw import RawColumn, RawLabels, RawNumbers, UnusableColumnError
from arcwise.data.reader import DEFAULTS
from arcwise.data.sources import RENAME, checked_names, named_columns, raw_column, raw_column_of
from arcwise.data.table import Data
from arcwise.errors import ArgumentError, DataError, Wording, option
from arcwise.series.clock import TIME, Times, read_times
from arcwise.support.words import shown

SUBJECT = option("subject")


@dataclass(frozen=True, eq=False)
class TableInTime:
    """A table as it was read, in the order of its rows.

    Parameters
    ----------
    data
        Its variables.
    times
        The time of each row; None if they are in order.
    subjects
        The number of the subject of each row.
    names
        The names of the subjects; None if there is one without a name.
    missing
        Where values are missing and to be imputed, as [row, variable]; None if nowhere.
    """

    data: Data
    times: Times | None
    subjects: NDArray[np.int64]
    names: Sequence[object]
    missing: NDArray[np.bool_] | None = None

    def values(self, variable: str) -> NDArray[Any]:
        """Return the codes or numbers of a column, with placeholders where they are missing."""
        return self.data.columns[self.data.index(variable)].computable()

    def gaps(self, variable: str) -> NDArray[np.bool_]:
        """Return in which rows a value is missing."""
        if self.missing is None:
            return np.zeros(self.data.rows, dtype=np.bool_)
        return self.missing[:, self.data.index(variable)]


@dataclass(frozen=True, eq=False)
class Aside:
    """A table's columns of times and subjects, and the others as they come.

    Parameters
    ----------
    times
        The time of each row; None if they are in order.
    subjects
        The number of the subject of each row.
    names
        The names of the subjects; None if there is one without a name.
    others
        The other columns, by name.
    """

    times: Times | None
    subjects: NDArray[np.int64]
    names: Sequence[object]
    others: Mapping[str, Any]

    def raw(self, names: Sequence[str]) -> dict[str, RawColumn]:
        """Return those of the named columns that the table has."""
        chosen = {name: self.others[name] for name in names if name in self.others}
        return {name: _raw(name, values) for name, values in chosen.items()}


def set_aside(
    table: Any, time: str | None, subject: str | None, names: Sequence[str] | None = None
) -> Aside:
    """Return the times and subjects of a table's rows, and its other columns.

    Parameters
    ----------
    table, names
        Anything `arcwise.read` takes, and the names of its columns if it has none.
    time, subject
        The names of these columns; None for none.
    """
    columns = _columns(table, names)
    times = None if time is None else read_times(time, _column(time, columns, TIME))
    whose = None if subject is None else _column(subject, columns, SUBJECT)
    others = {name: values for name, values in columns.items() if name not in (time, subject)}
    if not others:
        raise DataError("the table has no columns besides times and subjects; give some variables")
    if subject is None or whose is None:
        first = next(iter(others.values()))
        rows = len(first.missing) if isinstance(first, RawNumbers | RawLabels) else len(first)
        return Aside(times, np.zeros(rows, dtype=np.int64), [None], others)
    codes, found = _numbered(_subjects(subject, whose))
    return Aside(times, codes, found, others)


def read_in_time(
    table: Any, time: str | None, subject: str | None, reading: Mapping[str, Any]
) -> TableInTime:
    """Read a table; times and subjects are no variables of it.

    Parameters
    ----------
    table, time, subject
        As for `set_aside`.
    reading
        Further arguments of `arcwise.read`.
    """
    options = DEFAULTS | dict(reading)
    aside = set_aside(table, time, subject, options["names"])
    options["names"] = None
    rest = list(aside.others)
    chosen = table.select(rest) if isinstance(table, Data) else aside.others
    examined = examine(chosen, options, empty_rows=True)
    if isinstance(table, str | os.PathLike):
        examined.name = Path(table).name
    for warning in examined.warnings:
        warn(warning)
    data = examined.data()
    if isinstance(data, IncompleteData):
        return TableInTime(data.table, aside.times, aside.subjects, aside.names, data.missing)
    if examined.kept is None:
        return TableInTime(data, aside.times, aside.subjects, aside.names)
    times = None if aside.times is None else aside.times.take(examined.kept)
    return TableInTime(data, times, aside.subjects[examined.kept], aside.names)


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
