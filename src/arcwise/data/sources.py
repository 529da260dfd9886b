"""Split any accepted source into raw columns: frame, array, mapping, file or Data."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from arcwise.data.arrays import from_array, from_objects
from arcwise.data.columns import Column
from arcwise.data.files import read_file
from arcwise.data.foreign_errors import replace_errors
from arcwise.data.incomplete import IncompleteData
from arcwise.data.messages import suggestion
from arcwise.data.raw import (
    RawColumn,
    RawLabels,
    RawNumbers,
    UnusableColumnError,
    categorical,
)
from arcwise.data.series import from_series
from arcwise.data.table import Data
from arcwise.errors import ArgumentError, DataError, option
from arcwise.support.names import is_writable
from arcwise.support.words import listing, plural, quoted, shown

RENAME = "give each column a name of its own"


def raw_columns(source: object, names: Sequence[str] | None = None) -> list[RawColumn]:
    """Return the raw columns of a source, all of one length, with different names.

    `names` is for sources without column names: arrays and text files without a header.
    """
    columns, refused = usable_columns(source, names)
    if refused:
        raise DataError(
            f"{unusable(refused)}; give columns of numbers, text, categories or booleans, or leave "
            "these out"
        )
    return columns


def unusable(refused: Mapping[str, str]) -> str:
    """Say which columns cannot be used, and why."""
    return listing([f"column {name!r} {reason}" for name, reason in refused.items()])


def usable_columns(
    source: object, names: Sequence[str] | None = None, drop: Sequence[str] = ()
) -> tuple[list[RawColumn], dict[str, str]]:
    """Return the raw columns of a source, and why each of the others cannot be used.

    Parameters
    ----------
    source, names
        See `raw_columns`.
    drop
        The columns to leave out, unread.
    """
    if isinstance(source, Data):
        _refuse_names(names, "a Data")
        given = checked_drop(drop, source.variables)
        return [raw_column_of(each) for each in source.columns if each.name not in given], {}
    if isinstance(source, IncompleteData):
        _refuse_names(names, "a Data")
        given = checked_drop(drop, source.variables)
        return [
            _with_gaps(raw_column_of(each), source.missing[:, place])
            for place, each in enumerate(source.table.columns)
            if each.name not in given
        ], {}
    return _converted(named_columns(source, names), drop)


def named_columns(source: object, names: Sequence[str] | None = None) -> list[tuple[object, Any]]:
    """Return each column of a file, frame, array or mapping with its name, as it comes."""
    if isinstance(source, str | os.PathLike):
        return list(read_file(Path(source), names))
    if isinstance(source, np.ndarray):
        return list(_from_matrix(source, names))
    if isinstance(source, Mapping):
        _refuse_names(names, "a mapping")
        return list(source.items())
    return list(_from_frame(source, names))


def checked_drop(drop: Sequence[str], columns: Sequence[str]) -> set[str]:
    """Return the columns to leave out, or refuse names that no column has."""
    for name in drop:
        if name not in columns:
            raise ArgumentError(
                option("drop"),
                f" names {shown(name)}, which is not a column{suggestion(str(name), columns)}",
            )
    return set(drop)


def checked_names(names: Sequence[object], advice: str) -> list[str]:
    """Return the names as text, refusing empty and repeated ones."""
    try:
        texts = [str(name) for name in names]
    except ValueError:  # Python writes out no more digits
        raise DataError(f"the name of a column has more than 4,300 digits; {advice}") from None
    empty = [str(position + 1) for position, text in enumerate(texts) if not text.strip()]
    if empty:
        which = f"column {empty[0]} has" if len(empty) == 1 else f"columns {listing(empty)} have"
        raise DataError(f"{which} no name; {advice}")
    unwritable = [text for text in texts if not is_writable(text)]
    if unwritable:
        raise DataError(
            f"the column {'name' if len(unwritable) == 1 else 'names'} {quoted(unwritable)} "
            f"{'has' if len(unwritable) == 1 else 'have'} a character that no file can hold; "
            f"{advice}"
        )
    repeated = [text for text, count in Counter(texts).items() if count > 1]
    if repeated:
        noun, verb = ("name", "occurs") if len(repeated) == 1 else ("names", "occur")
        raise DataError(f"the column {noun} {quoted(repeated)} {verb} more than once; {advice}")
    return texts


def _converted(
    pairs: list[tuple[object, Any]], drop: Sequence[str]
) -> tuple[list[RawColumn], dict[str, str]]:
    names = checked_names([name for name, _ in pairs], RENAME)
    left_out = checked_drop(drop, names)
    columns: list[RawColumn] = []
    refused = {}
    for name, (_, values) in zip(names, pairs, strict=True):
        if name in left_out:
            continue
        try:
            columns.append(raw_column(name, values))
        except UnusableColumnError as error:
            refused[name] = str(error)
    lengths = {column.name: len(column.missing) for column in columns}
    if len(set(lengths.values())) > 1:
        each = listing([f"{name!r} has {plural(rows, 'row')}" for name, rows in lengths.items()])
        raise DataError(f"{each}; give columns of the same length")
    return columns, refused


def raw_column(name: str, values: Any) -> RawColumn:
    """Return the raw column of a series, an array, a pandas Categorical or a sequence."""
    if isinstance(values, np.ndarray):
        return from_array(name, values)
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return from_series(name, series)
    if hasattr(values, "categories") and hasattr(values, "codes"):
        ordered = bool(getattr(values, "ordered", False))
        return categorical(name, values.codes, values.categories, ordered)
    if hasattr(values, "to_pylist"):  # an arrow array, which has its own scalar type
        return from_objects(name, values.to_pylist())
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise UnusableColumnError(f"is a single {type(values).__name__}")
    return from_objects(name, list(values))


def raw_column_of(column: Column) -> RawColumn:
    """Return a column of a `Data` as a raw one, with its levels declared."""
    kind, values = column.kind, column.computable()
    if kind.size:
        return RawLabels(column.name, values, kind.levels, True, kind.ordered)
    return RawNumbers(column.name, values, np.zeros(len(values), dtype=np.bool_))


def _with_gaps(column: RawColumn, missing: NDArray[np.bool_]) -> RawColumn:
    if isinstance(column, RawLabels):
        return replace(column, codes=np.where(missing, -1, column.codes))
    return replace(column, missing=missing)


def _from_matrix(
    array: NDArray[Any], names: Sequence[str] | None
) -> Iterable[tuple[object, NDArray[Any]]]:
    fields = array.dtype.names
    if fields is not None and array.ndim == 1:
        _refuse_names(names, "a structured array")
        return [(field, array[field]) for field in fields]
    if array.ndim != 2 or fields is not None:
        raise DataError(
            f"the array has {plural(array.ndim, 'dimension')}; give one of rows by columns"
        )
    width = array.shape[1]
    if names is None:
        names = [f"X{position}" for position in range(width)]
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != width:
        raise ArgumentError(
            f"names is {shown(names)}; give a list with a name for each of the "
            f"{plural(width, 'column')}"
        )
    return [(name, array[:, position]) for position, name in enumerate(names)]


def _from_frame(
    source: Any, names: Sequence[str] | None
) -> Iterable[tuple[object, nw.Series[Any]]]:
    _refuse_names(names, "a data frame")
    refusal = ArgumentError(
        f"the data are of type {type(source).__name__}; give a data frame (pandas, polars, pyarrow "
        "or another), a NumPy array of rows by columns, a mapping from names to columns, or the "
        "path of a .csv, .tsv or .parquet file"
    )
    try:
        frame: Any = nw.from_native(source, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        checked_names(_own_names(source), RENAME)
        raise DataError(f"some column names occur more than once; {RENAME}") from None
    if frame is source and hasattr(source, "__arrow_c_stream__"):
        with replace_errors(refusal):
            frame = nw.from_arrow(source, backend="polars")
    if isinstance(frame, nw.LazyFrame):
        with replace_errors(DataError("the lazy frame could not be collected; collect it first")):
            frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        raise refusal
    return zip(frame.columns, frame.iter_columns(), strict=True)


def _own_names(source: Any) -> list[object]:
    names: Any = getattr(source, "column_names", None) or getattr(source, "columns", ())
    return list(names)


def _refuse_names(names: Sequence[str] | None, owner: str) -> None:
    if names is not None:
        raise ArgumentError(
            f"names is for arrays and text files without a header, but {owner} has column names; "
            "rename its columns instead"
        )
