"""New data for prediction, read with the variables, kinds and levels of a model's data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Column, ContinuousColumn, Data, DiscreteColumn
from arcwise.data.completeness import check_finite
from arcwise.data.encoding import as_labels, continuous
from arcwise.data.messages import columns as columns_text
from arcwise.data.raw import RawColumn, level_type
from arcwise.data.sources import raw_columns
from arcwise.errors import ArcwiseError, DataError
from arcwise.support.words import counted, listing, quoted


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
        given = {column.name: column for column in raw_columns(new_data, _names(new_data, data))}
    except ArcwiseError as error:
        raise type(error)("new_data cannot be used, because ", *error.args) from None
    _check_names(list(given), data.variables)
    raw = [given[name] for name in data.variables]
    if len(raw[0].missing) == 0:
        raise DataError("new_data has no rows; give at least one")
    columns: list[Column] = []
    for column, known in zip(raw, data.columns, strict=True):
        if continuous_only or isinstance(known, ContinuousColumn):
            columns.append(_continuous(column))
        else:
            columns.append(_discrete(column, known))
    weights = intervened = None
    if isinstance(new_data, Data):
        weights, intervened = new_data.weights, new_data.intervened
        if intervened is not None:
            intervened = intervened[:, [new_data.index(name) for name in data.variables]]
    return Data(columns, weights, intervened)


def with_new_rows(data: Data, new: Data) -> Data:
    """Return both tables as one, with the new rows last."""
    columns: list[Column] = []
    for first, second in zip(data.columns, new.columns, strict=True):
        if isinstance(first, DiscreteColumn) and isinstance(second, DiscreteColumn):
            codes = np.concatenate([first.codes, second.codes])
            columns.append(DiscreteColumn(first.name, codes, first.levels))
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


def _names(new_data: Any, data: Data) -> Sequence[str] | None:
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


def _discrete(column: RawColumn, known: DiscreteColumn) -> DiscreteColumn:
    codes, levels = as_labels(column)
    # True == 1 in Python, but they are different labels.
    places = {(level_type(level), level): place for place, level in enumerate(known.levels)}
    if None not in known.levels:
        _refuse_missing(column)
    code_of = np.array(
        [places.get((level_type(level), level), -1) for level in levels]
        + [places.get((level_type(None), None), -1)]
    )
    unknown = [levels[code] for code in np.unique(codes) if code >= 0 and code_of[code] < 0]
    if None in unknown:
        raise DataError(
            f"values are missing in column {column.name!r} of new_data; leave such rows out, or "
            "fill in the values"
        )
    if unknown:
        raise DataError(
            f"column {column.name!r} of new_data holds {quoted(unknown)}, but its levels in the "
            f"model's data are {listing([repr(level) for level in known.levels])}; correct it, or "
            "declare the level in levels when reading the model's data"
        )
    return DiscreteColumn(known.name, code_of[codes], known.levels)


def _numbers(column: Column) -> NDArray[np.float64]:
    numbers = column.numbers()
    assert numbers is not None
    return numbers


def _mask(data: Data) -> NDArray[np.bool_]:
    if data.intervened is None:
        return np.zeros((data.rows, len(data.variables)), dtype=np.bool_)
    return data.intervened
