"""Files written whole or not at all: tables, JSON, and whatever replaces an older file."""

from __future__ import annotations

import csv
import math
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arcwise.errors import ArgumentError
from arcwise.support.plain import strict_json

# What reading a damaged archive raises, by where the damage is.
UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)


def write_table(columns: list[str], rows: Iterable[tuple[Any, ...]], path: Path) -> None:
    """Write rows of words and numbers to a .csv file; NaN is an empty cell."""
    with replacing(path) as temporary, open(temporary, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([_cell(value) for value in row] for row in rows)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(float(value))  # NumPy would name its type
    return str(value)


def write_json(values: Mapping[str, Any], path: Path) -> None:
    """Write plain values to a .json file."""
    with replacing(path) as temporary:
        temporary.write_text(strict_json(values, indent=2) + "\n", encoding="utf-8")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name to write to, which takes the place of `path` once all is written."""
    if not path.parent.is_dir():
        raise ArgumentError(f"there is no folder '{path.parent}'; make it first")
    temporary = path.with_name(path.name + ".partial")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
