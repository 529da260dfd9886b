"""`MissingCodes`: values that a user says stand for missing ones, such as -999 or "unknown"."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.data.encoding import check_variable
from arcwise.data.near_numbers import numbers_of_levels
from arcwise.data.raw import RawColumn, RawLabels, RawNumbers
from arcwise.errors import ArgumentError, option, worded
from arcwise.support.words import listing, plural, shown

if TYPE_CHECKING:
    from arcwise.data.examination import Examination

Code: TypeAlias = str | float


@dataclass(frozen=True)
class MissingCodes:
    """Which values stand for missing ones.

    Parameters
    ----------
    others
        The codes of all columns that have no entry of their own.
    columns
        The codes of the columns of these names.
    """

    others: tuple[Code, ...]
    columns: Mapping[str, tuple[Code, ...]]

    @classmethod
    def parse(cls, value: Any) -> MissingCodes:
        """Return the codes that a user's words stand for.

        Parameters
        ----------
        value
            A number or a text, a list of them, or a mapping from columns to these; its key None
            stands for all other columns. None for no codes.

        Examples
        --------
        >>> codes = MissingCodes.parse({"age": -999, None: ["unknown", 99]})
        >>> codes.of("age"), codes.of("sex")
        ((-999,), ('unknown', 99))
        """
        if not isinstance(value, Mapping):
            return cls(_parsed(value), {})
        each = {name: _parsed(given) for name, given in value.items()}
        return cls(each.pop(None, ()), each)

    def check_names(self, variables: Sequence[str]) -> None:
        """Refuse names that are no variables."""
        for name in self.columns:
            check_variable(name, variables, option("missing_codes"))

    def of(self, name: str) -> tuple[Code, ...]:
        """Return the codes of a column."""
        return self.columns.get(name, self.others)


def read_codes(
    table: Examination, columns: Sequence[RawColumn], codes: MissingCodes, labels: set[str]
) -> list[RawColumn]:
    """Return the columns with codes as missing values.

    Parameters
    ----------
    table
        The table, which is told what was read so, and which codes occur nowhere.
    columns
        Its columns.
    codes
        The codes.
    labels
        The columns declared to hold labels, which stay labels whatever is left of them.
    """
    met: set[Code] = set()
    result, found = [], []
    for column in columns:
        asked, rows, words = codes.of(column.name), 0, False
        for code in asked:
            column, count = _without(column, code)
            rows += count
            if count:
                met.add(code)
                words |= math.isnan(_number(code))
            elif column.name in codes.columns:
                table.warn(
                    worded(
                        option("missing_codes"),
                        f": {shown(code)} does not occur in {column.name!r}",
                    )
                )
        # Numbers that the source has as texts are its labels, unless a word made them texts.
        result.append(_numbers_again(column) if words and column.name not in labels else column)
        if rows:
            found.append(f"{column.name!r} in {plural(rows, 'row')}")
    if found:
        table.notes.append(f"Codes read as missing values: {listing(found)}.")
    for code in codes.others:
        if code not in met:
            table.warn(
                worded(option("missing_codes"), f": {shown(code)} does not occur in the table")
            )
    return result


def _parsed(value: Any) -> tuple[Code, ...]:
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
        value = [value]
    found = []
    for code in value:
        if isinstance(code, np.generic):
            code = code.item()
        if isinstance(code, bool) or not isinstance(code, str | int | float):
            raise ArgumentError(
                option("missing_codes"),
                f" holds {shown(code)}; give numbers or texts that stand for missing values, or a "
                "mapping from columns to them",
            )
        found.append(code)
    return tuple(found)


def _without(column: RawColumn, code: Code) -> tuple[RawColumn, int]:
    """Return a column with a code as missing, and how many rows have it."""
    number = _number(code)
    if isinstance(column, RawNumbers):
        if math.isnan(number):
            return column, 0
        rows = ~column.missing & (column.values == number)
        missing = column.missing | rows
        gap = 0 if column.whole else np.nan
        values = np.where(missing, column.values.dtype.type(gap), column.values)
        return replace(column, values=values, missing=missing), int(rows.sum())
    hit = np.array(
        [str(level) == str(code) or _number(level) == number for level in column.levels],
        dtype=np.bool_,
    )
    if not hit.any():
        return column, 0
    places: NDArray[np.int64] = np.where(hit, -1, np.cumsum(~hit) - 1)
    codes = np.append(places, -1)[column.codes]
    levels = tuple(level for level, gone in zip(column.levels, hit, strict=True) if not gone)
    gone = int((codes < 0).sum() - (column.codes < 0).sum())
    return replace(column, codes=codes, levels=levels), gone


def _numbers_again(column: RawColumn) -> RawColumn:
    """Return labels as numbers if they write different ones."""
    if not isinstance(column, RawLabels) or column.declared or not column.levels:
        return column
    numbers = numbers_of_levels(column.levels)
    if np.isnan(numbers).any() or len(set(numbers.tolist())) < len(numbers):
        return column
    values = np.append(numbers, np.nan)[column.codes]
    return RawNumbers(column.name, values, np.isnan(values))


def _number(value: object) -> float:
    if isinstance(value, bool):
        return math.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan
