"""Read a data file in the format that its ending declares."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import narwhals as nw

from arcwise.data.delimited import read_delimited, separator_of
from arcwise.data.foreign_errors import replace_errors
from arcwise.data.messages import warn
from arcwise.data.parquet_sizes import DamagedError, check_sizes
from arcwise.errors import (
    ArgumentError,
    CapacityError,
    DataError,
    FileFormatError,
    Wording,
    worded,
)
from arcwise.support.memory import available_memory
from arcwise.support.words import byte_size

PANDAS_INDEX = "__index_level_"


def read_file(path: Path, names: Sequence[str] | None) -> list[tuple[str, nw.Series[Any]]]:
    """Return the columns, by name, of a .csv, .tsv, .tab (also .gz) or .parquet file."""
    if path.is_dir():
        raise DataError(f"{str(path)!r} is a folder; give a file, .csv, .tsv or .parquet")
    if separator_of(path) is None and path.suffix.lower() != ".parquet":
        raise ArgumentError(
            worded(
                f"cannot tell the format of {str(path)!r} from its ending; give a file that ends "
                "in .csv, .tsv or .tab, in one of these followed by .gz, or in .parquet",
                Wording("", ", or say the format by --format"),
            )
        )
    return read_content(str(path), path.name, read_bytes(path), names)


def read_content(
    name: str, ending: str, content: bytes, names: Sequence[str] | None
) -> list[tuple[str, nw.Series[Any]]]:
    """Return the columns, by name, of what a file holds.

    Parameters
    ----------
    name
        What it is called in messages.
    ending
        A file name with the ending that tells the format, which may be nothing but that.
    content
        What it holds.
    names
        The names of the columns, for text without a header.
    """
    if not content:
        raise FileFormatError(f"the file {name!r} is empty; give a table with at least 2 rows")
    if ending.lower().endswith(".gz"):
        content = _unpacked(name, content)
    separator = separator_of(Path(f"table{ending}" if ending.startswith(".") else ending))
    if separator is not None:
        return read_delimited(name, content, separator, names)
    if names is not None:
        raise ArgumentError(
            f"names is for arrays and text files without a header, but {name!r} has column "
            "names; leave names out"
        )
    return _read_parquet(name, content)


def read_bytes(path: Path) -> bytes:
    """Return what a file holds.

    The data frame library is not asked to read it, as it would expand wildcards and URLs.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"there is no file {str(path)!r}; check the path") from None
    except OSError as error:
        raise DataError(
            f"cannot read {str(path)!r} ({error.strerror or error}); check the path"
        ) from error


def _unpacked(name: str, content: bytes) -> bytes:
    most = available_memory() // 4  # text, its fields and the columns are made of it
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            text = file.read(most + 1)
        if len(text) > most:
            raise CapacityError(
                f"the file {name!r} holds more than {byte_size(most)} of text, which is more "
                "than fits into the free memory with all that is made of it; give fewer rows"
            )
        return text
    except CapacityError:
        raise
    except (OSError, EOFError, zlib.error):
        raise FileFormatError(
            f"the file {name!r} is damaged or not compressed with gzip; write it again"
        ) from None


def _read_parquet(name: str, content: bytes) -> list[tuple[str, nw.Series[Any]]]:
    damaged = f"the file {name!r} is damaged or not a Parquet file; write it again"
    try:
        check_sizes(name, content)
    except DamagedError as error:
        raise FileFormatError(damaged) from error
    with replace_errors(FileFormatError(damaged)):
        frame = nw.read_parquet(io.BytesIO(content), backend="polars")
    index = [column for column in frame.columns if column.startswith(PANDAS_INDEX)]
    if index:
        warn(f"left out the row index of a pandas frame in {name!r}")
    return [(column, frame[column]) for column in frame.columns if column not in index]
