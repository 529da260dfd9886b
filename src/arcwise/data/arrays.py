"""Turn a NumPy array or a list of Python objects into a raw column."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.raw import RawColumn, RawLabels, RawNumbers, UnusableColumnError
from arcwise.errors import ArgumentError

# By name, so that pandas need not be imported to recognise its missing values.
MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType"})

TYPE_NAMES = {
    "boolean": (bool, np.bool_),
    "integer": (int, np.integer),
    "real": (float, np.floating, Decimal),
    "text": (str,),
}


def from_array(name: str, array: NDArray[Any]) -> RawColumn:
    """Return the column of a one-dimensional array; masked entries are missing."""
    if array.ndim != 1:
        raise UnusableColumnError(f"is an array of {array.ndim} dimensions")
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
    if family == "M":
        days = values.astype("M8[us]").tolist()  # NaT becomes None
        return from_objects(name, [None if m else v for v, m in zip(days, missing, strict=True)])
    raise UnusableColumnError(f"holds values of type {values.dtype}")


def from_objects(name: str, values: Sequence[object]) -> RawColumn:
    """Return the column of Python objects, which must all be of one type.

    None, NaN and pandas' missing values are missing; integers may mix with reals. Dates become
    the labels that a text file has for them, those at midnight without a time.
    """
    types = set(map(type, values))
    missing_types = {kind for kind in types if kind.__name__ in MISSING_TYPES}
    # NaN is a float, but says nothing about the type of the other values.
    real = {kind for kind in types if issubclass(kind, TYPE_NAMES["real"])}
    missing = np.fromiter(
        (
            type(value) in missing_types or (type(value) in real and value != value)
            for value in values
        ),
        dtype=np.bool_,
        count=len(values),
    )
    present: list[Any] = [value for value, gap in zip(values, missing, strict=True) if not gap]
    if present and all(issubclass(kind, date) for kind in set(map(type, present))):
        present = [str(day).removesuffix(" 00:00:00") for day in present]
    names = {_type_name(kind) for kind in set(map(type, present))}
    if not names:
        return reals(name, np.full(len(values), np.nan))
    if names <= {"integer", "real"}:
        return _numbers(name, present, missing, whole="real" not in names)
    if len(names) > 1:
        raise UnusableColumnError(f"mixes {' and '.join(sorted(names))} values")
    if not names <= TYPE_NAMES.keys():
        raise UnusableColumnError(f"holds values of type {names.pop()}")
    filled = np.empty(len(values), dtype=object)
    filled[~missing] = present
    if names == {"boolean"}:
        return booleans(name, filled.astype(np.bool_), missing)
    levels = sorted({str(value) for value in present})
    positions = {level: position for position, level in enumerate(levels)}
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~missing] = np.fromiter(map(positions.__getitem__, present), np.int64, len(present))
    return RawLabels(name, codes, tuple(levels))


def rectangular(values: Any, argument: str) -> NDArray[Any]:
    """Return an argument as an array; lists of different lengths cannot form one."""
    try:
        return np.asarray(values)
    except ValueError:
        raise ArgumentError(
            f"{argument} holds lists of different lengths; give lists of one length"
        ) from None


def booleans(name: str, values: NDArray[np.bool_], missing: NDArray[np.bool_]) -> RawLabels:
    """Return a column of False and True."""
    return RawLabels(name, np.where(missing, -1, values.astype(np.int64)), (False, True))


def reals(name: str, values: NDArray[Any]) -> RawNumbers:
    """Return a column of reals, in which NaN is a missing value."""
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


def _type_name(kind: type) -> str:
    for name, kinds in TYPE_NAMES.items():
        if issubclass(kind, kinds):
            return name
    return kind.__name__
