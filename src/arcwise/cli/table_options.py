"""The options for reading a table, shared by all sub-commands that take one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from operator import not_
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from arcwise.cli.composition import OptionGroup, options_of
from arcwise.data import Data, IncompleteData, read
from arcwise.data.files import read_bytes, read_content
from arcwise.data.reader import read_table
from arcwise.data.reading import Reading, ReadingToLearn
from arcwise.data.sources import RENAME, checked_names
from arcwise.errors import ArgumentError
from arcwise.series import time_series
from arcwise.series.time_series import InTime
from arcwise.support.settings import Settings, setting, settings_of
from arcwise.support.words import shown

TableFormat = Literal["csv", "tsv", "csv.gz", "tsv.gz", "parquet"]


def table_source(path: Path, form: TableFormat | None) -> Path | Mapping[str, Any]:
    """Return a source for `arcwise.read`: the path, or the columns of standard input or a file."""
    if str(path) == "-":
        name, content = "standard input", sys.stdin.buffer.read()
    elif form is None:
        return path
    else:
        name, content = str(path), read_bytes(path)
    columns = read_content(name, f".{form or 'csv'}", content, None)
    checked_names([column for column, _ in columns], RENAME)  # a mapping would lose repeated names
    return dict(columns)


_GROUP = "Reading the data"


@dataclass(frozen=True)
class TableFile:
    """A table in a file or from standard input, and the arguments of `arcwise.read` for it."""

    source: Path | Mapping[str, Any]
    reading: dict[str, Any]
    series: Mapping[str, Any] | None = None  # arguments of `arcwise.time_series`, if it is one
    first_slice: bool = False  # whether the first slice of a time series is requested

    def read(self) -> Data:
        """Return the table."""
        if self.series is None:
            complete: Data = read(self.source, **self.reading)
            return complete
        table = self._in_time({"missing": "error", **self.reading})
        if isinstance(table, IncompleteData):
            raise ArgumentError("--missing impute is for arcwise learn; give another of its values")
        return table

    def read_to_learn(self) -> Data | IncompleteData:
        """Return the table with the defaults of `arcwise.learn`; time series keep their scales."""
        if self.series is not None:
            return self._in_time(self.reading)
        return read_table(self.source, ReadingToLearn(**self.reading).of(self.source))

    def _in_time(self, reading: dict[str, Any]) -> Data | IncompleteData:
        assert self.series is not None
        series = time_series(self.source, **self.series, **reading)
        table: Data | IncompleteData = series.first_slice if self.first_slice else series
        return table


def _lags(text: str) -> int | list[int]:
    try:
        each = [int(part) for part in text.split(",")]
    except ValueError:
        raise ArgumentError(
            f"--lags is {shown(text)}; give a number of lags, or lags separated by commas, as in "
            "1,12"
        ) from None
    return each if "," in text else each[0]


def _kinds(given: dict[str, list[str]]) -> dict[str, Any]:
    """Return the kinds and levels of columns that are declared."""
    levels: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    for kind, columns in given.items():
        for text in columns:
            column, _, labels = text.partition("=") if kind == "ordinal" else (text, "", "")
            before = kinds.setdefault(column, kind)
            if before != kind:
                raise ArgumentError(f"'{column}' is declared both {before} and {kind}; choose one")
            if labels:
                levels[column] = labels.split(",")
    everything = kinds.pop("*", None)
    if everything is not None and kinds:
        raise ArgumentError("'*' stands for all columns; name no others beside it")
    return {"kinds": everything or kinds or None, "levels": levels or None}


def _each(given: list[str]) -> dict[str | None, list[str]]:
    """Return the values for single columns by name, and those for all columns under None."""
    found: dict[str | None, list[str]] = {}
    for text in given:
        # A name may contain the sign, but a value does not.
        name, sign, value = text.rpartition("=")
        found.setdefault(name if sign else None, []).append(value)
    return found


def _one_each(flag: str, given: list[str]) -> dict[str | None, str]:
    """Return the value for each column, and for all under None, or refuse several for one."""
    found = _each(given)
    for column, values in found.items():
        if len(values) > 1:
            which = "all columns" if column is None else repr(column)
            raise ArgumentError(f"{flag} is given twice for {which}; give it once")
    return {column: values[0] for column, values in found.items()}


@dataclass(frozen=True, kw_only=True)
class _Kinds(Settings):
    """The kinds of columns, and the levels of ordinal ones."""

    discrete: list[str] | None = setting(
        None, "Read this column as discrete; repeatable, '*' for all.", metavar="COLUMN"
    )
    continuous: list[str] | None = setting(
        None, "Read this column as continuous; repeatable, '*' for all.", metavar="COLUMN"
    )
    ordinal: list[str] | None = setting(
        None,
        "Read this column as discrete with ordered levels; labels that are no numbers in their "
        "order (grade=low,medium,high); repeatable.",
        metavar="COLUMN[=LEVEL,...]",
    )


@dataclass(frozen=True, kw_only=True)
class _Series(InTime):
    """The options of time series, and the requested slice."""

    first_slice: bool = setting(
        False, "Take the first row of each subject alone, x(0), whose network is one of its own."
    )


def _table_file(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="A table with a header: .csv, .tsv or .parquet; - for standard input.",
        ),
    ],
    *,
    form: Annotated[
        TableFormat | None,
        typer.Option(
            "--format",
            help="The format of the table, if its name does not tell (default: csv for standard "
            "input).",
            rich_help_panel=_GROUP,
        ),
    ] = None,
    drop: Annotated[dict[str, Any], options_of(Reading, "drop", panel=_GROUP)],
    kinds: Annotated[dict[str, Any], replace(options_of(_Kinds, panel=_GROUP), then=_kinds)],
    reading: Annotated[
        dict[str, Any],
        options_of(
            Reading,
            without=("drop",),
            panel=_GROUP,
            converted={
                "discretize": partial(_one_each, "--discretize"),
                "transform": partial(_one_each, "--transform"),
                "missing_codes": _each,
            },
        ),
    ],
    series: Annotated[
        dict[str, Any],
        options_of(_Series, panel="Time series", converted={"lags": _lags, "within": not_}),
    ],
) -> TableFile:
    first_slice = series.pop("first_slice", False)
    if {"time", "subject", "lags"} & series.keys():
        in_time = series
    else:
        unused = [name for name, value in series.items() if (name, value) != ("gaps", "error")]
        if unused or first_slice:
            flags = {name: found.flag_of(name) for name, _, _, found in settings_of(_Series)}
            raise ArgumentError(
                f"{flags[(*unused, 'first_slice')[0]]} is an option of time series; add --time, "
                "--subject or --lags, or leave it out"
            )
        in_time = None
    return TableFile(table_source(data, form), drop | kinds | reading, in_time, first_slice)


DataOptions = Annotated[Data, OptionGroup(_table_file, TableFile.read)]
"""The table, read according to the options of the group "Reading the data"."""

LearnedDataOptions = Annotated[
    Data | IncompleteData, OptionGroup(_table_file, TableFile.read_to_learn)
]
"""The same with the defaults of `arcwise.learn`, which imputes missing values."""

TableOptions = Annotated[TableFile, OptionGroup(_table_file)]
"""The same options, with the table not yet read."""
