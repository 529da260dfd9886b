"""New rows, complete or partial, read with the variables, kinds and levels of a model's data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Column, ContinuousColumn, Data
from arcwise.data.encoding import as_labels
from arcwise.data.raw import RawColumn, RawNumbers, level_type, warn
from arcwise.data.raw import columns as columns_text
from arcwise.data.sources import raw_columns
from arcwise.errors import ArcwiseError, DataError, option
from arcwise.support.names import counted, listing, near_miss, quoted, shown


@dataclass(frozen=True, eq=False)
class PartialRows:
    """Rows with the variables of the model's data, some of whose values are known."""

    # Codes of levels, or numbers, as [row, variable]; 0 where unknown. Integers if all variables
    # are discrete.
    values: NDArray[Any]
    known: NDArray[np.bool_]
    # Values set by intervention, which carry no information about the variable's parents.
    intervened: NDArray[np.bool_]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.values)

    def without(self, node: int) -> PartialRows:
        """Return the rows with one variable unknown."""
        known = self.known.copy()
        known[:, node] = False
        return PartialRows(self.values, known, self.intervened)

    def take(self, rows: slice | NDArray[Any]) -> PartialRows:
        """Return some of the rows."""
        return PartialRows(self.values[rows], self.known[rows], self.intervened[rows])

    def patterns(self) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64]]]:
        """Yield each pattern of known and of intervened-on variables, with its rows."""
        both = np.ascontiguousarray(np.concatenate([self.known, self.intervened], axis=1))
        # Each row as one value, which np.unique sorts faster than the rows of an array.
        whole = both.view(np.dtype((np.void, both.shape[1])))[:, 0]
        _, first, which = np.unique(whole, return_index=True, return_inverse=True)
        rows = np.argsort(which, kind="stable")
        ends = np.cumsum(np.bincount(which))
        n = self.known.shape[1]
        for pattern, own in zip(both[first], np.split(rows, ends[:-1]), strict=True):
            yield pattern[:n], pattern[n:], own


def read_partial_rows(table: Any, data: Data, *, continuous_only: bool) -> PartialRows:
    """Return the rows of a table that may lack columns and values of the model's data.

    Columns that are not variables of the model are left out with a warning.
    """
    given = given_columns(table, data, "the table")
    rows = len(next(iter(given.values())).missing) if given else 0
    if rows == 0:
        raise DataError("the table has no rows; give at least one")
    _check_partial_names(list(given), data)
    shape = rows, len(data.variables)
    some_numbers = continuous_only or "continuous" in data.kinds.values()
    values = np.zeros(shape, dtype=np.float64 if some_numbers else np.int64)
    known = np.zeros(shape, dtype=np.bool_)
    for place, column in enumerate(data.columns):
        if column.name not in given:
            continue
        name, numbers = column.name, continuous_only or not column.size
        found, there = values_of(given[name], column, numbers=numbers, table="the table")
        if numbers:
            found[there] = scaled(found[there], name, data, table, "the table")
        values[:, place], known[:, place] = found, there
    intervened = np.zeros(shape, dtype=np.bool_)
    if isinstance(table, Data) and table.intervened is not None:
        for place, name in enumerate(data.variables):
            if name in table.variables:
                intervened[:, place] = table.intervened[:, table.index(name)]
    return PartialRows(values, known, intervened)


def _check_partial_names(given: list[str], data: Data) -> None:
    unknown = [name for name in given if name not in data.variables]
    if len(unknown) == len(given):
        raise DataError(
            f"the table has {columns_text(given)}, but none of the model's variables "
            f"{quoted(data.variables)}; give at least one of them"
        )
    if unknown:
        absent = [name for name in data.variables if name not in given]
        hints = "".join(near_miss(name, absent) for name in unknown)
        verb = "is" if len(unknown) == 1 else "are"
        warn(
            f"{columns_text(unknown)} of the table {verb} left out, as no variables of the "
            f"model{hints}"
        )


