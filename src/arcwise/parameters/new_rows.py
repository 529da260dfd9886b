"""Reads new rows as a model's data were read: the same variables, kinds and levels."""

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


def read_new_rows(new_data: Any, data: Data, *, measured: bool) -> Data:
    """Return new rows with the variables of the data, in their order.

    Unlike `arcwise.read`, this takes a single row and columns that do not vary.

    Parameters
    ----------
    new_data
        Anything `arcwise.read` takes. The weights and interventions of a `Data` are kept.
    data
        The data of the model.
    measured
        Whether all columns are measurements, whole numbers among them too.
    """
    try:
        came = {column.name: column for column in raw_columns(new_data, _names(new_data, data))}
    except ArcwiseError as error:
        raise type(error)(f"new_data cannot be used, because {error}") from None
    _check_names(list(came), data.variables)
    raw = [came[name] for name in data.variables]
    if len(raw[0].missing) == 0:
        raise DataError("new_data has no rows; give at least one")
    columns: list[Column] = []
    for column, known in zip(raw, data.columns, strict=True):
        if measured or isinstance(known, ContinuousColumn):
            columns.append(_measurements(column))
        else:
            columns.append(_labels(column, known))
    weights = intervened = None
    if isinstance(new_data, Data):
        weights, intervened = new_data.weights, new_data.intervened
        if intervened is not None:
            intervened = intervened[:, [new_data.index(name) for name in data.variables]]
    return Data(columns, weights, intervened)


def with_new_rows(data: Data, new: Data) -> Data:
    """Return both tables as one, the new rows last."""
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


def _check_names(came: Sequence[str], variables: Sequence[str]) -> None:
    lacking = [name for name in variables if name not in came]
    strange = [name for name in came if name not in variables]
    if lacking:
        raise DataError(
            f"new_data lacks {columns_text(lacking)}; give every variable of the model's data, in "
            "any order"
        )
    if strange:
        raise DataError(
            f"new_data has {columns_text(strange)}, which the model's data do not have; leave "
            "such columns out"
        )


def _refuse_gaps(column: RawColumn) -> None:
    gaps = int(column.missing.sum())
    if gaps:
        raise DataError(
            f"values are missing in {counted({column.name: gaps})} of new_data; leave such rows "
            "out, or fill the gaps"
        )


def _measurements(column: RawColumn) -> ContinuousColumn:
    _refuse_gaps(column)
    try:
        check_finite([column], {column.name: "continuous"})
        return continuous(column)
    except DataError:
        raise DataError(
            f"column {column.name!r} of new_data holds values that are no finite numbers, and in "
            "the model's data it holds measurements; correct them or leave these rows out"
        ) from None


def _labels(column: RawColumn, known: DiscreteColumn) -> DiscreteColumn:
    codes, levels = as_labels(column)
    # True == 1 in Python, but they are different labels.
    places = {(level_type(level), level): place for place, level in enumerate(known.levels)}
    if None not in known.levels:
        _refuse_gaps(column)
    code_of = np.array(
        [places.get((level_type(level), level), -1) for level in levels]
        + [places.get((level_type(None), None), -1)]
    )
    strange = [levels[code] for code in np.unique(codes) if code >= 0 and code_of[code] < 0]
    if None in strange:
        raise DataError(
            f"values are missing in column {column.name!r} of new_data; leave such rows out, or "
            "fill the gaps"
        )
    if strange:
        raise DataError(
            f"column {column.name!r} of new_data holds {quoted(strange)}, and in the model's data "
            f"its levels are {listing([repr(level) for level in known.levels])}; correct it, or "
            "declare the level with `levels` when the model's data are read"
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
