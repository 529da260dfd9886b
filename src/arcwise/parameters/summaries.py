"""Summaries of weighted draws: quantiles, highest-density regions, and tables of these.

A highest-density region is the shortest interval, or several intervals where the density has
gaps. The draws are divided into cells of equal probability, which are short where the density is
high. The region of probability p with at most k intervals consists of the shortest cells that
hold p in total and form at most k runs of neighbours. Equal probabilities suit every scale: one
mode may be a thousand times as narrow as another, so that no single bandwidth of a density
estimate would fit both.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError, option
from arcwise.posterior.estimate import Interval
from arcwise.support.checks import file_path, open_fraction, real_numbers, whole_number
from arcwise.support.files import write_table
from arcwise.support.names import shown
from arcwise.support.optional import optional

Array = NDArray[np.float64]
Columns = Mapping[str, Sequence[Any]]

MOST_ROWS = 30
"""The number of rows of a table that are shown."""

LEVEL = 0.95
"""The default probability of intervals."""


def checked_probabilities(probabilities: float | Sequence[float]) -> NDArray[np.float64]:
    """Return the probabilities as an array, or refuse them."""
    given = real_numbers(probabilities, "probabilities")
    if given.ndim > 1 or not ((given >= 0) & (given <= 1)).all():
        raise ArgumentError(
            f"probabilities is {shown(probabilities)}; give one number from 0 to 1 or a list of "
            "them"
        )
    return given


def weighted_quantiles(
    values: ArrayLike, shares: NDArray[np.float64], probabilities: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the smallest values whose cumulative weights reach the probabilities.

    Values are never averaged: effects have a point mass at 0, and a quantile that falls
    on it is 0.
    """
    array = np.asarray(values)
    kept = np.flatnonzero(shares > 0)
    order = kept[np.argsort(array[kept], kind="stable")]
    reached = np.cumsum(shares[order])
    # The sum of many weights is close to 1; the rounding error must not shift a quantile.
    places = np.searchsorted(reached, probabilities * reached[-1] * (1 - 1e-12))
    found: NDArray[np.float64] = array[order[np.minimum(places, len(order) - 1)]].astype(np.float64)
    return found


CELLS = 200
MOST_INTERVALS = 3
# A gap counts if leaving it out shortens the region by this share, plus an allowance for gaps that
# arise by chance: _GAIN_BY_CHANCE divided by the square root of the effective number of draws.
SMALLEST_GAIN = 0.1
_GAIN_BY_CHANCE = 2.0
# An interval that rests on fewer draws may be due to chance.
_FEWEST_DRAWS = 10


def checked_level(level: float) -> float:
    """Return the probability of an interval, or refuse it."""
    return open_fraction(level, option("level"))


def highest_density(
    values: ArrayLike, shares: NDArray[np.float64], level: float
) -> tuple[Interval, ...]:
    """Return the intervals of the highest-density region, in ascending order.

    Examples
    --------
    >>> draws = np.concatenate([np.linspace(-1, 1, 500), np.linspace(9, 11, 500)])
    >>> [(round(low), round(high)) for low, high in highest_density(draws, np.ones(1000), 0.95)]
    [(-1, 1), (9, 11)]
    """
    edges = weighted_quantiles(values, shares, np.arange(CELLS + 1) / CELLS)
    lengths = np.diff(edges)
    wanted = min(CELLS, math.ceil(level * CELLS - 1e-9))
    reached = np.concatenate([[0.0], np.cumsum(lengths)])
    first = int(np.argmin(reached[wanted:] - reached[: len(reached) - wanted]))
    chosen = np.zeros(CELLS, dtype=np.bool_)
    chosen[first : first + wanted] = True
    effective = float(shares.sum() ** 2 / np.square(shares).sum())
    most = 1 - SMALLEST_GAIN - _GAIN_BY_CHANCE / math.sqrt(effective)
    if np.sort(lengths)[:wanted].sum() < most * lengths[chosen].sum():
        for union in shortest_unions(lengths, wanted, MOST_INTERVALS)[1:]:
            fewest = effective / CELLS * min(end - begin for begin, end in _runs(union))
            shorter = lengths[union].sum() < most * lengths[chosen].sum()
            if not shorter or fewest < _FEWEST_DRAWS:
                break
            chosen = union
    return tuple(Interval(float(edges[begin]), float(edges[end])) for begin, end in _runs(chosen))


def _runs(chosen: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return where each run of chosen cells begins, and the first cell after it."""
    steps = np.diff(np.concatenate([[0], chosen.astype(np.int8), [0]]))
    begins, ends = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
    return list(zip(begins.tolist(), ends.tolist(), strict=True))


def shortest_unions(lengths: Array, wanted: int, most: int) -> list[NDArray[np.bool_]]:
    """Return the shortest choice of cells in at most 1, 2, ..., `most` runs of neighbours.

    Dynamic programming over the cells: the least length of j cells in r runs, with the last
    cell chosen or not.
    """
    count = len(lengths)
    # Least lengths of j chosen cells in r runs, as [r, j]; zero runs hold zero cells.
    inside = np.full((most + 1, wanted + 1), np.inf)
    outside = np.full((most + 1, wanted + 1), np.inf)
    outside[:, 0] = 0.0
    continued = np.zeros((count, most + 1, wanted + 1), dtype=np.bool_)
    left = np.zeros((count, most + 1, wanted + 1), dtype=np.bool_)
    for cell, length in enumerate(lengths.tolist()):
        chosen = np.full_like(inside, np.inf)
        continuing, beginning = inside[1:, :-1], outside[:-1, :-1]
        continued[cell, 1:, 1:] = continuing <= beginning
        chosen[1:, 1:] = length + np.minimum(continuing, beginning)
        left[cell] = inside < outside
        outside = np.minimum(inside, outside)
        inside = chosen
    found = []
    for runs in range(1, most + 1):
        union = np.zeros(count, dtype=np.bool_)
        run, cells = runs, wanted
        within = bool(inside[run, cells] <= outside[run, cells])
        for cell in range(count - 1, -1, -1):
            if within:
                union[cell] = True
                within = bool(continued[cell, run, cells])
                cells -= 1
                run -= not within
            else:
                within = bool(left[cell, run, cells])
        found.append(union)
    return found


class Tabular:
    """A result with a table, whose intervals have a probability."""

    def _columns(self, level: float) -> Columns:
        """Return the columns of the table."""
        raise NotImplementedError

    def table(self, level: float = LEVEL) -> Any:
        """Return a data frame (polars)."""
        return frame(self._columns(level))

    def write(self, path: str | os.PathLike[str], level: float = LEVEL) -> None:
        """Write `table` to a .csv file."""
        write_columns(self._columns(level), path)


def frame(columns: Columns) -> Any:
    """Return columns as a polars DataFrame."""
    polars = optional("polars", "table")
    return polars.DataFrame(dict(columns), strict=False)


def write_columns(columns: Columns, path: str | os.PathLike[str]) -> None:
    """Write columns to a .csv file, with an empty cell for every None."""
    rows = zip(*columns.values(), strict=True)
    cells = [tuple("" if value is None else value for value in row) for row in rows]
    write_table(list(columns), cells, file_path(path, "path"))


def stacked(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return rows as columns, with None where a row lacks a name that others have."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def text_table(columns: Columns, most: int = MOST_ROWS, rest: str = "see table()") -> str:
    """Return the first rows of columns as text, the first column aligned to the left."""
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
