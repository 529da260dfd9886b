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
from arcwise.errors import ArgumentError, CapacityError, DataError, FileFormatError
from arcwise.support.memory import available_memory
from arcwise.support.words import byte_size

PANDAS_INDEX = "__index_level_"


def read_file(path: Path, names: Sequence[str] | None) -> list[tuple[str, nw.Series[Any]]]:
    """Return the columns, by name, of a .csv, .tsv, .tab (also .gz) or .parquet file."""
    separator = separator_of(path)
    if separator is None and path.suffix.lower() != ".parquet":
        raise ArgumentError(
            f"cannot tell the format of {str(path)!r} from its ending; give a file that ends in "
            ".csv, .tsv or .tab, in one of these followed by .gz, or in .parquet"
        )
    content = _content(path)
    if separator is not None:
        return read_delimited(str(path), content, separator, names)
    if names is not None:
        raise ArgumentError(
            f"names is for arrays and text files without a header, but {str(path)!r} has column "
            "names; leave names out"
        )
    return _read_parquet(path, content)


def _content(path: Path) -> bytes:
    # The bytes are read here, since the data frame library would expand wildcards and URLs.
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"there is no file {str(path)!r}; check the path") from None
    except OSError as error:
        raise DataError(
            f"cannot read {str(path)!r} ({error.strerror or error}); check the path"
        ) from error
    if not content:
        raise FileFormatError(f"the file {str(path)!r} is empty; give a table with at least 2 rows")
    if path.suffix.lower() != ".gz":
        return content
    most = available_memory() // 4  # text, its fields and the columns are made of it
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            text = file.read(most + 1)
        if len(text) > most:
            raise CapacityError(
                f"the file {str(path)!r} holds more than {byte_size(most)} of text, which is more "
                "than fits into the free memory with all that is made of it; give fewer rows"
            )
        return text
    except CapacityError:
        raise
    except (OSError, EOFError, zlib.error):
        raise FileFormatError(
            f"the file {str(path)!r} is damaged or not compressed with gzip; write it again"
        ) from None


def _read_parquet(path: Path, content: bytes) -> list[tuple[str, nw.Series[Any]]]:
    damaged = f"the file {str(path)!r} is damaged or not a Parquet file; write it again"
    try:
        check_sizes(str(path), content)
    except DamagedError as error:
        raise FileFormatError(damaged) from error
    with replace_errors(FileFormatError(damaged)):
        frame = nw.read_parquet(io.BytesIO(content), backend="polars")
    index = [name for name in frame.columns if name.startswith(PANDAS_INDEX)]
    if index:
        warn(f"left out the row index of a pandas frame in {str(path)!r}")
    return [(name, frame[name]) for name in frame.columns if name not in index]
