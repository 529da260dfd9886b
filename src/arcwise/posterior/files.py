"""The files a posterior is kept in.

A saved posterior is a zip archive of NumPy arrays (.npz), which most languages
read: ``header`` is JSON text in UTF-8 with the format's version and all plain
values, ``edges`` the edge probabilities as [source, target], and for node i
``parents_i``, ``offsets_i`` and ``probabilities_i`` its parent sets: set j is
``parents_i[offsets_i[j]:offsets_i[j + 1]]``, as positions among the variables.
"""

from __future__ import annotations

import csv
import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.dag import Dag
from arcwise.errors import ArgumentError, FileFormatError
from arcwise.scores import FamilyScores

if TYPE_CHECKING:
    from arcwise.posterior.posterior import Posterior

FORMAT = "arcwise posterior"
FORMAT_VERSION = 1

# What reading a damaged archive raises, by where the damage is.
_UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)

_PLAIN = (
    "target",
    "algorithm",
    "log_evidence",
    "log_prior_constant",
    "map_log_weight",
    "map_probability",
    "error",
)


def write_edges(rows: Iterable[tuple[str, str, float]], path: Path) -> None:
    """Write edges with their probabilities to a .csv file."""
    with replacing(path) as temporary, open(temporary, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["source", "target", "probability"])
        writer.writerows((source, target, repr(value)) for source, target, value in rows)


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


def save(posterior: Posterior, path: Path) -> None:
    """Write a posterior to one file."""
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "variables": list(posterior.variables),
        "map_edges": [list(edge) for edge in posterior.map_dag.edges],
        "provenance": dict(posterior.provenance),
        **{name: getattr(posterior, name) for name in _PLAIN},
    }
    text = json.dumps(header).encode()
    arrays: dict[str, NDArray[Any]] = {
        "header": np.frombuffer(text, dtype=np.uint8),
        "edges": posterior.edges,
    }
    table = posterior.family_probabilities.table
    for node in range(len(posterior.variables)):
        parents, offsets = table.parent_sets(node)
        arrays[f"parents_{node}"] = parents.astype(np.uint16)
        arrays[f"offsets_{node}"] = offsets
        arrays[f"probabilities_{node}"] = table.values(node)
    with replacing(path) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load(path: Path) -> dict[str, Any]:
    """Return the fields of a saved posterior."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays["header"].tobytes().decode())
        if header["format"] != FORMAT:
            raise ValueError
        version = int(header["format_version"])
    except FileNotFoundError:
        raise FileFormatError(f"there is no file '{path}'; check the path") from None
    except _UNREADABLE:
        raise FileFormatError(
            f"'{path}' is no saved posterior, or is damaged; save it again"
        ) from None
    if version > FORMAT_VERSION:
        raise FileFormatError(
            f"'{path}' has the format {version} of a newer arcwise, and this one reads up to "
            f"{FORMAT_VERSION}; update arcwise"
        )
    try:
        variables = tuple(header["variables"])
        fields: dict[str, Any] = {name: header[name] for name in _PLAIN}
        fields["variables"] = variables
        fields["map_dag"] = Dag.from_edges(variables, [tuple(edge) for edge in header["map_edges"]])
        fields["provenance"] = header["provenance"]
        fields["edges"] = arrays["edges"]
        if fields["edges"].shape != (len(variables),) * 2:
            raise ValueError
        fields["family_probabilities"] = _families(variables, arrays)
    except (KeyError, TypeError, ValueError, IndexError):
        raise FileFormatError(f"'{path}' lacks parts of a posterior; save it again") from None
    return fields


def _families(variables: tuple[str, ...], arrays: dict[str, Any]) -> FamilyScores:
    candidates, members, values = [], [], []
    for node in range(len(variables)):
        parents = arrays[f"parents_{node}"].tolist()
        offsets = arrays[f"offsets_{node}"].tolist()
        probabilities = arrays[f"probabilities_{node}"].tolist()
        if [0, len(parents), len(probabilities)] != [offsets[0], offsets[-1], len(offsets) - 1]:
            raise ValueError
        possible = sorted(set(parents))
        place = {parent: position for position, parent in enumerate(possible)}
        candidates.append(possible)
        members.append(
            [[place[parent] for parent in parents[first:last]] for first, last in pairwise(offsets)]
        )
        values.append(probabilities)
    return FamilyScores(variables, _core.FamilyTable.from_lists(candidates, members, values))
