"""Locks on open files, which the operating system releases however a process ends."""

from __future__ import annotations

import csv
import errno
import io
import json
import math
import os
import struct
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

from arcwise.errors import ArgumentError, FileFormatError
from arcwise.support.plain import strict_json
from arcwise.support.words import shown

_TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EINTR)
_BETWEEN_TRIES = 0.02  # seconds


class UnsupportedLock(Exception):
    """The file system has no locks."""


def acquired(file: int) -> bool:
    """Try to lock an open file, and return whether that succeeded."""
    try:
        import fcntl
    except ImportError:
        return _acquired_on_windows(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _TAKEN:
            raise UnsupportedLock(os.strerror(error.errno or 0)) from None
        return False
    return True


def acquired_within(file: int, seconds: float) -> bool:
    """Try for some time to lock an open file, and return whether that succeeded."""
    end = time.monotonic() + seconds
    while not acquired(file):
        if time.monotonic() > end:
            return False
        time.sleep(_BETWEEN_TRIES)
    return True


def _acquired_on_windows(file: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        return False
    return True


# --- Files ----------------------------------------------------------------------------------------

# Atomic writing of files: tables, JSON, and replacement of existing files.


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


# --- Text files -----------------------------------------------------------------------------------

# Small text files that users write: lists of edges, tiers and knowledge, read whole.


def read_text(path: Path, wanted: str) -> str:
    """Return the text of a file, or refuse what is no text."""
    try:
        return Path(path).read_bytes().decode("utf-8-sig")  # line ends as they are
    except FileNotFoundError:
        raise FileFormatError(f"there is no file '{path}'; give {wanted}") from None
    except (OSError, ValueError):  # what cannot be a path, or is no text
        raise FileFormatError(f"'{path}' cannot be read as text; give {wanted}") from None


def read_rows(text: str, path: Path, wanted: str) -> list[list[str]]:
    """Return the rows of comma-separated text; there is at least one.

    In quotation marks a name may have line ends and blanks around it; elsewhere blanks are
    there for the eye.
    """
    try:
        lines = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
        rows = [row for row in lines if row]
    except csv.Error as problem:
        raise FileFormatError(
            f"'{path}' is not a valid .csv file ({problem}); give {wanted}"
        ) from None
    if not rows:
        raise FileFormatError(f"'{path}' is empty; give {wanted}")
    if '"' not in text:
        rows = [[field.strip() for field in row] for row in rows]
    return rows


def json_of(text: str) -> Any:
    """Return what JSON text holds; None if it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
