"""`read`: read a table from any accepted source, and validate it once and for all."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.columns import Column, DiscreteColumn, Kind
from arcwise.data.completeness import (
    CONSTANT_CHOICES,
    MISSING_CHOICES,
    check_choice,
    check_finite,
    columns_to_keep,
    complete_rows,
)
from arcwise.data.encoding import chosen_kinds, continuous, declared_levels, discrete
from arcwise.data.interventions import column_mask, given_mask
from arcwise.data.messages import suggestion, warn
from arcwise.data.options import kind_option
from arcwise.data.raw import RawColumn, RawLabels
from arcwise.data.sources import raw_columns
from arcwise.data.table import Data
from arcwise.data.weights import array_weights, column_weights
from arcwise.errors import ArgumentError, DataError, Wording, option
from arcwise.support.words import listing

MANY_LEVELS = 50
MANY_LEVELS_SHARE = 0.2


def read(
    source: Any,
    *,
    names: Sequence[str] | None = None,
    kinds: str | Mapping[str, str] | None = None,
    levels: Mapping[str, Sequence[object]] | None = None,
    missing: Literal["error", "drop", "level"] = "error",
    constant: Literal["error", "drop", "keep"] = "error",
    weights: str | ArrayLike | None = None,
    interventions: Any = None,
) -> Data:
    """Read a data table.

    Parameters
    ----------
    source
        A data frame (pandas, polars, pyarrow, or another that narwhals supports, eager or
        lazy); a NumPy array of rows by columns, or a structured one; a mapping from names
        to columns; the path of a .csv, .tsv, .tab (each also .gz) or .parquet file; or a
        Data, which is returned unchanged unless an option is given.

        In text files the first line holds the names, blanks around a field are stripped,
        and blank lines are skipped. A .csv file whose first line has no comma may be
        separated by semicolons or tabs. These fields are missing values: empty, ``NA``,
        ``N/A``, ``#N/A``, ``<NA>``, ``NaN``, ``nan``, ``NAN``, ``null``, ``NULL`` and ``?``
        (but not ``None``, which is a common label). A first column that has no name and a
        different value in each row is taken to be row names and left out with a warning.
    names
        Names for the columns of an array (default ``X0``, ``X1``, ...) or of a text file
        that has no header.
    kinds
        "discrete" or "continuous", for all columns or by name. By default, integers, text,
        categories and booleans are discrete, and reals are continuous.
    levels
        The labels of discrete columns, by name and in order, including unobserved ones. By
        default, the observed values in ascending order, or the categories that the source
        declares (pandas Categorical, polars Enum, pyarrow dictionary).
    missing
        What to do with missing values (null, NaN): "error"; "drop" the rows; or "level",
        which gives discrete columns the additional level None.
    constant
        What to do with columns that have a single value and no second declared level:
        "error", "drop" or "keep".
    weights
        How often each row counts: the name of a column, which is then not a variable, or
        one number for each row.
    interventions
        Which variables were intervened on in which rows: booleans, rows by variables; a
        frame of them, or a mapping from variables to them; or the name of a column, which
        is then not a variable, that names the variable intervened on in each row (none if
        it is missing, empty, ``none`` or ``observational``; several separated by ``;``).

    Returns
    -------
    Data
        The validated table.

    Raises
    ------
    DataError, FileFormatError, ArgumentError
        If the table, the file or an argument cannot be used.

    Examples
    --------
    >>> data = read({"rain": ["no", "yes", "no"], "depth": [0.1, 2.5, 0.3]})
    >>> data.kinds
    {'rain': 'discrete', 'depth': 'continuous'}
    >>> data.columns[0].levels
    ('no', 'yes')
    """
    options = (names, kinds, levels, weights, interventions)
    defaults = all(isinstance(each, str) and each == "error" for each in (missing, constant))
    if isinstance(source, Data) and defaults and all(option is None for option in options):
        return source
    check_choice(option("missing"), missing, MISSING_CHOICES)
    check_choice(option("constant"), constant, CONSTANT_CHOICES)
    columns = raw_columns(source, names)
    rows = _checked_rows(columns)

    columns, weight_column = _extract(columns, weights, "weights")
    columns, intervention_column = _extract(columns, interventions, "interventions")
    if not columns:
        raise DataError(
            "the table has no columns besides the weights and interventions; give at least one "
            "variable"
        )
    variables = [column.name for column in columns]
    row_weights = source.weights if isinstance(source, Data) else None
    if weight_column is not None:
        row_weights = column_weights(weight_column)
    elif weights is not None:
        row_weights = array_weights(weights, rows)
    mask = _kept_mask(source, variables)
    if intervention_column is not None:
        mask = column_mask(intervention_column, variables)
    elif interventions is not None:
        mask = given_mask(interventions, variables, rows)

    if isinstance(source, Data) and missing == "drop":
        columns = [_without_missing_level(column) for column in columns]
    declared = declared_levels(columns, levels)
    decided = chosen_kinds(columns, kinds, declared)
    keep = complete_rows(columns, decided, missing)
    if keep is not None:
        columns = [column.take(keep) for column in columns]
        row_weights = None if row_weights is None else row_weights[keep]
        mask = None if mask is None else mask[keep]
    check_finite(columns, decided)
    encoded: list[Column] = [
        discrete(column, declared.get(column.name))
        if decided[column.name] == "discrete"
        else continuous(column)
        for column in columns
    ]
    places = columns_to_keep(encoded, constant)
    _warn_about_many_levels(columns, encoded, kinds, declared)
    return Data(
        [encoded[place] for place in places],
        row_weights,
        None if mask is None else mask[:, places],
        _name_of(source),
    )


def _name_of(source: object) -> str | None:
    """Return the name of the file that was read, without its folder."""
    if isinstance(source, Data):
        return source.name
    return Path(source).name if isinstance(source, str | os.PathLike) else None


def _checked_rows(columns: Sequence[RawColumn]) -> int:
    if not columns:
        raise DataError("the table has no columns; give at least one")
    rows = len(columns[0].missing)
    if rows < 2:
        count = "no rows" if rows == 0 else "a single row"
        raise DataError(f"the table has {count}; give at least 2 rows")
    return rows


def _extract(
    columns: list[RawColumn], name: object, argument: str
) -> tuple[list[RawColumn], RawColumn | None]:
    if not isinstance(name, str):
        return columns, None
    for place, column in enumerate(columns):
        if column.name == name:
            return [*columns[:place], *columns[place + 1 :]], column
    hint = suggestion(name, [column.name for column in columns])
    raise ArgumentError(option(argument), f" names {name!r}, which is not a column{hint}")


def _kept_mask(source: object, variables: Sequence[str]) -> NDArray[np.bool_] | None:
    if not isinstance(source, Data) or source.intervened is None:
        return None
    return source.intervened[:, [source.index(name) for name in variables]]


def _without_missing_level(column: RawColumn) -> RawColumn:
    if not isinstance(column, RawLabels) or None not in column.levels:
        return column
    codes = np.where(column.codes == len(column.levels) - 1, -1, column.codes)
    return RawLabels(column.name, codes, column.levels[:-1], declared=True)


def _warn_about_many_levels(
    columns: Sequence[RawColumn],
    encoded: Sequence[Column],
    kinds: str | Mapping[str, Kind | str] | None,
    declared: Mapping[str, object],
) -> None:
    decided = {column.name for column in columns} if isinstance(kinds, str) else set(kinds or ())
    decided |= declared.keys()
    many = [
        (raw, column)
        for raw, column in zip(columns, encoded, strict=True)
        if isinstance(column, DiscreteColumn)
        and column.name not in decided
        and not (isinstance(raw, RawLabels) and raw.declared)
        and column.size > max(MANY_LEVELS, MANY_LEVELS_SHARE * len(column.codes))
    ]
    numbers = [column for raw, column in many if not isinstance(raw, RawLabels)]
    labels = [column for raw, column in many if isinstance(raw, RawLabels)]
    if numbers:
        warn(
            f"{_with_sizes(numbers)} treated as discrete; give ",
            kind_option(numbers[0].name, "continuous"),
            Wording(" or discretize the column with arcwise.discretize", ""),
            " if the numbers are measurements",
        )
    if labels:
        warn(
            f"{_with_sizes(labels)} treated as discrete; leave out columns that only identify rows"
        )


def _with_sizes(columns: Sequence[DiscreteColumn]) -> str:
    sizes = listing([f"{column.name!r} ({column.size} levels)" for column in columns])
    return f"{sizes} {'is' if len(columns) == 1 else 'are'}"
