"""`read`: read a table from any accepted source, and validate it once and for all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from arcwise.data.examination import examine
from arcwise.data.incomplete import IncompleteData
from arcwise.data.messages import warn
from arcwise.data.reading import Reading
from arcwise.data.table import Data
from arcwise.support.settings import keywords_of


@dataclass(frozen=True, kw_only=True)
class _Arguments(Reading):
    """The arguments of `read`."""

    source: Any = field(kw_only=False)


@keywords_of(_Arguments)
def read(source: Any, reading: Reading) -> Data:
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

    Returns
    -------
    Data or IncompleteData
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
    # A table with missing values is one only where they were asked to be imputed, so that users'
    # programs are checked for the other kind.
    return cast(Data, read_table(source, reading))


def read_table(source: Any, reading: Reading) -> Data | IncompleteData:
    """Return a table, complete or not."""
    if isinstance(source, Data | IncompleteData) and not reading.specified:
        return source
    table = examine(source, reading)
    for warning in table.warnings:
        warn(warning)
    return table.data()
