"""Static columns: what is the same at all times of a subject, known at one of them or at none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import Column
from arcwise.data.incomplete import OBSERVED
from arcwise.data.messages import suggestion
from arcwise.data.table import Data
from arcwise.errors import ArgumentError, DataError, option
from arcwise.series.order import Rows
from arcwise.series.reading import TableInTime
from arcwise.support.names import as_list
from arcwise.support.words import quoted, shown

STATIC = option("static")


def static_columns(
    read: TableInTime, rows: Rows, declared: str | Sequence[str] | None
) -> tuple[str, ...]:
    """Return the columns that do not change within any subject, the declared ones among them.

    Parameters
    ----------
    read, rows
        The table, and its rows in order.
    declared
        The columns that are said to be static; None for none.
    """
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
        # A column that never changes at all would be refused as constant, if that were asked.
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
    """Return the table with static values at all times of a subject that has them at one.

    Parameters
    ----------
    read, rows, static
        The table, its rows in order, and its static columns.
    """
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
    data = read.data
    about = data.notes, data.preparation, data.name
    return replace(read, data=Data(columns, data.weights, data.intervened, *about), missing=missing)


def unknown_values(read: TableInTime, rows: Rows, static: Sequence[str]) -> NDArray[np.int64]:
    """Return a number for each value that is missing, as [row, variable]; -1 for all others.

    A value of a subject, a time and a variable is one unknown; a static one is the same at all
    times.

    Parameters
    ----------
    read, rows, static
        As for `with_static_known`, after it.
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
    """Return for each place in order the first row of its subject with a value; the first if none.

    Rows are those of the table.
    """
    starts = rows.starts()
    length = len(rows.order)
    known = np.where(gaps[rows.order], length, np.arange(length))
    first = np.minimum.reduceat(known, starts)
    first = np.where(first == length, starts, first)
    counts = np.diff(np.append(starts, length))
    return np.asarray(rows.order[np.repeat(first, counts)])
