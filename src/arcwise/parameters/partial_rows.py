"""New rows of which any values may be missing, read as the model's data were."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.messages import columns as columns_text
from arcwise.data.messages import warn
from arcwise.errors import DataError
from arcwise.parameters.new_rows import given_columns, scaled, values_of
from arcwise.support.words import near_miss, quoted


@dataclass(frozen=True, eq=False)
class PartialRows:
    """Rows with the variables of the model's data, some of whose values are known.

    Parameters
    ----------
    values
        Codes of levels, or numbers, as [row, variable]; 0 where unknown. Whole numbers if all
        variables are discrete.
    known
        Which of them are known.
    intervened
        Which variables were intervened on, and so say nothing about their parents.
    """

    values: NDArray[Any]
    known: NDArray[np.bool_]
    intervened: NDArray[np.bool_]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.values)

    def without(self, node: int) -> PartialRows:
        """Return the rows with one variable unknown."""
        known = self.known.copy()
        known[:, node] = False
        return PartialRows(self.values, known, self.intervened)

    def take(self, rows: slice | NDArray[Any]) -> PartialRows:
        """Return some of the rows."""
        return PartialRows(self.values[rows], self.known[rows], self.intervened[rows])

    def patterns(self) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64]]]:
        """Yield what is known and what was intervened on, with the rows that are so."""
        both = np.concatenate([self.known, self.intervened], axis=1)
        distinct, which = np.unique(both, axis=0, return_inverse=True)
        which = which.reshape(-1)
        rows = np.argsort(which, kind="stable")
        ends = np.cumsum(np.bincount(which, minlength=len(distinct)))
        n = self.known.shape[1]
        for pattern, own in zip(distinct, np.split(rows, ends[:-1]), strict=True):
            yield pattern[:n], pattern[n:], own


def read_partial_rows(table: Any, data: Data, *, continuous_only: bool) -> PartialRows:
    """Return the rows of a table that may lack columns and values of the model's data.

    Columns that are not variables of the model are left out with a warning.

    Parameters
    ----------
    table
        Anything `arcwise.read` accepts; a single row will do. The interventions of a `Data`
        are kept.
    data
        The data of the model.
    continuous_only
        Whether all columns are continuous, including those of whole numbers.
    """
    given = given_columns(table, data, "the table")
    rows = len(next(iter(given.values())).missing) if given else 0
    if rows == 0:
        raise DataError("the table has no rows; give at least one")
    _check_names(list(given), data)
    shape = rows, len(data.variables)
    some_numbers = continuous_only or "continuous" in data.kinds.values()
    values = np.zeros(shape, dtype=np.float64 if some_numbers else np.int64)
    known = np.zeros(shape, dtype=np.bool_)
    for place, column in enumerate(data.columns):
        if column.name not in given:
            continue
        name, numbers = column.name, continuous_only or not column.size
        found, there = values_of(given[name], column, numbers=numbers, table="the table")
        if numbers:
            found[there] = scaled(found[there], name, data, table, "the table")
        values[:, place], known[:, place] = found, there
    intervened = np.zeros(shape, dtype=np.bool_)
    if isinstance(table, Data) and table.intervened is not None:
        for place, name in enumerate(data.variables):
            if name in table.variables:
                intervened[:, place] = table.intervened[:, table.index(name)]
    return PartialRows(values, known, intervened)


def _check_names(given: list[str], data: Data) -> None:
    unknown = [name for name in given if name not in data.variables]
    if len(unknown) == len(given):
        raise DataError(
            f"the table has {columns_text(given)}, but none of the model's variables "
            f"{quoted(data.variables)}; give at least one of them"
        )
    if unknown:
        absent = [name for name in data.variables if name not in given]
        hints = "".join(near_miss(name, absent) for name in unknown)
        verb = "is" if len(unknown) == 1 else "are"
        warn(
            f"{columns_text(unknown)} of the table {verb} left out, as no variables of the "
            f"model{hints}"
        )
