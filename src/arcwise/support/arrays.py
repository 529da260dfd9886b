"""Exponentials and logarithms of arrays, the same to the last bit on every processor.

NumPy's own depend on the vector instructions of the processor, so that weights of one run would
have other last bits on another machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise import _core


def relative_weights(
    log_weights: NDArray[np.float64], top: float | None = None
) -> NDArray[np.float64]:
    """Return weights, given as logarithms, as multiples of e^`top`, by default of the largest.

    Weights below e^-700 of it are zero. No log weight may be NaN, or more than 600 above `top`.

    Examples
    --------
    >>> relative_weights(np.array([-1000.0, -1000.0, -np.inf])).tolist()
    [1.0, 1.0, 0.0]
    """
    logs = np.ascontiguousarray(log_weights, dtype=np.float64)
    result = np.empty(logs.size)
    scale = float(logs.max()) if top is None else top
    _core.scaled_exp(result, logs.reshape(-1), scale)
    return result.reshape(logs.shape)


def logarithms(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return the natural logarithms of numbers that are zero or normal (2.2e-308 and above).

    Examples
    --------
    >>> logarithms(np.array([0, 1])).tolist()
    [-inf, 0.0]
    """
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    result = np.zeros(numbers.size)
    _core.add_logarithms(result, numbers.reshape(-1))
    return result.reshape(numbers.shape)


# --- Weighted sums --------------------------------------------------------------------------------

# `weighted_sum`: sums by weights, the same to the last bit on every processor.
#
# NumPy's products of vectors and matrices are those of a BLAS library, which adds in another
# order with 512-bit instructions than without them.


def weighted_sum(weights: ArrayLike, values: ArrayLike) -> NDArray[np.float64]:
    """Return the sum of numbers or arrays, along the first axis, each times its weight.

    Examples
    --------
    >>> weighted_sum([0.25, 0.75], [[0.0, 4.0], [8.0, 4.0]]).tolist()
    [6.0, 4.0]
    """
    numbers = np.asarray(values, dtype=np.float64)
    factors = np.asarray(weights, dtype=np.float64)
    each = factors.reshape(-1, *(1 for _ in numbers.shape[1:])) * numbers
    return np.asarray(each.sum(axis=0))


# --- Numbering ------------------------------------------------------------------------------------

# Rows of small integers: all of them, and numbers by which equal rows are known.


def row_numbers(
    rows: NDArray[Any], sizes: Sequence[int], largest: int
) -> tuple[NDArray[np.int64], int]:
    """Return the number of each row, and an exclusive upper bound of these numbers."""
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
