"""`IndicatorBlocks`: a mixed table as numbers, a block of columns for each variable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import Kind
from arcwise.data.table import Data


@dataclass(frozen=True, eq=False)
class IndicatorBlocks:
    """The variables of a table as blocks of columns of numbers.

    A continuous variable is its column, an ordinal one the ranks of its levels, counted from 0,
    unless missing is a level; any other discrete variable has a column for each of its levels
    that occur, except for the last of them, with 1 in the rows that have it and 0 elsewhere.

    Parameters
    ----------
    values
        Rows by columns, in Fortran order.
    owners
        The variable of each column, by its position.
    starts
        The first column of each variable, and the number of columns at the end.
    shares
        The share of the rows, as their weights count, that have 1 in a column of indicators; nan
        for other columns.
    """

    values: NDArray[np.float64]
    owners: NDArray[np.int64]
    starts: tuple[int, ...]
    shares: NDArray[np.float64]

    @classmethod
    def of(cls, data: Data) -> IndicatorBlocks:
        """Return the blocks of a table.

        Examples
        --------
        >>> from arcwise.data import read
        >>> data = read({"a": ["x", "y", "z", "x"], "b": [0.5, 1.5, 2.5, 3.5]})
        >>> IndicatorBlocks.of(data).values.tolist()
        [[1.0, 0.0, 0.5], [0.0, 1.0, 1.5], [0.0, 0.0, 2.5], [1.0, 0.0, 3.5]]
        """
        weights = np.ones(data.rows) if data.weights is None else data.weights
        columns: list[NDArray[np.float64]] = []
        owners: list[int] = []
        shares: list[float] = []
        starts = [0]
        for place, column in enumerate(data.columns):
            if not _has_ranks(column.kind):
                codes = column.stored
                found = np.bincount(codes, weights) / weights.sum()
                levels = np.flatnonzero(found > 0.0)[:-1]
                columns += [(codes == level).astype(np.float64) for level in levels]
                shares += found[levels].tolist()
                owners += [place] * len(levels)
            else:
                columns.append(column.stored.astype(np.float64))
                shares.append(float("nan"))
                owners.append(place)
            starts.append(len(columns))
        table = np.empty((data.rows, len(columns)), order="F")
        for place, values in enumerate(columns):
            table[:, place] = values
        return cls(table, np.array(owners, dtype=np.int64), tuple(starts), np.array(shares))


def _has_ranks(kind: Kind) -> bool:
    return kind.ordered and None not in kind.levels
