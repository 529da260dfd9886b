"""`Reading`: the options of every function that reads a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import ArrayLike

from arcwise.data.encoding import Discretization
from arcwise.data.incomplete import IncompleteData
from arcwise.data.messages import checked_mapping
from arcwise.data.missing_codes import parsed_codes
from arcwise.data.scales import parsed_transformation
from arcwise.data.table import Data
from arcwise.errors import ArgumentError, Wording
from arcwise.support.checks import one_of
from arcwise.support.names import as_list
from arcwise.support.settings import Settings, setting, setting_like
from arcwise.support.words import shown

Missing = Literal["error", "drop", "level", "impute"]
Constant = Literal["error", "drop", "keep"]
Identifiers = Literal["warn", "drop", "keep", "error"]


def _names_to_drop(value: Any, name: Wording) -> list[str]:
    names = [value] if isinstance(value, str) else as_list(value, name, "a list of columns")
    for each in names:
        if not isinstance(each, str):
            raise ArgumentError(name, f" holds {shown(each)}; give names of columns")
    return names


@dataclass(frozen=True, kw_only=True)
class Reading(Settings):
    """The options of reading a table."""

    names: Sequence[str] | None = setting(
        None,
        "Names for the columns of an array (default ``X0``, ``X1``, ...) or of a text file that "
        "has no header.",
        in_shell=False,
    )
    drop: str | Sequence[str] | None = setting(
        None,
        "The columns to leave out.",
        check=_names_to_drop,
        help="Leave this column out; repeatable.",
        metavar="COLUMN",
        kind=list[str] | None,
    )
    kinds: str | Mapping[str, str] | None = setting(
        None,
        '"discrete", "continuous" or "ordinal" (discrete, with levels in an order that means '
        "something), for all columns or by name. By default, text, categories, booleans and whole "
        "numbers with up to 20 different values are discrete; reals, and whole numbers with more "
        "values, are continuous, the latter with a warning that asks which they are. Reals are "
        "whole numbers if all are and some are missing, as in pandas. Ordered categories (pandas, "
        "pyarrow) and polars Enums are ordinal.",
        check=lambda value, name: value if isinstance(value, str) else checked_mapping(value, name),
        in_shell=False,
    )
    levels: Mapping[str, Sequence[object]] | None = setting(
        None,
        "The labels of discrete columns, by name and in order, including unobserved ones. By "
        "default, the observed values in ascending order, or the categories that the source "
        "declares (pandas Categorical, polars Enum, pyarrow dictionary).",
        check=checked_mapping,
        in_shell=False,
    )
    discretize: str | Mapping[str, Any] | None = setting(
        None,
        'Which columns to cut into intervals: ``"quantile:3"`` or ``"uniform:4"`` for all '
        "continuous ones, or a mapping from columns to such a text, a number of intervals or a "
        "list of cut points; see `arcwise.discretize`.",
        check=lambda value, name: Discretization.parsed(value),
        help="Cut all continuous columns into intervals (quantile:3, uniform:4, ...), or one "
        "column (age=quantile:3); repeatable.",
        metavar="[COLUMN=]METHOD[:BINS]",
        kind=list[str] | None,
    )
    transform: str | Mapping[str, str] | None = setting(
        None,
        "Which function of columns to model, so that extreme values do not look like edges: "
        '``"log"`` for their logarithms, ``"asinh"`` for inverse hyperbolic sines about their '
        'medians, ``"by-evidence"`` for whichever of these the evidence of a column alone prefers '
        'by far (the default of `learn`), ``"none"`` for none (the default otherwise), or '
        '``"normal-scores"`` for the normal quantiles of their ranks; for all continuous columns, '
        "or a mapping from columns to these. Effects are then those on the other scale and named "
        "so, and predictions are in the units of the table; of normal scores there are neither.",
        check=lambda value, name: parsed_transformation(value),
        help="Model all continuous columns, or one (income=log), as their logarithms (log), "
        "inverse hyperbolic sines (asinh), whichever is clearly closer to normal (by-evidence, "
        "the default of learn) or as they are (none), so that extreme values do not look like "
        "edges; or replace them by their ranks (normal-scores), of which there are no effects "
        "and predictions; repeatable.",
        metavar="[COLUMN=]METHOD",
        kind=list[str] | None,
    )
    missing: Missing = setting(
        "error",
        'What to do with missing values (null, NaN): "error"; "drop" the rows; "level", which '
        "gives discrete columns, and those cut into intervals, the additional level None; or "
        '"impute", which keeps them as cells that `learn` imputes, as an `IncompleteData`. Only '
        "levels that are declared or observed can be imputed; rows without any value are left out.",
        check=one_of(Missing),
        help="How to treat missing values: as an error, drop their rows, as a further level, also "
        "of columns that --discretize cuts, or impute them (learn alone, and its default).",
    )
    missing_codes: Any = setting(
        None,
        'Values that stand for missing ones, such as -999, "unknown" or a list of these, in all '
        "columns, or a mapping from columns to them. They are numbers or texts as the table has "
        "them, and are not levels.",
        check=lambda value, name: parsed_codes(value),
        help="Read this value as missing, in all columns (-999) or in one (age=-999); repeatable.",
        metavar="[COLUMN=]VALUE",
        kind=list[str] | None,
    )
    constant: Constant = setting(
        "error",
        "What to do with columns that have a single value and no second declared level: "
        '"error", "drop" or "keep". With "drop", columns without any value are left out as well.',
        check=one_of(Constant),
        help="How to treat constant columns: leave them out with a warning, keep them, or as an "
        "error.",
        shell_default="drop",
    )
    identifiers: Identifiers = setting(
        "warn",
        "What to do with columns that seem to identify rows, such as row numbers, keys and names: "
        '"warn" and keep them, "drop", "keep" or "error". Columns whose kind or levels are '
        "declared are none.",
        check=one_of(Identifiers),
        help="How to treat columns that seem to identify rows (row numbers, keys, names): leave "
        "them out with a warning, keep them with one or without, or as an error.",
        shell_default="drop",
    )
    weights: str | ArrayLike | None = setting(
        None,
        "How often each row counts: the name of a column, which is then not a variable, or one "
        "number for each row.",
        help="The column of row weights.",
        metavar="COLUMN",
        kind=str | None,
    )
    interventions: Any = setting(
        None,
        "Which variables were intervened on in which rows: booleans, rows by variables; a frame "
        "of them, or a mapping from variables to them; or the name of a column, which is then not "
        "a variable, that names the variable intervened on in each row (none if it is missing, "
        "empty, ``none`` or ``observational``; several separated by ``;``).",
        help="The column that names the variable intervened on in each row, if any.",
        metavar="COLUMN",
        kind=str | None,
    )


@dataclass(frozen=True, kw_only=True)
class ReadingToLearn(Reading):
    """The options of `learn` for reading a table, with the defaults in `LENIENT`."""

    missing: Any = setting_like(Reading, "missing", None)
    constant: Any = setting_like(Reading, "constant", None)
    identifiers: Any = setting_like(Reading, "identifiers", None)

    def of(self, data: Any) -> Reading:
        """Return the options for this table, or for this source of one."""
        if isinstance(data, Data | IncompleteData):
            return Reading(**self.specified)
        return Reading(**{**LENIENT, **self.specified})


LENIENT: dict[str, Any] = {
    "constant": "drop",
    "identifiers": "drop",
    "missing": "impute",
    "transform": "by-evidence",
}
"""The defaults of `learn`, which leaves out uninformative columns, imputes missing values, and
models columns on another scale if they are clearly closer to normal on it."""
