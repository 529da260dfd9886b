"""Raw columns of a source, before their kinds are chosen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import DataError
from arcwise.support.words import shown

LARGEST_EXACT_INTEGER = 2**53  # beyond this, floats no longer represent every integer


class UnusableColumnError(Exception):
    """A column has values of a type that cannot be used; callers collect these errors."""


@dataclass(frozen=True, eq=False)
class RawNumbers:
    """The numbers of a column, int64, uint64 or float64, and which of them are missing."""

    name: str
    values: NDArray[Any]
    missing: NDArray[np.bool_]

    @property
    def whole(self) -> bool:
        """Whether the source stored integers."""
        return self.values.dtype.kind in "iu"

    def take(self, rows: NDArray[np.bool_]) -> RawNumbers:
        """Return the chosen rows."""
        return replace(self, values=self.values[rows], missing=self.missing[rows])


@dataclass(frozen=True, eq=False)
class RawLabels:
    """The labels of a column: codes into levels in their final order, -1 if missing."""

    name: str
    codes: NDArray[np.int64]
    levels: tuple[object, ...]
    declared: bool = False  # whether the source declares the levels
    ordered: bool = False  # whether the source declares that their order is meaningful

    @property
    def missing(self) -> NDArray[np.bool_]:
        """The mask of missing values."""
        return self.codes < 0

    def take(self, rows: NDArray[np.bool_]) -> RawLabels:
        """Return the chosen rows; all levels are kept."""
        return replace(self, codes=self.codes[rows])


RawColumn: TypeAlias = RawNumbers | RawLabels

MANY_VALUES = 20  # integers with more different values than this are treated as measurements


def is_whole(column: RawNumbers) -> bool:
    """Return whether a column has whole numbers, stored as integers or as reals with gaps.

    By default, pandas stores integers as reals if some of them are missing.
    """
    if column.whole:
        return True
    present = column.values[~column.missing]
    if len(present) in (0, len(column.values)) or not np.isfinite(present).all():
        return False
    return bool((present == np.floor(present)).all())


def has_many_values(column: RawNumbers) -> bool:
    """Return whether whole numbers have so many different values that they are measurements."""
    present = column.values[~column.missing]
    if not len(present) or int(present.max()) - int(present.min()) < MANY_VALUES:
        return False
    first = present[: 50 * MANY_VALUES]
    return len(np.unique(first)) > MANY_VALUES or len(np.unique(present)) > MANY_VALUES


def as_level(value: object) -> object:
    """Return a label as plain Python: bool, int, float, str or None; whole floats as int.

    Labels of any other type, such as a pandas interval or a date, become text.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_EXACT_INTEGER:
        return int(value)
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return int(value)
    try:
        return str(value)
    except ValueError:  # a fraction of integers with more digits than Python converts to text
        raise DataError(f"a level is {shown(value)}; give one that can be written out") from None


def level_type(level: object) -> str:
    """Return the type of a level in words, which all levels of a column must share."""
    if isinstance(level, bool):
        return "boolean"
    return "number" if isinstance(level, int | float) else "text"


def categorical(
    name: str, codes: NDArray[Any], categories: Iterable[object], ordered: bool = False
) -> RawLabels:
    """Return a column whose levels its source declares, in the declared order."""
    levels = tuple(as_level(category) for category in categories)
    types = sorted({level_type(level) for level in levels})
    if len(types) > 1:
        raise UnusableColumnError(f"has categories of mixed types, {' and '.join(types)}")
    if len(set(levels)) != len(levels):
        raise UnusableColumnError("has different categories with the same text")
    return RawLabels(name, np.asarray(codes, dtype=np.int64), levels, True, ordered)
