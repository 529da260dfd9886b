"""`latest_slices`: the last slices of each subject, from which the next one is forecast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.raw import RawColumn, RawLabels, RawNumbers
from arcwise.data.slices import Slices
from arcwise.errors import DataError
from arcwise.series.order import Rows, ordered_rows
from arcwise.series.reading import set_aside
from arcwise.support.words import quoted, shown


def latest_slices(
    table: Any, slices: Slices, time: str | None, subject: str | None
) -> tuple[Sequence[object], dict[str, list[object]]]:
    """Return the subjects, and what stands before the next slice of each, by column.

    Parameters
    ----------
    table
        The history: rows in time, as `time_series` takes them.
    slices
        The lagged columns to fill.
    time, subject
        The columns of times and subjects; None for none.
    """
    aside = set_aside(table, time, subject)
    known = aside.raw([*slices.variables, *slices.static])
    absent = [name for name in (*slices.variables, *slices.static) if name not in known]
    needed = [name for name in absent if name in slices.static or slices.lags]
    if needed:
        raise DataError(
            f"the history lacks {quoted(needed)}, from which the next slice is forecast; give a "
            "table with the columns that were learned from"
        )
    rows = ordered_rows(aside.times, aside.subjects, aside.names, split=True)
    # The last row of each subject, and how many steps before the next slice each row is.
    last = np.append(rows.starts()[1:], len(rows.order)) - 1
    columns: dict[str, list[object]] = {}
    for place in slices.places:
        if place.lag == 0:
            continue
        back = last
        if place.lag is not None and place.lag > 1:
            back = rows.earlier(place.lag - 1)[last]
            if (back < 0).any():
                short = int(np.flatnonzero(back < 0)[0])
                who = aside.names[int(rows.subjects[last[short]])]
                raise DataError(
                    f"the history{'' if who is None else f' of {shown(who)}'} has no row "
                    f"{place.lag} steps before the next slice; give at least {max(slices.lags)} "
                    "rows without a gap at its end"
                )
        if place.lag is None:
            back = _last_known(known[place.variable], rows, back)
        columns[place.name] = _values(known[place.variable], rows.order[back].tolist())
    return [aside.names[int(rows.subjects[row])] for row in last.tolist()], columns


def _last_known(column: RawColumn, rows: Rows, last: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the last place of each subject with a value; its last of all if there is none."""
    places = np.where(column.missing[rows.order], -1, np.arange(len(rows.order)))
    found = np.maximum.reduceat(places, rows.starts())
    return np.asarray(np.where(found < 0, last, found))


def _values(column: RawColumn, rows: Sequence[int]) -> list[object]:
    if isinstance(column, RawLabels):
        return [None if column.codes[row] < 0 else column.levels[column.codes[row]] for row in rows]
    assert isinstance(column, RawNumbers)
    return [None if column.missing[row] else column.values[row].item() for row in rows]
