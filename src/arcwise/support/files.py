"""Atomic writing of files: tables, JSON, and replacement of existing files."""

from __future__ import annotations

import csv
import math
import os
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arcwise.errors import ArgumentError
from arcwise.support.plain import strict_json

# The errors that reading a damaged archive may raise, depending on where the damage is.
UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    RuntimeError,  # also too deep a nesting
    IndexError,
    AttributeError,
    OverflowError,
    SyntaxError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


def write_table(columns: list[str], rows: Iterable[tuple[Any, ...]], path: Path) -> None:
    """Write rows of text and numbers to a .csv file; NaN is an empty cell."""
    with replacing(path) as temporary, open(temporary, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([_cell(value) for value in row] for row in rows)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(float(value))  # not np.float64(...)
    return str(value)


def write_json(values: Mapping[str, Any], path: Path) -> None:
    """Write plain values to a .json file."""
    with replacing(path) as temporary:
        temporary.write_text(strict_json(values, indent=2) + "\n", encoding="utf-8")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to, which replaces `path` when writing succeeds."""
    if not path.parent.is_dir():
        raise ArgumentError(f"there is no folder '{path.parent}'; create it first")
    temporary = path.with_name(path.name + ".partial")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
