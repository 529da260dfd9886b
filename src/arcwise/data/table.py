"""`Data`: the immutable, validated table of discrete and continuous columns.

In a table of a time series, a row contains the present slice, the columns ``x(t)``, the earlier
slices, ``x(t-1)``, ``x(t-2)`` and so on, and the variables that never change, under their own
names; `Slices` has the variable and the time of each column.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data import description
from arcwise.data.columns import Column, Kind, KindName, read_only
from arcwise.data.files import separator_of
from arcwise.data.raw import DISCRETIZE, MANY_VALUES, drop_option, kinds_option, suggestion
from arcwise.data.raw import columns as columns_text
from arcwise.data.scales import Scale
from arcwise.errors import ArgumentError, DataError
from arcwise.support.checks import as_array, file_path, instance, real_numbers
from arcwise.support.files import replacing
from arcwise.support.html import card, paragraphs, table
from arcwise.support.names import as_list, index_of, quoted, shown
from arcwise.support.optional import optional

if TYPE_CHECKING:
    import os


@dataclass(frozen=True)
class Preparation:
    """The changes made to a table when it was read.

    Examples
    --------
    >>> done = Preparation().with_dropped(20).with_discretized({"age": 3})
    >>> done.dropped_rows, done.discretized
    (20, {'age': 3})
    """

    dropped_rows: int = 0  # the number of rows left out because values are missing in them
    # The number of intervals of each column that was discretized.
    discretized: Mapping[str, int] = field(default_factory=dict)
    missing_as_level: tuple[str, ...] = ()  # the columns with a level for missing values
    # The number of missing values of each column that has any, if they are imputed.
    imputed: Mapping[str, int] = field(default_factory=dict)
    transformed: tuple[str, ...] = ()  # the columns that were replaced by their normal scores
    # The scales of the columns that are modelled on another scale than that of their values.
    scales: Mapping[str, Scale] = field(default_factory=dict)

    def with_dropped(self, rows: int) -> Preparation:
        """Return the preparation with further rows dropped."""
        return replace(self, dropped_rows=self.dropped_rows + rows)

    def with_imputed(self, missing: Mapping[str, int]) -> Preparation:
        """Return the preparation with these numbers of imputed values."""
        return replace(self, imputed=missing)

    def with_discretized(self, intervals: Mapping[str, int]) -> Preparation:
        """Return the preparation with further columns cut into intervals."""
        return replace(self, discretized={**self.discretized, **intervals})

    def with_transformed(self, columns: tuple[str, ...]) -> Preparation:
        """Return the preparation with further columns replaced by their normal scores."""
        return replace(self, transformed=tuple(dict.fromkeys((*self.transformed, *columns))))

    def with_scales(self, scales: Mapping[str, Scale]) -> Preparation:
        """Return the preparation with further columns on other scales."""
        return replace(self, scales={**self.scales, **scales})

    def with_missing_level(self, columns: tuple[str, ...]) -> Preparation:
        """Return the preparation with further columns that have a level for missing values."""
        both = (*self.missing_as_level, *columns)
        return replace(self, missing_as_level=tuple(dict.fromkeys(both)))


@dataclass(frozen=True)
class Place:
    """The variable and the time of a column of a time series.

    Examples
    --------
    >>> Place("rain", 2).name, Place("rain", 0).name, Place("region", None).name
    ('rain(t-2)', 'rain(t)', 'region')
    >>> Place("rain", 0, first=True).name
    'rain(0)'
    """

    variable: str  # the name of the column in the given table
    lag: int | None  # the number of steps before the present; None if the variable is static
    first: bool = False  # whether it is a column of the first slice

    @property
    def name(self) -> str:
        """The name of the column."""
        if self.lag is None:
            return self.variable
        if self.lag:
            return f"{self.variable}(t-{self.lag})"
        return f"{self.variable}(0)" if self.first else f"{self.variable}(t)"


@dataclass(frozen=True)
class Slices:
    """The variable and the time of each column of a table.

    Examples
    --------
    >>> slices = Slices((Place("x", 0), Place("y", 0), Place("x", 1), Place("y", 1)))
    >>> slices.present, slices.parent_only, slices.lags
    (('x(t)', 'y(t)'), ('x(t-1)', 'y(t-1)'), (1,))
    """

    places: tuple[Place, ...]  # in the order of the columns
    within: bool = True  # whether edges within the present slice are allowed

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables that change in time."""
        return tuple(place.variable for place in self.places if place.lag == 0)

    @property
    def static(self) -> tuple[str, ...]:
        """The names of the static variables."""
        return tuple(place.variable for place in self.places if place.lag is None)

    @property
    def lags(self) -> tuple[int, ...]:
        """The lags in ascending order, without 0."""
        return tuple(sorted({place.lag for place in self.places if place.lag}))

    @property
    def present(self) -> tuple[str, ...]:
        """The columns of the present slice."""
        return tuple(place.name for place in self.places if place.lag == 0)

    @property
    def parent_only(self) -> tuple[str, ...]:
        """The columns that are conditioned on: those of earlier slices and static variables."""
        return tuple(place.name for place in self.places if place.lag != 0)

    def position(self, variable: str, lag: int | None) -> int | None:
        """Return the position of the column of a variable at a lag, if there is one."""
        place = Place(variable, lag)
        return self.places.index(place) if place in self.places else None

    def present_names(self) -> Mapping[str, str]:
        """Return the column of the present slice for the name of each variable."""
        taken = {place.name for place in self.places}
        names = zip(self.variables, self.present, strict=True)
        return {variable: column for variable, column in names if variable not in taken}

    def selected(self, names: Sequence[str]) -> Slices:
        """Return the slices of a table with these columns only, in this order."""
        found = index_of(place.name for place in self.places)
        return Slices(tuple(self.places[found[name]] for name in names), self.within)


