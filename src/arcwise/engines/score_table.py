"""Score sums in a file, which all processes of a machine map and none copies."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from arcwise import _core
from arcwise.engines.sealed_files import Header, header_of, seal, verify
from arcwise.errors import FileFormatError
from arcwise.sums import ScoreSums

KIND = "arcwise scores"
VERSION = 1
WRITING = ".arcwise-"


def write_score_table(sums: ScoreSums, path: Path) -> Header:
    """Write score sums to a file, whole or not at all, and return its header."""
    description = {
        "arcwise": _core.version,
        "byte_order": sys.byteorder,
        "variables": list(sums.variables),
        "methods": list(sums.methods),
        "tolerance": sums.tolerance,
        "tabulated": sums.tabulated,
    }
    handle, name = tempfile.mkstemp(prefix=WRITING, dir=path.parent)
    os.close(handle)
    partial = Path(name)
    try:
        header = seal(partial, KIND, VERSION, description, sums.core.write)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return header


def read_score_table(path: Path) -> ScoreSums:
    """Map the score sums in a file, once it is known to be whole.

    Raises
    ------
    FileFormatError
        If it is of another kind, version or byte order, or damaged.
    """
    header = header_of(path, KIND, VERSION)
    verify(path, header)
    about = header.description
    if about["byte_order"] != sys.byteorder:
        raise FileFormatError(
            f"'{path}' was written on a machine whose byte order is {about['byte_order']}, and "
            f"this one's is {sys.byteorder}; write it on a machine of the same kind"
        )
    return ScoreSums.of_core(
        _core.ScoreSums.map(os.fspath(path), header.start),
        tuple(about["variables"]),
        tuple(about["methods"]),
        about["tolerance"],
        about["tabulated"],
    )
