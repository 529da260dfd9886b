"""`SummedRows`: the rows of a discrete table with every completion of their missing cells.

A line is a row with one completion of it. With the log probability of every line, the probability
of what is there of a row is the sum over its lines, and a completion of the whole row is drawn by
choosing one of them. Rows with very many completions have only some of their cells summed, chosen
at random and anew from time to time; the others keep their values meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

# Lines of one row, and of all rows together.
_MOST_OF_A_ROW = 256
_MOST_LINES = 30_000
# How often lines are asked for before the cells of large rows are chosen anew.
_TIMES_KEPT = 16


_Lines: TypeAlias = tuple[Codes, Codes, list[Codes | None]]


class RowCells:
    """The missing cells of a discrete table that may be summed over, row by row.

    Parameters
    ----------
    missing
        Where they are, as [row, variable].
    levels
        The number of levels of each variable.
    rows
        The rows of the table that these are; None for those that lack something.
    most_of_a_row, most_lines
        The largest number of completions of a row that are looked at, and of all rows.
    """

    def __init__(
        self,
        missing: NDArray[np.bool_],
        levels: Sequence[int],
        *,
        rows: Codes | None = None,
        most_of_a_row: int = _MOST_OF_A_ROW,
        most_lines: int = _MOST_LINES,
    ) -> None:
        self._rows = np.flatnonzero(missing.any(axis=1)) if rows is None else rows
        missing = missing[self._rows] if rows is None else missing
        self._missing = missing
        self._levels = np.array(levels, dtype=np.int64)
        room = most_lines // max(1, len(missing))
        self._limit = max(int(self._levels.max(initial=1)), min(most_of_a_row, room))
        logs = missing @ np.log(self._levels.astype(np.float64))
        self._large = np.flatnonzero(logs > math.log(self._limit) + 1e-9)
        self._all = None if len(self._large) else self._lines(missing)
        self._some: _Lines | None = None
        self._asked = 0

    @property
    def are_too_many(self) -> bool:
        """Whether there are rows of which only some cells are summed at a time."""
        return self._all is None

    def lines(
        self, columns: Sequence[NDArray[Any]], random: np.random.Generator | None = None
    ) -> SummedRows:
        """Return the rows with their completions.

        Parameters
        ----------
        columns
            The completed columns: what is not summed has the value there.
        random
            Chooses the cells of rows that have too many.
        """
        found = self._all
        if found is None:
            if self._some is None or self._asked % _TIMES_KEPT == 0:
                assert random is not None
                self._some = self._lines(self._chosen(random))
            self._asked += 1
            found = self._some
        place_of, starts, values = found
        row_of = self._rows[place_of]
        codes = [
            column[row_of] if of_line is None else np.where(of_line >= 0, of_line, column[row_of])
            for column, of_line in zip(columns, values, strict=True)
        ]
        return SummedRows(codes, row_of, place_of, starts)

    def _chosen(self, random: np.random.Generator) -> NDArray[np.bool_]:
        """Return the cells to sum, of large rows as many as there is room for."""
        chosen = self._missing.copy()
        for row in self._large.tolist():
            chosen[row] = False
            size = 1
            for variable in random.permutation(np.flatnonzero(self._missing[row])).tolist():
                if size * self._levels[variable] <= self._limit:
                    size *= int(self._levels[variable])
                    chosen[row, variable] = True
        return chosen

    def _lines(self, chosen: NDArray[np.bool_]) -> _Lines:
        """Return the row of each line, the first line of each row, and what cells are in them."""
        patterns, which = np.unique(chosen, axis=0, return_inverse=True)
        which = which.reshape(-1)
        sizes = np.where(patterns, self._levels, 1).prod(axis=1)
        counts = sizes[which]
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        row_of = np.repeat(np.arange(len(chosen)), counts)
        within = np.arange(len(row_of)) - starts[row_of]
        of_line = which[row_of]
        # A completion is a number in mixed base: the base of each variable, by pattern.
        bases = np.where(patterns, self._levels, 1)
        steps = np.concatenate(
            [np.ones((len(patterns), 1), dtype=np.int64), np.cumprod(bases, axis=1)[:, :-1]], axis=1
        )
        values: list[Codes | None] = []
        for variable in range(len(self._levels)):
            if not chosen[:, variable].any():
                values.append(None)
                continue
            code = within // steps[of_line, variable] % bases[of_line, variable]
            values.append(np.where(patterns[of_line, variable], code, -1))
        return row_of, starts, values


class SummedRows:
    """Rows of a discrete table with completions of their cells.

    Parameters
    ----------
    codes
        The levels of each variable, by line.
    row_of, place_of
        The row of each line, and its place among the rows that have lines.
    starts
        The first line of each of these.
    """

    def __init__(
        self, codes: Sequence[Codes], row_of: Codes, place_of: Codes, starts: Codes
    ) -> None:
        self.codes, self.row_of = codes, row_of
        self._place_of, self._starts = place_of, starts

    def log_sums(self, logs: Array) -> Array:
        """Return the log of the sum over the lines of each row, along the last axis."""
        if not len(self._starts):
            return np.zeros((*logs.shape[:-1], 0))
        top = np.maximum.reduceat(logs, self._starts, axis=-1)
        sums = np.add.reduceat(np.exp(logs - top[..., self._place_of]), self._starts, axis=-1)
        return np.asarray(top + np.log(sums))

    def shares(self, logs: Array) -> Array:
        """Return the probability of each completion of its row, by line."""
        return np.asarray(np.exp(logs - self.log_sums(logs)[self._place_of]))

    def drawn(self, logs: Array, random: np.random.Generator) -> Codes:
        """Return a line of each row, drawn by these unnormalised log probabilities."""
        top = np.maximum.reduceat(logs, self._starts)
        along = np.cumsum(np.exp(logs - top[self._place_of]))
        before = np.concatenate([[0.0], along])[self._starts]
        ends = np.append(self._starts[1:], len(along)) - 1
        wanted = before + random.random(len(before)) * (along[ends] - before)
        places = np.searchsorted(along, wanted, side="right")
        return np.asarray(np.clip(places, self._starts, ends))
