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
from secrets import token_hex
from typing import Any

from arcwise.errors import ArgumentError
from arcwise.support.plain import strict_json
from arcwise.support.words import shown

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
        cells = [[_cell(value) for value in row] for row in rows]
        # A blank at the end of a name is only safe in quotation marks.
        bare = all(cell == cell.strip() for row in cells for cell in row)
        writer = csv.writer(file, quoting=csv.QUOTE_MINIMAL if bare else csv.QUOTE_ALL)
        writer.writerow(columns)
        writer.writerows(cells)


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
    """Yield a temporary path to write to, which replaces `path` when writing succeeds.

    The temporary file is new and has a name that nobody can foresee, so no link that someone put
    there is followed; a link at `path` is replaced, not followed, either.
    """
    try:
        impossible = b"\0" in os.fsencode(path)
    except UnicodeEncodeError:
        impossible = True
    if impossible:
        raise ArgumentError(f"{shown(str(path))} cannot be the name of a file; give another")
    if not path.parent.is_dir():
        raise ArgumentError(f"there is no folder '{path.parent}'; create it first")
    if path.is_dir():
        raise ArgumentError(f"'{path}' is a folder; give the name of a file in it")
    temporary = path.with_name(f".{token_hex(8)}.partial")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        os.close(os.open(temporary, flags, 0o666))
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
