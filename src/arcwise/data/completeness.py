"""Handle missing and infinite values and constant columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import Column, DiscreteColumn, Kind
from arcwise.data.messages import columns as columns_text
from arcwise.data.messages import warn
from arcwise.data.options import kind_option
from arcwise.data.raw import RawColumn, RawNumbers
from arcwise.errors import ArgumentError, DataError, Wording, option
from arcwise.support.words import counted, plural, quoted, shown

MISSING_CHOICES = ("error", "drop", "level")
CONSTANT_CHOICES = ("error", "drop", "keep")


def check_choice(argument: Wording, value: object, choices: Sequence[str]) -> None:
    """Refuse a value that is not among the choices of an argument."""
    if not isinstance(value, str) or value not in choices:
        raise ArgumentError(argument, f" is {shown(value)}; give one of {quoted(choices)}")


def complete_rows(
    columns: Sequence[RawColumn], kinds: Mapping[str, Kind], missing: str
) -> NDArray[np.bool_] | None:
    """Return the mask of rows to keep, or None to keep all of them."""
    counts = {column.name: int(column.missing.sum()) for column in columns}
    counts = {name: count for name, count in counts.items() if count}
    if not counts:
        return None
    if missing == "error":
        raise DataError(
            f"values are missing in {counted(counts)}; give ",
            option("missing", "drop"),
            " to drop the rows concerned, or ",
            option("missing", "level"),
            " to make missing a level of discrete columns",
        )
    if missing == "level":
        continuous = {name: count for name, count in counts.items() if kinds[name] == "continuous"}
        if continuous:
            first = next(iter(continuous))
            raise DataError(
                option("missing", "level"),
                " is for discrete columns, but values are missing in the continuous "
                f"{counted(continuous)}; give ",
                option("missing", "drop"),
                ", or ",
                kind_option(first, "discrete"),
                " if the numbers are category labels",
            )
        return None
    keep: NDArray[np.bool_] = ~np.logical_or.reduce([column.missing for column in columns])
    dropped, rows = int((~keep).sum()), len(keep)
    if rows - dropped < 2:
        raise DataError(
            f"dropping the rows with missing values leaves {rows - dropped} of "
            f"{plural(rows, 'row')}; give at least 2 complete rows, or leave out some of "
            f"the columns concerned, {counted(counts)}"
        )
    warn(
        f"dropped {dropped} of {plural(rows, 'row')}, since values are missing in {counted(counts)}"
    )
    return keep


def check_finite(columns: Sequence[RawColumn], kinds: Mapping[str, Kind]) -> None:
    """Refuse infinite values in continuous columns."""
    counts = {
        column.name: int(np.isinf(column.values).sum())
        for column in columns
        if isinstance(column, RawNumbers) and kinds[column.name] == "continuous"
    }
    counts = {name: count for name, count in counts.items() if count}
    if counts:
        raise DataError(
            f"values are infinite in {counted(counts)}; give finite numbers in continuous columns, "
            "or leave the rows out"
        )


def columns_to_keep(columns: Sequence[Column], constant: str) -> list[int]:
    """Return the positions of the columns to keep, by how constant ones are to be treated."""
    single = [column.name for column in columns if is_constant(column)]
    if not single or constant == "keep":
        return list(range(len(columns)))
    if constant == "error":
        verb = "has" if len(single) == 1 else "have"
        raise DataError(
            columns_text(single, every=True),
            f" {verb} a single value and thus no information; give ",
            option("constant", "drop"),
            " to leave constant columns out or ",
            option("constant", "keep"),
            " to keep them",
            Wording(", or declare the unobserved labels in levels", ""),
        )
    if len(single) == len(columns):
        raise DataError(
            f"every column has a single value ({quoted(single)}), so that none is left; give a "
            "table in which some column varies"
        )
    warn(f"left out the constant {columns_text(single, every=True)}")
    return [place for place, column in enumerate(columns) if column.name not in single]


def is_constant(column: Column) -> bool:
    """Say whether a column is constant; a second level, even an unobserved one, makes it vary."""
    if isinstance(column, DiscreteColumn):
        return column.size < 2
    return bool(column.values.min() == column.values.max())
