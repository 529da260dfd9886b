"""Interventions: which variables were intervened on in which rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.arrays import rectangular
from arcwise.data.encoding import as_labels, check_variable
from arcwise.data.messages import suggestion
from arcwise.data.raw import RawColumn
from arcwise.data.sources import raw_columns
from arcwise.errors import ArgumentError, DataError
from arcwise.support.words import plural, quoted

NONE_WORDS = frozenset({"", "none", "observational"})


def column_mask(column: RawColumn, variables: Sequence[str]) -> NDArray[np.bool_]:
    """Return the mask from a column that names the variable intervened on in each row.

    A missing value, empty text, "none" and "observational" mean none; ";" separates several.
    """
    codes, levels = as_labels(column)
    mask = np.zeros((len(codes), len(variables)), dtype=np.bool_)
    for code, level in enumerate(levels):
        for name in _named(str(level), variables):
            if name not in variables:
                raise DataError(
                    f"column {column.name!r} names {name!r} as intervened on, which is not a "
                    f"variable{suggestion(name, variables)}"
                )
            mask[codes == code, list(variables).index(name)] = True
    return mask


def given_mask(interventions: Any, variables: Sequence[str], rows: int) -> NDArray[np.bool_]:
    """Return the mask given as an array, a frame or a mapping from variables."""
    if isinstance(interventions, list | tuple):
        interventions = rectangular(interventions, "interventions")
    if isinstance(interventions, np.ndarray):
        if interventions.shape != (rows, len(variables)):
            raise ArgumentError(
                f"interventions has the shape {interventions.shape}; give {plural(rows, 'row')} "
                f"and {plural(len(variables), 'column')}, one for each variable"
            )
        columns = raw_columns(interventions, list(variables))
    else:
        if isinstance(interventions, Mapping) and not interventions:
            return np.zeros((rows, len(variables)), dtype=np.bool_)
        columns = _frame_columns(interventions)
    mask = np.zeros((rows, len(variables)), dtype=np.bool_)
    for column in columns:
        check_variable(column.name, variables, "interventions")
        mask[:, list(variables).index(column.name)] = _booleans(column, rows)
    return mask


def _frame_columns(interventions: Any) -> list[RawColumn]:
    try:
        return raw_columns(interventions)
    except ArgumentError:
        raise ArgumentError(
            f"interventions is of type {type(interventions).__name__}; give booleans, rows by "
            "variables, a frame or mapping of them, or the name of a column"
        ) from None
    except DataError as error:
        raise ArgumentError("interventions cannot be used, because ", *error.args) from None


def _booleans(column: RawColumn, rows: int) -> NDArray[np.bool_]:
    codes, levels = as_labels(column)
    wrong = [level for level in levels if level not in (0, 1)]
    if wrong or len(codes) != rows:
        problem = f"holds {quoted(wrong)}" if wrong else f"has {plural(len(codes), 'value')}"
        raise ArgumentError(
            f"interventions[{column.name!r}] {problem}; give {plural(rows, 'boolean')}, one for "
            "each row"
        )
    booleans = np.array([bool(level) for level in levels] + [False])
    return booleans[codes]


def _named(text: str, variables: Sequence[str]) -> list[str]:
    if text in variables:
        return [text]
    names = [name.strip() for name in text.split(";")]
    return [name for name in names if name in variables or name.casefold() not in NONE_WORDS]
