"""`Reading`: the options of every function that reads a table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data import encoding
from arcwise.data.columns import Column, KindName, level_numbers
from arcwise.data.description import describe_examined
from arcwise.data.encoding import (
    DEFAULT_BINS,
    ByColumn,
    Cut,
    Discretization,
    Method,
    as_labels,
    check_variable,
    checked_bins,
    checked_breaks,
    chosen_kinds,
    continuous,
    cut,
    declared_labels,
    declared_levels,
    discrete,
    parsed_codes,
    read_codes,
    settle_words,
    warn_of_codes,
)
from arcwise.data.incomplete import OBSERVED, IncompleteData
from arcwise.data.profile import note_copies, note_identifiers, note_spellings
from arcwise.data.raw import (
    Problems,
    RawColumn,
    RawLabels,
    RawNumbers,
    checked_mapping,
    discretize_option,
    drop_option,
    fewer_intervals,
    has_many_values,
    is_whole,
    kinds_option,
    suggestion,
    warn,
    with_reasons,
    with_sizes,
)
from arcwise.data.raw import columns as columns_text
from arcwise.data.scales import Method as ScaleMethod
from arcwise.data.scales import (
    Scale,
    asked_scale,
    normal_scores,
    parsed_transformation,
    wanted_scale,
)
from arcwise.data.sources import (
    MISSING_TYPES,
    raw_column_of,
    raw_columns,
    rectangular,
    usable_columns,
    why_unusable,
)
from arcwise.data.table import Data, Preparation, Slices
from arcwise.errors import ArgumentError, DataError, Wording, option, worded
from arcwise.support.checks import one_of
from arcwise.support.names import as_list, counted, listing, plural, quoted, shown
from arcwise.support.settings import Settings, keywords_of, setting, setting_like

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


# --- Examination ----------------------------------------------------------------------------------

# `Examination`: a raw table, checked column by column, with all problems and remarks.
#
# `examine` reads the columns of a source with their weights and interventions, settles the kind
# of each, and cuts, transforms, imputes or leaves out columns as specified.


@dataclass(eq=False)
class Examination:
    """The state of a table between its source and a `Data`."""

    found: list[RawColumn]  # the raw columns, without weights and interventions
    unusable: dict[str, str]  # why the columns of these names cannot be used at all
    kinds: dict[str, KindName]  # the kind of each column found
    weights: NDArray[np.float64] | None = None
    mask: NDArray[np.bool_] | None = None
    # Why the columns of these names are left out, or seem to identify rows, as ends of sentences.
    left_out: dict[str, str] = field(default_factory=dict)
    identifying: dict[str, str] = field(default_factory=dict)
    measured: dict[str, int] = field(default_factory=dict)  # different integers in measurements
    slips: dict[str, str] = field(default_factory=dict)  # texts in columns of numbers
    encoded: list[Column] = field(default_factory=list)  # columns that could be encoded
    # Columns with gaps that are still a problem, of which only the other values are examined.
    undecided: set[str] = field(default_factory=set)
    problems: Problems = field(default_factory=Problems)
    warnings: list[Wording] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    preparation: Preparation = field(default_factory=Preparation)
    name: str | None = None  # of the file, without its folder
    gaps: dict[str, NDArray[np.bool_]] = field(default_factory=dict)  # values to be imputed
    slices: Slices | None = None  # of the source, if it is the table of a time series
    kept: NDArray[np.bool_] | None = None  # the rows that were kept; None for all

    @property
    def rows(self) -> int:
        """The number of rows of the source."""
        return len(self.found[0].missing) if self.found else 0

    def data(self) -> Data | IncompleteData:
        """Return the table, or refuse it with all its problems."""
        self.problems.refuse()
        columns = self.encoded
        slices = None
        if self.slices is not None:
            slices = self.slices.selected([column.name for column in columns])
        about = self.notes, self.preparation, self.name
        table = Data(columns, self.weights, self.mask, *about, slices)
        if not self.gaps:
            return table
        cells = np.full((table.rows, len(table.columns)), OBSERVED, dtype=np.int64)
        used = 0
        for place, name in enumerate(table.variables):
            missing = self.gaps.get(name, np.zeros(table.rows, dtype=np.bool_))
            count = int(missing.sum())
            cells[missing, place] = used + np.arange(count)
            used += count
        return IncompleteData(table, cells).written_out()

    def taken(self, columns: Sequence[RawColumn], rows: NDArray[np.bool_]) -> list[RawColumn]:
        """Return the columns with these rows only, and select the rows of all else as well."""
        self.weights = None if self.weights is None else self.weights[rows]
        self.mask = None if self.mask is None else self.mask[rows]
        return [column.take(rows) for column in columns]

    def warn(self, *parts: str | Wording) -> None:
        """Add a warning."""
        self.warnings.append(worded(*parts))


def examine(source: Any, reading: Reading, *, empty_rows: bool = False) -> Examination:
    """Return the table of a source, examined by the options of reading."""
    cuts = Discretization.parsed(reading.discretize)
    transformation = parsed_transformation(reading.transform)
    codes = parsed_codes(reading.missing_codes)
    columns, unusable = usable_columns(source, reading.names, reading.drop or ())
    table = _begun(source, columns, unusable, reading)
    table.name = _name_of(source)
    variables = [*(column.name for column in table.found), *unusable]
    cuts.check_names(variables, option("discretize"))
    transformation.check_names(variables, option("transform"))
    codes.check_names(variables, option("missing_codes"))
    missing = reading.missing
    columns = table.found
    declared = declared_levels(columns, reading.levels)
    labels = declared_labels(columns, reading.kinds, declared)
    columns = table.found = read_codes(table, columns, codes, labels)
    if isinstance(source, Data) and missing in ("drop", "impute"):
        columns = [_without_missing_level(column) for column in columns]
    table.found, slips = settle_words(table, columns, labels)
    columns = table.found
    table.kinds = chosen_kinds(columns, reading.kinds, declared)
    settled = _settled(columns, reading.kinds, declared, cuts) | slips
    columns = _leave_out(table, columns, reading, settled)
    if cuts.others is None:
        _ask_about_integers(table, columns, settled)
    if not isinstance(source, Data | IncompleteData):  # which were examined before
        warn_of_codes(table, columns)
    columns = without_gaps(table, columns, cuts, missing)
    infinite = encoding.infinite_counts(columns, table.kinds)
    if infinite:
        table.problems.add(encoding.infinite_problem(infinite))
    columns = [column for column in columns if column.name not in infinite]
    columns = _cut_columns(table, columns, cuts)
    columns = _transformed(table, columns, transformation)
    varied = {name for name, levels in declared.items() if len(levels) > 1}
    columns = _without_constants(table, columns, reading.constant, missing, varied)
    if missing == "impute":
        columns = with_placeholders(table, columns, variables, empty_rows=empty_rows)
    _encode(table, columns, declared)
    _warn_about_many_levels(table, settled)
    if not isinstance(source, Data | IncompleteData):
        note_copies(table)
        note_spellings(table)
    if table.mask is not None:
        kept = [variables.index(column.name) for column in table.encoded]
        table.mask = table.mask[:, kept]
    return table


def _name_of(source: object) -> str | None:
    """Return the name of the file that was read, without its folder."""
    if isinstance(source, Data | IncompleteData):
        return (source.table if isinstance(source, IncompleteData) else source).name
    return Path(source).name if isinstance(source, str | os.PathLike) else None


def _begun(
    source: Any, columns: list[RawColumn], unusable: dict[str, str], reading: Reading
) -> Examination:
    if not columns and not unusable:
        raise DataError("the table has no columns; give at least one")
    rows = len(columns[0].missing) if columns else 0
    weights, interventions = reading.weights, reading.interventions
    columns, weight_column = _extract(columns, weights, "weights")
    columns, intervention_column = _extract(columns, interventions, "interventions")
    if not columns and not unusable:
        raise DataError(
            "the table has no columns besides the weights and interventions; give at least one "
            "variable"
        )
    table = Examination(columns, unusable, {})
    if unusable:
        table.problems.add(
            f"{why_unusable(unusable)}; give columns of numbers, text, categories or booleans, or "
            f"leave {'it' if len(unusable) == 1 else 'these'} out with ",
            drop_option(unusable),
        )
    if columns and rows < 2:
        count = "no rows" if rows == 0 else "a single row"
        table.problems.add(f"the table has {count}; give at least 2 rows")
    variables = [column.name for column in columns]
    if isinstance(source, IncompleteData):
        if source.count < int(source.missing.sum()):
            raise ArgumentError(
                "the table has copies of its missing values, which options of reading would tear "
                "apart; leave the options out"
            )
        source = source.table
    if isinstance(source, Data):
        table.weights = source.weights
        table.preparation = source.preparation.with_imputed({})
        table.notes, table.slices = list(source.notes), source.slices
        if source.intervened is not None:
            table.mask = source.intervened[:, [source.index(name) for name in variables]]
    if weight_column is not None:
        table.weights = column_weights(weight_column)
    elif weights is not None:
        table.weights = array_weights(weights, rows)
    if intervention_column is not None:
        table.mask = column_mask(intervention_column, variables)
    elif interventions is not None:
        table.mask = given_mask(interventions, variables, rows)
    return table


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


def _without_missing_level(column: RawColumn) -> RawColumn:
    if not isinstance(column, RawLabels) or None not in column.levels:
        return column
    codes = np.where(column.codes == len(column.levels) - 1, -1, column.codes)
    return RawLabels(column.name, codes, column.levels[:-1], declared=True)


def _settled(
    columns: Sequence[RawColumn],
    kinds: str | Mapping[str, str] | None,
    declared: Mapping[str, object],
    cuts: Discretization,
) -> set[str]:
    """Return the columns whose meaning the user or the source has declared."""
    named = {column.name for column in columns} if isinstance(kinds, str) else set(kinds or ())
    sure = {each.name for each in columns if isinstance(each, RawLabels) and each.declared}
    return named | set(declared) | set(cuts.columns) | sure


def _leave_out(
    table: Examination, columns: list[RawColumn], reading: Reading, settled: set[str]
) -> list[RawColumn]:
    """Leave out columns without a value and, as specified, those that identify rows."""
    if reading.constant == "drop":
        for column in columns:
            if encoding.is_empty(column) and table.rows:
                table.left_out[column.name] = "it has no values"
        if table.left_out:
            table.warn(f"left out {with_reasons(table.left_out)}")
    note_identifiers(table, columns, reading.identifiers, settled)
    return [column for column in columns if column.name not in table.left_out]


def _ask_about_integers(
    table: Examination, columns: Sequence[RawColumn], settled: set[str]
) -> None:
    for column in columns:
        if column.name in settled or column.name in table.identifying:
            continue
        if isinstance(column, RawNumbers) and is_whole(column) and has_many_values(column):
            table.measured[column.name] = len(np.unique(column.values[~column.missing]))
    if table.measured:
        sizes = table.measured
        table.warn(
            f"{with_sizes(sizes, 'different whole numbers')} "
            f"{'counts' if len(sizes) == 1 else 'count'} as continuous; give ",
            kinds_option(sizes, "continuous"),
            " if that is right, ",
            kinds_option(sizes, "discrete"),
            " if each number is a category, or ",
            discretize_option(sizes),
            " to cut them into intervals",
        )


def _cut_columns(
    table: Examination, columns: list[RawColumn], cuts: Discretization
) -> list[RawColumn]:
    result: list[RawColumn] = []
    done, collapsed = {}, {}
    for column in columns:
        how = cuts.cut_for(column.name, table.kinds[column.name])
        # Constant columns are reported as such instead.
        if how is None or encoding.is_constant(column, missing_is_level=False):
            result.append(column)
            continue
        try:
            if column.name in table.undecided and not len(column.missing):
                continue
            intervals = cut(column.name, numbers_of(column), how)
        except DataError as error:
            table.problems.add(*error.args)
            continue
        table.kinds[column.name] = "discrete"
        done[column.name] = len(intervals.levels)
        if len(intervals.levels) < how.wanted:
            collapsed[column.name] = (len(intervals.levels), how.wanted)
        result.append(intervals)
    if collapsed:
        table.warn(fewer_intervals(collapsed))
    if done:
        table.notes.append(f"Cut into intervals: {with_sizes(done, 'intervals')}.")
        table.preparation = table.preparation.with_discretized(done)
    return result


def _transformed(
    table: Examination, columns: list[RawColumn], transformation: ByColumn[ScaleMethod]
) -> list[RawColumn]:
    """Replace columns by their normal scores or by their values on another scale, as specified."""
    ranked, result = [], []
    scales: dict[str, Scale] = {}
    for column in columns:
        method = wanted_scale(transformation, column.name, table.kinds[column.name])
        if method == "none" or column.name in table.preparation.scales:
            result.append(column)
            continue
        try:
            values = numbers_of(column)
        except DataError:  # labels, which `_encode` refuses as continuous
            result.append(column)
            continue
        if method == "normal-scores":
            values = normal_scores(values)
            ranked.append(column.name)
        else:
            scale = asked_scale(column.name, values[~np.isnan(values)], method)
            if scale is None:
                result.append(column)
                continue
            values, scales[column.name] = scale.of(values), scale
        result.append(RawNumbers(column.name, values, np.isnan(values)))
    if ranked:
        table.notes.append(f"Replaced by their normal scores: {quoted(ranked)}.")
        table.preparation = table.preparation.with_transformed(tuple(ranked))
    if scales:
        labels = listing([scale.label(name) for name, scale in scales.items()])
        table.notes.append(f"Modelled on another scale: {labels}.")
        table.preparation = table.preparation.with_scales(scales)
    return result


def numbers_of(column: RawColumn) -> NDArray[np.float64]:
    """Return the numbers of a column, NaN where missing, or refuse a categorical column."""
    if isinstance(column, RawNumbers):
        return np.where(column.missing, np.nan, column.values.astype(np.float64))
    gap = column.levels[-1:] == (None,)
    present = column.levels[:-1] if gap else column.levels
    numbers = level_numbers(present)
    if numbers is None:
        raise DataError(
            f"column {column.name!r} is categorical and cannot be cut into intervals; leave it out "
            "of ",
            Wording("columns", "--discretize"),
        )
    return np.append(numbers, [np.nan, np.nan] if gap else [np.nan])[column.codes]


def _without_constants(
    table: Examination, columns: list[RawColumn], constant: str, missing: str, varied: set[str]
) -> list[RawColumn]:
    single = [
        column.name
        for column in columns
        if column.name not in varied | table.undecided
        and encoding.is_constant(column, missing_is_level=missing == "level")
    ]
    if not single or constant == "keep" or table.rows < 2:
        return columns
    if constant == "error":
        table.problems.add(
            columns_text(single, every=True),
            f" {'has' if len(single) == 1 else 'have'} a single value and thus no information; "
            "give ",
            option("constant", "drop"),
            " to leave constant columns out or ",
            option("constant", "keep"),
            " to keep them",
            Wording(", or declare the unobserved labels in levels", ""),
        )
        return columns
    if len(single) == len(columns):
        table.problems.add(
            f"every column has a single value ({quoted(single)}), so that none is left; give a "
            "table in which some column varies"
        )
        return columns
    table.left_out |= dict.fromkeys(single, "it has a single value")
    table.warn(
        f"left out the constant {columns_text(single, every=True)}, which no edge can concern; "
        f"to keep {'it' if len(single) == 1 else 'them'}, give ",
        option("constant", "keep"),
    )
    return [column for column in columns if column.name not in single]


def _encode(
    table: Examination, columns: Sequence[RawColumn], declared: Mapping[str, tuple[object, ...]]
) -> None:
    for column in columns:
        try:
            kind = table.kinds[column.name]
            if kind != "continuous":
                levels = declared.get(column.name)
                table.encoded.append(discrete(column, levels, kind == "ordinal"))
            else:
                table.encoded.append(continuous(column))
        except DataError as error:
            table.problems.add(*error.args)
    if table.left_out:
        table.notes.insert(0, f"Left out: {with_reasons(table.left_out)}.")


MANY_LEVELS = 50
MANY_LEVELS_SHARE = 0.2


def _warn_about_many_levels(table: Examination, settled: set[str]) -> None:
    many = {
        column.name: column.size
        for column in table.encoded
        if column.name not in settled
        and column.name not in table.identifying
        and column.size > max(MANY_LEVELS, MANY_LEVELS_SHARE * len(column.stored))
    }
    if many:
        table.warn(
            f"{with_sizes(many, 'levels')} {'has' if len(many) == 1 else 'have'} few rows for each "
            "level; merge levels, or leave out with ",
            drop_option(many),
            " what only identifies rows",
        )


def without_gaps(
    table: Examination, columns: list[RawColumn], cuts: Discretization, missing: str
) -> list[RawColumn]:
    """Handle missing values as specified: gaps remain if they are a level or to be imputed."""
    counts = encoding.missing_counts(columns)
    if not counts or missing == "impute":
        return columns
    if missing == "error":
        problem = encoding.missing_values_problem(columns, counts)
        table.problems.add(problem, imputable=True)
        return _present(table, columns, counts)
    if missing == "level":
        whole = {
            name: count
            for name, count in counts.items()
            if table.kinds[name] == "continuous" and cuts.cut_for(name, "continuous") is None
        }
        if whole:
            table.problems.add(encoding.missing_level_problem(whole))
            return _present(table, columns, whole)
        table.notes.append(f"Missing values are a level of their own in {counted(counts)}.")
        table.preparation = table.preparation.with_missing_level(tuple(counts))
        return columns
    keep = encoding.complete_rows(columns)
    dropped, rows = int((~keep).sum()), len(keep)
    if rows - dropped < 2:
        table.problems.add(
            f"dropping the rows with missing values leaves {rows - dropped} of "
            f"{plural(rows, 'row')}; give at least 2 complete rows, or leave out some of the "
            f"columns concerned, {counted(counts)}, with ",
            option("drop"),
        )
        return _present(table, columns, counts)
    why = f"since values are missing in {counted(counts)}"
    table.warn(f"dropped {dropped:,} of {plural(rows, 'row')}, {why}")
    table.notes.append(f"{dropped:,} of {plural(rows, 'row')} were dropped, {why}.")
    table.preparation = table.preparation.with_dropped(dropped)
    table.kept = keep
    return table.taken(columns, keep)


def with_placeholders(
    table: Examination,
    columns: list[RawColumn],
    variables: Sequence[str],
    *,
    empty_rows: bool = False,
) -> list[RawColumn]:
    """Note which cells are to be imputed, and return the columns with placeholders in them.

    Rows without any value are uninformative and left out, unless `empty_rows`: in a time series
    they separate others.
    """
    counts = encoding.missing_counts(columns)
    empty = [column.name for column in columns if encoding.is_empty(column)]
    if not counts or empty or not columns:
        if empty:
            table.problems.add(
                columns_text(empty, every=True),
                f" {'has' if len(empty) == 1 else 'have'} no value to impute others from; leave "
                "out with ",
                drop_option(empty),
            )
        return [column for column in columns if column.name not in empty]
    keep = ~np.logical_and.reduce([column.missing for column in columns])
    keep |= empty_rows
    left, rows = int((~keep).sum()), len(keep)
    if rows - left < 2:
        table.problems.add(f"only {plural(rows - left, 'row')} of {rows} has a value; give 2 rows")
        return columns
    if left:
        table.notes.append(
            f"{left:,} of {plural(rows, 'row')} were left out, since no value is there."
        )
        columns = table.taken(columns, keep)
        counts = encoding.missing_counts(columns)
    if table.mask is not None:
        both = {
            column.name: count
            for column in columns
            if (count := int((column.missing & table.mask[:, variables.index(column.name)]).sum()))
        }
        if both:
            table.problems.add(
                "values are missing in rows in which the variable itself was intervened on, in "
                f"{counted(both)}: what it was set to cannot be imputed; give these values, or ",
                option("missing", "drop"),
                " to drop the rows",
            )
            return columns
    table.gaps = {column.name: column.missing for column in columns if column.name in counts}
    if not counts:
        return columns
    table.preparation = table.preparation.with_imputed(counts)
    return [encoding.filled(column) for column in columns]


def _present(
    table: Examination, columns: list[RawColumn], gappy: Mapping[str, int]
) -> list[RawColumn]:
    """Return the columns, those with gaps reduced to their present values, for further checks."""
    table.undecided |= set(gappy)
    return [each.take(~each.missing) if each.name in gappy else each for each in columns]


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
        # None and the nulls of pandas are missing values, which `_checked` reports.
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

    A missing value, empty text, "none" and "observational" mean no intervention; ";" separates
    several variables.
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


# --- Reader ---------------------------------------------------------------------------------------

# `read`, `discretize` and `describe`: a validated table from any accepted source.


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _ReadArguments(Reading):
    """The arguments of `read`."""

    source: Any = field(kw_only=False)


@keywords_of(_ReadArguments)
def read(source: Any, reading: Reading) -> Data:
    """Read a data table.

    Parameters
    ----------
    source
        A data frame (pandas, polars, pyarrow, or another that narwhals supports, eager or
        lazy); a NumPy array of rows by columns, or a structured one; a mapping from names
        to columns; the path of a .csv, .tsv, .tab (each also .gz) or .parquet file; or a
        Data, which is returned unchanged unless an option is given.

        In text files, the first line contains the names, blanks around a field are stripped, and
        blank lines are skipped. A .csv file whose first line has no comma may be separated by
        semicolons or tabs. The following fields are missing values: empty, ``NA``, ``N/A``,
        ``#N/A``, ``<NA>``, ``NaN``, ``nan``, ``NAN``, ``null``, ``NULL`` and ``?`` (but not
        ``None``, which is a common label). A first column without a name and with a different
        value in each row is treated as row names and left out with a warning.

    Returns
    -------
    Data or IncompleteData
        The validated table; an `IncompleteData` if it has missing values that are to be imputed.

    Raises
    ------
    DataError, FileFormatError, ArgumentError
        If the table, the file or an argument cannot be used; one error lists all problems of a
        table.

    Examples
    --------
    >>> data = read({"rain": ["no", "yes", "no"], "depth": [0.1, 2.5, 0.3]})
    >>> data.kinds
    {'rain': 'discrete', 'depth': 'continuous'}
    >>> data.columns[0].levels
    ('no', 'yes')
    """
    # The result is declared as a Data, as an IncompleteData is returned only on request.
    return cast(Data, read_table(source, reading))


def read_table(source: Any, reading: Reading) -> Data | IncompleteData:
    """Return a table, complete or incomplete."""
    if isinstance(source, Data | IncompleteData) and not reading.specified:
        return source
    table = examine(source, reading)
    for warning in table.warnings:
        warn(warning)
    return table.data()


@dataclass(frozen=True, kw_only=True)
class _Cutting(Settings):
    """The options of `discretize`."""

    method: Method = setting(
        "quantile",
        '"quantile": intervals that hold about the same number of rows; "uniform": intervals of '
        "about the same width.",
        check=one_of(Method),
    )
    bins: int | Mapping[str, int] = setting(
        DEFAULT_BINS,
        "The number of intervals, 2 or more, for all columns or by name (3 for the others).",
    )
    columns: Sequence[str] | None = setting(
        None,
        "The columns to discretize. By default all continuous ones and those named in `bins` and "
        "`breaks`; a column of integers is discretized only if it is named.",
    )
    breaks: Mapping[str, Sequence[float]] | None = setting(
        None,
        "Cut points by column; they take precedence over `method` and `bins`.",
        check=checked_mapping,
    )

    @property
    def cuts(self) -> Discretization:
        """The discretization of each column."""
        points = {name: checked_breaks(name, given) for name, given in (self.breaks or {}).items()}
        own_bins = self.bins if isinstance(self.bins, Mapping) else {}
        others = Cut(
            self.method,
            DEFAULT_BINS if isinstance(self.bins, Mapping) else checked_bins(None, self.bins),
        )
        named = {
            name: Cut(self.method, checked_bins(name, count)) for name, count in own_bins.items()
        }
        named |= {name: Cut(points=given) for name, given in points.items()}
        if self.columns is None:
            named_by = dict.fromkeys(own_bins, "bins") | dict.fromkeys(points, "breaks")
            return Discretization(others, named, named_by)
        given = [self.columns] if isinstance(self.columns, str) else self.columns
        columns = as_list(given, "columns", "a list of names")
        wrong = [name for name in columns if not isinstance(name, str)]
        if wrong:
            raise ArgumentError(f"columns holds {shown(wrong[0])}; give names of columns")
        left_out = [name for name in named if name not in columns]
        if left_out:
            raise ArgumentError(
                f"bins or breaks name {quoted(left_out)}, which columns leaves out; add the name "
                "to columns, or drop it from bins and breaks"
            )
        chosen = {name: named.get(name, others) for name in columns}
        return Discretization(None, chosen, dict.fromkeys(columns, "columns"))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _DiscretizationArguments(Reading, _Cutting):
    """The arguments of `discretize`."""

    data: Any = field(kw_only=False)


@keywords_of(_DiscretizationArguments, described_by=(Reading,))
def discretize(data: Any, cutting: _Cutting, reading: Reading) -> Any:
    """Discretize continuous columns, so that a score for discrete data can use them.

    The levels are the intervals that contain a value, in ascending order, each closed on the left
    and open on the right: ``(-inf, 1.5)``, ``[1.5, 4)``, ``[4, inf)``. An interval without a value
    is not a level; if ties leave fewer levels than requested, there is a warning. Cut points that
    were not given in `breaks` are rounded to the fewest digits that keep every row in its interval.

    Besides the arguments described here, it takes those of `arcwise.read`, such as
    ``missing="level"``, which makes missing a level besides the intervals.

    Parameters
    ----------
    data
        A Data, or anything that `read` accepts.

    Returns
    -------
    Data
        The table with those columns discrete; weights and interventions are kept.

    Examples
    --------
    >>> table = {"height": [1.5, 1.6, 1.7, 1.8, 1.9, 2.0]}
    >>> discretize(table, bins=2).to_dict()["height"]
    ['(-inf, 1.8)', '(-inf, 1.8)', '(-inf, 1.8)', '[1.8, inf)', '[1.8, inf)', '[1.8, inf)']
    >>> discretize(table, breaks={"height": [1.55]}).columns[0].levels
    ('(-inf, 1.55)', '[1.55, inf)')
    """
    how = cutting.cuts
    if reading.discretize is not None:
        raise ArgumentError("discretize has no argument 'discretize'; give method, bins or breaks")
    if not isinstance(data, Data) or reading.specified:
        return read_table(data, replace(reading, discretize=cast(Any, how)))
    how.check_names(data.variables, option("discretize"))
    result: list[Column] = []
    collapsed: dict[str, tuple[int, int]] = {}
    done: dict[str, int] = {}
    for column in data.columns:
        chosen = how.cut_for(column.name, column.kind.name)
        if chosen is None:
            result.append(column)
            continue
        intervals = cut(column.name, numbers_of(raw_column_of(column)), chosen)
        if len(intervals.levels) < chosen.wanted:
            collapsed[column.name] = (len(intervals.levels), chosen.wanted)
        done[column.name] = len(intervals.levels)
        result.append(discrete(intervals, None))
    if collapsed:
        warn(fewer_intervals(collapsed))
    notes = [f"Cut into intervals: {with_sizes(done, 'intervals')}."] if done else []
    return data.replaced(
        columns=result,
        notes=[*data.notes, *notes],
        preparation=data.preparation.with_discretized(done),
    )


class TableDescription(str):
    """The description of a table, with Python's options; `in_shell` has those of the shell."""

    in_shell: str

    def __new__(cls, text: Wording) -> TableDescription:
        """Return the text in both versions."""
        made = super().__new__(cls, text.python)
        made.in_shell = text.shell
        return made

    def _repr_html_(self) -> str:
        """Return the text with its lines, as notebooks would show it as a literal."""
        return f"<pre>{escape(self)}</pre>"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _DescribeArguments(Reading):
    """The arguments of `describe`."""

    data: Any = field(kw_only=False)


