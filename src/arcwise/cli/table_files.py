"""Reads a table from standard input, which is called -, or from a file of any name."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from arcwise.data.files import read_bytes, read_content
from arcwise.data.sources import RENAME, checked_names

TableFormat = Literal["csv", "tsv", "csv.gz", "tsv.gz", "parquet"]

_STANDARD_INPUT = "-"


def table_source(path: Path, form: TableFormat | None) -> Path | Mapping[str, Any]:
    """Return a table as `arcwise.read` takes it: the path, or columns that were read already.

    Parameters
    ----------
    path
        The file, or - for standard input.
    form
        The format; None for that of the file's ending, and for csv from standard input.
    """
    if str(path) == _STANDARD_INPUT:
        name, content = "standard input", sys.stdin.buffer.read()
    elif form is None:
        return path
    else:
        name, content = str(path), read_bytes(path)
    columns = read_content(name, f".{form or 'csv'}", content, None)
    checked_names([column for column, _ in columns], RENAME)  # which a mapping would lose
    return dict(columns)
