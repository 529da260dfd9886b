"""Export a table with its original labels: to a dictionary, pandas, polars or a CSV file."""

from __future__ import annotations

import csv
import gzip
from typing import TYPE_CHECKING, Any, TextIO

from arcwise.data.columns import Column
from arcwise.data.files import separator_of
from arcwise.data.raw import MANY_VALUES
from arcwise.errors import ArgumentError, DataError
from arcwise.support.checks import file_path
from arcwise.support.files import replacing
from arcwise.support.optional import optional

if TYPE_CHECKING:
    import os

    from arcwise.data.table import Data


def to_dict(data: Data) -> dict[str, list[object]]:
    """Return the labels and numbers of each column as a list."""
    return {column.name: column.labels() for column in data.columns}


def to_pandas(data: Data) -> Any:
    """Return a pandas frame from which `read` makes an equal table."""
    pandas = optional("pandas", "to_pandas")

    def series(column: Column) -> Any:
        labels = column.labels()
        if not column.size:
            return column.stored.copy()
        present = [level for level in column.kind.levels if level is not None]
        if not _is_self_describing(column, present):
            return pandas.Categorical(labels, categories=present, ordered=column.kind.ordered)
        # Only pandas' nullable types hold integers and booleans along with missing values.
        nullable = {int: "Int64", bool: "boolean"}.get(type(present[0]) if present else str)
        return pandas.array(labels, dtype=nullable) if None in column.kind.levels else labels

    return pandas.DataFrame({column.name: series(column) for column in data.columns})


def to_polars(data: Data) -> Any:
    """Return a polars frame; ordinal text, and text with unobserved levels, becomes an Enum."""
    polars = optional("polars", "to_polars")

    def series(column: Column) -> Any:
        labels = column.labels()
        if not column.size:
            return polars.Series(column.name, column.stored)
        present = [level for level in column.kind.levels if level is not None]
        text = all(isinstance(level, str) for level in present)
        if text and not _is_self_describing(column, present):
            return polars.Series(column.name, labels, dtype=polars.Enum(present))
        dtype = polars.Float64 if any(isinstance(level, float) for level in present) else None
        return polars.Series(column.name, labels, dtype=dtype, strict=False)

    return polars.DataFrame([series(column) for column in data.columns])


def write_csv(data: Data, path: str | os.PathLike[str]) -> None:
    """Write the variables as delimited text; a missing value becomes an empty field."""
    path = file_path(path, "path")
    separator = separator_of(path)
    if separator is None:
        raise ArgumentError(
            f"cannot write {str(path)!r}, because its ending is not one of .csv, .tsv and .tab; "
            "give a file name with one of these endings, or one of them followed by .gz"
        )
    opener: Any = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with (
            replacing(path) as temporary,
            opener(temporary, "wt", encoding="utf-8", newline="") as file,
        ):
            write_text(data, file, separator)
    except OSError as error:
        raise DataError(
            f"cannot write {str(path)!r} ({error.strerror or error}); give another path"
        ) from error


def write_text(data: Data, file: TextIO, separator: str = ",") -> None:
    """Write the variables to an open file, as `write_csv` does."""
    writer = csv.writer(file, delimiter=separator, lineterminator="\n")
    writer.writerow(data.variables)
    writer.writerows(zip(*(column.labels() for column in data.columns), strict=True))


def _is_self_describing(column: Column, present: list[object]) -> bool:
    """Say whether the bare labels would be read back with the same levels in the same order."""
    if column.kind.ordered:
        return False
    numbers = [level for level in present if isinstance(level, int) and not isinstance(level, bool)]
    if any(isinstance(level, float) for level in present) or len(numbers) > MANY_VALUES:
        return False
    observed = set(column.stored.tolist())
    return len(observed) == column.size and present == sorted(present)  # type: ignore[type-var]