@dataclass(frozen=True, eq=False, repr=False)
class Data:
    """An immutable table of discrete and continuous columns.

    `read` makes one from a frame, an array, a mapping or a file. Two tables are equal if
    their fingerprints are.

    Parameters
    ----------
    columns
        The columns, of the same length and with different names.
    weights
        How often each row counts; None if each counts once.
    intervened
        Rows by variables; True where the variable was intervened on in that row. A mask
        without any True is the same as None.
    notes
        Sentences on the changes made when the table was read: rows dropped, columns left out or
        cut into intervals. Equality and the fingerprint do not depend on them.
    preparation
        The same changes in numbers.
    name
        The name of the file it was read from, for reports; None if there is none. Equality and the
        fingerprint do not depend on it.
    slices
        The variable and the time of each column, in a table of a time series (see
        `arcwise.time_series`); otherwise None.

    Attributes
    ----------
    columns : tuple of Column
    variables : tuple of str
    rows : int
    weights : read-only float64 array (rows,), or None
    intervened : read-only bool array (rows, variables), or None
    notes : tuple of str
    preparation : Preparation
    name : str or None
    slices : Slices or None

    Examples
    --------
    >>> from arcwise.data import read
    >>> data = read({"smoker": ["no", "yes", "no"], "age": [31.5, 48.0, 22.5]})
    >>> data
    <Data: 3 rows, 1 discrete and 1 continuous variables>
    >>> print(data.describe())
    3 rows, 1 discrete and 1 continuous variables
    name    kind        levels  values
    smoker  discrete         2  no, yes
    age     continuous          22.5 to 48
    """

    columns: Sequence[Column]
    weights: NDArray[np.float64] | None = None
    intervened: NDArray[np.bool_] | None = None
    notes: Sequence[str] = ()
    preparation: Preparation = field(default_factory=Preparation)
    name: str | None = None
    slices: Slices | None = None

    def __post_init__(self) -> None:
        """Refuse parts that do not fit together."""
        columns = tuple(as_list(self.columns, "columns", "a list of columns"))
        for column in columns:
            if not isinstance(column, Column):
                raise ArgumentError(f"columns holds {shown(column)}; give columns of a Data")
        self._set("columns", columns)
        lengths, variables = {len(column.stored) for column in columns}, self.variables
        if len(lengths) != 1 or len(set(variables)) != len(variables):
            raise DataError(
                f"the columns are {quoted(variables) or 'none'}, of lengths {sorted(lengths)}; "
                "give at least one column, all of the same length and with different names"
            )
        self._set("weights", _aligned(self.weights, "weights", (self.rows,), np.float64))
        shape = (self.rows, len(columns))
        mask = _aligned(self.intervened, "intervened", shape, np.bool_)
        self._set("intervened", mask if mask is not None and mask.any() else None)
        self._set("notes", tuple(as_list(self.notes, "notes", "a list of texts")))
        instance(self.preparation, Preparation, "preparation", "that of another table")
        if self.slices is None:
            return
        instance(self.slices, Slices, "slices", "those of a time series, or None")
        placed = tuple(place.name for place in self.slices.places)
        if placed != variables:
            raise ArgumentError(
                f"slices is of the columns {quoted(placed)}, but the table has "
                f"{quoted(variables)}; give one place for each column"
            )

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def parts(self) -> dict[str, Any]:
        """The parts of the table, by the names of the arguments of `Data`."""
        return {each.name: getattr(self, each.name) for each in fields(Data)}

    def replaced(self, **parts: Any) -> Data:
        """Return a table in which these parts are replaced.

        Examples
        --------
        >>> from arcwise.data import read
        >>> read({"a": [0, 1, 2]}).replaced(weights=[1.0, 2.0, 1.0]).weights
        array([1., 2., 1.])
        """
        return Data(**self.parts | parts)

    # Unpickled arrays are writable; the constructor makes them read-only again.
    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, each.name) for each in fields(self))

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0].stored)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Data) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"<Data: {description.summary(self)}>"

    def _repr_html_(self) -> str:
        lines = [description.line_of(column) for column in self.columns[:50]]
        cells: dict[str, list[object]] = {
            name: [getattr(line, name) for line in lines] for name in description.ALWAYS
        }
        # The lines below the heading and the columns are on weights, interventions and notes.
        notes = self.describe().splitlines()[2 + len(self.columns) :]
        return card(
            description.summary(self), table(cells, of=len(self.columns)), paragraphs(notes)
        )

    @property
    def kinds(self) -> dict[str, KindName]:
        """Whether each variable is "discrete", "ordinal" or "continuous"."""
        return {column.name: column.kind.name for column in self.columns}

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of names, kinds, levels, contents, weights and interventions.

        It does not depend on the library or file format the table was read from.
        """
        # The header is JSON, so that different tables cannot concatenate to the same bytes;
        # a level is written with its type, since 1, True and "1" are different labels.
        header: dict[str, Any] = {
            "format": "arcwise data 1",
            "rows": self.rows,
            "columns": [
                [
                    column.name,
                    [[type(level).__name__, str(level)] for level in column.kind.levels]
                    if column.size
                    else "continuous",
                ]
                for column in self.columns
            ],
            "weights": self.weights is not None,
            "interventions": self.intervened is not None,
        }
        ordinal = [column.name for column in self.columns if column.kind.name == "ordinal"]
        if ordinal:
            header["ordinal"] = ordinal
        digest = hashlib.sha256(json.dumps(header).encode())
        for column in self.columns:
            if column.size:
                digest.update(column.stored.astype("<u2").tobytes())
            else:
                # Adding zero turns -0.0 into 0.0, as both are equal.
                digest.update((column.stored + 0.0).astype("<f8").tobytes())
        if self.weights is not None:
            digest.update((self.weights + 0.0).astype("<f8").tobytes())
        if self.intervened is not None:
            digest.update(np.packbits(self.intervened.ravel(order="C")).tobytes())
        return digest.hexdigest()

    def describe(self) -> str:
        """Return a summary: the rows, and each column's kind and levels or range."""
        return description.describe(self)

    @property
    def intervened_rows(self) -> NDArray[np.bool_]:
        """The rows in which some variable was intervened on."""
        if self.intervened is None:
            return np.zeros(self.rows, dtype=np.bool_)
        return np.asarray(self.intervened.any(axis=1))

    def index(self, name: str) -> int:
        """Return the position of a variable.

        Examples
        --------
        >>> from arcwise.data import read
        >>> read({"smoker": [0, 1], "age": [31.5, 48.0]}).index("age")
        1
        """
        if not isinstance(name, str):
            raise ArgumentError(f"{shown(name)} is not a variable; give the name of one")
        try:
            return self.variables.index(name)
        except ValueError:
            hint = suggestion(name, self.variables)
            raise ArgumentError(f"{shown(name)} is not a variable{hint}") from None

    def discrete_codes(self, score: str) -> NDArray[np.uint16]:
        """Return the codes of all columns as one array (rows, variables) in Fortran order.

        Parameters
        ----------
        score
            The name of the score, for the message if a column is continuous.

        Examples
        --------
        >>> from arcwise.data import read
        >>> read({"a": ["x", "y"], "b": [7, 5]}).discrete_codes("BDeu").tolist()
        [[0, 1], [1, 0]]
        """
        refused = [column.name for column in self.columns if not column.size]
        if refused:
            verb = "is" if len(refused) == 1 else "are"
            raise DataError(
                f"{score} needs discrete columns, but {columns_text(refused)} {verb} continuous; "
                "give ",
                DISCRETIZE,
                " to cut continuous columns into intervals, ",
                kinds_option(refused, "discrete"),
                " if the numbers are category labels, or ",
                drop_option(refused),
                " to leave them out",
            )
        return self.codes()

    def level_counts(self) -> NDArray[np.int64]:
        """Return the number of levels of each column, unobserved ones included; 0 if continuous."""
        return np.array([column.size for column in self.columns], dtype=np.int64)

    def codes(self) -> NDArray[np.uint16]:
        """Return the codes of discrete columns, as [row, variable]; 0 for continuous ones."""
        table = np.zeros((self.rows, len(self.columns)), dtype=np.uint16, order="F")
        for place, column in enumerate(self.columns):
            if column.size:
                table[:, place] = column.stored
        return table

    def values(self) -> NDArray[np.float64]:
        """Return the numbers of continuous columns, as [row, variable]; 0 for discrete ones."""
        table = np.zeros((self.rows, len(self.columns)))
        for place, column in enumerate(self.columns):
            if not column.size:
                table[:, place] = column.stored
        return table

    def continuous_values(self, score: str) -> NDArray[np.float64]:
        """Return the numbers of all columns as one array (rows, variables) in Fortran order.

        Columns of integers, which are discrete by default, are converted to numbers: choosing a
        Gaussian score declares them continuous.

        Parameters
        ----------
        score
            The name of the score, for the message if a column is not numeric.

        Examples
        --------
        >>> from arcwise.data import read
        >>> read({"a": [0.5, 1.5], "b": [7, 5]}).continuous_values("BGe").tolist()
        [[0.5, 7.0], [1.5, 5.0]]
        """
        table = np.empty((self.rows, len(self.columns)), dtype=np.float64, order="F")
        refused = []
        for position, column in enumerate(self.columns):
            numbers = column.numbers()
            if numbers is None:
                refused.append(column.name)
            else:
                table[:, position] = numbers
        if refused:
            verb = "is" if len(refused) == 1 else "are"
            raise DataError(
                f"{score} needs continuous columns, but {columns_text(refused)} {verb} "
                "categorical; give ",
                drop_option(refused),
                " to leave them out, or ",
                kinds_option(refused, "continuous"),
                " if the labels are numbers",
            )
        return table

    def select(self, names: Sequence[str]) -> Data:
        """Return the table with the named variables only, in that order.

        Examples
        --------
        >>> from arcwise.data import read
        >>> read({"a": [0, 1], "b": [2, 3], "c": [4, 5]}).select(["c", "a"]).variables
        ('c', 'a')
        """
        wanted = "a list of different variables, at least one"
        positions = [self.index(name) for name in as_list(names, "names", wanted)]
        if not positions or len(set(positions)) != len(positions):
            raise ArgumentError(f"names is {shown(names)}; give {wanted}")
        return self.replaced(
            columns=[self.columns[position] for position in positions],
            intervened=None if self.intervened is None else self.intervened[:, positions],
            slices=None if self.slices is None else self.slices.selected(names),
        )

    def take_rows(self, rows: ArrayLike) -> Data:
        """Return the table with the chosen rows only, and their weights and interventions.

        All levels are kept.

        Parameters
        ----------
        rows
            A boolean mask with an entry for each row, or row numbers (which may repeat).

        Examples
        --------
        >>> from arcwise.data import read
        >>> read({"a": [0, 1, 2]}).take_rows([2, 0]).to_dict()
        {'a': [2, 0]}
        """
        chosen = as_array(rows, "rows", "numbers of rows, or True or False for each row")
        if chosen.dtype == np.bool_:
            usable = chosen.shape == (self.rows,) and bool(chosen.any())
        else:
            usable = chosen.ndim == 1 and chosen.size > 0 and chosen.dtype.kind in "iu"
            usable = usable and -self.rows <= chosen.min() and chosen.max() < self.rows
        if not usable:
            raise ArgumentError(
                f"rows is an array of shape {chosen.shape} and type {chosen.dtype}; give a mask of "
                f"{self.rows} booleans or a list of row numbers below {self.rows} that chooses at "
                "least one row"
            )
        return self.replaced(
            columns=[column.take(chosen) for column in self.columns],
            weights=None if self.weights is None else self.weights[chosen],
            intervened=None if self.intervened is None else self.intervened[chosen],
        )

    def to_dict(self) -> dict[str, list[object]]:
        """Return the original labels and numbers, a list for each variable."""
        return {column.name: column.labels() for column in self.columns}

    def to_pandas(self) -> Any:
        """Return the original labels and numbers as a pandas frame.

        A column whose levels cannot be inferred from its labels (some unobserved, in another
        order, or fractions) becomes a Categorical, and an ordinal column an ordered Categorical.
        """
        pandas = optional("pandas", "to_pandas")

        def series(column: Column) -> Any:
            labels = column.labels()
            if not column.size:
                return column.stored.copy()
            present = [level for level in column.kind.levels if level is not None]
            if not _is_self_describing(column, present):
                return pandas.Categorical(labels, categories=present, ordered=column.kind.ordered)
            # Only the nullable types of pandas have integers and booleans with missing values.
            nullable = {int: "Int64", bool: "boolean"}.get(type(present[0]) if present else str)
            return pandas.array(labels, dtype=nullable) if None in column.kind.levels else labels

        return pandas.DataFrame({column.name: series(column) for column in self.columns})

    def to_polars(self) -> Any:
        """Return the original labels and numbers as a polars frame.

        Text whose levels cannot be inferred from its labels becomes an Enum, as ordinal text does;
        `read` treats an Enum as ordinal, unless `kinds` specifies otherwise.
        """
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

        return polars.DataFrame([series(column) for column in self.columns])

    def write_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the variables, with their original labels, to a .csv, .tsv or .tab file.

        Missing values become empty fields. Weights, interventions and unobserved levels
        are not written.
        """
        path = file_path(path, "path")
        separator = separator_of(path)
        if separator is None:
            raise ArgumentError(
                f"cannot write {str(path)!r}, because its ending is not one of .csv, .tsv and "
                ".tab; give a file name with one of these endings, or one of them followed by .gz"
            )
        opener: Any = gzip.open if path.suffix.lower() == ".gz" else open
        try:
            with (
                replacing(path) as temporary,
                opener(temporary, "wt", encoding="utf-8", newline="") as file,
            ):
                write_text(self, file, separator)
        except OSError as error:
            raise DataError(
                f"cannot write {str(path)!r} ({error.strerror or error}); give another path"
            ) from error


def _aligned(
    values: ArrayLike | None, name: str, shape: tuple[int, ...], dtype: type[np.generic]
) -> NDArray[Any] | None:
    if values is None:
        return None
    array = real_numbers(values, name)
    if array.shape != shape:
        raise ArgumentError(f"{name} has the shape {array.shape}; give an array of shape {shape}")
    return read_only(array, dtype)


def write_text(data: Data, file: TextIO, separator: str = ",") -> None:
    """Write the variables to an open file, as `write_csv` does."""
    writer = csv.writer(file, delimiter=separator, lineterminator="\n")
    writer.writerow(data.variables)
    writer.writerows(zip(*(column.labels() for column in data.columns), strict=True))


def _is_self_describing(column: Column, present: list[object]) -> bool:
    """Return whether the labels alone would be read with the same levels in the same order."""
    if column.kind.ordered:
        return False
    numbers = [level for level in present if isinstance(level, int) and not isinstance(level, bool)]
    if any(isinstance(level, float) for level in present) or len(numbers) > MANY_VALUES:
        return False
    observed = set(column.stored.tolist())
    return len(observed) == column.size and present == sorted(present)  # type: ignore[type-var]


@dataclass(frozen=True, eq=False)
class IndicatorBlocks:
    """The variables of a table as blocks of columns of numbers.

    A continuous variable is represented by its column, an ordinal one by the ranks of its levels
    from 0, unless missing is a level; any other discrete variable by a column for each observed
    level except the last, with 1 in the rows that have it and 0 elsewhere.
    """

    values: NDArray[np.float64]  # rows by columns, in Fortran order
    owners: NDArray[np.int64]  # the variable of each column, by its position
    starts: tuple[int, ...]  # the first column of each variable, and the number of columns
    # The weighted share of the rows with 1 in a column of indicators; nan for other columns.
    shares: NDArray[np.float64]

    @classmethod
    def of(cls, data: Data) -> IndicatorBlocks:
        """Return the blocks of a table.

        Examples
        --------
        >>> from arcwise.data import read
        >>> data = read({"a": ["x", "y", "z", "x"], "b": [0.5, 1.5, 2.5, 3.5]})
        >>> IndicatorBlocks.of(data).values.tolist()
        [[1.0, 0.0, 0.5], [0.0, 1.0, 1.5], [0.0, 0.0, 2.5], [1.0, 0.0, 3.5]]
        """
        weights = np.ones(data.rows) if data.weights is None else data.weights
        columns: list[NDArray[np.float64]] = []
        owners: list[int] = []
        shares: list[float] = []
        starts = [0]
        for place, column in enumerate(data.columns):
            if not _has_ranks(column.kind):
                codes = column.stored
                found = np.bincount(codes, weights) / weights.sum()
                levels = np.flatnonzero(found > 0.0)[:-1]
                columns += [(codes == level).astype(np.float64) for level in levels]
                shares += found[levels].tolist()
                owners += [place] * len(levels)
            else:
                columns.append(column.stored.astype(np.float64))
                shares.append(float("nan"))
                owners.append(place)
            starts.append(len(columns))
        table = np.empty((data.rows, len(columns)), order="F")
        for place, values in enumerate(columns):
            table[:, place] = values
        return cls(table, np.array(owners, dtype=np.int64), tuple(starts), np.array(shares))


def _has_ranks(kind: Kind) -> bool:
    return kind.ordered and None not in kind.levels
