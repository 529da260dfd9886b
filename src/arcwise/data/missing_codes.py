"""Values that represent missing ones: those that a user specifies, and those found among numbers.

A single cell that is not a number turns a column of numbers into labels that each occur once, and
such a column looks like an identifier, which is left out. Words, slips and codes among numbers are
therefore detected before anything else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.data.encoding import ByColumn
from arcwise.data.messages import drop_option, kinds_option, missing_codes_option
from arcwise.data.raw import MANY_VALUES, RawColumn, RawLabels, RawNumbers
from arcwise.errors import ArgumentError, option, worded
from arcwise.support.words import listing, plural, quoted, shown

if TYPE_CHECKING:
    from arcwise.data.examination import Examination


Code: TypeAlias = str | float
Codes: TypeAlias = ByColumn[tuple[Code, ...]]
"""The values that represent missing ones."""


def parsed_codes(value: Any) -> Codes:
    """Return the codes specified by a user.

    Examples
    --------
    >>> codes = parsed_codes({"age": -999, None: ["unknown", 99]})
    >>> codes.of("age"), codes.of("sex")
    ((-999,), ('unknown', 99))
    """
    return ByColumn.parse(value, _parsed)


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


def read_codes(
    table: Examination, columns: Sequence[RawColumn], codes: Codes, labels: set[str]
) -> list[RawColumn]:
    """Return the columns with codes as missing values."""
    seen: set[Code] = set()
    result, found = [], []
    for column in columns:
        asked, rows, words = codes.of(column.name), 0, False
        for code in asked:
            column, count = _without(column, code)
            rows += count
            if count:
                seen.add(code)
                words |= math.isnan(_number(code))
            elif column.name in codes.columns:
                table.warn(
                    worded(
                        option("missing_codes"),
                        f": {shown(code)} does not occur in {column.name!r}",
                    )
                )
        # Numbers that the source has as text are labels, unless a code for missing was the reason.
        result.append(_numbers_again(column) if words and column.name not in labels else column)
        if rows:
            found.append(f"{column.name!r} in {plural(rows, 'row')}")
    if found:
        table.notes.append(f"Codes read as missing values: {listing(found)}.")
    for code in codes.others:
        if code not in seen:
            table.warn(
                worded(option("missing_codes"), f": {shown(code)} does not occur in the table")
            )
    return result


def _without(column: RawColumn, code: Code) -> tuple[RawColumn, int]:
    """Return a column with a code as missing, and the number of rows that have it."""
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
    """Return labels as numbers if they represent different ones."""
    if not isinstance(column, RawLabels) or column.declared or not column.levels:
        return column
    numbers = numbers_of_levels(column.levels)
    if np.isnan(numbers).any() or len(set(numbers.tolist())) < len(numbers):
        return column
    values = np.append(numbers, np.nan)[column.codes]
    return RawNumbers(column.name, values, np.isnan(values))


def _number(value: object) -> float:
    if isinstance(value, bool) or (isinstance(value, str) and "_" in value):
        return math.nan  # Python would read 1_000 as a number
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


# Words for a missing value if everything else in the column is a number. In other columns they may
# be labels: INSURANCE and HAILFINDER have a level None.
_MISSING = frozenset({".", "..", "-", "--", "*", "n/a", "n.a.", "na", "nan", "nil", "none", "nd",
                      "n.d.", "missing", "#null!"})  # fmt: skip
# With more different texts than this, the column has labels, some of which look like numbers.
_MOST_STRAYS = 5

# Numbers for a missing value in columns of numbers, if they are far from all others.
_CODES = frozenset(sign * code for code in (9, 99, 999, 9999, 99999, 999999, 99.9, 999.9, 9999.9)
                   for sign in (-1, 1))  # fmt: skip
_FEWEST = 10

# A number with a unit before or after it.
_WITH_UNIT = re.compile(
    r"([$€£]?) ?([-+]?\d+(?:[.,]\d+)*) ?([%‰°$€£]?[A-Za-zµ]{0,3}(?:/[A-Za-z]{1,3})?)"
)


def with_missing_words(column: RawColumn) -> tuple[RawColumn, list[str]]:
    """Return a column with words such as ``n/a`` among numbers as missing, and these words.

    Examples
    --------
    >>> import numpy as np
    >>> levels = (*(f"{number}.5" for number in range(30)), "n/a")
    >>> numbers, words = with_missing_words(RawLabels("x", np.arange(31), levels))
    >>> int(numbers.missing.sum()), words
    (1, ['n/a'])
    """
    strays = stray_texts(column)
    if not strays or any(text.strip().casefold() not in _MISSING for text in strays):
        return column, []
    assert isinstance(column, RawLabels)
    numbers = numbers_of_levels(column.levels)
    values = np.append(numbers, np.nan)[column.codes]
    return RawNumbers(column.name, values, np.isnan(values)), list(strays)


def stray_texts(column: RawColumn) -> dict[str, int]:
    """Return the few texts among the numbers of a column, with the number of rows of each.

    For columns of labels the result is empty.
    """
    if not isinstance(column, RawLabels) or column.declared:
        return {}
    counts = np.bincount(column.codes + 1, minlength=len(column.levels) + 1)[1:]
    numbers = numbers_of_levels(column.levels)
    is_number = np.isfinite(numbers)
    strays = {
        str(level): int(count)
        for level, count, fine in zip(column.levels, counts, is_number, strict=True)
        if count and not fine
    }
    different = len(np.unique(numbers[is_number & (counts > 0)]))
    rows = int(counts.sum())
    if different <= min(MANY_VALUES, max(5, rows // 2)) or len(strays) > _MOST_STRAYS:
        return {}
    return strays if 2 * sum(strays.values()) <= rows else {}


def unit_of(column: RawColumn) -> str | None:
    """Return the common unit of all numbers in a column of labels, or None.

    Examples
    --------
    >>> levels = tuple(f"{number} kg" for number in range(40))
    >>> unit_of(RawLabels("weight", np.arange(40), levels))
    'kg'
    """
    if not isinstance(column, RawLabels) or column.declared or len(column.levels) <= MANY_VALUES:
        return None
    units: set[str] = set()
    for level in column.levels:
        found = _WITH_UNIT.fullmatch(level) if isinstance(level, str) else None
        if found is None or len(units) > 1:
            return None
        units.add(found[1] or found[3])
    return units.pop() or None if len(units) == 1 else None


def likely_code(values: NDArray[np.float64]) -> float | None:
    """Return the number that seems to represent missing values, if there is one.

    It is one of the common codes, such as -999, and farther from all other values than these are
    from each other.

    Examples
    --------
    >>> likely_code(np.array([*range(30), -999.0, -999.0]))
    -999.0
    >>> likely_code(np.arange(1000.0)) is None
    True
    """
    finite = values[np.isfinite(values)]
    if len(finite) <= _FEWEST:
        return None
    for code in (float(finite.min()), float(finite.max())):
        if code not in _CODES:
            continue
        others = finite[finite != code]
        if len(others) < _FEWEST or 2 * len(others) < len(finite):
            continue
        low, high = float(others.min()), float(others.max())
        if low < high and min(abs(code - low), abs(code - high)) > max(high - low, 1.0):
            return code
    return None


def settle_words(
    table: Examination, columns: Sequence[RawColumn], labels: set[str]
) -> tuple[list[RawColumn], set[str]]:
    """Return the columns with words for missing read as such, and the columns with slips."""
    result: list[RawColumn] = []
    read: dict[str, str] = {}
    for column in columns:
        if column.name in labels:
            result.append(column)
            continue
        settled, words = with_missing_words(column)
        if words:
            read[column.name] = listing([repr(word) for word in words])
        elif (unit := unit_of(column)) is not None:
            table.slips[column.name] = f"with {unit!r} in every row"
        elif strays := stray_texts(column):
            table.slips[column.name] = "but " + listing(
                [f"{text!r} in {plural(count, 'row')}" for text, count in strays.items()]
            )
        result.append(settled)
    if read:
        alike: dict[str, list[str]] = {}
        for name, found in read.items():
            alike.setdefault(found, []).append(name)
        each = listing([f"{found} in {quoted(names)}" for found, names in alike.items()])
        table.warn(
            f"read {each} as missing, since the other values are numbers; to read "
            f"{'it' if len(alike) == 1 else 'them'} as labels, give ",
            kinds_option(read, "discrete"),
        )
    if table.slips:
        slips, several = table.slips, len(table.slips) > 1
        each = listing([f"column {name!r} holds numbers, {found}" for name, found in slips.items()])
        table.problems.add(
            f"{each}; correct {'these' if several else 'this'} in the table (empty cells and NA "
            f"are missing values), leave the {'columns' if several else 'column'} out with ",
            drop_option(slips),
            ", or read all values as labels with ",
            kinds_option(slips, "discrete"),
        )
    return result, set(table.slips)


def warn_of_codes(table: Examination, columns: Sequence[RawColumn]) -> None:
    """Warn of numbers such as -999 that seem to represent missing values."""
    codes: dict[str, float] = {}
    found = []
    for column in columns:
        if isinstance(column, RawNumbers) and table.kinds[column.name] == "continuous":
            values = column.values[~column.missing].astype(np.float64)
            code = likely_code(values)
            if code is not None:
                codes[column.name] = code
                count = int((values == code).sum())
                found.append(f"{column.name!r} holds {code:g} in {plural(count, 'row')}")
    if codes:
        table.warn(
            f"{listing(found)}, far from all other values; if this stands for missing values, "
            "give ",
            missing_codes_option(codes),
        )


def numbers_of_levels(levels: Sequence[object]) -> NDArray[np.float64]:
    """Return the numbers that labels represent, NaN for other labels."""
    return np.array(
        [_number(level) if isinstance(level, str) else np.nan for level in levels], dtype=np.float64
    )
