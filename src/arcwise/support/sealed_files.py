"""Sealed files: a header that describes the contents, and a hash that identifies them.

The first 64 bytes are the kind of file (16 bytes), the version of its format and the
length of the description (4 bytes each), the length of the whole file (8 bytes), all
little-endian, and the SHA-256 of everything except itself. The description follows, JSON
in UTF-8 padded with spaces to a multiple of 64 bytes, and then the contents.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from arcwise.errors import FileFormatError

_FRONT = struct.Struct("<16sIIQ")
_HASH = slice(_FRONT.size, 64)
_HEADER = 64
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Header:
    """The header of a sealed file.

    Parameters
    ----------
    kind
        The kind of file, up to 16 characters.
    version
        The version of its format.
    size
        The length of the file.
    hash
        The SHA-256 of the file, as hexadecimal digits.
    start
        Where the contents begin.
    description
        A description of the contents, as plain values.
    """

    kind: str
    version: int
    size: int
    hash: str
    start: int
    description: dict[str, Any]


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
    """Return the header of a file after checking its kind, version and length.

    Raises
    ------
    FileFormatError
        If one of them is wrong; the contents are not checked.
    """
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
