"""Tables of results with headings: as data frames, as .csv files, as text and as HTML."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from arcwise.posterior.estimate import Interval
from arcwise.support.checks import file_path, whole_number
from arcwise.support.files import write_table
from arcwise.support.optional import optional

Columns = Mapping[str, Sequence[Any]]

MOST_ROWS = 30
"""How many rows of a table are shown."""

LEVEL = 0.95
"""The probability of intervals, unless another one is given."""


class Tabular:
    """A result with a table, whose intervals have a probability."""

    def _columns(self, level: float) -> Columns:
        """Return the columns of the table."""
        raise NotImplementedError

    def table(self, level: float = LEVEL) -> Any:
        """Return a data frame (polars).

        Parameters
        ----------
        level
            The probability of the intervals.
        """
        return frame(self._columns(level))

    def write(self, path: str | os.PathLike[str], level: float = LEVEL) -> None:
        """Write `table` to a .csv file."""
        write_columns(self._columns(level), path)


def frame(columns: Columns) -> Any:
    """Return columns as a polars DataFrame, which pandas users turn into theirs by to_pandas."""
    polars = optional("polars", "table")
    return polars.DataFrame(dict(columns), strict=False)


def write_columns(columns: Columns, path: str | os.PathLike[str]) -> None:
    """Write columns to a .csv file, with empty cells for what a row lacks."""
    rows = zip(*columns.values(), strict=True)
    cells = [tuple("" if value is None else value for value in row) for row in rows]
    write_table(list(columns), cells, file_path(path, "path"))


def stacked(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows as columns, with None where a row lacks what others have."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def text_table(columns: Columns, most: int = MOST_ROWS, rest: str = "see table()") -> str:
    """Return the first rows of columns as aligned text, the first column to the left.

    Parameters
    ----------
    columns
        The columns.
    most
        How many rows.
    rest
        Where to find the others, in words.
    """
    most = whole_number(most, "most", at_least=0)
    total = max(map(len, columns.values()), default=0)
    cells = [[name, *map(_cell, values[:most])] for name, values in columns.items()]
    widths = [max(map(len, column)) for column in cells]
    lines = [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in zip(*cells, strict=True)
    ]
    return "\n".join([*lines, *_rest(total, most, rest)])


def html_table(columns: Columns, caption: str) -> str:
    """Return columns as a table for notebooks, without rows beyond the first 30."""
    rows = list(zip(*columns.values(), strict=True))
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_cell(value))}</td>" for value in row) + "</tr>"
        for row in rows[:MOST_ROWS]
    )
    rest = "".join(f"<p>{escape(line)}</p>" for line in _rest(len(rows), MOST_ROWS, "see table()"))
    return (
        f"<p>{escape(caption)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"{rest}"
    )


def intervals_text(intervals: Sequence[Interval]) -> str:
    """Return intervals in words, such as ``0.4 to 0.6 or 1.9 to 2.1``.

    Examples
    --------
    >>> intervals_text([Interval(0.4, 0.6), Interval(1.9, 2.1)])
    '0.4 to 0.6 or 1.9 to 2.1'
    """
    return " or ".join(f"{figure(low)} to {figure(high)}" for low, high in intervals)


def figure(value: float) -> str:
    """Return a number to three digits; nothing for NaN.

    Examples
    --------
    >>> figure(0.12345), figure(-2.0), figure(float("nan"))
    ('0.123', '-2', '')
    """
    return "" if math.isnan(value) else f"{value:.3g}"


def _rest(rows: int, most: int, where: str) -> list[str]:
    return [f"... and {rows - most:,} more rows; {where}"] if rows > most else []


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return figure(value) if isinstance(value, float) else str(value)
