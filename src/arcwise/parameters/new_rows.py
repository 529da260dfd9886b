"""New data for prediction, read with the variables, kinds and levels of a model's data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Column, ContinuousColumn, Data
from arcwise.data.encoding import as_labels, check_finite, continuous
from arcwise.data.messages import columns as columns_text
from arcwise.data.raw import RawColumn, RawNumbers, level_type
from arcwise.data.scales import Scale
from arcwise.data.sources import raw_columns
from arcwise.errors import ArcwiseError, DataError, option
from arcwise.support.words import counted, listing, quoted, shown

# The levels of `discretize`.
_INTERVAL = re.compile(r"[(\[]([^,]+), ([^,]+)\)")


def read_new_rows(new_data: Any, data: Data, *, continuous_only: bool) -> Data:
    """Return new rows with the variables of the data, in their order.

    Unlike `arcwise.read`, this accepts a single row and constant columns.

    Parameters
    ----------
    new_data
        Anything `arcwise.read` accepts. The weights and interventions of a `Data` are kept.
    data
        The data of the model.
    continuous_only
        Whether all columns are continuous, including those of whole numbers.
    """
    try:
        given = {
            column.name: column for column in raw_columns(new_data, array_names(new_data, data))
        }
    except ArcwiseError as error:
        raise type(error)("new_data cannot be used, because ", *error.args) from None
    _check_names(list(given), data.variables)
    raw = [given[name] for name in data.variables]
    if len(raw[0].missing) == 0:
        raise DataError("new_data has no rows; give at least one")
    columns: list[Column] = []
    for column, known in zip(raw, data.columns, strict=True):
        if continuous_only or not known.size:
            numbers = _continuous(column)
            scale = scale_to_take(new_data, data, column.name)
            if scale is not None:
                values = on_scale(scale, column.name, numbers.values, "new_data")
                numbers = replace(numbers, values=values)
            columns.append(numbers)
        else:
            columns.append(_discrete(column, known))
    weights = intervened = None
    if isinstance(new_data, Data):
        weights, intervened = new_data.weights, new_data.intervened
        if intervened is not None:
            intervened = intervened[:, [new_data.index(name) for name in data.variables]]
    return Data(columns, weights, intervened)


def scale_to_take(table: Any, data: Data, name: str) -> Scale | None:
    """Return the scale that a column of new rows is yet to be put on, if any.

    Parameters
    ----------
    table
        The new rows; those of a `Data` may be on the scale already.
    data
        The data of the model.
    name
        The column.
    """
    scale = data.preparation.scales.get(name)
    if isinstance(table, Data) and table.preparation.scales.get(name) == scale:
        return None
    return scale


def on_scale(
    scale: Scale, name: str, values: NDArray[np.float64], table: str
) -> NDArray[np.float64]:
    """Return new values on the scale of the model, or refuse those that have no place on it."""
    found = scale.of(values)
    if not np.isfinite(found).all():
        raise DataError(
            f"column {name!r} of {table} has values that are not positive, but it is modelled on "
            "its logarithm; leave these rows out, or learn with ",
            option("transform", "none"),
        )
    return found


def with_new_rows(data: Data, new: Data) -> Data:
    """Return both tables as one, with the new rows last."""
    columns: list[Column] = []
    for first, second in zip(data.columns, new.columns, strict=True):
        if first.size and second.size:
            columns.append(first.like(np.concatenate([first.stored, second.stored])))
        else:
            values = np.concatenate([_numbers(first), _numbers(second)])
            columns.append(ContinuousColumn(first.name, values))
    weights = intervened = None
    if data.weights is not None or new.weights is not None:
        weights = np.concatenate(
            [np.ones(t.rows) if t.weights is None else t.weights for t in (data, new)]
        )
    if data.intervened is not None or new.intervened is not None:
        intervened = np.concatenate([_mask(data), _mask(new)])
    return Data(columns, weights, intervened)


def observational_rows(node: int, new: Data) -> NDArray[np.int64]:
    """Return the rows in which a node was not intervened on."""
    if new.intervened is None:
        return np.arange(new.rows)
    return np.flatnonzero(~new.intervened[:, node])


def array_names(new_data: Any, data: Data) -> Sequence[str] | None:
    """Return the names for the columns of a plain array with all variables."""
    plain = isinstance(new_data, np.ndarray) and new_data.dtype.names is None
    usable = plain and new_data.ndim == 2 and new_data.shape[1] == len(data.variables)
    return list(data.variables) if usable else None


def _check_names(given: Sequence[str], variables: Sequence[str]) -> None:
    missing = [name for name in variables if name not in given]
    unknown = [name for name in given if name not in variables]
    if missing:
        raise DataError(
            f"new_data lacks {columns_text(missing)}; give all variables of the model's data, in "
            "any order"
        )
    if unknown:
        raise DataError(
            f"new_data has {columns_text(unknown)}, which the model's data lack; leave such "
            "columns out"
        )


def _refuse_missing(column: RawColumn) -> None:
    count = int(column.missing.sum())
    if count:
        raise DataError(
            f"values are missing in {counted({column.name: count})} of new_data; leave such rows "
            "out, or fill in the values"
        )


def _continuous(column: RawColumn) -> ContinuousColumn:
    _refuse_missing(column)
    try:
        check_finite([column], {column.name: "continuous"})
        return continuous(column)
    except DataError:
        raise DataError(
            f"column {column.name!r} of new_data holds values that are not finite numbers, but it "
            "is continuous in the model's data; correct them or leave the rows out"
        ) from None


def _discrete(column: RawColumn, known: Column) -> Column:
    codes = level_codes(column, known)
    if (codes < 0).any():
        _refuse_missing(column)
        raise DataError(
            f"values are missing in column {column.name!r} of new_data; leave such rows out, or "
            "fill in the values"
        )
    return known.like(codes.astype(np.uint16))


def level_codes(column: RawColumn, known: Column, table: str = "new_data") -> NDArray[np.int64]:
    """Return the codes of new labels among the levels of the model's data; -1 if missing.

    Where the model's data have a level for missing values, that is it.

    Parameters
    ----------
    column, known
        The new column, and that of the model's data.
    table
        What the new rows are called in messages.
    """
    if isinstance(column, RawNumbers):
        intervals = interval_bounds(known.kind.levels)
        if intervals is not None:
            return _binned(column, known, intervals, table)
    codes, levels = as_labels(column)
    # True == 1 in Python, but they are different labels.
    places = {(level_type(level), level): place for place, level in enumerate(known.kind.levels)}
    code_of = np.array(
        [-1 if level is None else places.get((level_type(level), level), -2) for level in levels]
        + [-1]
    )
    found = code_of[codes]
    unknown = [levels[code] for code in np.unique(codes[found == -2])]
    if unknown:
        possible = listing([repr(level) for level in known.kind.levels])
        raise DataError(
            f"column {column.name!r} of {table} holds {quoted(unknown)}, but its levels in the "
            f"model's data are {possible}; correct it, or declare the level in levels when reading "
            "the model's data"
        )
    return _with_missing_level(found, known)


def interval_bounds(levels: Sequence[object]) -> list[tuple[float, float]] | None:
    """Return the bounds of levels that `discretize` made, or None if one is something else.

    Examples
    --------
    >>> interval_bounds(["(-inf, 1.5)", "[1.5, inf)", None])
    [(-inf, 1.5), (1.5, inf)]
    """
    matches = [_INTERVAL.fullmatch(str(level)) for level in levels if level is not None]
    if not matches or not all(matches):
        return None
    try:
        return [(float(match[1]), float(match[2])) for match in matches if match]
    except ValueError:
        return None


def _binned(
    column: RawNumbers,
    known: Column,
    intervals: Sequence[tuple[float, float]],
    table: str,
) -> NDArray[np.int64]:
    """Put numbers into the intervals, closed on the left, that the model's data were cut into."""
    found = np.full(len(column.values), -2, dtype=np.int64)
    for code, (low, high) in enumerate(intervals):
        found[(column.values >= low) & (column.values < high)] = code
    found[column.missing] = -1
    outside = column.values[found == -2]
    levels = listing([repr(level) for level in known.kind.levels])
    if len(outside):
        raise DataError(
            f"column {column.name!r} of {table} holds {shown(float(outside[0]))}, which is in "
            f"none of the intervals {levels} of the model's data; leave such rows out, or "
            "give the interval"
        )
    return _with_missing_level(found, known)


def _with_missing_level(codes: NDArray[np.int64], known: Column) -> NDArray[np.int64]:
    if None not in known.kind.levels:
        return codes
    return np.where(codes == -1, known.kind.levels.index(None), codes)


def _numbers(column: Column) -> NDArray[np.float64]:
    numbers = column.numbers()
    assert numbers is not None
    return numbers


def _mask(data: Data) -> NDArray[np.bool_]:
    if data.intervened is None:
        return np.zeros((data.rows, len(data.variables)), dtype=np.bool_)
    return data.intervened
