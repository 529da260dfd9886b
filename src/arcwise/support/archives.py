"""Archives (.npz): written whole or not at all, read as what may be damaged or made by anyone.

A member says how large it is three times: in the directory of the archive, in its own header,
and by what it holds. Memory is taken only for what the file itself can make good.
"""

from __future__ import annotations

import math
import tokenize
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import CapacityError
from arcwise.support.files import replacing
from arcwise.support.memory import available_memory
from arcwise.support.words import byte_size

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
    """Return the arrays of an archive by name.

    Raises
    ------
    CapacityError
        If they take more memory than there is.
    OSError, ValueError or one of the other errors of `UNREADABLE`
        If the file is no such archive, or is damaged.
    """
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
