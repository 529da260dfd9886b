"""Row weights, read and checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.arrays import MISSING_TYPES, rectangular
from arcwise.data.raw import RawColumn, RawNumbers
from arcwise.errors import ArgumentError, DataError
from arcwise.support.words import plural


def column_weights(column: RawColumn) -> NDArray[np.float64]:
    """Return the weights in a column of the table."""
    if not isinstance(column, RawNumbers):
        raise DataError(
            f"the weights in column {column.name!r} are not numbers; name a column of numbers"
        )
    values = np.where(column.missing, np.nan, column.values.astype(np.float64))
    return _checked(values, f"the weights in column {column.name!r}")


def array_weights(weights: ArrayLike, rows: int) -> NDArray[np.float64]:
    """Return the weights given as an array."""
    array = rectangular(weights, "weights")
    if array.dtype == object:
        # None and the nulls of pandas are missing values, which are reported below.
        array = np.array([_missing_as_nan(value) for value in array.flat])
    if array.dtype.kind not in "iuf" or array.shape != (rows,):
        raise ArgumentError(
            f"weights is an array of shape {array.shape} and type {array.dtype}; give the name of "
            f"a column, or {plural(rows, 'number')}, one for each row"
        )
    return _checked(array.astype(np.float64), "the weights")


def _checked(values: NDArray[np.float64], what: str) -> NDArray[np.float64]:
    unusable = int((~(np.isfinite(values) & (values >= 0))).sum())
    if unusable:
        raise DataError(
            f"{unusable} of {len(values)} of {what} are negative, infinite or missing; give "
            "finite numbers, 0 or more, or leave the rows out"
        )
    if not values.sum() > 0:
        raise DataError(f"{what} are all zero; give weights with a positive sum")
    return values


def _missing_as_nan(value: Any) -> Any:
    return np.nan if type(value).__name__ in MISSING_TYPES else value