# A level as `discretize` names it.
_INTERVAL = re.compile(r"[(\[]([^,]+), ([^,]+)\)")


def read_new_rows(new_data: Any, data: Data, *, continuous_only: bool) -> Data:
    """Return new rows with the variables of the data, in their order.

    Unlike `arcwise.read`, this accepts a single row and constant columns.
    """
    given = given_columns(new_data, data, "new_data")
    _check_names(list(given), data.variables)
    if len(next(iter(given.values())).missing) == 0:
        raise DataError("new_data has no rows; give at least one")
    columns: list[Column] = []
    for known in data.columns:
        name, numbers = known.name, continuous_only or not known.size
        values, there = values_of(given[name], known, numbers=numbers, table="new_data")
        if not there.all():
            raise DataError(
                f"values are missing in {counted({name: int((~there).sum())})} of new_data; leave "
                "such rows out, or fill in the values"
            )
        if numbers:
            values = scaled(values, name, data, new_data, "new_data")
        column = ContinuousColumn(name, values) if numbers else known.like(values.astype(np.uint16))
        columns.append(column)
    weights = intervened = None
    if isinstance(new_data, Data):
        weights, intervened = new_data.weights, new_data.intervened
        if intervened is not None:
            intervened = intervened[:, [new_data.index(name) for name in data.variables]]
    return Data(columns, weights, intervened)


def given_columns(table: Any, data: Data, called: str) -> dict[str, RawColumn]:
    """Return the raw columns of new rows by their names."""
    plain = isinstance(table, np.ndarray) and table.dtype.names is None
    whole = plain and table.ndim == 2 and table.shape[1] == len(data.variables)
    try:
        found = raw_columns(table, list(data.variables) if whole else None)
    except ArcwiseError as error:
        raise type(error)(f"{called} cannot be used, because ", *error.args) from None
    return {column.name: column for column in found}


def values_of(
    raw: RawColumn, known: Column, *, numbers: bool, table: str
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the numbers of a new column, or its codes of levels, and which values are present."""
    if not numbers:
        codes = level_codes(raw, known, table)
        return np.maximum(codes, 0), codes >= 0
    found, there = np.zeros(len(raw.missing)), ~raw.missing
    try:
        if isinstance(raw, RawNumbers):
            found[there] = raw.values[there].astype(np.float64)
        else:
            levels = np.array([float(level) for level in raw.levels])  # type: ignore[arg-type]
            found[there] = levels[raw.codes[there]]
        if not np.isfinite(found).all():
            raise ValueError
    except (TypeError, ValueError):
        rest = "leave the rows out" if table == "new_data" else "leave them empty"
        raise DataError(
            f"column {raw.name!r} of {table} holds values that are not finite numbers, but it "
            f"is continuous in the model's data; correct them or {rest}"
        ) from None
    return found, there


def scaled(
    values: NDArray[np.float64], name: str, data: Data, table: Any, called: str
) -> NDArray[np.float64]:
    """Return new values on the scale of the model, or refuse those outside its domain.

    The values of a `Data` may be on the scale already.
    """
    scale = data.preparation.scales.get(name)
    if scale is None or (isinstance(table, Data) and table.preparation.scales.get(name) == scale):
        return values
    found = scale.of(values)
    if not np.isfinite(found).all():
        raise DataError(
            f"column {name!r} of {called} has values that are not positive, but it is modelled on "
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


def level_codes(column: RawColumn, known: Column, table: str = "new_data") -> NDArray[np.int64]:
    """Return the codes of new labels among the levels of the model's data; -1 if missing.

    If the model's data have a level for missing values, missing labels have its code.
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
    """Return the bounds of levels that `discretize` made, or None if any level is not an interval.

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
    column: RawNumbers, known: Column, intervals: Sequence[tuple[float, float]], table: str
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
