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
    """

    data: Data
    times: Times | None
    subjects: NDArray[np.int64]
    names: Sequence[object]


def read_in_time(
    table: Any, time: str | None, subject: str | None, reading: Mapping[str, Any]
) -> TableInTime:
    """Read a table; times and subjects are no variables of it.

    Parameters
    ----------
    table
        Anything `arcwise.read` takes.
    time, subject
        The names of these columns; None for none.
    reading
        Further arguments of `arcwise.read`.
    """
    options = DEFAULTS | dict(reading)
    columns = _columns(table, options["names"])
    if not isinstance(table, Data):
        options["names"] = None
    times = None if time is None else read_times(time, _column(time, columns, TIME))
    whose = None if subject is None else _subjects(subject, _column(subject, columns, SUBJECT))
    rest = {name: values for name, values in columns.items() if name not in (time, subject)}
    if not rest:
        raise DataError("the table has no columns besides times and subjects; give some variables")
    examined = examine(table.select(list(rest)) if isinstance(table, Data) else rest, options)
    if isinstance(table, str | os.PathLike):
        examined.name = Path(table).name
    for warning in examined.warnings:
        warn(warning)
    data = examined.data()
    kept = np.ones(len(examined.found[0].missing), dtype=np.bool_)
    if examined.kept is not None:
        kept = examined.kept
    codes, names = np.zeros(data.rows, dtype=np.int64), [None]
    if whose is not None:
        codes, names = _numbered(whose, kept)
    return TableInTime(data, None if times is None else times.take(kept), codes, names)


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


def _subjects(name: str, values: Any) -> RawColumn:
    try:
        known = isinstance(values, RawNumbers | RawLabels)
        column: RawColumn = values if known else raw_column(name, values)
    except UnusableColumnError as error:
        raise DataError(f"the column of subjects {name!r} {error}; give numbers or text") from None
    gaps = np.flatnonzero(column.missing)
    if len(gaps):
        raise DataError(
            f"the column of subjects {name!r} has no value in row {gaps[0] + 1}; give every row "
            "its subject, or leave these rows out"
        )
    return column


def _numbered(
    column: RawColumn, kept: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Sequence[Any]]:
    """Return the number of the subject of each row, and the names of the subjects."""
    values = column.codes if isinstance(column, RawLabels) else column.values
    distinct, codes = np.unique(values[kept], return_inverse=True)
    names = distinct.tolist()
    if isinstance(column, RawLabels):
        names = [column.levels[code] for code in names]
    return codes.reshape(-1).astype(np.int64), names
