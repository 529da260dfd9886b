"""Score sums in a file, which all processes of a machine map without copying."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from arcwise import _core
from arcwise.errors import ArgumentError, FileFormatError
from arcwise.support.files import UNREADABLE
from arcwise.support.names import checked_variables
from arcwise.support.plain_dataclasses import PlainDataclasses
from arcwise.support.sealed_files import Header, header_of, seal, verify
from arcwise.support.words import shown

KIND = "arcwise scores"
VERSION = 1
WRITING = ".arcwise-"


@dataclass(frozen=True)
class Layout:
    """The description of score sums, besides the numbers.

    Parameters
    ----------
    variables
        The names of the nodes.
    methods
        How the sums of each node are computed.
    tolerance
        The largest fraction of a sum that may be omitted.
    tabulated
        What the tables hold.
    parent_only
        The names of the nodes that were summed out.
    """

    variables: tuple[str, ...]
    methods: tuple[Literal["table", "rows", "walk", "scan"], ...]
    tolerance: float
    tabulated: Literal["sums", "maxima", "both"]
    parent_only: tuple[str, ...]


def write_score_table(core: _core.ScoreSums, layout: Layout, path: Path) -> Header:
    """Write score sums to a file atomically, and return its header."""
    description: dict[str, Any] = {
        "arcwise": _core.version,
        "byte_order": sys.byteorder,
        **asdict(layout),
    }
    handle, name = tempfile.mkstemp(prefix=WRITING, dir=path.parent)
    os.close(handle)
    partial = Path(name)
    try:
        header = seal(partial, KIND, VERSION, description, core.write)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return header


def read_score_table(path: Path) -> tuple[_core.ScoreSums, Layout]:
    """Map the score sums in a file after verifying that it is complete.

    Raises
    ------
    FileFormatError
        If the file is of another kind, version or byte order, or damaged.
    """
    header = header_of(path, KIND, VERSION)
    verify(path, header)
    about = header.description
    if about.get("byte_order") != sys.byteorder:
        raise FileFormatError(
            f"'{path}' was written on a machine of byte order {shown(about.get('byte_order'))}, "
            f"and this one has {sys.byteorder}; write it on a machine of the same kind"
        )
    try:
        layout: Layout = PlainDataclasses().read(Layout, about)
        if len(layout.methods) != len(checked_variables(layout.variables)):
            raise ValueError
    except (*UNREADABLE, ArgumentError):
        raise FileFormatError(f"'{path}' is damaged; delete it and write it again") from None
    return _core.ScoreSums.map(os.fspath(path), header.start), layout
