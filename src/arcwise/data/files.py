"""Read a data file in the format that its ending declares: text with separators, or Parquet."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from arcwise.data.messages import warn
from arcwise.data.parquet_sizes import DamagedError, check_sizes
from arcwise.errors import (
    ArcwiseError,
    ArgumentError,
    CapacityError,
    DataError,
    FileFormatError,
    Wording,
    worded,
)
from arcwise.support.memory import available_memory
from arcwise.support.words import byte_size, listing, plural, quoted, shown


@contextmanager
def replace_errors(error: ArcwiseError) -> Iterator[None]:
    """Raise the given error in place of whatever a library raises in the block.

    A damaged file can make a library written in Rust panic, and such a panic is not an
    Exception. Neither is Ctrl-C, which must get through.
    """
    try:
        yield
    except BaseException as cause:
        if isinstance(cause, Exception) or type(cause).__name__ == "PanicException":
            raise error from cause
        raise


SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}

#: What counts as missing in a text file, quoted or not. `None` does not: networks such as
#: INSURANCE and HAILFINDER have a level of that name.
MISSING_MARKERS = ("", "NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "NAN", "null", "NULL", "?")

#: Numbers as written where the comma is the decimal mark, or marks thousands.
_NUMBER_WITH_COMMA = r"^[-+]?\d+(,\d+)*([eE][-+]?\d+)?$"
#: Those where it is the decimal mark, and points may mark thousands.
_DECIMAL_COMMA = r"^[-+]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?([eE][-+]?\d+)?$"
#: Those of them in which it may as well mark thousands.
_THOUSANDS = r"^[-+]?([1-9]\d{0,2}(,\d{3})+|\d{1,3})$"

BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class Shape:
    """The header, the number of lines that are not blank, and the places of those that are."""

    header: list[str]
    rows: int
    blank: list[int]


def separator_of(path: Path) -> str | None:
    """Return the separator by the ending of a file name, or None if it is not delimited text."""
    name = path.name.lower().removesuffix(".gz")
    return SEPARATORS.get(Path(name).suffix)


def read_delimited(
    path: str, content: bytes, separator: str, names: Sequence[str] | None
) -> list[tuple[str, nw.Series[Any]]]:
    """Return the columns of a delimited text file by name, each of the type of its values."""
    text = _decoded(path, content)
    if separator == ",":
        separator = _likely_separator(text)
    shape = _checked_shape(path, text, separator)
    ambiguous = FileFormatError(
        f"the fields of {path!r} cannot be told apart; put quotation marks around whole fields "
        "only, and double those inside a field"
    )
    with replace_errors(ambiguous):
        frame = nw.read_csv(
            io.BytesIO(text.encode()),
            backend="polars",
            separator=separator,
            has_header=False,
            infer_schema=False,
        )
    if frame.shape != (shape.rows + len(shape.blank), len(shape.header)):
        raise ambiguous
    if shape.blank:
        keep = np.ones(len(frame), dtype=np.bool_)
        keep[shape.blank] = False
        frame = frame.filter(keep.tolist())
    width = len(shape.header)
    if names is None:
        names = shape.header
        _refuse_numbers(path, names)
        _warn_of_no_header(path, names, frame)
        frame = frame[1:]
        if _is_row_names(path, names[0], frame[:, 0]):
            names, frame = names[1:], frame[:, 1:]
    elif isinstance(names, str) or not isinstance(names, Sequence) or len(names) != width:
        raise ArgumentError(
            f"names is {shown(names)}; give a list with a name for each of the "
            f"{plural(width, 'column')} of {path!r}"
        )
    named = list(zip(names, typed(frame), strict=True))
    if separator != "," or '"' in text:  # no field has a comma in it otherwise
        named = _with_decimal_commas(path, named)
    return named


def typed(frame: nw.DataFrame[Any]) -> list[nw.Series[Any]]:
    """Return text as integers, reals or booleans if all of a column can be read as such, stripped.

    Many columns are converted by one call, as a call for each would take most of the time of a
    table of thousands.
    """
    found = _numbers(frame)
    left = frame.select(name for name in frame.columns if name not in found)
    if left.columns:
        polars = nw.get_native_namespace(left)
        every = polars.all()
        text = left.to_native().select(every.str.strip_chars())
        text = text.select(polars.when(~every.is_in(MISSING_MARKERS)).then(every))
        left = nw.from_native(text, eager_only=True)
        found |= _numbers(left)
        boolean = text.select(every.str.to_lowercase().is_in(tuple(BOOLEANS)).all()).row(0)
        for column, yes_or_no in zip(left.iter_columns(), boolean, strict=True):
            if column.name not in found:
                label = column.str.to_lowercase() == "true" if yes_or_no else column
                found[column.name] = label
    return [found[name] for name in frame.columns]


def _numbers(frame: nw.DataFrame[Any]) -> dict[str, nw.Series[Any]]:
    """Return those columns of text that hold numbers alone, as integers or reals, by name."""
    found: dict[str, nw.Series[Any]] = {}
    for kind in (int, float):
        left = frame.select(name for name in frame.columns if name not in found)
        if not left.columns:
            break
        # What is no such number becomes null, where narwhals would raise an error.
        read = nw.from_native(left.to_native().cast(kind, strict=False), eager_only=True)
        usable = [now == then for now, then in zip(_nulls(read), _nulls(left), strict=True)]
        if kind is float:
            # "nan" can be read as a real, but among integers it is a missing one.
            nan = read.select(nw.all().is_nan().any()).row(0)
            usable = [fine and not bad for fine, bad in zip(usable, nan, strict=True)]
        columns = zip(read.iter_columns(), usable, strict=True)
        found |= {column.name: column for column, fine in columns if fine}
    return found


def _nulls(frame: nw.DataFrame[Any]) -> tuple[int, ...]:
    return tuple(frame.null_count().row(0))


def _decoded(path: str, content: bytes) -> str:
    # What spreadsheets call Unicode text begins with a mark that nothing else begins with.
    encoding = "utf-16" if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    if encoding != "utf-16" and b"\0" in content:
        raise FileFormatError(
            f"the file {path!r} is not UTF-8 text; save it as comma-separated text in UTF-8"
        )
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileFormatError(
            f"the file {path!r} is not UTF-8 text (line {line}); save it as UTF-8"
        ) from None
    if "\0" in text:
        raise FileFormatError(f"the file {path!r} holds zero bytes; save it as text")
    if not text.strip():
        raise FileFormatError(
            f"the file {path!r} is empty; give a line of names and at least 2 rows"
        )
    # The parser accepts neither a leading blank line nor "\r" alone as the end of a line.
    text = text.lstrip("\r\n")
    return text if "\n" in text else text.replace("\r", "\n")


def _likely_separator(text: str) -> str:
    unquoted = re.sub('"[^"]*"', "", text.partition("\n")[0])
    return next((separator for separator in (",", ";", "\t", "|") if separator in unquoted), ",")


def _checked_shape(path: str, text: str, separator: str) -> Shape:
    return _even_shape(text, separator) or _shape_by_lines(path, text, separator)


def _even_shape(text: str, separator: str) -> Shape | None:
    """Return the shape of lines without quotation marks, all of one number of fields; else None.

    Nothing but separators and ends of lines matters to these, so that they can all be counted at
    once; most large tables are of this kind.
    """
    first = text.partition("\n")[0].rstrip("\r")
    fields = first.count(separator) + 1
    if fields == 1 or '"' in text or text.count("\r") != text.count("\r\n"):
        return None
    line = separator.encode() * (fields - 1) + b"\n"
    others = bytes(set(range(256)) - set(line))
    marks = text.encode().translate(None, others)
    if not text.endswith("\n"):
        marks += b"\n"
    rows = len(marks) // len(line)
    if marks != rows * line:
        return None
    return Shape([name.strip() for name in first.split(separator)], rows, [])


def _shape_by_lines(path: str, text: str, separator: str) -> Shape:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    header: list[str] = []
    blank = []
    number = -1
    try:
        for number, fields in enumerate(lines):
            if len(fields) == len(header) > 0:
                continue
            if not fields or (len(fields) == 1 and len(header) != 1 and not fields[0].strip()):
                blank.append(number)
            elif not header:
                header = [name.strip() for name in fields]
            else:
                raise FileFormatError(
                    f"line {lines.line_num} of {path!r} has {plural(len(fields), 'field')}, but "
                    f"the first line has {len(header)}; give every line the same number of fields"
                )
    except csv.Error as error:
        raise FileFormatError(
            f"line {lines.line_num} of {path!r} is damaged ({error}); correct it"
        ) from None
    return Shape(header, number + 1 - len(blank), blank)


def _refuse_numbers(path: str, header: Sequence[str]) -> None:
    # Numbers may be names (0, 1, 2, ... are the default ones of pandas), but repeated or
    # fractional ones are the first row of a file without a header.
    if all(map(_is_number, header)) and (len(set(header)) < len(header) or "." in "".join(header)):
        raise DataError(
            f"the first line of {path!r} holds numbers ({listing(header)}), not names; add a line "
            "of names",
            Wording(", or give names=[...]", ""),
        )


def _warn_of_no_header(path: str, header: Sequence[str], frame: nw.DataFrame[Any]) -> None:
    """Warn if the first line looks like one of the rows."""
    numbered = [list(map(str, range(first, first + len(header)))) for first in (0, 1)]
    if header in numbered:
        return  # as pandas names the columns of a frame without names
    numbers = all(map(_is_number, header))
    # Every would-be name is also a value further down its own column.
    values = not numbers and all(
        (column[1:].str.strip_chars() == name).any()
        for name, column in zip(header, frame.iter_columns(), strict=True)
    )
    if numbers or values:
        what = "numbers" if numbers else "values that come up again in their columns"
        warn(
            f"took the first line of {path!r} as names ({listing(header)}), but it holds {what}; "
            "if it is a row, add a line of names",
            Wording(" or give names=[...]", ""),
        )


def _with_decimal_commas(
    path: str, columns: list[tuple[str, nw.Series[Any]]]
) -> list[tuple[str, nw.Series[Any]]]:
    """Return the columns with numbers such as 0,5 read as such; refuse 1,250 if no other tells.

    Otherwise they would be taken for as many labels.
    """
    result, read = [], []
    for name, column in columns:
        present = column.drop_nulls() if column.dtype == nw.String else None
        with_comma = None if present is None else present.str.contains(",", literal=True)
        if present is None or with_comma is None or not with_comma.any():
            result.append((name, column))
        elif (
            present.str.contains(_DECIMAL_COMMA).all()
            and not present.str.contains(_THOUSANDS).all()
        ):
            written = column.str.replace_all(".", "", literal=True)
            written = written.str.replace_all(",", ".", literal=True)
            result.append((name, written.cast(nw.Float64)))
            read.append(name)
        elif present.str.contains(_NUMBER_WITH_COMMA).all():
            raise DataError(
                f"column {name!r} of {path!r} holds numbers with commas, such as "
                f"{present.filter(with_comma)[0]!r}, which may mark decimals or thousands; write "
                "them with a decimal point and without other separators"
            )
        else:
            result.append((name, column))
    if read:
        warn(f"read the comma as the decimal mark in {quoted(read)} of {path!r}")
    return result


def _is_row_names(path: str, name: str, column: nw.Series[Any]) -> bool:
    """Say whether the first column holds row names, as R and pandas write them."""
    if name or column.n_unique() < len(column):
        return False
    warn(
        f"left out the first column of {path!r} as row names, since it has no name and a different "
        "value in each row"
    )
    return True


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


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
