"""Small text files that users write: lists of edges, tiers and knowledge, read whole."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from arcwise.errors import FileFormatError


def read_text(path: Path, wanted: str) -> str:
    """Return the text of a file, or refuse what is no text.

    Parameters
    ----------
    path
        The file.
    wanted
        What to give, for the message: "a file of edges, .csv or .json".
    """
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
