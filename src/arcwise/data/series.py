"""Turn a series of any data frame library, read through narwhals, into a raw column."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from arcwise.data.arrays import booleans, from_objects, reals
from arcwise.data.raw import (
    RawColumn,
    RawLabels,
    RawNumbers,
    UnusableColumnError,
    categorical,
)

# Rows from which on the calls of a data frame library are worth their beginning, which takes a
# millisecond for each column.
_LONG = 20_000


def from_series(name: str, series: nw.Series[Any]) -> RawColumn:
    """Return the column of a narwhals series; nulls and NaN are missing."""
    dtype = series.dtype
    gaps = series.null_count() > 0  # calls for nothing add up, in tables of thousands of columns
    if dtype.is_float() or dtype.is_decimal():
        numbers = series if dtype == nw.Float64 else series.cast(nw.Float64)
        return reals(name, (numbers.fill_null(float("nan")) if gaps else numbers).to_numpy())
    if isinstance(dtype, nw.Enum | nw.Categorical):
        return _categories(name, series)
    if isinstance(dtype, nw.String):
        return _text(name, series, gaps)
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


def _text(name: str, series: nw.Series[Any], gaps: bool) -> RawLabels:
    if len(series) < _LONG and not gaps:
        labels = series.to_list()
        ordered = sorted(set(labels))
        places = {label: place for place, label in enumerate(ordered)}
        each = np.fromiter(map(places.__getitem__, labels), np.int64, len(labels))
        return RawLabels(name, each, tuple(map(str, ordered)))
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
    # narwhals gives the declared categories of an Enum only, and as text; the other libraries
    # that declare categories have one of these two native interfaces.
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
    text = _text(name, series.cast(nw.String), gaps=True)
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
