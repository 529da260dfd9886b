"""Saving and loading of a table: names, kinds, levels, values, weights and interventions.

A saved table is a zip archive of NumPy arrays (.npz). ``header`` is JSON text in UTF-8: for each
column its name and its levels, or null if it is continuous; ``ordinal`` has the positions of
columns whose levels are ordered, ``slices`` the slices of a time series, and ``arrays`` the names
of all other arrays. ``column_i`` contains codes or values; ``weights`` and ``intervened`` exist if
the table has them, and ``cells``, the numbers of missing values, if these are to be imputed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import NUMBERS, Column, Kind, Labels
from arcwise.data.incomplete import IncompleteData
from arcwise.data.table import Data, Slices
from arcwise.errors import ArcwiseError, FileFormatError
from arcwise.support.files import UNREADABLE, read_archive, write_archive
from arcwise.support.plain import PlainDataclasses

FORMAT = "arcwise data"


def save_table(given: Data | IncompleteData, path: Path) -> None:
    """Write a table to one file."""
    data = given.table if isinstance(given, IncompleteData) else given
    arrays: dict[str, NDArray[Any]] = {}
    described: list[list[Any]] = []
    for place, column in enumerate(data.columns):
        described.append([column.name, list(column.kind.levels) if column.size else None])
        arrays[f"column_{place}"] = column.stored
    if data.weights is not None:
        arrays["weights"] = data.weights
    if data.intervened is not None:
        arrays["intervened"] = data.intervened
    if isinstance(given, IncompleteData):
        arrays["cells"] = given.cells
    ordinal = [place for place, column in enumerate(data.columns) if column.kind.name == "ordinal"]
    description: dict[str, Any] = {"format": FORMAT, "columns": described, "ordinal": ordinal}
    description["slices"] = PlainDataclasses().write(data.slices)
    description["arrays"] = list(arrays)
    header = np.frombuffer(json.dumps(description).encode(), dtype=np.uint8)
    write_archive(path, {"header": header, **arrays}, compressed=True)


def load_table(path: Path) -> Data | IncompleteData:
    """Return a saved table.

    Examples
    --------
    >>> import tempfile
    >>> from arcwise.data import read
    >>> data = read({"smoker": ["no", "yes", "no"], "age": [31.5, 48.0, 22.5]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_table(data, Path(folder) / "data.npz")
    ...     load_table(Path(folder) / "data.npz") == data
    True
    """
    try:
        arrays = read_archive(path)
        header = json.loads(arrays["header"].tobytes().decode())
        # Otherwise weights whose name is damaged would be ignored silently.
        named = [name for name in arrays if name != "header"]
        if header["format"] != FORMAT or header["arrays"] != named:
            raise ValueError
        columns: list[Column] = []
        ordinal = header["ordinal"]
        for place, (name, levels) in enumerate(header["columns"]):
            values = arrays[f"column_{place}"]
            if not isinstance(name, str) or values.dtype != (
                np.float64 if levels is None else np.uint16
            ):
                raise ValueError
            kind: Kind = NUMBERS
            if levels is not None:
                kind = Labels(tuple(map(_checked_level, levels)), place in ordinal)
            columns.append(kind.column(name, values))
        slices = PlainDataclasses().read(Slices | None, header["slices"])
        data = Data(columns, arrays.get("weights"), arrays.get("intervened"), slices=slices)
        return IncompleteData(data, arrays["cells"]) if "cells" in arrays else data
    except FileNotFoundError:
        raise FileFormatError(f"there is no file '{path}'; check the path") from None
    except (*UNREADABLE, ArcwiseError):
        raise FileFormatError(
            f"'{path}' is not a saved table, or is damaged; learn from the table again"
        ) from None


def _checked_level(level: Any) -> Any:
    if level is not None and not isinstance(level, bool | int | float | str):
        raise ValueError
    return level
