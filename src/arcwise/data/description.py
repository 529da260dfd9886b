"""Describe a table as aligned text: rows, kinds, levels and ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arcwise.data.columns import Column, DiscreteColumn
from arcwise.support.words import plural

if TYPE_CHECKING:
    from arcwise.data.table import Data

MAX_WIDTH = 48


def summary(data: Data) -> str:
    """Return the one-line summary, such as ``200 rows, 3 discrete and 1 continuous variables``."""
    kinds = list(data.kinds.values())
    counts = {kind: kinds.count(kind) for kind in ("discrete", "continuous")}
    parts = [f"{count} {kind}" for kind, count in counts.items() if count]
    nouns = "variable" if len(kinds) == 1 else "variables"
    return f"{plural(data.rows, 'row')}, {' and '.join(parts)} {nouns}"


def describe(data: Data) -> str:
    """Return the summary and a line for each column."""
    lines = [("name", "kind", "levels", "values"), *(_line(column) for column in data.columns)]
    name_width, kind_width, size_width = (max(len(line[i]) for line in lines) for i in range(3))
    table = [
        f"{name:<{name_width}}  {kind:<{kind_width}}  {size:>{size_width}}  {values}"
        for name, kind, size, values in lines
    ]
    notes = []
    if data.weights is not None:
        notes.append(f"row weights: {data.weights.min():.4g} to {data.weights.max():.4g}")
    if data.intervened is not None:
        rows = int(data.intervened.any(axis=1).sum())
        notes.append(f"interventions: some variable was intervened on in {plural(rows, 'row')}")
    return "\n".join([summary(data), *table, *notes])


def _line(column: Column) -> tuple[str, str, str, str]:
    name = column.name if column.name.isprintable() else repr(column.name)
    if isinstance(column, DiscreteColumn):
        return name, column.kind, str(column.size), _shown_levels(column.levels)
    values = column.values
    return name, column.kind, "", f"{values.min():.6g} to {values.max():.6g}"


def _shown_levels(levels: tuple[object, ...]) -> str:
    shown = ""
    for position, level in enumerate(levels):
        text = str(level) if str(level).isprintable() else repr(level)
        longer = f"{shown}, {text}" if position else text
        if position and len(longer) > MAX_WIDTH:
            return f"{shown}, ..., {levels[-1]}"
        shown = longer
    return shown
