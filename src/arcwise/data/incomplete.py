"""`IncompleteData`: a table with missing cells, which are to be imputed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data import description
from arcwise.data.columns import KindName
from arcwise.data.table import Data
from arcwise.errors import ArgumentError
from arcwise.support.checks import real_numbers

OBSERVED = -1
_MOST_ROWS = 1_000_000


class IncompleteData:
    """A table with missing values, returned by `read` with ``missing="impute"``.

    Each missing value is a *cell* with a number. If a value occurs in several places of the table,
    as in lagged copies of a column, these places share a cell.

    Examples
    --------
    >>> from arcwise.data import read
    >>> data = read({"a": [0, 1, None], "b": ["x", None, "y"]}, missing="impute")
    >>> data
    <IncompleteData: 3 rows, 2 discrete variables, 2 of 6 values missing>
    >>> data.completed([1, 0]).to_dict()
    {'a': [0, 1, 1], 'b': ['x', 'x', 'y']}
    """

    def __init__(self, table: Data, cells: ArrayLike) -> None:
        numbers = np.asarray(cells)
        shape = (table.rows, len(table.columns))
        if numbers.shape != shape or numbers.dtype.kind not in "iu":
            raise ArgumentError(
                f"cells has the shape {numbers.shape} and type {numbers.dtype}; give whole numbers "
                f"of shape {shape}"
            )
        numbers = np.array(numbers, dtype=np.int64, order="C")
        present = np.unique(numbers[numbers != OBSERVED])
        if not np.array_equal(present, np.arange(len(present))):
            raise ArgumentError(
                "cells are not numbered 0, 1, 2, ..., with -1 where there is a value; number them"
            )
        in_rows = np.sort(numbers, axis=1)
        if ((in_rows[:, 1:] == in_rows[:, :-1]) & (in_rows[:, 1:] != OBSERVED)).any():
            raise ArgumentError("a cell stands twice in one row; give each place of a row its own")
        numbers.flags.writeable = False
        self.table = table
        self.cells = numbers
        self.count = len(present)

    def __repr__(self) -> str:
        """Show the size, and the number of missing values."""
        places = int(self.missing.sum())
        return (
            f"<{type(self).__name__}: {description.summary(self.table)}, {places:,} of "
            f"{self.missing.size:,} values missing>"
        )

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.table.variables

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.table.rows

    @property
    def kinds(self) -> dict[str, KindName]:
        """Whether each variable is "discrete" or "continuous"."""
        return self.table.kinds

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Where values are missing, as [row, variable]."""
        return np.asarray(self.cells != OBSERVED)

    def written_out(self) -> IncompleteData:
        """Return the table without weights, in which a row of weight w is repeated w times.

        Each of the w rows has its own missing values. If weights are not integers, if there would
        be too many rows, or if a cell occurs in several rows, the table is returned unchanged.

        Examples
        --------
        >>> from arcwise.data import read
        >>> read({"a": [0, None, 1], "b": [1, 1, 0]}, missing="impute", weights=[2, 2, 1])
        <IncompleteData: 5 rows, 2 discrete variables, 2 of 10 values missing>
        """
        weights = self.table.weights
        if weights is None or not np.array_equal(weights, np.round(weights)):
            return self
        places = np.bincount(self.cells[self.missing], minlength=self.count)
        if weights.sum() > _MOST_ROWS or weights.sum() < 1.0 or (places > 1).any():
            return self
        rows = np.repeat(np.arange(self.rows), weights.astype(np.int64))
        table = self.table.take_rows(rows)
        note = "Rows were written out as often as their weights say, as each has its own missing "
        notes = (*table.notes, f"{note}values.")
        cells = self.cells[rows].T.copy()  # numbered column by column, as `read` does
        missing = cells != OBSERVED
        cells[missing] = np.arange(int(missing.sum()))
        return IncompleteData(table.replaced(weights=None, notes=notes), cells.T)

    def missing_counts(self) -> dict[str, int]:
        """Return the number of missing values of each column that has any."""
        counts = self.missing.sum(axis=0).tolist()
        return {name: count for name, count in zip(self.variables, counts, strict=True) if count}

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the observed values and of the positions of missing ones."""
        digest = hashlib.sha256(self.completed(np.zeros(self.count)).fingerprint.encode())
        digest.update(self.cells.astype("<i8").tobytes())
        return digest.hexdigest()

    def describe(self) -> str:
        """Return a summary: the rows, and each column's kind, levels or range, and missing values.

        Ranges and levels are those of the observed values.
        """
        return description.describe(self.table, self.missing.sum(axis=0).tolist())

    def present(self, variable: int) -> NDArray[Any]:
        """Return the observed codes or numbers of a column."""
        return self.table.columns[variable].computable()[~self.missing[:, variable]]

    def completed(self, values: ArrayLike) -> Data:
        """Return the table with these values in its cells."""
        given = real_numbers(values, "values")
        if given.shape != (self.count,):
            raise ArgumentError(f"there are {self.count} cells; give as many values")
        self._refuse_impossible(given)
        return self.with_columns(self.columns_with(given))

    def _refuse_impossible(self, values: NDArray[np.float64]) -> None:
        """Refuse values that a column cannot have."""
        for place, column in enumerate(self.table.columns):
            own = values[np.unique(self.cells[self.missing[:, place], place])]
            problem = column.kind.problem(own)
            if problem is not None:
                raise ArgumentError(f"values of {column.name!r} {problem}")

    def columns_with(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Return all columns as new arrays of codes or numbers, with these values in the cells."""
        result = []
        for place, column in enumerate(self.table.columns):
            filled = column.computable().copy()
            gaps = self.missing[:, place]
            filled[gaps] = values[self.cells[gaps, place]]
            result.append(filled)
        return result

    def with_columns(self, columns: Sequence[NDArray[Any]]) -> Data:
        """Return the complete table with these codes and numbers in its incomplete columns."""
        made = [
            column.like(columns[place]) if self.missing[:, place].any() else column
            for place, column in enumerate(self.table.columns)
        ]
        return self.table.replaced(columns=made)
