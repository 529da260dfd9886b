"""Missing and infinite values, and columns without information: what to do, and how to say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import Kind
from arcwise.data.options import DISCRETIZE, drop_option, kind_option
from arcwise.data.raw import RawColumn, RawLabels, RawNumbers
from arcwise.errors import ArgumentError, DataError, Wording, option, worded
from arcwise.support.words import counted, quoted, shown

MISSING_CHOICES = ("error", "drop", "level")
CONSTANT_CHOICES = ("error", "drop", "keep")
IDENTIFIER_CHOICES = ("warn", "drop", "keep", "error")

_MOSTLY = 0.5


def check_choice(argument: Wording, value: object, choices: Sequence[str]) -> None:
    """Refuse a value that is not among the choices of an argument."""
    if not isinstance(value, str) or value not in choices:
        raise ArgumentError(argument, f" is {shown(value)}; give one of {quoted(choices)}")


def missing_counts(columns: Sequence[RawColumn]) -> dict[str, int]:
    """Return the number of missing values of each column that has any."""
    counts = {column.name: int(column.missing.sum()) for column in columns}
    return {name: count for name, count in counts.items() if count}


def complete_rows(columns: Sequence[RawColumn]) -> NDArray[np.bool_]:
    """Return the mask of rows without a missing value."""
    return ~np.logical_or.reduce([column.missing for column in columns])


def missing_values_problem(columns: Sequence[RawColumn], counts: Mapping[str, int]) -> Wording:
    """Say what can be done about missing values, and at what price."""
    keep = complete_rows(columns)
    rows = len(keep)
    mostly = [name for name, count in counts.items() if count > _MOSTLY * rows]
    further: list[str | Wording] = []
    if mostly:
        further = [", or ", drop_option(mostly), " to leave out what is mostly missing"]
    return worded(
        f"values are missing in {counted(counts)}; give ",
        option("missing", "drop"),
        f" to drop the rows concerned, {rows - int(keep.sum()):,} of {rows:,}, or ",
        option("missing", "level"),
        " to make missing a level of discrete columns",
        *further,
    )


def missing_level_problem(continuous: Mapping[str, int]) -> Wording:
    """Say what can be done about missing values of continuous columns, which have no levels."""
    first = next(iter(continuous))
    return worded(
        option("missing", "level"),
        f" is for discrete columns, but values are missing in the continuous {counted(continuous)}"
        "; give ",
        DISCRETIZE,
        " as well to cut continuous columns into intervals, ",
        option("missing", "drop"),
        " instead, or ",
        kind_option(first, "discrete"),
        " if the numbers are category labels",
    )


def infinite_counts(columns: Sequence[RawColumn], kinds: Mapping[str, Kind]) -> dict[str, int]:
    """Return the number of infinite values of each continuous column that has any."""
    counts = {
        column.name: int(np.isinf(column.values).sum())
        for column in columns
        if isinstance(column, RawNumbers) and kinds[column.name] == "continuous"
    }
    return {name: count for name, count in counts.items() if count}


def infinite_problem(counts: Mapping[str, int]) -> str:
    """Say what can be done about infinite values."""
    return (
        f"values are infinite in {counted(counts)}; give finite numbers in continuous columns, or "
        "leave the rows out"
    )


def check_finite(columns: Sequence[RawColumn], kinds: Mapping[str, Kind]) -> None:
    """Refuse infinite values in continuous columns."""
    counts = infinite_counts(columns, kinds)
    if counts:
        raise DataError(infinite_problem(counts))


def is_empty(column: RawColumn) -> bool:
    """Say whether every value of a column is missing."""
    return bool(column.missing.all())


def is_constant(column: RawColumn, *, missing_is_level: bool) -> bool:
    """Say whether a column has a single value; a declared level makes it vary, observed or not."""
    gaps = bool(column.missing.any())
    if isinstance(column, RawLabels):
        size = len(column.levels)
        if not column.declared:
            size = int(np.count_nonzero(np.bincount(column.codes + 1, minlength=1)[1:]))
        return size + (missing_is_level and gaps) < 2
    present = column.values[~column.missing]
    if len(present) == 0:
        return not missing_is_level
    return bool(present.min() == present.max()) and not (missing_is_level and gaps)
