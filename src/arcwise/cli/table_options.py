"""The options by which a table is read, the same for every sub-command that takes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from arcwise.cli.composition import OptionGroup
from arcwise.cli.table_files import TableFormat, table_source
from arcwise.data import Data, IncompleteData, read
from arcwise.data.reader import read_table
from arcwise.data.reading import LENIENT, Reading
from arcwise.errors import ArgumentError
from arcwise.series import time_series
from arcwise.support.words import shown

_GROUP = "Reading the data"
_TIME_GROUP = "Time series"
_AS_LISTED = None  # the metavar lists the choices


def _option(flag: str, text: str, metavar: str | None) -> Any:
    return typer.Option(flag, help=text, metavar=metavar, rich_help_panel=_GROUP)


def _time(flag: str, text: str, metavar: str | None) -> Any:
    return typer.Option(flag, help=text, metavar=metavar, rich_help_panel=_TIME_GROUP)


@dataclass(frozen=True)
class TableFile:
    """A file or standard input that holds a table, and the arguments of `arcwise.read` for it.

    Parameters
    ----------
    source, reading
        The table, and how it is read.
    series
        Arguments of `arcwise.time_series`; None if the rows are not in time.
    first_slice
        Whether the first slice of a time series is meant.
    """

    source: Path | Mapping[str, Any]
    reading: dict[str, Any]
    series: Mapping[str, Any] | None = None
    first_slice: bool = False

    def read(self) -> Data:
        """Return the table."""
        if self.series is None:
            read_as_it_is: Data = read(self.source, **self.reading)
            return read_as_it_is
        table = self._in_time({"missing": "error", **self.reading})
        if isinstance(table, IncompleteData):
            raise ArgumentError("--missing impute is for arcwise learn; give another of its values")
        return table

    def read_to_learn(self) -> Data | IncompleteData:
        """Return the table as `arcwise.learn` reads one: imputed, scales by the evidence.

        Unless the options say otherwise. Columns of time series are on their own scales.
        """
        reading: dict[str, Any] = {"missing": LENIENT["missing"], **self.reading}
        if self.series is not None:
            return self._in_time(reading)
        if reading.get("transform") is None:
            reading["transform"] = LENIENT["transform"]
        return read_table(self.source, Reading(**reading))

    def _in_time(self, reading: dict[str, Any]) -> Data | IncompleteData:
        assert self.series is not None
        series = time_series(self.source, **self.series, **reading)
        table: Data | IncompleteData = series.first_slice if self.first_slice else series
        return table


def _table_file(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="A table with a header: .csv, .tsv or .parquet; - for standard input.",
        ),
    ],
    form: Annotated[
        TableFormat | None,
        _option(
            "--format",
            "The format of the table, if its name does not tell (default: csv for standard input).",
            _AS_LISTED,
        ),
    ] = None,
    drop: Annotated[
        list[str] | None, _option("--drop", "Leave this column out; repeatable.", "COLUMN")
    ] = None,
    discrete: Annotated[
        list[str] | None,
        _option("--discrete", "Read this column as discrete; repeatable, '*' for all.", "COLUMN"),
    ] = None,
    continuous: Annotated[
        list[str] | None,
        _option(
            "--continuous", "Read this column as continuous; repeatable, '*' for all.", "COLUMN"
        ),
    ] = None,
    ordinal: Annotated[
        list[str] | None,
        _option(
            "--ordinal",
            "Read this column as discrete with ordered levels; labels that are no numbers in "
            "their order (grade=low,medium,high); repeatable.",
            "COLUMN[=LEVEL,...]",
        ),
    ] = None,
    discretize: Annotated[
        list[str] | None,
        _option(
            "--discretize",
            "Cut all continuous columns into intervals (quantile:3, uniform:4, ...), or one column "
            "(age=quantile:3); repeatable.",
            "[COLUMN=]METHOD[:BINS]",
        ),
    ] = None,
    transform: Annotated[
        list[str] | None,
        _option(
            "--transform",
            "Model all continuous columns, or one (income=log), as their logarithms (log), inverse "
            "hyperbolic sines (asinh), whichever is clearly closer to normal (by-evidence, the "
            "default of learn) or as they are (none), so that extreme values do not look like "
            "edges; or replace them by their ranks (normal-scores), of which there are no effects "
            "and predictions; repeatable.",
            "[COLUMN=]METHOD",
        ),
    ] = None,
    missing: Annotated[
        Literal["error", "drop", "level", "impute"] | None,
        _option(
            "--missing",
            "How to treat missing values: as an error, drop their rows, as a further level, also "
            "of columns that --discretize cuts, or impute them (learn alone, and its default).",
            _AS_LISTED,
        ),
    ] = None,
    missing_codes: Annotated[
        list[str] | None,
        _option(
            "--missing-codes",
            "Read this value as missing, in all columns (-999) or in one (age=-999); repeatable.",
            "[COLUMN=]VALUE",
        ),
    ] = None,
    constant: Annotated[
        Literal["error", "drop", "keep"],
        _option(
            "--constant",
            "How to treat constant columns: leave them out with a warning, keep them, or as an "
            "error.",
            _AS_LISTED,
        ),
    ] = "drop",
    identifiers: Annotated[
        Literal["warn", "drop", "keep", "error"],
        _option(
            "--identifiers",
            "How to treat columns that seem to identify rows (row numbers, keys, names): leave "
            "them out with a warning, keep them with one or without, or as an error.",
            _AS_LISTED,
        ),
    ] = "drop",
    weights: Annotated[
        str | None, _option("--weights", "The column of row weights.", "COLUMN")
    ] = None,
    interventions: Annotated[
        str | None,
        _option(
            "--interventions",
            "The column that names the variable intervened on in each row, if any.",
            "COLUMN",
        ),
    ] = None,
    time: Annotated[
        str | None,
        _time(
            "--time",
            "The column of times, numbers or dates at equal distances: the table is a time series, "
            "and edges go from earlier slices to the present one, x(t-1) -> y(t).",
            "COLUMN",
        ),
    ] = None,
    subject: Annotated[
        str | None,
        _time("--subject", "The column that says which subject a row of a panel is of.", "COLUMN"),
    ] = None,
    lags: Annotated[
        str | None,
        _time(
            "--lags",
            "How many earlier slices may have an effect (default: 1), or which ones, as in 1,12.",
            "N|LAGS",
        ),
    ] = None,
    static: Annotated[
        list[str] | None,
        _time(
            "--static",
            "A column that is the same at all times, which may be a parent only; repeatable. Those "
            "that are constant within every subject are found.",
            "COLUMN",
        ),
    ] = None,
    no_within: Annotated[
        bool, _time("--no-within", "Allow no edges within a slice, x(t) -> y(t).", "")
    ] = False,
    common_lags: Annotated[
        int | None,
        _time(
            "--common-lags",
            "Use the rows that have so many earlier ones, whatever --lags is: models with other "
            "lags can then be compared.",
            "N",
        ),
    ] = None,
    gaps: Annotated[
        Literal["error", "split"],
        _time(
            "--gaps",
            "How to treat missing times: as an error, or use only rows whose earlier ones are "
            "there.",
            _AS_LISTED,
        ),
    ] = "error",
    first_slice: Annotated[
        bool,
        _time(
            "--first-slice",
            "Take the first row of each subject alone, x(0), whose network is one of its own.",
            "",
        ),
    ] = False,
) -> TableFile:
    series = {
        "time": time,
        "subject": subject,
        "lags": None if lags is None else _lags(lags),
        "static": static,
        "common_lags": common_lags,
    }
    given: dict[str, Any] = {name: value for name, value in series.items() if value is not None}
    if not {"time", "subject", "lags"} & given.keys():
        beside = {"no_within": no_within, "gaps": gaps == "split", "first_slice": first_slice}
        unused = [*given, *(name for name, on in beside.items() if on)]
        if unused:
            raise ArgumentError(
                f"--{unused[0].replace('_', '-')} is an option of time series; add --time, "
                "--subject or --lags, or leave it out"
            )
        given = {}
    else:
        given |= {"within": not no_within, "gaps": gaps}
    levels = dict(map(_ordered_levels, ordinal or []))
    reading: dict[str, Any] = {
        "drop": drop,
        "kinds": _kinds(discrete or [], continuous or [], list(levels)),
        "levels": {column: found for column, found in levels.items() if found} or None,
        "discretize": _by_column(discretize or [], "--discretize"),
        "transform": _by_column(transform or [], "--transform"),
        "missing_codes": _codes(missing_codes or []),
        "constant": constant,
        "identifiers": identifiers,
        "weights": weights,
        "interventions": interventions,
    }
    if missing is not None:
        reading["missing"] = missing
    return TableFile(table_source(data, form), reading, given or None, first_slice)


def _lags(text: str) -> int | list[int]:
    try:
        each = [int(part) for part in text.split(",")]
    except ValueError:
        raise ArgumentError(
            f"--lags is {shown(text)}; give a number of lags, or lags separated by commas, as in "
            "1,12"
        ) from None
    return each if "," in text else each[0]


def _ordered_levels(given: str) -> tuple[str, list[str]]:
    column, _, levels = given.partition("=")
    return column, levels.split(",") if levels else []


def _kinds(
    discrete: list[str], continuous: list[str], ordinal: list[str]
) -> str | dict[str, str] | None:
    kinds: dict[str, str] = {}
    declared = (("discrete", discrete), ("continuous", continuous), ("ordinal", ordinal))
    for kind, columns in declared:
        for column in columns:
            before = kinds.setdefault(column, kind)
            if before != kind:
                raise ArgumentError(f"'{column}' is declared both {before} and {kind}; choose one")
    everything = kinds.pop("*", None)
    if everything is not None and kinds:
        raise ArgumentError("'*' stands for all columns; name no others beside it")
    return everything or kinds or None


def _codes(given: list[str]) -> dict[str | None, list[str]] | None:
    """Return the codes of all columns, under None, and of single ones."""
    found: dict[str | None, list[str]] = {}
    for text in given:
        name, sign, code = text.rpartition("=")
        found.setdefault(name if sign else None, []).append(code)
    return found or None


def _by_column(given: list[str], flag: str) -> dict[str | None, str] | None:
    """Return a method for all columns, under None, and for single ones."""
    found: dict[str | None, str] = {}
    for text in given:
        # A name may hold the sign itself, and a method does not.
        name, sign, method = text.rpartition("=")
        column = name if sign else None
        if column in found:
            which = "all columns" if column is None else repr(column)
            raise ArgumentError(f"{flag} is given twice for {which}; give it once")
        found[column] = method
    return found or None


DataOptions = Annotated[Data, OptionGroup(_table_file, TableFile.read)]
"""The table, read according to the options of the group "Reading the data"."""

LearnedDataOptions = Annotated[
    Data | IncompleteData, OptionGroup(_table_file, TableFile.read_to_learn)
]
"""The same of a table whose missing values are imputed."""

TableOptions = Annotated[TableFile, OptionGroup(_table_file)]
"""The same options, of a table that is not read yet."""
