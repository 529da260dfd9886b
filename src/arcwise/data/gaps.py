"""Missing values of a table that is read: refused, dropped, a level, or cells to be imputed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from arcwise.data import completeness, wording
from arcwise.data.intervals import Discretization
from arcwise.data.raw import RawColumn
from arcwise.errors import option
from arcwise.support.words import counted, plural

if TYPE_CHECKING:
    from arcwise.data.examination import Examination

_FEWEST_ROWS = 2


def without_gaps(
    table: Examination, columns: list[RawColumn], cuts: Discretization, missing: str
) -> list[RawColumn]:
    """Return the columns without rows or columns that have gaps, as `missing` says.

    Where values are a level of their own or to be imputed, the gaps stay.

    Parameters
    ----------
    table
        The table, to which problems, warnings and notes are added.
    columns
        Its columns.
    cuts
        Which columns will be cut into intervals.
    missing
        The argument of `read`.
    """
    counts = completeness.missing_counts(columns)
    if not counts:
        return columns
    if missing == "impute":
        return columns
    if missing == "error":
        table.problems.add_imputable(completeness.missing_values_problem(columns, counts))
        return _present(table, columns, counts)
    if missing == "level":
        whole = {
            name: count
            for name, count in counts.items()
            if table.kinds[name] == "continuous" and cuts.cut_for(name, "continuous") is None
        }
        if whole:
            table.problems.add(completeness.missing_level_problem(whole))
            return _present(table, columns, whole)
        table.notes.append(f"Missing values are a level of their own in {counted(counts)}.")
        table.preparation = table.preparation.with_missing_level(tuple(counts))
        return columns
    keep = completeness.complete_rows(columns)
    dropped, rows = int((~keep).sum()), len(keep)
    if rows - dropped < 2:
        table.problems.add(
            f"dropping the rows with missing values leaves {rows - dropped} of "
            f"{plural(rows, 'row')}; give at least 2 complete rows, or leave out some of the "
            f"columns concerned, {counted(counts)}, with ",
            option("drop"),
        )
        return _present(table, columns, counts)
    why = f"since values are missing in {counted(counts)}"
    table.warn(f"dropped {dropped:,} of {plural(rows, 'row')}, {why}")
    table.notes.append(f"{dropped:,} of {plural(rows, 'row')} were dropped, {why}.")
    table.preparation = table.preparation.with_dropped(dropped)
    table.kept = keep
    table.weights = None if table.weights is None else table.weights[keep]
    table.mask = None if table.mask is None else table.mask[keep]
    return [column.take(keep) for column in columns]


def with_placeholders(
    table: Examination,
    columns: list[RawColumn],
    variables: Sequence[str],
    *,
    empty_rows: bool = False,
) -> list[RawColumn]:
    """Note which cells are to be imputed, and return the columns with something in them.

    Rows without any value say nothing about anything, and are left out, unless `empty_rows` are
    to stay: in time, they stand between others.
    """
    counts = completeness.missing_counts(columns)
    empty = [column.name for column in columns if completeness.is_empty(column)]
    if not counts or empty or not columns:
        if empty:
            table.problems.add(*wording.nothing_to_impute_from(empty))
        return [column for column in columns if column.name not in empty]
    keep = ~np.logical_and.reduce([column.missing for column in columns])
    keep |= empty_rows
    left, rows = int((~keep).sum()), len(keep)
    if rows - left < _FEWEST_ROWS:
        table.problems.add(f"only {plural(rows - left, 'row')} of {rows} has a value; give 2 rows")
        return columns
    if left:
        table.notes.append(
            f"{left:,} of {plural(rows, 'row')} were left out, since no value is there."
        )
        columns = [column.take(keep) for column in columns]
        table.weights = None if table.weights is None else table.weights[keep]
        table.mask = None if table.mask is None else table.mask[keep]
        counts = completeness.missing_counts(columns)
    if table.mask is not None:
        both = {
            column.name: count
            for column in columns
            if (count := int((column.missing & table.mask[:, variables.index(column.name)]).sum()))
        }
        if both:
            table.problems.add(*wording.intervened_but_missing(both))
            return columns
    table.gaps = {column.name: column.missing for column in columns if column.name in counts}
    if not counts:
        return columns
    table.preparation = table.preparation.with_imputed(counts)
    return [completeness.filled(column) for column in columns]


def _present(
    table: Examination, columns: list[RawColumn], gappy: Mapping[str, int]
) -> list[RawColumn]:
    """Return the columns, some with the values only that they have, to find other problems."""
    table.undecided |= set(gappy)
    return [each.take(~each.missing) if each.name in gappy else each for each in columns]
