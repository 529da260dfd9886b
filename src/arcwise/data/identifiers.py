"""Which columns only identify rows: row numbers, keys and names, from which nothing is learned."""

from __future__ import annotations

import re

import numpy as np

from arcwise.data.columns import Column
from arcwise.data.raw import (
    LARGEST_EXACT_INTEGER,
    RawColumn,
    RawLabels,
    RawNumbers,
    is_whole,
)

# Fewer different values than this are categories, even if no two rows share one.
FEWEST = 20
# Labels of which more than half occur once or twice have no counts to learn from.
LABELS_SHARE = 0.5

# Most columns have a value twice among so many, which is found sooner than among all.
_FIRST = 200

_SEPARATE = re.compile(r"(^|[ _.\-])(id|key|uuid|guid|index|row|rowid)$", re.IGNORECASE)
_CAMEL = re.compile(r"[a-z](Id|ID|Key)$")
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})( .*)?"
)


def identifier_reason(column: RawColumn) -> str | None:
    """Return why a column seems to identify rows, as the end of a sentence; None if it does not.

    Labels do if more than half of the rows have one of their own, or if they are dates. Whole
    numbers do if no two rows have the same and they are consecutive, rise or fall from row to
    row, or bear a name such as ``patient_id``: other numbers that never repeat are
    measurements.

    Examples
    --------
    >>> import numpy as np
    >>> numbers = RawNumbers("row", np.arange(100), np.zeros(100, dtype=bool))
    >>> identifier_reason(numbers)
    'it numbers the rows'
    """
    if isinstance(column, RawLabels):
        if column.declared:
            return None
        counts = np.bincount(column.codes + 1, minlength=1)[1:]
        present, size = int(counts.sum()), int((counts > 0).sum())
        if size > FEWEST and all(map(_is_date, column.levels)):
            return f"it has {size:,} dates"
        if size > max(FEWEST, LABELS_SHARE * present):
            return f"{size:,} of its {present:,} values are different"
        return None
    return _of_numbers(column)


def encoded_reason(column: Column) -> str | None:
    """Return the same of a column of a table that was read, of which whole numbers are not known.

    Examples
    --------
    >>> from arcwise.data.columns import ContinuousColumn
    >>> encoded_reason(ContinuousColumn("row", np.arange(100.0)))
    'it numbers the rows'
    """
    numbers = column.numbers()
    if numbers is not None:
        whole = np.abs(numbers) <= LARGEST_EXACT_INTEGER
        if not (whole & (numbers == np.floor(numbers))).all():
            return None
        values = numbers.astype(np.int64)
        return _of_numbers(RawNumbers(column.name, values, np.zeros(len(values), dtype=np.bool_)))
    return identifier_reason(RawLabels(column.name, column.computable(), column.kind.levels))


def _is_date(level: object) -> bool:
    return level is None or (isinstance(level, str) and _DATE.fullmatch(level.strip()) is not None)


def _of_numbers(column: RawNumbers) -> str | None:
    values = column.values[~column.missing]
    if len(values) <= FEWEST or not is_whole(column):
        return None
    few = values[:_FIRST]
    if len(np.unique(few)) < len(few) or len(np.unique(values)) < len(values):
        return None
    low, high = int(values.min()), int(values.max())
    if high - low + 1 == len(values):
        return "it numbers the rows"
    steps = values[1:] > values[:-1]
    if steps.all() or not steps.any():
        return "its values are all different and in order"
    if looks_like_a_key(column.name):
        return "its values are all different and its name is that of a key"
    return None


def looks_like_a_key(name: str) -> bool:
    """Say whether a name is one that keys of tables have.

    Examples
    --------
    >>> [looks_like_a_key(name) for name in ("ID", "patient_id", "PassengerId", "humid", "paid")]
    [True, True, True, False, False]
    """
    return _SEPARATE.search(name) is not None or _CAMEL.search(name) is not None
