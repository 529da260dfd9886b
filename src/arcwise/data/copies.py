"""Columns that tell the same as another one: the same labels or numbers, perhaps in other words."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import wording
from arcwise.data.columns import Column

if TYPE_CHECKING:
    from arcwise.data.examination import Examination

# Numbers in other units agree to the digits that rounding leaves them.
_DIGITS = 9
# Among fewer rows, columns may agree by chance.
_FEWEST = 20


def note_copies(table: Examination) -> None:
    """Note columns each of which is a copy of an earlier one, in the same words or others.

    Edges of the two cannot be told apart, and the one between them is certain.
    """
    if table.mask is not None:  # where one of two is intervened on they differ in what they tell
        return
    first: dict[bytes, str] = {}
    copies: dict[str, str] = {}
    for column in table.encoded:
        mark = _mark(column)
        if mark is not None and first.setdefault(mark, column.name) != column.name:
            copies[column.name] = first[mark]
    if copies:
        table.notes.append(wording.copies(copies))


def _mark(column: Column) -> bytes | None:
    """Return what two columns have in common if one is a copy of the other; None if constant."""
    values = column.stored
    if column.size:
        _, first, codes = np.unique(values, return_index=True, return_inverse=True)
        if len(first) < 2 or len(codes) < _FEWEST:
            return None
        # Numbered in the order in which they come, whatever they are called.
        return _digest(np.argsort(np.argsort(first)).astype(np.uint16)[codes])
    if len(values) < _FEWEST:
        return None
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers near the largest there are
        centred = values - values.mean()
        spread = float(np.abs(centred).max())
    if not spread > 0.0 or not np.isfinite(spread):
        return None
    sign = 1.0 if centred[int(np.abs(centred).argmax())] > 0 else -1.0
    return _digest(np.round(sign * centred / spread, _DIGITS) + 0.0)


def _digest(values: NDArray[Any]) -> bytes:
    return hashlib.sha256(values.tobytes()).digest()
