"""Missing and infinite values, and columns without information: what to do, and how to say so."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import KindName
from arcwise.data.options import DISCRETIZE, drop_option, kind_option
from arcwise.data.raw import RawColumn, RawLabels, RawNumbers
from arcwise.errors import ArgumentError, DataError, Wording, option, worded
from arcwise.support.words import counted, quoted, shown

MISSING_CHOICES = ("error", "drop", "level", "impute")
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
    complete: NDArray[np.bool_] = ~np.logical_or.reduce([column.missing for column in columns])
    return complete


def missing_values_problem(columns: Sequence[RawColumn], counts: Mapping[str, int]) -> Wording:
    """Say what can be done about missing values, and at what price."""
    rows = len(columns[0].missing)
    mostly = [name for name, count in counts.items() if count > _MOSTLY * rows]
    others = [column for column in columns if column.name not in mostly]
    level = worded(option("missing", "level"), " to make missing a level of discrete columns")
    ways = [_dropping(columns), level]
    if mostly and others:
        rest = _dropping(others)
        ways.append(
            worded(
                drop_option(mostly),
                " to leave out what is mostly missing",
                *((" with ", rest) if rest is not None and missing_counts(others) else ()),
            )
        )
    return worded(
        f"values are missing in {counted(counts)}; give ",
        *_alternatives([way for way in ways if way is not None]),
        "; learn imputes them by itself",
    )


def _dropping(columns: Sequence[RawColumn]) -> Wording | None:
    keep = complete_rows(columns)
    kept, rows = int(keep.sum()), len(keep)
    if kept < 2:
        return None
    return worded(
        option("missing", "drop"),
        f" to drop the rows concerned, {rows - kept:,} of {rows:,}",
    )


def _alternatives(ways: Sequence[Wording]) -> list[str | Wording]:
    parts: list[str | Wording] = []
    for way in ways:
        parts += [", or ", way] if parts else [way]
    return parts


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


def infinite_counts(columns: Sequence[RawColumn], kinds: Mapping[str, KindName]) -> dict[str, int]:
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


def check_finite(columns: Sequence[RawColumn], kinds: Mapping[str, KindName]) -> None:
    """Refuse infinite values in continuous columns."""
    counts = infinite_counts(columns, kinds)
    if counts:
        raise DataError(infinite_problem(counts))


def filled(column: RawColumn) -> RawColumn:
    """Return the column with values of its own in its gaps, spread evenly over those it has.

    They stand for nothing but what the column is like: mean, variance and levels stay about the
    same.
    """
    gaps = column.missing
    if not gaps.any():
        return column
    values = column.codes if isinstance(column, RawLabels) else column.values
    present = np.sort(values[~gaps])
    count = int(gaps.sum())
    # A stride that shares no factor with the number of gaps visits all of them, out of order.
    stride = next(step for step in range(max(1, round(0.618 * count)), count + 1)
                  if math.gcd(step, count) == 1)  # fmt: skip
    places = (np.arange(count) * stride % count + 0.5) / count * len(present)
    complete = values.copy()
    complete[gaps] = present[places.astype(np.int64)]
    if isinstance(column, RawLabels):
        return replace(column, codes=complete)
    return replace(column, values=complete, missing=np.zeros_like(gaps))


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
