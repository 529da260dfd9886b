"""Levels that may be the same in another spelling, such as yes and Yes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.data import wording
from arcwise.data.columns import Column

if TYPE_CHECKING:
    from arcwise.data.examination import Examination


def note_spellings(table: Examination) -> None:
    """Note columns with levels that differ in capitals and blanks alone."""
    alike = {column.name: groups for column in table.encoded if (groups := _alike(column))}
    if alike:
        table.notes.append(wording.spellings(alike))


def _alike(column: Column) -> list[list[str]]:
    """Return the levels that may be the same, together."""
    groups: dict[str, list[str]] = {}
    for level in column.kind.levels:
        if isinstance(level, str):
            groups.setdefault("".join(level.split()).casefold(), []).append(level)
    return [levels for levels in groups.values() if len(levels) > 1]
