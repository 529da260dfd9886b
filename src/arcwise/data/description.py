"""Descriptions of tables as aligned text: rows, kinds, levels, ranges, missing values, remarks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from arcwise.data import encoding
from arcwise.data.columns import Column
from arcwise.data.raw import SEPARATOR, RawColumn, RawLabels, as_level
from arcwise.errors import Wording, worded
from arcwise.support.names import listing, plural

if TYPE_CHECKING:
    from arcwise.data.reader import Examination
    from arcwise.data.table import Data


class Line(NamedTuple):
    """The description of a column; fields that are empty for all columns are left out."""

    name: str
    kind: str
    levels: str
    missing: str
    values: str
    remarks: str = ""


_HEADER = Line("name", "kind", "levels", "missing", "values", "remarks")
ALWAYS = ("name", "kind", "levels", "values")
_TO_THE_RIGHT = ("levels", "missing")


def summary(data: Data) -> str:
    """Return the one-line summary, such as ``200 rows, 3 discrete and 1 continuous variables``."""
    return _summary(data.rows, list(data.kinds.values()))


def _summary(rows: int, kinds: Sequence[str]) -> str:
    counts = {kind: kinds.count(kind) for kind in ("discrete", "ordinal", "continuous", "unusable")}
    parts = [f"{count} {kind}" for kind, count in counts.items() if count]
    nouns = "variable" if len(kinds) == 1 else "variables"
    return f"{plural(rows, 'row')}, {listing(parts)} {nouns}"


def describe(data: Data, missing: Sequence[int] | None = None) -> str:
    """Return the summary and a line for each column, with the share of missing values."""
    columns = [line_of(column) for column in data.columns]
    if missing is not None:
        columns = [
            line._replace(missing=_percent(count, data.rows))
            for line, count in zip(columns, missing, strict=True)
        ]
    lines = [summary(data), *_aligned(columns)]
    if data.weights is not None:
        lines.append(f"row weights: {data.weights.min():.4g} to {data.weights.max():.4g}")
    rows = int(data.intervened_rows.sum())
    if rows:
        lines.append(f"interventions: some variable was intervened on in {plural(rows, 'row')}")
    return "\n".join([*lines, *data.notes])


def describe_examined(table: Examination) -> Wording:
    """Describe a table, usable or not, and what must be fixed."""
    encoded = {column.name: column for column in table.encoded}
    usable = not table.problems.sentences
    if usable and not table.left_out and not table.warnings:
        return worded(table.data().describe())
    lines: list[Line] = []
    kinds: list[str] = []
    for column in table.found:
        kind = table.kinds[column.name]
        line = _line_of_raw(column, kind)
        if usable and column.name in encoded:
            line = line_of(encoded[column.name])._replace(missing=line.missing)
        lines.append(line._replace(remarks=_remarks(table, column)))
        kinds.append(kind)
    for name, reason in table.unusable.items():
        lines.append(Line(_printable(name), "unusable", "", "", "", reason))
        kinds.append("unusable")
    text = [_summary(table.rows, kinds), *_aligned(lines)]
    if usable:
        text += table.data().describe().splitlines()[1 + len(encoded) + 1 :]
    parts: list[str | Wording] = ["\n".join(text)]
    imputable = table.problems.imputable
    for title, sentences in (
        (
            "To be mended before the table can be used:",
            [each for each in table.problems.sentences if each not in imputable],
        ),
        ("To be mended for anything but learn:", imputable),
        ("Besides:", table.warnings),
    ):
        if sentences:
            parts.append(f"\n{title}")
            for sentence in sentences:
                parts += [SEPARATOR, sentence, "."]
    return worded(*parts)


def _remarks(table: Examination, column: RawColumn) -> str:
    name = column.name
    if encoding.is_empty(column):
        return "no values"
    found = []
    if encoding.is_constant(column, missing_is_level=False):
        found.append("constant")
    if name in table.slips:
        found.append("numbers, but for a few")
    if name in table.identifying:
        found.append("seems to identify rows")
    if name in table.measured:
        found.append(f"{table.measured[name]:,} different whole numbers")
    if name in table.left_out:
        found.append("left out")
    return ", ".join(found)


def line_of(column: Column) -> Line:
    """Return the description of a column of a table."""
    name = _printable(column.name)
    kind, values = column.kind, column.stored
    if kind.size:
        return Line(name, kind.name, str(kind.size), "", _shown_levels(kind.levels))
    return Line(name, kind.name, "", "", f"{values.min():.6g} to {values.max():.6g}")


def _line_of_raw(column: RawColumn, kind: str) -> Line:
    name, missing = _printable(column.name), _share(column)
    if isinstance(column, RawLabels):
        seen = np.bincount(column.codes + 1, minlength=len(column.levels) + 1)[1:] > 0
        levels = tuple(
            level
            for level, occurs in zip(column.levels, seen, strict=True)
            if occurs or column.declared
        )
        return Line(name, kind, str(len(levels)), missing, _shown_levels(levels))
    present = column.values[~column.missing]
    if kind == "discrete":
        numbers = tuple(as_level(value) for value in np.unique(present).tolist())
        return Line(name, kind, str(len(numbers)), missing, _shown_levels(numbers))
    values = f"{present.min():.6g} to {present.max():.6g}" if len(present) else ""
    return Line(name, kind, "", missing, values)


def _share(column: RawColumn) -> str:
    return _percent(int(column.missing.sum()), len(column.missing))


def _percent(count: int, rows: int) -> str:
    if not count:
        return ""
    percent = 100 * count / rows
    return "< 1 %" if percent < 1 else f"{min(percent, 99.0 if count < rows else 100.0):.0f} %"


def _aligned(lines: Sequence[Line]) -> list[str]:
    shown = [name for name in _HEADER._fields if name in ALWAYS or any(_of(lines, name))]
    texts = []
    for line in [_HEADER, *lines]:
        fields = []
        for name in shown:
            width = max(map(len, _of([_HEADER, *lines], name)))
            text = str(getattr(line, name))
            fields.append(text.rjust(width) if name in _TO_THE_RIGHT else text.ljust(width))
        texts.append("  ".join(fields).rstrip())
    return texts


def _of(lines: Sequence[Line], name: str) -> list[str]:
    return [getattr(line, name) for line in lines]


def _printable(name: str) -> str:
    return name if name.isprintable() else repr(name)


MAX_WIDTH = 48


def _shown_levels(levels: tuple[object, ...]) -> str:
    shown = ""
    for position, level in enumerate(levels):
        text = str(level) if str(level).isprintable() else repr(level)
        longer = f"{shown}, {text}" if position else text
        if position and len(longer) > MAX_WIDTH:
            return f"{shown}, ..., {levels[-1]}"
        shown = longer
    return shown
