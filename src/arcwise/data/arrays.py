"""Turn a NumPy array or a list of Python objects into a raw column."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.raw import RawColumn, RawLabels, RawNumbers, UnusableColumnError
from arcwise.errors import ArgumentError

# Named, not imported: pandas must not be loaded to recognise its missing values.
MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType"})

WORDS = {
    "boolean": (bool, np.bool_),
    "integer": (int, np.integer),
    "real": (float, np.floating, Decimal),
    "text": (str,),
}


def from_array(name: str, array: NDArray[Any]) -> RawColumn:
    """Return the column of a one-dimensional array; masked entries are missing."""
    if array.ndim != 1:
        raise UnusableColumnError(f"holds an array of {array.ndim} dimensions")
    missing = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    values = np.asarray(array)
    if missing is None:
        missing = np.zeros(len(values), dtype=np.bool_)
    family = values.dtype.kind
    if family == "b":
        return booleans(name, values, missing)
    if family in "iu":
        return RawNumbers(name, values.astype(np.uint64 if family == "u" else np.int64), missing)
    if family == "f":
        return reals(name, np.where(missing, np.nan, values))
    if family in "UT":
        return _text(name, values, missing)
    if family == "O":
        return from_objects(name, [None if m else v for v, m in zip(values, missing, strict=True)])
    raise UnusableColumnError(f"holds values of type {values.dtype}")


def from_objects(name: str, values: Sequence[object]) -> RawColumn:
    """Return the column of Python objects, which must all be of one sort.

    None, NaN and the missing values of pandas are gaps; integers mix with reals.
    """
    types = set(map(type, values))
    gaps = {kind for kind in types if kind.__name__ in MISSING_TYPES}
    # NaN is a float, yet it says nothing about what the other values are.
    real = {kind for kind in types if issubclass(kind, WORDS["real"])}
    missing = np.fromiter(
        (type(value) in gaps or (type(value) in real and value != value) for value in values),
        dtype=np.bool_,
        count=len(values),
    )
    present: list[Any] = [value for value, gap in zip(values, missing, strict=True) if not gap]
    words = {_word(kind) for kind in set(map(type, present))}
    if not words:
        return reals(name, np.full(len(values), np.nan))
    if words <= {"integer", "real"}:
        return _numbers(name, present, missing, whole="real" not in words)
    if len(words) > 1:
        raise UnusableColumnError(f"mixes {' and '.join(sorted(words))} values")
    if not words <= WORDS.keys():
        raise UnusableColumnError(f"holds values of type {words.pop()}")
    filled = np.empty(len(values), dtype=object)
    filled[~missing] = present
    if words == {"boolean"}:
        return booleans(name, filled.astype(np.bool_), missing)
    levels = sorted({str(value) for value in present})
    positions = {level: position for position, level in enumerate(levels)}
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~missing] = np.fromiter(map(positions.__getitem__, present), np.int64, len(present))
    return RawLabels(name, codes, tuple(levels))


def rectangular(values: Any, argument: str) -> NDArray[Any]:
    """Return an argument as an array; lists of unequal lengths have no shape."""
    try:
        return np.asarray(values)
    except ValueError:
        raise ArgumentError(f"`{argument}` must not hold lists of unequal lengths") from None


def booleans(name: str, values: NDArray[np.bool_], missing: NDArray[np.bool_]) -> RawLabels:
    """Return a column of False and True."""
    return RawLabels(name, np.where(missing, -1, values.astype(np.int64)), (False, True))


def reals(name: str, values: NDArray[Any]) -> RawNumbers:
    """Return a column of reals, in which NaN is a gap."""
    values = values.astype(np.float64)
    return RawNumbers(name, values, np.isnan(values))


def _numbers(
    name: str, present: list[Any], missing: NDArray[np.bool_], *, whole: bool
) -> RawNumbers:
    dtype = np.int64 if whole else np.float64
    values: NDArray[Any] = np.full(len(missing), 0 if whole else np.nan, dtype=dtype)
    try:
        values[~missing] = np.array(present, dtype=dtype)
    except OverflowError:
        raise UnusableColumnError("holds integers of more than 64 bits") from None
    return RawNumbers(name, values, missing)


def _text(name: str, values: NDArray[Any], missing: NDArray[np.bool_]) -> RawLabels:
    levels, inverse = np.unique(values[~missing], return_inverse=True)
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~missing] = inverse
    return RawLabels(name, codes, tuple(str(level) for level in levels))


def _word(kind: type) -> str:
    for word, kinds in WORDS.items():
        if issubclass(kind, kinds):
            return word
    return kind.__name__
