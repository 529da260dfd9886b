"""Work out which variables were set from outside in which rows."""

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
    """Return the mask that a column spells out by naming the variable set in each row.

    A gap, an empty text, "none" and "observational" name none; ";" separates several.
    """
    codes, levels = as_labels(column)
    mask = np.zeros((len(codes), len(variables)), dtype=np.bool_)
    for code, level in enumerate(levels):
        for name in _named(str(level), variables):
            if name not in variables:
                raise DataError(
                    f"column {column.name!r} names {name!r} as the variable that was set, which "
                    f"is not a variable{suggestion(name, variables)}"
                )
            mask[codes == code, list(variables).index(name)] = True
    return mask


def given_mask(interventions: Any, variables: Sequence[str], rows: int) -> NDArray[np.bool_]:
    """Return the mask that came as an array, as a frame or as a mapping from variables."""
    if isinstance(interventions, list | tuple):
        interventions = rectangular(interventions, "interventions")
    if isinstance(interventions, np.ndarray):
        if interventions.shape != (rows, len(variables)):
            raise ArgumentError(
                f"`interventions` must have {plural(rows, 'row')} and "
                f"{plural(len(variables), 'column')}, one for each variable, but has the shape "
                f"{interventions.shape}"
            )
        columns = raw_columns(interventions, list(variables))
    else:
        if isinstance(interventions, Mapping) and not interventions:
            return np.zeros((rows, len(variables)), dtype=np.bool_)
        columns = _frame_columns(interventions)
    mask = np.zeros((rows, len(variables)), dtype=np.bool_)
    for column in columns:
        check_variable(column.name, variables, "interventions")
        mask[:, list(variables).index(column.name)] = _truths(column, rows)
    return mask


def _frame_columns(interventions: Any) -> list[RawColumn]:
    try:
        return raw_columns(interventions)
    except ArgumentError:
        raise ArgumentError(
            f"`interventions` must be booleans, rows by variables, a frame or mapping of them, or "
            f"the name of a column, but is of type {type(interventions).__name__}"
        ) from None
    except DataError as error:
        raise ArgumentError(f"`interventions` cannot be used, because {error}") from None


def _truths(column: RawColumn, rows: int) -> NDArray[np.bool_]:
    codes, levels = as_labels(column)
    strangers = [level for level in levels if level not in (0, 1)]
    if strangers or len(codes) != rows:
        problem = f"hold {quoted(strangers)}" if strangers else f"are {len(codes)}"
        raise ArgumentError(
            f"`interventions` for {column.name!r} must be {plural(rows, 'boolean')}, one for each "
            f"row, but {problem}"
        )
    truths = np.array([bool(level) for level in levels] + [False])
    return truths[codes]


def _named(text: str, variables: Sequence[str]) -> list[str]:
    if text in variables:
        return [text]
    names = [name.strip() for name in text.split(";")]
    return [name for name in names if name in variables or name.casefold() not in NONE_WORDS]
