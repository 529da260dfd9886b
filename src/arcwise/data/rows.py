"""What is known of rows besides their values: weights, and which variables were intervened on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.encoding import as_labels, check_variable
from arcwise.data.messages import suggestion
from arcwise.data.raw import RawColumn, RawNumbers
from arcwise.data.sources import MISSING_TYPES, raw_columns, rectangular
from arcwise.errors import ArgumentError, DataError
from arcwise.support.words import plural, quoted


def column_weights(column: RawColumn) -> NDArray[np.float64]:
    """Return the weights in a column of the table."""
    if not isinstance(column, RawNumbers):
        raise DataError(
            f"the weights in column {column.name!r} are not numbers; name a column of numbers"
        )
    values = np.where(column.missing, np.nan, column.values.astype(np.float64))
    return _checked(values, f"the weights in column {column.name!r}")


def array_weights(weights: ArrayLike, rows: int) -> NDArray[np.float64]:
    """Return the weights given as an array."""
    array = rectangular(weights, "weights")
    if array.dtype == object:
        # None and the nulls of pandas are missing values, which are reported below.
        array = np.array([_missing_as_nan(value) for value in array.flat])
    if array.dtype.kind not in "iuf" or array.shape != (rows,):
        raise ArgumentError(
            f"weights is an array of shape {array.shape} and type {array.dtype}; give the name of "
            f"a column, or {plural(rows, 'number')}, one for each row"
        )
    return _checked(array.astype(np.float64), "the weights")


def _checked(values: NDArray[np.float64], what: str) -> NDArray[np.float64]:
    unusable = int((~(np.isfinite(values) & (values >= 0))).sum())
    if unusable:
        raise DataError(
            f"{unusable} of {len(values)} of {what} are negative, infinite or missing; give "
            "finite numbers, 0 or more, or leave the rows out"
        )
    if not values.sum() > 0:
        raise DataError(f"{what} are all zero; give weights with a positive sum")
    return values


def _missing_as_nan(value: Any) -> Any:
    return np.nan if type(value).__name__ in MISSING_TYPES else value


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
