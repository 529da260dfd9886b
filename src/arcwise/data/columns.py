"""Columns of a data table: discrete or ordinal ones, coded as small integers, and continuous."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import DataError
from arcwise.support.names import is_writable
from arcwise.support.words import shown

Kind: TypeAlias = Literal["discrete", "continuous", "ordinal"]

MAX_LEVELS = 65535  # codes are uint16


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
class DiscreteColumn:
    """A discrete (categorical) column.

    Parameters
    ----------
    name
        The name of the variable.
    codes
        One code per row, an index into `levels`; stored as read-only uint16.
    levels
        The labels, in order, including those that are declared but never observed.
        ``None``, always the last, is the level of rows in which the value is missing.
    ordered
        Whether the order of the levels means something: then the column is ordinal.

    Examples
    --------
    >>> DiscreteColumn("smoker", [0, 1, 1], ("no", "yes")).labels()
    ['no', 'yes', 'yes']
    """

    name: str
    codes: NDArray[np.uint16]
    levels: tuple[object, ...]
    ordered: bool = False

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

    @property
    def kind(self) -> Kind:
        """Whether it is "discrete" or "ordinal"."""
        return "ordinal" if self.ordered else "discrete"

    @property
    def size(self) -> int:
        """The number of levels."""
        return len(self.levels)

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

    def take(self, rows: NDArray[Any]) -> DiscreteColumn:
        """Return the column with the chosen rows only; all levels are kept."""
        return DiscreteColumn(self.name, self.codes[rows], self.levels, self.ordered)


@dataclass(frozen=True, eq=False)
class ContinuousColumn:
    """A continuous column.

    Parameters
    ----------
    name
        The name of the variable.
    values
        One finite number per row; stored as read-only float64.

    Examples
    --------
    >>> ContinuousColumn("height", [1.5, 2]).labels()
    [1.5, 2.0]
    """

    name: str
    values: NDArray[np.float64]
    kind: ClassVar[Kind] = "continuous"

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

    def take(self, rows: NDArray[Any]) -> ContinuousColumn:
        """Return the column with the chosen rows only."""
        return ContinuousColumn(self.name, self.values[rows])


Column: TypeAlias = DiscreteColumn | ContinuousColumn
