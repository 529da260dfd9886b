"""Locks on open files, which the operating system releases however a process ends."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import json
import math
import os
import struct
import time
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError, CapacityError, FileFormatError
from arcwise.support.checks import available_memory
from arcwise.support.names import byte_size, shown
from arcwise.support.plain import strict_json

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


# --- Archives -------------------------------------------------------------------------------------

# Archives (.npz): written whole or not at all, read as what may be damaged or made by anyone.
#
# A member says how large it is three times: in the directory of the archive, in its own header,
# and by what it holds. Memory is taken only for what the file itself can make good.


# Deflate makes no more than 1,032 bytes of one.
_MOST_EXPANDED = 1_032
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_SUFFIX = ".npy"
_KINDS = "biuf"  # no objects, texts or records
_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def write_archive(
    path: Path, arrays: Mapping[str, NDArray[Any]], *, compressed: bool = False
) -> None:
    """Write arrays by their names, as `numpy.savez` does, but never objects, and any name."""
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w", method) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}{_SUFFIX}", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


def read_archive(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of an archive by name."""
    with open(path, "rb") as file, zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        length = file.seek(0, 2)
        total = 0
        for member in members:
            room = member.compress_size
            if member.compress_type == zipfile.ZIP_DEFLATED:
                room *= _MOST_EXPANDED
            if member.compress_type not in _METHODS or member.compress_size > length:
                raise ValueError("a member is not as it says")
            if member.file_size > room:
                raise ValueError("a member is larger than its bytes can make it")
            total += member.file_size
        if total > available_memory():
            raise CapacityError(
                f"'{path}' takes {byte_size(total)} of memory, and {byte_size(available_memory())} "
                "are free; open it on a larger machine"
            )
        return {member.filename.removesuffix(_SUFFIX): _read(archive, member) for member in members}


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(member) as content:
        shape, dtype = _header(content)
        if dtype.kind not in _KINDS or dtype.hasobject:
            raise ValueError("an array holds something other than numbers")
        # Plain integers: the product of a shape that lies may be beyond any array.
        if math.prod(shape) * dtype.itemsize != member.file_size - content.tell():
            raise ValueError("an array is not as large as its header says")
    with archive.open(member) as content:
        array: NDArray[Any] = np.lib.format.read_array(content, allow_pickle=False)
    return array


def _header(content: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = np.lib.format.read_magic(content)
    if version not in _READERS:
        raise ValueError("the version of an array is not known")
    try:
        shape, _, dtype = _READERS[version](content)
    except (tokenize.TokenError, SyntaxError):  # which damage looks like to some versions of Python
        raise ValueError("the header of an array is damaged") from None
    return shape, dtype


# --- Sealed files ---------------------------------------------------------------------------------

# Sealed files: a header that describes the contents, and a hash that identifies them.
#
# The first 64 bytes are the kind of file (16 bytes), the version of its format and the length of
# the description (4 bytes each), the length of the whole file (8 bytes), all little-endian, and
# the SHA-256 of everything except itself. The description follows, JSON in UTF-8 padded with
# spaces to a multiple of 64 bytes, and then the contents.


_FRONT = struct.Struct("<16sIIQ")
_HASH = slice(_FRONT.size, 64)
_HEADER = 64
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Header:
    """The header of a sealed file."""

    kind: str  # the kind of file, up to 16 characters
    version: int  # the version of its format
    size: int  # the length of the file
    hash: str  # the SHA-256 of the file, as hexadecimal digits
    start: int  # where the contents begin
    description: dict[str, Any]  # A description of the contents, as plain values


def seal(
    path: Path, kind: str, version: int, description: dict[str, Any], fill: Callable[[str], None]
) -> Header:
    """Write a file whose contents `fill` appends to the path it is given; return the header.

    Write to a temporary path and rename the file afterwards.
    """
    text = json.dumps(description).encode()
    text += b" " * (-len(text) % 64)
    with open(path, "wb") as file:
        file.write(bytes(_HEADER) + text)
    fill(os.fspath(path))
    with open(path, "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        file.write(_FRONT.pack(kind.encode().ljust(16), version, len(text), size))
        digest = _digest(file)
        file.seek(_HASH.start)
        file.write(digest.digest())
        file.flush()
        os.fsync(file.fileno())
    return Header(kind, version, size, digest.hexdigest(), _HEADER + len(text), description)


def header_of(path: Path, kind: str, version: int) -> Header:
    """Return the header of a file after checking its kind, version and length."""
    try:
        with open(path, "rb") as file:
            front = file.read(_HEADER)
            found, of_version, length, size = _FRONT.unpack(front[: _FRONT.size])
            actual = file.seek(0, os.SEEK_END)
            file.seek(_HEADER)
            text = file.read(min(length, actual))
    except OSError as error:
        raise FileFormatError(
            f"'{path}' cannot be read ({error.strerror}); check the path"
        ) from None
    except struct.error:
        found, of_version, length, size, actual, text = b"", 0, 0, 0, -1, b""
    name = found.rstrip()
    if name != kind.encode():
        raise FileFormatError(f"'{path}' is not a file of {kind}; give one written by arcwise")
    if of_version != version:
        raise FileFormatError(
            f"'{path}' has version {of_version} of the format of {kind}, but this version of "
            f"arcwise reads version {version}; write it again"
        )
    try:
        description = json.loads(text) if size == actual and len(text) == length else None
    except ValueError:
        description = None
    if not isinstance(description, dict):
        raise _damaged(path)
    digest = front[_HASH].hex()
    return Header(kind, version, size, digest, _HEADER + length, description)


def verify(path: Path, header: Header) -> None:
    """Refuse a file whose contents do not match the hash in its header."""
    with open(path, "rb") as file:
        if _digest(file).hexdigest() != header.hash:
            raise _damaged(path)


def contents(path: Path, header: Header, expected_hash: str) -> bytes:
    """Return the contents of a file, which must have this hash.

    What is returned is what was hashed, even if another process changes the file meanwhile.
    """
    whole = path.read_bytes()
    digest = hashlib.sha256(whole[: _HASH.start])
    digest.update(whole[_HEADER:])
    if digest.hexdigest() != expected_hash:
        raise _damaged(path)
    return whole[header.start :]


def _damaged(path: Path) -> FileFormatError:
    return FileFormatError(f"'{path}' is damaged; delete it and write it again")


def _digest(file: BinaryIO) -> Any:
    file.seek(0)
    front = file.read(_HEADER)
    digest = hashlib.sha256(front[: _HASH.start])
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest
