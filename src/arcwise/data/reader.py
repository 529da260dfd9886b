"""`read`, `discretize` and `describe`: a validated table from any accepted source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, cast

from arcwise.data.columns import Column
from arcwise.data.description import describe_examined
from arcwise.data.encoding import (
    DEFAULT_BINS,
    Cut,
    Discretization,
    Method,
    checked_bins,
    checked_breaks,
    cut,
    discrete,
)
from arcwise.data.examination import Examination, examine, numbers_of
from arcwise.data.incomplete import IncompleteData
from arcwise.data.messages import checked_mapping, fewer_intervals, warn, with_sizes
from arcwise.data.reading import Reading
from arcwise.data.sources import raw_column_of
from arcwise.data.table import Data
from arcwise.errors import ArgumentError, Wording, option, worded
from arcwise.support.checks import one_of
from arcwise.support.names import as_list
from arcwise.support.settings import Settings, keywords_of, setting
from arcwise.support.words import quoted, shown


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
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
