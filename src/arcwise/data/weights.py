"""Check the weights of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.arrays import MISSING_TYPES, rectangular
from arcwise.data.raw import RawColumn, RawNumbers
from arcwise.errors import ArgumentError, DataError
from arcwise.support.words import plural


def column_weights(column: RawColumn) -> NDArray[np.float64]:
    """Return the weights that a column of the table holds."""
    if not isinstance(column, RawNumbers):
        raise DataError(
            f"the weights in column {column.name!r} must be numbers, but are labels; name another "
            "column"
        )
    values = np.where(column.missing, np.nan, column.values.astype(np.float64))
    return _checked(values, f"the weights in column {column.name!r}")


def array_weights(weights: ArrayLike, rows: int) -> NDArray[np.float64]:
    """Return the weights that came as an array."""
    array = rectangular(weights, "weights")
    if array.dtype == object:
        # A null of pandas or None is a gap, which is reported below.
        array = np.array([_without_gap(value) for value in array.flat])
    if array.dtype.kind not in "iuf" or array.shape != (rows,):
        raise ArgumentError(
            f"`weights` must be the name of a column or {plural(rows, 'number')}, one for each "
            f"row, but is an array of shape {array.shape} and type {array.dtype}"
        )
    return _checked(array.astype(np.float64), "`weights`")


def _checked(values: NDArray[np.float64], what: str) -> NDArray[np.float64]:
    unusable = int((~(np.isfinite(values) & (values >= 0))).sum())
    if unusable:
        raise DataError(
            f"{what} must be finite and not negative, but {unusable} of {len(values)} are "
            "negative, infinite or missing; correct them or leave these rows out"
        )
    if not values.sum() > 0:
        raise DataError(f"{what} must have a positive sum, but all are zero")
    return values


def _without_gap(value: Any) -> Any:
    return np.nan if type(value).__name__ in MISSING_TYPES else value