@keywords_of(_DescribeArguments, described_by=(Reading,))
def describe(data: Any, reading: Reading) -> TableDescription:
    """Describe a table: rows, and each column's kind, levels or range, and missing values.

    Any table that can be read is described, with the problems that prevent its use and their
    remedies.

    Besides the table, it takes the arguments of `arcwise.read`, such as `missing` or `kinds`.

    Parameters
    ----------
    data
        Anything `arcwise.read` takes.

    Examples
    --------
    >>> import arcwise
    >>> print(arcwise.describe({"smoker": ["no", "yes"], "level": [1, 3]}))
    2 rows, 2 discrete variables
    name    kind      levels  values
    smoker  discrete       2  no, yes
    level   discrete       2  1, 3
    >>> print(arcwise.describe({"smoker": ["no", None, "yes"], "site": ["B", "B", "B"]}))
    ... # doctest: +ELLIPSIS
    3 rows, 2 discrete variables
    name    kind      levels  missing  values   remarks
    smoker  discrete       2     33 %  no, yes
    site    discrete       1           B        constant
    To be mended before the table can be used:
      - column 'site' has a single value and thus no information; give constant='drop' to ...
    To be mended for anything but learn:
      - values are missing in 'smoker' (1); give missing='drop' to drop ...
    """
    if isinstance(data, Data | IncompleteData) and not reading.specified:
        return TableDescription(worded(data.describe()))
    return TableDescription(describe_examined(examine(data, reading)))


