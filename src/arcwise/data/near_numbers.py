"""Columns of numbers with something else among them: words for missing, slips, codes for missing.

A single cell that is no number turns a column into labels, each of which occurs once, and such
columns look like names of rows, which are left out. So they are looked for before anything else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.data import wording
from arcwise.data.raw import MANY_VALUES, RawColumn, RawLabels, RawNumbers
from arcwise.support.words import listing, plural

if TYPE_CHECKING:
    from arcwise.data.examination import Examination

# What stands for a missing value if everything else in the column is a number. Elsewhere these
# may be labels: INSURANCE and HAILFINDER have a level None.
_MISSING = frozenset({".", "..", "-", "--", "*", "n/a", "n.a.", "na", "nan", "nil", "none", "nd",
                      "n.d.", "missing", "#null!"})  # fmt: skip
# More different texts than this are labels of which some look like numbers.
_MOST_STRAYS = 5

# What stands for a missing value in columns of numbers, if it is far from all others.
_CODES = frozenset(sign * code for code in (9, 99, 999, 9999, 99999, 999999, 99.9, 999.9, 9999.9)
                   for sign in (-1, 1))  # fmt: skip
_FEWEST = 10

# A number with a unit before or behind it.
_WITH_UNIT = re.compile(
    r"([$€£]?) ?([-+]?\d+(?:[.,]\d+)*) ?([%‰°$€£]?[A-Za-zµ]{0,3}(?:/[A-Za-z]{1,3})?)"
)


def with_missing_words(column: RawColumn) -> tuple[RawColumn, list[str]]:
    """Return a column with words such as ``n/a`` among numbers as missing values, and these words.

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
    """Return the few texts among the numbers of a column, and how many rows have each.

    A column that is not one of numbers has none.
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
    """Return the unit that all numbers of a column of labels have; None if there is no such.

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
    """Return the number that seems to stand for missing values, if there is one.

    It is one of the usual codes, such as -999, and farther from all other values than these are
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
    """Return the columns with words for missing read as such, and those that hold slips.

    Parameters
    ----------
    table
        The table, to which problems and warnings are added.
    columns
        Its columns.
    labels
        The columns declared to hold labels, in which every word is one.
    """
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
        table.warn(*wording.words_read_as_missing(read))
    if table.slips:
        table.problems.add(*wording.slips_among_numbers(table.slips))
    return result, set(table.slips)


def warn_of_codes(table: Examination, columns: Sequence[RawColumn]) -> None:
    """Warn of numbers such as -999 that seem to stand for missing values."""
    codes: dict[str, tuple[float, int]] = {}
    for column in columns:
        if isinstance(column, RawNumbers) and table.kinds[column.name] == "continuous":
            values = column.values[~column.missing].astype(np.float64)
            code = likely_code(values)
            if code is not None:
                codes[column.name] = code, int((values == code).sum())
    if codes:
        table.warn(*wording.likely_codes(codes))


def numbers_of_levels(levels: Sequence[object]) -> NDArray[np.float64]:
    """Return the numbers that labels write, NaN where they write none."""
    return np.array([_number(level) for level in levels], dtype=np.float64)


def _number(level: object) -> float:
    if not isinstance(level, str) or "_" in level:  # Python would read 1_000
        return np.nan
    try:
        return float(level)
    except ValueError:
        return np.nan
