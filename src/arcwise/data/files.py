"""Reading of data files in the format given by their ending: text with separators, or Parquet.

The reader of the data frame library trusts the sizes stated in a Parquet file, and ends the process
if they exceed the memory of the machine, so they are checked before. The sizes are in the footer of
the file, for each column of each group of rows, and in the header of each page. Both are written in
the compact protocol of Thrift, with the field numbers of the format's ``parquet.thrift``.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import struct
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from arcwise.data.raw import warn
from arcwise.errors import (
    ArcwiseError,
    ArgumentError,
    CapacityError,
    DataError,
    FileFormatError,
    Wording,
    worded,
)
from arcwise.support.checks import available_memory
from arcwise.support.names import byte_size, listing, plural, quoted, shown


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
    """Return the columns, by name, of the content of a file."""
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
    """Return the content of a file, without wildcards and URLs, which libraries would expand."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"there is no file {str(path)!r}; check the path") from None
    except OSError as error:
        raise DataError(
            f"cannot read {str(path)!r} ({error.strerror or error}); check the path"
        ) from error


def _unpacked(name: str, content: bytes) -> bytes:
    most = available_memory() // 4  # text, fields and columns need several times its size
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
    index = [column for column in frame.columns if column.startswith("__index_level_")]
    if index:
        warn(f"left out the row index of a pandas frame in {name!r}")
    return [(column, frame[column]) for column in frame.columns if column not in index]


@contextmanager
def replace_errors(error: ArcwiseError) -> Iterator[None]:
    """Raise the given error in place of any error that a library raises in the block.

    A damaged file can make a library written in Rust panic, and such a panic is not an Exception.
    Neither is Ctrl-C, which must not be replaced.
    """
    try:
        yield
    except BaseException as cause:
        if isinstance(cause, Exception) or type(cause).__name__ == "PanicException":
            raise error from cause
        raise


SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
#: Missing values in a text file, quoted or not. `None` is not one of them, as networks such as
#: INSURANCE and HAILFINDER have a level of that name.
MISSING_MARKERS = ("", "NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "NAN", "null", "NULL", "?")
#: Numbers in which commas mark decimals or thousands.
_NUMBER_WITH_COMMA = r"^[-+]?\d+(,\d+)*([eE][-+]?\d+)?$"
#: Numbers in which the comma marks decimals, and points may mark thousands.
_DECIMAL_COMMA = r"^[-+]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?([eE][-+]?\d+)?$"
#: Numbers in which commas may mark thousands.
_THOUSANDS = r"^[-+]?([1-9]\d{0,2}(,\d{3})+|\d{1,3})$"
BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class Shape:
    """The header, the number of lines that are not blank, and the positions of blank lines."""

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
    """Return the columns of a delimited text file by name, with the types of their values."""
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
    """Return stripped text as integers, reals or booleans if a whole column can be read as such.

    All columns are converted by one call, as one call for each is slow for thousands of columns.
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
    """Return the columns of text that contain only numbers, as integers or reals, by name."""
    found: dict[str, nw.Series[Any]] = {}
    for kind in (int, float):
        left = frame.select(name for name in frame.columns if name not in found)
        if not left.columns:
            break
        # Text that is not such a number becomes null; narwhals would raise an error.
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
    # UTF-16, which spreadsheets call Unicode text, begins with a byte order mark.
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
    """Return the shape of lines without quotation marks and with equal numbers of fields, or None.

    It depends on separators and ends of lines alone, which can all be counted at once.
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
    # Numbers may be names (pandas names columns 0, 1, 2, ...), but repeated or fractional numbers
    # are the first row of a file without a header.
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
        return  # the default names of pandas
    numbers = all(map(_is_number, header))
    # Every supposed name may also be a value of its column.
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
    """Return the columns with numbers such as 0,5 as numbers; refuse 1,250 if it is ambiguous."""
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
    """Return whether the first column contains row names, as written by R and pandas."""
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


_MAGIC = b"PAR1"
_LENGTH = struct.Struct("<I")
# The least number of bytes of a value in memory, by its physical type: BOOLEAN, INT32, INT64,
# INT96, FLOAT, DOUBLE. All others are texts, which dictionaries may reduce to one byte.
_BYTES = {0: 1 / 8, 1: 1, 2: 8, 3: 8, 4: 4, 5: 8}
_TEXT_BYTES = 1
_Fields = dict[int, Any]


class DamagedError(ValueError):
    """The file contradicts itself, or is not a Parquet file."""


def check_sizes(name: str, content: bytes) -> None:
    """Check all sizes of a Parquet file."""
    try:
        needed = max(_claims(content), default=0.0)
    except (IndexError, KeyError, TypeError, AttributeError, RecursionError, struct.error):
        raise DamagedError("it cannot be read") from None
    free = available_memory()
    if needed > free:
        raise CapacityError(
            f"the file {name!r} holds a table of {byte_size(needed)}, and {byte_size(free)} of "
            "memory are free; give fewer rows or columns, or write the file again if it should be "
            "smaller"
        )


def _claims(content: bytes) -> Iterator[float]:
    """Yield the bytes that will be allocated at once: for the table, and for each page."""
    if len(content) < 2 * len(_MAGIC) + _LENGTH.size or not content.endswith(_MAGIC):
        raise DamagedError("it does not end like a Parquet file")
    end = len(content) - len(_MAGIC) - _LENGTH.size
    length = _LENGTH.unpack_from(content, end)[0]
    if length > end:
        raise DamagedError("its footer is longer than the file")
    footer, _ = _read_struct(content, end - length)
    yield _count(footer, 3) * min(_BYTES.values())
    table = 0.0
    for group in footer[4]:
        rows = _count(group, 3)
        for column in group[1]:
            if 3 not in column or 1 in column:
                continue  # encrypted, or in another file
            described = column[3]
            values = _count(described, 5)
            table += max(rows, values) * _BYTES.get(described[1], _TEXT_BYTES)
            yield from _pages(content, described, values)
    yield table


def _pages(content: bytes, described: _Fields, values: int) -> Iterator[float]:
    """Yield the sizes of the pages of one column of one group of rows."""
    place, dictionary = _count(described, 9), described.get(11, 0)
    if dictionary > place:
        raise DamagedError("a dictionary comes after the values")
    if dictionary > 0:
        place = dictionary
    end = place + _count(described, 7)
    seen = 0
    # Writers count differently, so the walk ends by values or by bytes.
    while seen < values and place < end:
        page, place = _read_struct(content, place)
        stored, size = _count(page, 3), _count(page, 2)
        place += stored
        if place > len(content):
            raise DamagedError("a page is longer than the file")
        yield size
        if 7 in page:
            yield _count(page[7], 1)
        data = page.get(5) or page.get(8)
        if data is None:
            continue  # an index or a dictionary
        seen += _count(data, 1)
        if seen > values:
            raise DamagedError("a page has more values than its column")
        if 8 in page and _count(data, 5) + _count(data, 6) > stored:
            raise DamagedError("levels are longer than their page")


def _count(fields: _Fields, number: int) -> int:
    """Return a field that is a count."""
    count = fields[number]
    if not isinstance(count, int) or count < 0:
        raise DamagedError("a number is negative")
    return count


def _read_struct(content: bytes, place: int) -> tuple[_Fields, int]:
    """Read a structure of Thrift's compact protocol; return it and where it ends."""
    fields: _Fields = {}
    number = 0
    while True:
        head = content[place]
        place += 1
        kind = head & 0x0F
        if kind == _STOP:
            return fields, place
        if head >> 4:
            number += head >> 4
        else:
            number, place = _zigzag(content, place)
        if kind in _INTEGERS:
            # This is a fast path for small numbers, of which each column has dozens.
            value: Any = content[place]
            if value < _MORE:
                value = value >> 1 ^ -(value & 1)
                place += 1
            else:
                value, place = _zigzag(content, place)
        elif kind in _BOOLEANS:
            value = kind
        else:
            value, place = _read_value(content, place, kind)
        fields[number] = value


def _read_value(content: bytes, place: int, kind: int) -> tuple[Any, int]:
    """Read a value of some type; return it and where it ends."""
    if kind == _BINARY:
        length, place = _varint(content, place)
        if length > len(content) - place:
            raise DamagedError("a text is longer than the file")
        return None, place + length
    if kind == _STRUCT:
        return _read_struct(content, place)
    if kind in _LISTS:
        head = content[place]
        count, place = head >> 4, place + 1
        if count == _LONG:
            count, place = _varint(content, place)
        values = []
        for _ in range(_sized(count, content, place)):
            value, place = _read_value(content, place, head & 0x0F)
            values.append(value)
        return values, place
    if kind == _MAP:
        count, place = _varint(content, place)
        if count:
            kinds, place = content[place], place + 1
        for _ in range(_sized(count, content, place)):
            _, place = _read_value(content, place, kinds >> 4)
            _, place = _read_value(content, place, kinds & 0x0F)
        return None, place
    if kind in _INTEGERS:
        return _zigzag(content, place)
    if kind in _BOOLEANS or kind == _BYTE:
        return content[place], place + 1
    if kind == _DOUBLE:
        return None, place + 8
    raise DamagedError("a value is of no known type")


def _sized(count: int, content: bytes, place: int) -> int:
    """Return the number of values of a list, each of which has at least one byte."""
    if count > len(content) - place:
        raise DamagedError("a list is longer than the file")
    return count


def _varint(content: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < _MORE:
            return value, place
        shift += 7
        if shift > _WIDEST:
            raise DamagedError("a number has more than 64 bits")


def _zigzag(content: bytes, place: int) -> tuple[int, int]:
    value, place = _varint(content, place)
    return value >> 1 ^ -(value & 1), place


_STOP, _BYTE, _DOUBLE, _BINARY, _MAP, _STRUCT = 0, 3, 7, 8, 11, 12
_BOOLEANS = (1, 2)
_INTEGERS = (4, 5, 6)
_LISTS = (9, 10)
_LONG = 15  # a list whose length follows
_WIDEST = 63
_MORE = 0x80  # another byte of a number follows
