"""Decide what happens to gaps and to columns that never vary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import Column, DiscreteColumn, Kind
from arcwise.data.messages import columns as columns_text
from arcwise.data.messages import warn
from arcwise.data.raw import RawColumn, RawNumbers
from arcwise.errors import ArgumentError, DataError
from arcwise.support.words import counted, plural, quoted

MISSING_CHOICES = ("error", "drop", "level")
CONSTANT_CHOICES = ("error", "drop", "keep")


def check_choice(argument: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a word that is not among the choices of an argument."""
    if value not in choices:
        raise ArgumentError(f"`{argument}` must be one of {quoted(choices)}, but is {value!r}")


def complete_rows(
    columns: Sequence[RawColumn], kinds: Mapping[str, Kind], missing: str
) -> NDArray[np.bool_] | None:
    """Return the mask of rows to keep, or None if all of them stay."""
    counts = {column.name: int(column.missing.sum()) for column in columns}
    counts = {name: count for name, count in counts.items() if count}
    if not counts:
        return None
    if missing == "error":
        raise DataError(
            f"values are missing in {counted(counts)}; use missing='drop' to leave such rows out, "
            "or missing='level' to make missing a level of discrete columns"
        )
    if missing == "level":
        measured = {name: count for name, count in counts.items() if kinds[name] == "continuous"}
        if measured:
            first = next(iter(measured))
            raise DataError(
                f"missing='level' is for discrete columns, but values are missing in the "
                f"continuous {counted(measured)}; use missing='drop', or "
                f"kinds={{{first!r}: 'discrete'}} if the numbers are labels"
            )
        return None
    keep: NDArray[np.bool_] = ~np.logical_or.reduce([column.missing for column in columns])
    dropped, rows = int((~keep).sum()), len(keep)
    if rows - dropped < 2:
        raise DataError(
            f"leaving out the rows with missing values leaves {rows - dropped} of "
            f"{plural(rows, 'row')}, but at least 2 are needed; values are missing in "
            f"{counted(counts)}"
        )
    warn(
        f"left out {dropped} of {plural(rows, 'row')} because values are missing in "
        f"{counted(counts)}"
    )
    return keep


def check_finite(columns: Sequence[RawColumn], kinds: Mapping[str, Kind]) -> None:
    """Refuse infinite measurements."""
    counts = {
        column.name: int(np.isinf(column.values).sum())
        for column in columns
        if isinstance(column, RawNumbers) and kinds[column.name] == "continuous"
    }
    counts = {name: count for name, count in counts.items() if count}
    if counts:
        raise DataError(
            f"values are infinite in {counted(counts)}, but measurements must be finite; correct "
            "them or leave these rows out"
        )


def varying(columns: Sequence[Column], constant: str) -> list[int]:
    """Return the positions of the columns to keep, given what to do with constant ones."""
    unvaried = [column.name for column in columns if is_constant(column)]
    if not unvaried or constant == "keep":
        return list(range(len(columns)))
    verb = "has" if len(unvaried) == 1 else "have"
    if constant == "error":
        raise DataError(
            f"{columns_text(unvaried, every=True)} {verb} a single value and can tell nothing; use "
            "constant='drop' to leave such columns out or constant='keep' to keep them, or "
            "declare the unobserved labels with `levels`"
        )
    if len(unvaried) == len(columns):
        raise DataError(f"every column has a single value ({quoted(unvaried)}), so none is left")
    warn(f"left out {columns_text(unvaried, every=True)}, which {verb} a single value")
    return [place for place, column in enumerate(columns) if column.name not in unvaried]


def is_constant(column: Column) -> bool:
    """Say whether a column has one value; a second level, even if unobserved, is enough."""
    if isinstance(column, DiscreteColumn):
        return column.size < 2
    return bool(column.values.min() == column.values.max())
