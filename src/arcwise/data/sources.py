"""Raw columns of any accepted source: frame, array, mapping, file or Data."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import Column
from arcwise.data.files import read_file, replace_errors
from arcwise.data.incomplete import IncompleteData
from arcwise.data.raw import (
    RawColumn,
    RawLabels,
    RawNumbers,
    UnusableColumnError,
    categorical,
    suggestion,
)
from arcwise.data.table import Data
from arcwise.errors import ArgumentError, DataError, option
from arcwise.support.names import is_writable, listing, plural, quoted, shown

# These are names, so that pandas need not be imported to recognise its missing values.
MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType"})

TYPE_NAMES = {
    "boolean": (bool, np.bool_),
    "integer": (int, np.integer),
    "real": (float, np.floating, Decimal),
    "text": (str,),
}


def from_array(name: str, array: NDArray[Any]) -> RawColumn:
    """Return the column of a one-dimensional array; masked entries are missing."""
    if array.ndim != 1:
        raise UnusableColumnError(f"is an array of {array.ndim} dimensions")
    missing = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    values = np.asarray(array)
    if missing is None:
        missing = np.zeros(len(values), dtype=np.bool_)
    family = values.dtype.kind
    if family == "b":
        return booleans(name, values, missing)
    if family in "iu":
        return RawNumbers(name, values.astype(np.uint64 if family == "u" else np.int64), missing)
    if family == "f":
        return reals(name, np.where(missing, np.nan, values))
    if family in "UT":
        return _labels(name, values[~missing].tolist(), missing)
    if family == "O":
        return from_objects(name, [None if m else v for v, m in zip(values, missing, strict=True)])
    if family == "M":
        days = values.astype("M8[us]").tolist()  # NaT becomes None
        return from_objects(name, [None if m else v for v, m in zip(days, missing, strict=True)])
    raise UnusableColumnError(f"holds values of type {values.dtype}")


def from_objects(name: str, values: Sequence[object]) -> RawColumn:
    """Return the column of Python objects, which must all be of one type.

    None, NaN and pandas' missing values are missing; integers may be mixed with reals. Dates become
    the labels that they have in a text file, without a time if it is midnight.
    """
    types = set(map(type, values))
    missing_types = {kind for kind in types if kind.__name__ in MISSING_TYPES}
    # NaN is a float, whatever the type of the other values.
    real = {kind for kind in types if issubclass(kind, TYPE_NAMES["real"])}
    missing = np.fromiter(
        (
            type(value) in missing_types or (type(value) in real and value != value)
            for value in values
        ),
        dtype=np.bool_,
        count=len(values),
    )
    present: list[Any] = [value for value, gap in zip(values, missing, strict=True) if not gap]
    if present and all(issubclass(kind, date) for kind in set(map(type, present))):
        present = [str(day).removesuffix(" 00:00:00") for day in present]
    names = {_type_name(kind) for kind in set(map(type, present))}
    if not names:
        return reals(name, np.full(len(values), np.nan))
    if names <= {"integer", "real"}:
        return _numbers(name, present, missing, whole="real" not in names)
    if len(names) > 1:
        raise UnusableColumnError(f"mixes {' and '.join(sorted(names))} values")
    if not names <= TYPE_NAMES.keys():
        raise UnusableColumnError(f"holds values of type {names.pop()}")
    filled = np.empty(len(values), dtype=object)
    filled[~missing] = present
    if names == {"boolean"}:
        return booleans(name, filled.astype(np.bool_), missing)
    return _labels(name, present, missing)


def rectangular(values: Any, argument: str) -> NDArray[Any]:
    """Return an argument as an array, or refuse lists of different lengths."""
    try:
        return np.asarray(values)
    except ValueError:
        raise ArgumentError(
            f"{argument} holds lists of different lengths; give lists of one length"
        ) from None


def booleans(name: str, values: NDArray[np.bool_], missing: NDArray[np.bool_]) -> RawLabels:
    """Return a column of False and True."""
    return RawLabels(name, np.where(missing, -1, values.astype(np.int64)), (False, True))


def reals(name: str, values: NDArray[Any]) -> RawNumbers:
    """Return a column of reals, in which NaN is a missing value."""
    values = values.astype(np.float64)
    return RawNumbers(name, values, np.isnan(values))


def _numbers(
    name: str, present: list[Any], missing: NDArray[np.bool_], *, whole: bool
) -> RawNumbers:
    dtype = np.int64 if whole else np.float64
    values: NDArray[Any] = np.full(len(missing), 0 if whole else np.nan, dtype=dtype)
    try:
        values[~missing] = np.array(present, dtype=dtype)
    except OverflowError:
        raise UnusableColumnError("holds integers of more than 64 bits") from None
    return RawNumbers(name, values, missing)


def _labels(name: str, present: Sequence[Any], missing: NDArray[np.bool_]) -> RawLabels:
    """Return a column of texts, given those that are not missing."""
    levels = sorted(set(present))
    places = {level: place for place, level in enumerate(levels)}
    codes = np.full(len(missing), -1, dtype=np.int64)
    codes[~missing] = np.fromiter(map(places.__getitem__, present), np.int64, len(present))
    return RawLabels(name, codes, tuple(map(str, levels)))


def _type_name(kind: type) -> str:
    for name, kinds in TYPE_NAMES.items():
        if issubclass(kind, kinds):
            return name
    return kind.__name__


def from_series(name: str, series: nw.Series[Any]) -> RawColumn:
    """Return the column of a narwhals series; nulls and NaN are missing."""
    dtype = series.dtype
    gaps = series.null_count() > 0  # needless calls take long for thousands of columns
    if dtype.is_float() or dtype.is_decimal():
        numbers = series if dtype == nw.Float64 else series.cast(nw.Float64)
        return reals(name, (numbers.fill_null(float("nan")) if gaps else numbers).to_numpy())
    if isinstance(dtype, nw.Enum | nw.Categorical):
        return _categories(name, series)
    if isinstance(dtype, nw.String):
        return _text_of(name, series, gaps)
    if isinstance(dtype, nw.Object):
        return from_objects(name, series.to_list())
    missing = series.is_null().to_numpy() if gaps else np.zeros(len(series), dtype=np.bool_)
    if isinstance(dtype, nw.Boolean):
        return booleans(name, series.fill_null(False).to_numpy().astype(np.bool_), missing)
    if dtype.is_integer():
        return RawNumbers(name, _integers(series.fill_null(0) if gaps else series), missing)
    if missing.all():
        return reals(name, np.full(len(missing), np.nan))
    if isinstance(dtype, nw.Date | nw.Datetime):
        return from_objects(name, series.to_list())
    if dtype.is_temporal():
        raise UnusableColumnError(f"holds times or durations ({type(dtype).__name__})")
    raise UnusableColumnError(f"holds values of type {_native_type(series)}")


def _integers(series: nw.Series[Any]) -> Any:
    if isinstance(series.dtype, nw.UInt64):
        return series.to_numpy().astype(np.uint64)
    try:
        whole = series if series.dtype == nw.Int64 else series.cast(nw.Int64)
        return whole.to_numpy().astype(np.int64, copy=False)
    except Exception:  # each library has its own exception for an overflow
        raise UnusableColumnError("holds integers of more than 64 bits") from None


def _text_of(name: str, series: nw.Series[Any], gaps: bool) -> RawLabels:
    # In shorter columns, the overhead of the data frame library (a millisecond) is not worthwhile.
    if len(series) < 20_000 and not gaps:
        return _labels(name, series.to_list(), np.zeros(len(series), dtype=np.bool_))
    missing = series.is_null().to_numpy()
    present = series.drop_nulls()
    levels = sorted(present.unique().to_list())
    codes = np.full(len(missing), -1, dtype=np.int64)
    if levels:
        codes[~missing] = present.replace_strict(
            levels, range(len(levels)), return_dtype=nw.Int64
        ).to_numpy()
    return RawLabels(name, codes, tuple(str(level) for level in levels))


def _categories(name: str, series: nw.Series[Any]) -> RawLabels:
    # narwhals has the declared categories of an Enum only, and as text; the other libraries with
    # declared categories have one of these two native interfaces.
    native = series.to_native()
    accessor: Any = getattr(native, "cat", None)
    if hasattr(accessor, "categories") and hasattr(
        accessor, "codes"
    ):  # pandas and compatible libraries
        ordered = bool(getattr(accessor, "ordered", False))
        return categorical(name, accessor.codes.to_numpy(), accessor.categories, ordered)
    if hasattr(native, "combine_chunks"):  # pyarrow
        array = native.combine_chunks()  # this unifies the dictionaries of the chunks
        codes = array.indices.fill_null(-1).to_numpy()
        return categorical(name, codes, array.dictionary.to_pylist(), bool(array.type.ordered))
    text = _text_of(name, series.cast(nw.String), gaps=True)
    if not isinstance(series.dtype, nw.Enum):
        return text
    categories: list[object] = list(series.dtype.categories)
    positions: NDArray[np.int64] = np.array(
        [categories.index(level) for level in text.levels] + [-1]
    )
    return categorical(name, positions[text.codes], categories, ordered=True)


def _native_type(series: nw.Series[Any]) -> str:
    if not isinstance(series.dtype, nw.Unknown):
        return str(series.dtype)
    native = series.to_native()
    return str(getattr(native, "dtype", getattr(native, "type", "unknown")))


RENAME = "give each column a name of its own"  # ends messages on names of columns


def raw_columns(source: object, names: Sequence[str] | None = None) -> list[RawColumn]:
    """Return the raw columns of a source, of equal lengths and with distinct names.

    `names` applies to sources without column names: arrays and text files without a header.
    """
    columns, refused = usable_columns(source, names)
    if refused:
        raise DataError(
            f"{why_unusable(refused)}; give columns of numbers, text, categories or booleans, or "
            "leave these out"
        )
    return columns


def why_unusable(refused: Mapping[str, str]) -> str:
    """Return a clause on the columns that cannot be used, and why."""
    return listing([f"column {name!r} {reason}" for name, reason in refused.items()])


def usable_columns(
    source: object, names: Sequence[str] | None = None, drop: Sequence[str] = ()
) -> tuple[list[RawColumn], dict[str, str]]:
    """Return the raw columns of a source, and for each other column why it cannot be used."""
    if isinstance(source, Data | IncompleteData):
        _refuse_names(names, "a Data")
        dropped = checked_drop(drop, source.variables)
        table, missing = source, None
        if isinstance(source, IncompleteData):
            table, missing = source.table, source.missing
        assert isinstance(table, Data)
        return [
            raw_column_of(column, None if missing is None else missing[:, place])
            for place, column in enumerate(table.columns)
            if column.name not in dropped
        ], {}
    return _converted(named_columns(source, names), drop)


def named_columns(source: object, names: Sequence[str] | None = None) -> list[tuple[object, Any]]:
    """Return the names and raw values of the columns of a file, frame, array or mapping."""
    if isinstance(source, str | os.PathLike):
        return list(read_file(Path(source), names))
    if isinstance(source, np.ndarray):
        return list(_from_matrix(source, names))
    if isinstance(source, Mapping):
        _refuse_names(names, "a mapping")
        return list(source.items())
    return list(_from_frame(source, names))


def checked_drop(drop: Sequence[str], columns: Sequence[str]) -> set[str]:
    """Return the columns to leave out, or refuse unknown names."""
    for name in drop:
        if name not in columns:
            raise ArgumentError(
                option("drop"),
                f" names {shown(name)}, which is not a column{suggestion(str(name), columns)}",
            )
    return set(drop)


def checked_names(names: Sequence[object], advice: str) -> list[str]:
    """Return the names as text, or refuse empty and repeated ones."""
    try:
        texts = [str(name) for name in names]
    except ValueError:  # the limit of Python on digits
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
    if hasattr(values, "to_pylist"):  # an Arrow array, whose elements are Arrow scalars
        return from_objects(name, values.to_pylist())
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise UnusableColumnError(f"is a single {type(values).__name__}")
    return from_objects(name, list(values))


def raw_column_of(column: Column, missing: NDArray[np.bool_] | None = None) -> RawColumn:
    """Return a column of a `Data` as a raw one, with its levels declared."""
    kind, values = column.kind, column.computable()
    gaps = np.zeros(len(values), dtype=np.bool_) if missing is None else missing
    if kind.size:
        codes = np.where(gaps, -1, values)
        return RawLabels(column.name, codes, kind.levels, True, kind.ordered)
    return RawNumbers(column.name, values, gaps)


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
