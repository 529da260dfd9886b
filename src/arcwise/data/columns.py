"""Columns of a data table: each has a name, stored values, and a kind.

The kind alone determines which values a column can have, whether their order is meaningful, and at
which resolution they are recorded. Labels are stored as small integers, the indices of their
levels, and numbers unchanged.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import DataError
from arcwise.support.names import is_writable, shown

KindName: TypeAlias = Literal["discrete", "continuous", "ordinal"]

MAX_LEVELS = 65535  # codes are uint16


class Kind(ABC):
    """The set of possible values of a column."""

    levels: tuple[object, ...] = ()  # the labels, in order; empty for numbers
    ordered: bool = True  # whether the order of the values is meaningful

    @property
    @abstractmethod
    def name(self) -> KindName:
        """The name of the kind for users."""

    @property
    def size(self) -> int:
        """The number of levels; 0 for numbers."""
        return len(self.levels)

    @abstractmethod
    def column(self, name: str, stored: NDArray[Any]) -> Column:
        """Return a column of this kind with these stored values."""

    @abstractmethod
    def problem(self, stored: NDArray[Any]) -> str | None:
        """Return why a column cannot store these values, as a clause; None if it can."""

    @abstractmethod
    def resolution(self, stored: NDArray[Any]) -> float | None:
        """Return the resolution at which values are recorded; None for labels without order."""


@dataclass(frozen=True)
class Labels(Kind):
    """Labels of a fixed set, with or without an order."""

    levels: tuple[object, ...]
    ordered: bool = False

    @property
    def name(self) -> KindName:
        """Whether it is "discrete" or "ordinal"."""
        return "ordinal" if self.ordered else "discrete"

    def column(self, name: str, stored: NDArray[Any]) -> DiscreteColumn:
        """Return a column of these labels with these codes."""
        return DiscreteColumn(name, stored, self.levels, self.ordered)

    def problem(self, stored: NDArray[Any]) -> str | None:
        """Return why these are not codes of the levels, as a clause; None if they are."""
        if np.isin(stored, np.arange(self.size)).all():
            return None
        return f"are no codes of its levels; give whole numbers from 0 to {self.size - 1}"

    def resolution(self, stored: NDArray[Any]) -> float | None:
        """Return the distance of two ranks, if there are ranks."""
        return 1.0 if self.ordered else None


@dataclass(frozen=True)
class Numbers(Kind):
    """Finite numbers."""

    @property
    def name(self) -> KindName:
        """The name "continuous"."""
        return "continuous"

    def column(self, name: str, stored: NDArray[Any]) -> ContinuousColumn:
        """Return a column of these numbers."""
        return ContinuousColumn(name, stored)

    def problem(self, stored: NDArray[Any]) -> str | None:
        """Return why these are not finite numbers, as a clause; None if they are."""
        return None if np.isfinite(stored).all() else "are not finite; give numbers"

    def resolution(self, stored: NDArray[Any]) -> float | None:
        """Return the most frequent distance of adjacent values; None for a constant column."""
        gaps = np.diff(np.unique(stored))
        if not len(gaps):
            return None
        # Equal differences of decimals may differ in their last bits.
        rounded = np.round(gaps, 12 - int(np.ceil(np.log10(np.abs(stored).max()))))
        distinct, counts = np.unique(rounded[rounded > 0.0], return_counts=True)
        return float(distinct[counts.argmax()]) if len(distinct) else float(gaps.min())


NUMBERS = Numbers()


class Column(ABC):
    """A named column of a table: stored values, and their kind."""

    name: str

    @property
    @abstractmethod
    def kind(self) -> Kind:
        """The set of its possible values."""

    @property
    @abstractmethod
    def stored(self) -> NDArray[Any]:
        """The codes of labels, or the numbers."""

    @abstractmethod
    def numbers(self) -> NDArray[np.float64] | None:
        """Return the number in each row; None if a level is not an integer."""

    @abstractmethod
    def labels(self) -> list[object]:
        """Return the label or the number in each row."""

    @property
    def size(self) -> int:
        """The number of levels; 0 for numbers."""
        return self.kind.size

    def computable(self) -> NDArray[Any]:
        """Return the stored values for computations: codes as 64-bit integers."""
        return self.stored.astype(np.int64) if self.size else self.stored

    def like(self, stored: NDArray[Any]) -> Column:
        """Return a column of this name and kind with other values."""
        return self.kind.column(self.name, stored)

    def renamed(self, name: str) -> Column:
        """Return the column under another name."""
        return self.kind.column(name, self.stored)

    def take(self, rows: NDArray[Any]) -> Column:
        """Return the column with the chosen rows only; all levels are kept."""
        return self.like(self.stored[rows])


def read_only(array: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    """Return the array as a contiguous, read-only one.

    A read-only *view* is copied: its owner may still change the memory.
    """
    ready = array.dtype == dtype and array.flags.c_contiguous
    if ready and array.flags.owndata and not array.flags.writeable:
        return array
    array = np.array(array, dtype=dtype, order="C")
    array.flags.writeable = False
    return array


def level_numbers(levels: tuple[object, ...]) -> NDArray[np.float64] | None:
    """Return integer levels as numbers, or None if some level is not an integer."""
    if all(isinstance(level, int) and not isinstance(level, bool) for level in levels):
        return np.array(levels, dtype=np.float64)
    return None


@dataclass(frozen=True, eq=False)
class DiscreteColumn(Column):
    """A discrete (categorical) column.

    Examples
    --------
    >>> DiscreteColumn("smoker", [0, 1, 1], ("no", "yes")).labels()
    ['no', 'yes', 'yes']
    """

    name: str
    codes: NDArray[np.uint16]  # an index into `levels` for each row; stored as read-only
    # The labels, in order, including those that are declared but not observed. ``None``, always the
    # last, is the level of rows in which the value is missing.
    levels: tuple[object, ...]
    ordered: bool = False  # whether the order of the levels is meaningful: then it is ordinal

    def __post_init__(self) -> None:
        codes = np.asarray(self.codes)
        if len(self.levels) > MAX_LEVELS:
            raise DataError(
                f"column {self.name!r} has {len(self.levels)} levels; give at most "
                f"{MAX_LEVELS}, merging some of them, or leave the column out"
            )
        unwritable = [
            level for level in self.levels if isinstance(level, str) and not is_writable(level)
        ]
        if unwritable:
            raise DataError(
                f"column {self.name!r} has the level {shown(unwritable[0])}, with a character that "
                "no file can hold; give it another label"
            )
        # The compiled core indexes count tables by these codes without checking them again.
        if codes.ndim != 1 or (codes.size and not 0 <= codes.min() <= codes.max() < self.size):
            raise DataError(
                f"the codes of column {self.name!r} are no indices into its {self.size} levels; "
                f"give one integer from 0 to {self.size - 1} for each row"
            )
        object.__setattr__(self, "codes", read_only(codes, np.uint16))
        object.__setattr__(self, "levels", tuple(self.levels))
        object.__setattr__(self, "ordered", bool(self.ordered))

    # Unpickled arrays are writable; the constructor makes them read-only again.
    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.codes, self.levels, self.ordered)

    @cached_property
    def kind(self) -> Labels:
        """Its levels, and whether they are ordered."""
        return Labels(self.levels, self.ordered)

    @property
    def size(self) -> int:
        """The number of levels."""
        return len(self.levels)

    @property
    def stored(self) -> NDArray[np.uint16]:
        """The codes."""
        return self.codes

    def labels(self) -> list[object]:
        """Return the label in each row."""
        table = np.empty(self.size, dtype=object)
        table[:] = self.levels
        labels: list[object] = table[self.codes].tolist()
        return labels

    def numbers(self) -> NDArray[np.float64] | None:
        """Return the number in each row if every level is an integer, else None."""
        numbers = level_numbers(self.levels)
        return None if numbers is None else numbers[self.codes]


@dataclass(frozen=True, eq=False)
class ContinuousColumn(Column):
    """A continuous column.

    Examples
    --------
    >>> ContinuousColumn("height", [1.5, 2]).labels()
    [1.5, 2.0]
    """

    name: str
    values: NDArray[np.float64]  # one finite number per row; stored as read-only

    @property
    def kind(self) -> Numbers:
        """Numbers."""
        return NUMBERS

    @property
    def stored(self) -> NDArray[np.float64]:
        """The numbers."""
        return self.values

    def __post_init__(self) -> None:
        values = np.asarray(self.values)
        if values.ndim != 1 or not np.isfinite(values).all():
            raise DataError(
                f"the values of column {self.name!r} are not all finite numbers in one dimension; "
                "give one finite number for each row"
            )
        object.__setattr__(self, "values", read_only(values, np.float64))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.values)

    def labels(self) -> list[object]:
        """Return the number in each row."""
        labels: list[object] = self.values.tolist()
        return labels

    def numbers(self) -> NDArray[np.float64]:
        """Return the number in each row."""
        return self.values
