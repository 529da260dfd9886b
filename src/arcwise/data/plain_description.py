"""Describes a table as plain values: rows, and each column's kind and levels or range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arcwise.data.columns import Column
from arcwise.data.incomplete import IncompleteData

if TYPE_CHECKING:
    from arcwise.data.examination import Examination
    from arcwise.data.table import Data


def examined_dict(table: Examination) -> dict[str, Any]:
    """Return a table as it comes, whether it can be used or not, with what has to be mended."""
    if table.problems.sentences:
        variables = [
            {"name": column.name, "kind": table.kinds.get(column.name)} for column in table.found
        ]
        found: dict[str, Any] = {"rows": table.rows, "variables": variables}
    else:
        found = data_dict(table.data())
    problems = [sentence.shell for sentence in table.problems.sentences]
    return found | {"left_out": list(table.left_out), "problems": problems}


def data_dict(given: Data | IncompleteData) -> dict[str, Any]:
    """Return the rows and the columns as plain values."""
    data = given.table if isinstance(given, IncompleteData) else given
    missing = given.missing_counts() if isinstance(given, IncompleteData) else {}
    return {
        "rows": data.rows,
        "variables": [
            _column_dict(column)
            | ({"missing": missing[column.name]} if column.name in missing else {})
            for column in data.columns
        ],
        "weighted": data.weights is not None,
        "rows_with_interventions": 0
        if data.intervened is None
        else int(data.intervened.any(axis=1).sum()),
    }


def _column_dict(column: Column) -> dict[str, Any]:
    about: dict[str, Any] = {"name": column.name, "kind": column.kind.name}
    if column.size:
        return about | {
            "levels": [None if each is None else str(each) for each in column.kind.levels]
        }
    low, high = float(column.stored.min()), float(column.stored.max())
    return about | {"minimum": low, "maximum": high}
