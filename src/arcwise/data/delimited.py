"""Delimited text: its shape is checked line by line before the values are parsed.

The parser alone would silently rename repeated names, pad short rows and keep blank
lines; the check finds them first.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from arcwise.data.foreign_errors import replace_errors
from arcwise.data.messages import warn
from arcwise.errors import ArgumentError, DataError, FileFormatError, Wording
from arcwise.support.words import listing, plural, shown

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}

#: What counts as missing in a text file, quoted or not. `None` does not: networks such as
#: INSURANCE and HAILFINDER have a level of that name.
MISSING_MARKERS = ("", "NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "NAN", "null", "NULL", "?")

#: Numbers as written where the comma is the decimal mark, or marks thousands.
_NUMBER_WITH_COMMA = r"^[-+]?\d+(,\d+)*([eE][-+]?\d+)?$"

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
    columns = list(frame.iter_columns())
    if names is None:
        names = shape.header
        _refuse_numbers(path, names)
        _warn_of_no_header(path, names, columns)
        columns = [column[1:] for column in columns]
        if _is_row_names(path, names[0], columns[0]):
            names, columns = names[1:], columns[1:]
    elif isinstance(names, str) or not isinstance(names, Sequence) or len(names) != len(columns):
        raise ArgumentError(
            f"names is {shown(names)}; give a list with a name for each of the "
            f"{plural(len(columns), 'column')} of {path!r}"
        )
    named = [(name, typed(column)) for name, column in zip(names, columns, strict=True)]
    _refuse_decimal_commas(path, named)
    return named


def typed(series: nw.Series[Any]) -> nw.Series[Any]:
    """Return text as integers, reals or booleans if all of it can be read as such, stripped."""
    text = series.str.strip_chars()
    text = text.to_frame().select(
        nw.when(~nw.col(text.name).is_in(MISSING_MARKERS)).then(nw.col(text.name))
    )[text.name]
    for dtype in (nw.Int64, nw.Float64):
        try:
            return text.cast(dtype)
        except Exception:  # not numbers of this type; each library has its own exception
            continue
    spellings = text.str.to_lowercase()
    if set(spellings.drop_nulls().unique().to_list()) <= BOOLEANS.keys():
        return spellings == "true"
    return text


def _decoded(path: str, content: bytes) -> str:
    if b"\0" in content:
        raise FileFormatError(
            f"the file {path!r} is not UTF-8 text; save it as comma-separated text"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileFormatError(
            f"the file {path!r} is not UTF-8 text (line {line}); save it as UTF-8"
        ) from None
    if not text.strip():
        raise FileFormatError(
            f"the file {path!r} is empty; give a line of names and at least 2 rows"
        )
    # The parser accepts neither a leading blank line nor "\r" alone as the end of a line.
    text = text.lstrip("\r\n")
    return text if "\n" in text else text.replace("\r", "\n")


def _likely_separator(text: str) -> str:
    unquoted = re.sub('"[^"]*"', "", text.partition("\n")[0])
    return next((separator for separator in (",", ";", "\t") if separator in unquoted), ",")


def _checked_shape(path: str, text: str, separator: str) -> Shape:
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


def _warn_of_no_header(path: str, header: Sequence[str], columns: Sequence[nw.Series[Any]]) -> None:
    """Warn if the first line looks like one of the rows."""
    numbered = [list(map(str, range(first, first + len(header)))) for first in (0, 1)]
    if header in numbered:
        return  # as pandas names the columns of a frame without names
    numbers = all(map(_is_number, header))
    # Every would-be name is also a value further down its own column.
    values = not numbers and all(
        (column[1:].str.strip_chars() == name).any()
        for name, column in zip(header, columns, strict=True)
    )
    if numbers or values:
        what = "numbers" if numbers else "values that come up again in their columns"
        warn(
            f"took the first line of {path!r} as names ({listing(header)}), but it holds {what}; "
            "if it is a row, add a line of names",
            Wording(" or give names=[...]", ""),
        )


def _refuse_decimal_commas(path: str, columns: list[tuple[str, nw.Series[Any]]]) -> None:
    """Refuse numbers such as 0,5, which would be taken for as many labels."""
    for name, column in columns:
        if column.dtype != nw.String:
            continue
        present = column.drop_nulls()
        if len(present) and present.str.contains(_NUMBER_WITH_COMMA).all():
            example = present.filter(present.str.contains(",", literal=True))
            if len(example):
                raise DataError(
                    f"column {name!r} of {path!r} holds numbers with commas, such as "
                    f"{example[0]!r}; write them with a decimal point and without other separators"
                )


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
