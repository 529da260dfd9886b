"""`SummedRows`: the rows of a discrete table with every completion of their missing cells.

A line is a row with one completion of it. With the log probability of every line, the probability
of what is there of a row is the sum over its lines, and a completion of the whole row is drawn by
choosing one of them. Rows with very many completions have only some of their cells summed, chosen
at random anew each time; the others keep their values meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

# Lines of one row, and of all rows together.
_MOST_OF_A_ROW = 1024
_MOST_LINES = 100_000


class RowCells:
    """The missing cells of a discrete table that may be summed over, row by row.

    Parameters
    ----------
    missing
        Where they are, as [row, variable].
    levels
        The number of levels of each variable.
    most_of_a_row, most_lines
        The largest number of completions of a row that are looked at, and of all rows.
    """

    def __init__(
        self,
        missing: NDArray[np.bool_],
        levels: Sequence[int],
        *,
        most_of_a_row: int = _MOST_OF_A_ROW,
        most_lines: int = _MOST_LINES,
    ) -> None:
        self._missing = missing
        self._levels = np.array(levels, dtype=np.int64)
        incomplete = max(1, int(missing.any(axis=1).sum()))
        room = max(0, most_lines - len(missing)) // incomplete
        self._limit = max(int(self._levels.max(initial=1)), min(most_of_a_row, room))
        logs = missing @ np.log(self._levels.astype(np.float64))
        self._large = np.flatnonzero(logs > math.log(self._limit) + 1e-9)
        self._all = None if len(self._large) else self._lines(missing)

    def lines(self, columns: Sequence[NDArray[Any]], random: np.random.Generator) -> SummedRows:
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
            chosen = self._missing.copy()
            for row in self._large.tolist():
                chosen[row] = False
                size = 1
                for variable in random.permutation(np.flatnonzero(self._missing[row])).tolist():
                    if size * self._levels[variable] <= self._limit:
                        size *= int(self._levels[variable])
                        chosen[row, variable] = True
            found = self._lines(chosen)
        row_of, starts, values = found
        codes = [
            column[row_of] if of_line is None else np.where(of_line >= 0, of_line, column[row_of])
            for column, of_line in zip(columns, values, strict=True)
        ]
        summed = [None if of_line is None else of_line >= 0 for of_line in values]
        return SummedRows(codes, summed, row_of, starts)

    def _lines(self, chosen: NDArray[np.bool_]) -> tuple[Codes, Codes, list[Codes | None]]:
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
    summed
        Whether each is summed over, by line; None if nowhere.
    row_of
        The row of each line.
    starts
        The first line of each row.
    """

    def __init__(
        self,
        codes: Sequence[Codes],
        summed: Sequence[NDArray[np.bool_] | None],
        row_of: Codes,
        starts: Codes,
    ) -> None:
        self.codes, self.row_of, self._starts = codes, row_of, starts
        self._summed = summed

    def are_known(self, members: Sequence[int]) -> NDArray[np.bool_]:
        """Return in which lines none of some variables is summed over."""
        known = np.ones(len(self.row_of), dtype=np.bool_)
        for member in members:
            summed = self._summed[member]
            if summed is not None:
                known &= ~summed
        return known

    def log_sums(self, logs: Array) -> Array:
        """Return the log of the sum over the lines of each row, along the last axis."""
        top = np.maximum.reduceat(logs, self._starts, axis=-1)
        sums = np.add.reduceat(np.exp(logs - top[..., self.row_of]), self._starts, axis=-1)
        return np.asarray(top + np.log(sums))

    def shares(self, logs: Array, sums: Array) -> Array:
        """Return the probability of each completion of its row, by line."""
        return np.asarray(np.exp(logs - sums[self.row_of]))

    def drawn(self, logs: Array, random: np.random.Generator) -> Codes:
        """Return a line of each row, drawn by these unnormalised log probabilities."""
        top = np.maximum.reduceat(logs, self._starts)
        along = np.cumsum(np.exp(logs - top[self.row_of]))
        before = np.concatenate([[0.0], along])[self._starts]
        ends = np.append(self._starts[1:], len(along)) - 1
        wanted = before + random.random(len(before)) * (along[ends] - before)
        return np.clip(np.searchsorted(along, wanted, side="right"), self._starts, ends)
