"""`read`: read a table from any accepted source, and validate it once and for all."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from numpy.typing import ArrayLike

from arcwise.data.examination import examine
from arcwise.data.incomplete import IncompleteData
from arcwise.data.messages import warn
from arcwise.data.table import Data
from arcwise.support.arguments import refuse_unknown


@overload
def read(
    source: Any,
    *,
    names: Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    kinds: str | Mapping[str, str] | None = None,
    levels: Mapping[str, Sequence[object]] | None = None,
    missing: Literal["error", "drop", "level"] = "error",
    missing_codes: Any = None,
    constant: Literal["error", "drop", "keep"] = "error",
    identifiers: Literal["warn", "drop", "keep", "error"] = "warn",
    discretize: str | Mapping[str, Any] | None = None,
    transform: str | Mapping[str, str] | None = None,
    weights: str | ArrayLike | None = None,
    interventions: Any = None,
) -> Data: ...


@overload
def read(
    source: Any,
    *,
    names: Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    kinds: str | Mapping[str, str] | None = None,
    levels: Mapping[str, Sequence[object]] | None = None,
    missing: Literal["impute"],
    missing_codes: Any = None,
    constant: Literal["error", "drop", "keep"] = "error",
    identifiers: Literal["warn", "drop", "keep", "error"] = "warn",
    discretize: str | Mapping[str, Any] | None = None,
    transform: str | Mapping[str, str] | None = None,
    weights: str | ArrayLike | None = None,
    interventions: Any = None,
) -> Data | IncompleteData: ...


def read(
    source: Any,
    *,
    names: Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    kinds: str | Mapping[str, str] | None = None,
    levels: Mapping[str, Sequence[object]] | None = None,
    missing: Literal["error", "drop", "level", "impute"] = "error",
    missing_codes: Any = None,
    constant: Literal["error", "drop", "keep"] = "error",
    identifiers: Literal["warn", "drop", "keep", "error"] = "warn",
    discretize: str | Mapping[str, Any] | None = None,
    transform: str | Mapping[str, str] | None = None,
    weights: str | ArrayLike | None = None,
    interventions: Any = None,
) -> Data | IncompleteData:
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
    drop
        The columns to leave out.
    kinds
        "discrete", "continuous" or "ordinal" (discrete, with levels in an order that means
        something), for all columns or by name. By default, text, categories,
        booleans and whole numbers with up to 20 different values are discrete; reals, and
        whole numbers with more values, are continuous, the latter with a warning that asks
        which they are. Reals are whole numbers if all are and some are missing, as in pandas.
        Ordered categories (pandas, pyarrow) and polars Enums are ordinal.
    levels
        The labels of discrete columns, by name and in order, including unobserved ones. By
        default, the observed values in ascending order, or the categories that the source
        declares (pandas Categorical, polars Enum, pyarrow dictionary).
    missing
        What to do with missing values (null, NaN): "error"; "drop" the rows; "level",
        which gives discrete columns, and those cut into intervals, the additional level None;
        or "impute", which keeps them as cells that `learn` imputes, as an `IncompleteData`. Only
        levels that are declared or observed can be imputed; rows without any value are left out.
    missing_codes
        Values that stand for missing ones, such as -999, "unknown" or a list of these, in all
        columns, or a mapping from columns to them. They are numbers or texts as the table has
        them, and are not levels.
    constant
        What to do with columns that have a single value and no second declared level:
        "error", "drop" or "keep". With "drop", columns without any value are left out as well.
    identifiers
        What to do with columns that seem to identify rows, such as row numbers, keys and
        names: "warn" and keep them, "drop", "keep" or "error". Columns whose kind or levels
        are declared are none.
    discretize
        Which columns to cut into intervals: ``"quantile:3"`` or ``"uniform:4"`` for all
        continuous ones, or a mapping from columns to such a text, a number of intervals or a
        list of cut points; see `arcwise.discretize`.
    transform
        Which function of columns to model, so that extreme values do not look like edges:
        ``"log"`` for their logarithms, ``"asinh"`` for inverse hyperbolic sines about their
        medians, ``"by-evidence"`` for whichever of these the evidence of a column alone prefers by
        far (the default of `learn`), ``"none"`` for none (the default otherwise), or
        ``"normal-scores"`` for the normal quantiles of their ranks; for all continuous columns,
        or a mapping from columns to these. Effects are then those on the other scale and named
        so, and predictions are in the units of the table; of normal scores there are neither.
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
        The validated table; an `IncompleteData` if values are missing and to be imputed.

    Raises
    ------
    DataError, FileFormatError, ArgumentError
        If the table, the file or an argument cannot be used; one error tells all problems of
        a table.

    Examples
    --------
    >>> data = read({"rain": ["no", "yes", "no"], "depth": [0.1, 2.5, 0.3]})
    >>> data.kinds
    {'rain': 'discrete', 'depth': 'continuous'}
    >>> data.columns[0].levels
    ('no', 'yes')
    """
    return read_table(
        source,
        {
            "names": names,
            "drop": drop,
            "kinds": kinds,
            "levels": levels,
            "missing": missing,
            "missing_codes": missing_codes,
            "constant": constant,
            "identifiers": identifiers,
            "discretize": discretize,
            "transform": transform,
            "weights": weights,
            "interventions": interventions,
        },
    )


def read_table(source: Any, reading: Mapping[str, Any]) -> Data | IncompleteData:
    """Return a table, complete or not.

    Parameters
    ----------
    source, reading
        The source and further arguments of `read`.
    """
    refuse_unknown(reading, DEFAULTS, "read")
    options = DEFAULTS | dict(reading)
    if isinstance(source, Data | IncompleteData) and all(
        _is_default(*option) for option in options.items()
    ):
        return source
    table = examine(source, options)
    for warning in table.warnings:
        warn(warning)
    return table.data()


DEFAULTS = {
    name: parameter.default
    for name, parameter in inspect.signature(read).parameters.items()
    if name != "source"
}


def _is_default(name: str, value: object) -> bool:
    # Not by == alone: what was given may be an array.
    return value is DEFAULTS[name] or (isinstance(value, str) and value == DEFAULTS[name])