def examined_dict(table: Examination) -> dict[str, Any]:
    """Return a raw table as plain values, usable or not, with its problems."""
    if table.problems.sentences:
        variables = [
            {"name": column.name, "kind": table.kinds.get(column.name)} for column in table.found
        ]
        found: dict[str, Any] = {"rows": table.rows, "variables": variables}
    else:
        found = data_dict(table.data())
    problems = [sentence.shell for sentence in table.problems.sentences]
    return found | {"left_out": list(table.left_out), "problems": problems}


def data_dict(given: Data | IncompleteData) -> dict[str, Any]:
    """Return the rows and the columns as plain values."""
    data = given.table if isinstance(given, IncompleteData) else given
    missing = given.missing_counts() if isinstance(given, IncompleteData) else {}
    return {
        "rows": data.rows,
        "variables": [
            _column_dict(column)
            | ({"missing": missing[column.name]} if column.name in missing else {})
            for column in data.columns
        ],
        "weighted": data.weights is not None,
        "rows_with_interventions": int(data.intervened_rows.sum()),
    }


def _column_dict(column: Column) -> dict[str, Any]:
    about: dict[str, Any] = {"name": column.name, "kind": column.kind.name}
    if column.size:
        return about | {
            "levels": [None if each is None else str(each) for each in column.kind.levels]
        }
    low, high = float(column.stored.min()), float(column.stored.max())
    return about | {"minimum": low, "maximum": high}
