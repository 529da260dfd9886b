"""What a notebook shows of a table: its columns, the first of them if there are many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.data.columns import Column
from arcwise.data.description import describe, summary
from arcwise.support.html import card, paragraphs, table
from arcwise.support.words import number

if TYPE_CHECKING:
    from arcwise.data.table import Data

_MOST_COLUMNS = 50
_MOST_LEVELS = 8


def data_html(data: Data) -> str:
    """Return the summary and the columns as HTML."""
    columns = data.columns[:_MOST_COLUMNS]
    cells: dict[str, list[object]] = {
        "name": [column.name for column in columns],
        "kind": [column.kind.name for column in columns],
        "levels": [column.size or "" for column in columns],
        "values": [_values(column) for column in columns],
    }
    # Below the lines of the heading and the columns are those on weights and the like.
    notes = describe(data).splitlines()[2 + len(data.columns) :]
    return card(summary(data), table(cells, of=len(data.columns)), paragraphs(notes))


def _first(levels: list[str]) -> list[str]:
    if len(levels) <= _MOST_LEVELS:
        return levels
    return [*levels[: _MOST_LEVELS - 2], "…", levels[-1]]


def _values(column: Column) -> str:
    if column.size:
        return ", ".join(_first([str(level) for level in column.kind.levels]))
    return f"{number(float(column.stored.min()))} to {number(float(column.stored.max()))}"
