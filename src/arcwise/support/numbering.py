"""Rows of small integers: all of them, and numbers by which equal rows are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def row_numbers(
    rows: NDArray[Any], sizes: Sequence[int], largest: int
) -> tuple[NDArray[np.int64], int]:
    """Return the number of each row, and an exclusive upper bound of these numbers.

    Parameters
    ----------
    rows
        Integers, as [row, place].
    sizes
        The exclusive upper bound at each place; below 2^22.
    largest
        The bound above which only numbers that occur are counted; at most 2^40, so that
        the next place cannot overflow 64 bits.
    """
    number = np.zeros(len(rows), dtype=np.int64)
    bound = 1
    for place, size in enumerate(sizes):
        number = number * size + rows[:, place]
        bound *= size
        if bound > largest:
            distinct, which = np.unique(number, return_inverse=True)
            number, bound = which.reshape(-1).astype(np.int64), len(distinct)
    return number, bound


def all_combinations(sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return every row of integers below the sizes, the last varying fastest.

    Examples
    --------
    >>> all_combinations([2, 2]).tolist(), all_combinations([]).shape
    ([[0, 0], [0, 1], [1, 0], [1, 1]], (1, 0))
    """
    every: NDArray[np.int64] = np.indices(tuple(sizes)).reshape(len(sizes), math.prod(sizes)).T
    return every
