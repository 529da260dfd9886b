"""`time_series`: a table of lagged columns, in which each row has a slice and the earlier ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import Column
from arcwise.data.incomplete import OBSERVED, IncompleteData
from arcwise.data.reader import Missing, Reading
from arcwise.data.table import Data, Place, Slices
from arcwise.errors import ArgumentError, DataError, Wording, option
from arcwise.series.order import Rows, ordered_rows, too_short
from arcwise.series.reading import (
    SUBJECT,
    TableInTime,
    read_in_time,
    static_columns,
    unknown_values,
    with_static_known,
)
from arcwise.support.checks import one_of, whole_number
from arcwise.support.names import as_list, plural, quoted, shown
from arcwise.support.settings import Settings, keywords_of, setting, setting_like

LAGS = option("lags")
_MOST_LAGS = 10_000
_MOST_COLUMNS = 100_000

Gaps = Literal["error", "split"]


def checked_lags(lags: Any, name: Wording = LAGS) -> tuple[int, ...]:
    """Return the lags in ascending order, or refuse them."""
    if isinstance(lags, Iterable) and not isinstance(lags, str | bytes):
        each = [
            whole_number(lag, name, at_least=1, at_most=_MOST_LAGS)
            for lag in as_list(lags, name, "a number, or a list of lags")
        ]
        if len(set(each)) < len(each):
            raise ArgumentError(name, f" holds {shown(lags)}; give each lag once")
        return tuple(sorted(each))
    return tuple(range(1, whole_number(lags, name, at_least=0, at_most=_MOST_LAGS) + 1))


@dataclass(frozen=True, kw_only=True)
class InTime(Settings):
    """The options of time series: the columns of times and subjects, and the lags."""

    time: str | None = setting(
        None,
        "The column of times: numbers, or dates such as 2024-03-01, at equal distances (months "
        "and years count as equal). The rows may be in any order. None if the rows are in order, "
        "a step apart.",
        help="The column of times, numbers or dates at equal distances: the table is a time "
        "series, and edges go from earlier slices to the present one, x(t-1) -> y(t).",
        metavar="COLUMN",
    )
    subject: str | None = setting(
        None,
        "The column that says which subject (patient, country, run) a row is of; None if all rows "
        "are of one.",
        help="The column that says which subject a row of a panel is of.",
        metavar="COLUMN",
    )
    lags: int | Iterable[int] = setting(
        1,
        "How many earlier slices each row has: a number L for the lags 1 to L, or the lags "
        "themselves, as in ``[1, 12]``. 0 for none.",
        check=checked_lags,
        help="How many earlier slices may have an effect (default: 1), or which ones, as in 1,12.",
        metavar="N|LAGS",
        kind=str | None,
    )
    static: str | Sequence[str] | None = setting(
        None,
        "Columns that are the same at all times, which have no lags. Those that are constant "
        "within every subject are taken as such in any case.",
        help="A column that is the same at all times, which may be a parent only; repeatable. "
        "Those that are constant within every subject are found.",
        metavar="COLUMN",
        kind=list[str] | None,
    )
    within: bool = setting(
        True,
        "Whether edges within a slice, ``x(t) -> y(t)``, are allowed.",
        help="Allow no edges within a slice, x(t) -> y(t).",
        flag="--no-within",
        check=lambda value, name: bool(value),
    )
    common_lags: int | None = setting(
        None,
        "Leave out the rows that so many lags would lack: tables with fewer lags then have the "
        "same rows, so that their evidences can be compared.",
        check=partial(whole_number, at_least=0, at_most=_MOST_LAGS),
        help="Use the rows that have so many earlier ones, whatever --lags is: models with other "
        "lags can then be compared.",
        metavar="N",
    )
    gaps: Gaps = setting(
        "error",
        'What to do where times are missing: "error", or "split", which uses only rows whose '
        "earlier ones are there.",
        check=one_of(Gaps),
        help="How to treat missing times: as an error, or use only rows whose earlier ones are "
        "there.",
        shell_default="error",
    )

    @property
    def each_lag(self) -> tuple[int, ...]:
        """The lags in ascending order."""
        assert isinstance(self.lags, tuple)
        return self.lags

    @property
    def needed(self) -> set[int]:
        """The lags at which a row must have an earlier one to be used."""
        return {*self.each_lag, *range(1, (self.common_lags or 0) + 1)}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Arguments(Reading, InTime):
    """The arguments of `time_series`."""

    table: Any = field(kw_only=False)
    missing: Missing = setting_like(Reading, "missing", "impute")


@keywords_of(_Arguments, described_by=(Reading,))
def time_series(table: Any, in_time: InTime, reading: Reading) -> Any:
    """Return a table of lagged columns from a time series, for dynamic Bayesian networks.

    Each row of the result contains a present slice, the columns ``x(t)``, and the earlier slices,
    ``x(t-1)`` and so on. The latter, and static columns, are parents only: they are conditioned on,
    and the posterior is over the edges into the present slice. The same transition network is
    assumed for all rows; `TimeSeries.steps` has a table for each step.

    Besides the arguments described here, it takes those of `arcwise.read`, such as `kinds`,
    `discretize`, and `weights` and `interventions`, which are those of the present slice. `missing`
    is "impute" by default.

    Parameters
    ----------
    table
        Anything `arcwise.read` takes, with a row for each time, or for each subject and time.

    Returns
    -------
    TimeSeries or IncompleteTimeSeries
        The table, which is a `Data`; the latter if it has missing values that are to be imputed.

    Raises
    ------
    DataError
        If times are missing, occur twice or are not at equal distances.

    Examples
    --------
    >>> import arcwise
    >>> table = {"week": [1, 2, 3, 1, 2, 3], "id": [7, 7, 7, 8, 8, 8], "dose": [0, 1, 1, 1, 0, 0]}
    >>> series = arcwise.time_series(table, time="week", subject="id")
    >>> series.to_dict()
    {'dose(t)': [1, 1, 0, 0], 'dose(t-1)': [0, 1, 1, 0]}
    """
    read = read_in_time(table, in_time.time, in_time.subject, reading)
    rows = ordered_rows(read.times, read.subjects, read.names, split=in_time.gaps == "split")
    fixed = static_columns(read, rows, in_time.static)
    known = with_static_known(read, rows, fixed)
    return _lagged(known, rows, fixed, in_time)


def _lagged(
    read: TableInTime, rows: Rows, static: tuple[str, ...], in_time: InTime
) -> TimeSeries | IncompleteTimeSeries:
    data, names = read.data, read.names
    lags, needed, within = in_time.each_lag, in_time.needed, in_time.within
    changing = [column for column in data.columns if column.name not in static]
    if len(changing) * (1 + len(lags)) + len(static) > _MOST_COLUMNS:
        raise ArgumentError(
            LAGS,
            f" makes {len(changing) * (1 + len(lags)):,} columns of {len(changing):,}; give fewer, "
            f"so that there are at most {_MOST_COLUMNS:,}",
        )
    earlier = {lag: rows.earlier(lag) for lag in sorted(needed)}
    whole = np.flatnonzero(
        np.logical_and.reduce([place >= 0 for place in earlier.values()])
        if earlier
        else np.ones(data.rows, dtype=np.bool_)
    )
    starts = rows.starts()
    if len(whole) < 2:
        longest = int(np.diff(np.append(starts, data.rows)).max())
        raise DataError(too_short(max(needed), longest, len(whole)))
    places = [Place(column.name, lag) for lag in (0, *lags) for column in changing]
    places += [Place(name, None) for name in static]
    unknown = unknown_values(read, rows, static)
    rows_of = {
        place: rows.order[earlier[place.lag][whole] if place.lag else whole] for place in places
    }
    table, cells = _with_places(data, unknown, rows_of, within)
    labels: Sequence[object] = (rows.steps + 1).tolist()
    if read.times is not None:
        labels = [read.times.labels[row] for row in rows.order.tolist()]
    series = TimeSeries(
        **table.parts | {"notes": (*data.notes, *_notes(data, static, in_time, whole, len(names)))},
        times=tuple(labels[place] for place in whole.tolist()),
        subjects=tuple(names[subject] for subject in rows.subjects[whole].tolist()),
        first=_first(data, unknown, rows.order[starts], changing, static),
    )
    missing = bool((cells != OBSERVED).any())
    return IncompleteTimeSeries(series, numbered(cells)) if missing else series


def _with_places(
    data: Data,
    unknown: NDArray[np.int64],
    rows_of: Mapping[Place, NDArray[np.int64]],
    within: bool = True,
) -> tuple[Data, NDArray[np.int64]]:
    """Return a table with a column for each place and its rows, and the unknown values."""
    of = {place: data.index(place.variable) for place in rows_of}
    present = next(iter(rows_of.values()))
    mask = data.intervened
    cells = np.stack([unknown[rows, of[place]] for place, rows in rows_of.items()], axis=1)
    missing = zip(rows_of, (cells != OBSERVED).sum(axis=0).tolist(), strict=True)
    table = data.replaced(
        columns=[
            data.columns[of[place]].take(rows).renamed(place.name)
            for place, rows in rows_of.items()
        ],
        weights=None if data.weights is None else data.weights[present],
        # Interventions count in the present slice alone; other slices are conditioned on.
        intervened=None
        if mask is None
        else np.stack([mask[present, of[place]] & (place.lag == 0) for place in rows_of], axis=1),
        preparation=data.preparation.with_imputed(
            {place.name: count for place, count in missing if count}
        ),
        slices=Slices(tuple(rows_of), within),
    )
    return table, cells


def _first(
    data: Data,
    unknown: NDArray[np.int64],
    rows: NDArray[np.int64],
    changing: Sequence[Column],
    static: tuple[str, ...],
) -> Data | IncompleteData | None:
    if len(rows) < 2:
        return None
    places = [Place(column.name, 0, first=True) for column in changing]
    places += [Place(name, None) for name in static]
    table, cells = _with_places(data, unknown, dict.fromkeys(places, rows))
    return IncompleteData(table, numbered(cells)) if (cells != OBSERVED).any() else table


def _notes(
    data: Data, static: tuple[str, ...], in_time: InTime, whole: NDArray[np.int64], subjects: int
) -> list[str]:
    lags = in_time.each_lag
    series = "a time series" if subjects == 1 else f"the time series of {subjects:,} subjects"
    spelled = "no earlier slices" if not lags else f"the lags {quoted(lags)}"
    if len(lags) == 1:
        spelled = f"the lag {lags[0]}"
    rows = f"{len(whole):,} of {plural(data.rows, 'row')} have all of these"
    notes = [f"The rows are slices of {series} with {spelled}; {rows} and are used."]
    if static:
        verb = "is" if len(static) == 1 else "are"
        notes.append(
            f"{quoted(static)} {verb} the same at all times of a subject, and may be "
            f"{'a parent' if len(static) == 1 else 'parents'} only."
        )
    if not in_time.within:
        notes.append("Edges within a slice are not allowed.")
    return notes


@dataclass(frozen=True, eq=False, repr=False)
class TimeSeries(Data):
    """A table of a time series, in which each row is a present slice with the earlier ones.

    It is a `Data`, for `Model`, `learn` and everything else; its lagged and static columns are
    parents only. Returned by `time_series`.

    Attributes
    ----------
    times : tuple
        The time of the present slice of each row.
    subjects : tuple
        The subject of each row; all the same if there is only one.

    Examples
    --------
    >>> import arcwise
    >>> series = arcwise.time_series({"x": [1, 2, 4, 7, 9], "y": [3, 1, 1, 0, 2]}, lags=2)
    >>> series.variables
    ('x(t)', 'y(t)', 'x(t-1)', 'y(t-1)', 'x(t-2)', 'y(t-2)')
    >>> series.rows, series.times
    (3, (3, 4, 5))
    """

    times: tuple[object, ...] = ()
    subjects: tuple[object, ...] = ()
    first: Data | IncompleteData | None = field(default=None, repr=False)

    @property
    def first_slice(self) -> Data | IncompleteData:
        """The first row of each subject, as a separate table: the columns ``x(0)``.

        It includes static columns, as parents only. Its posterior is over networks within the first
        slice, which has no earlier slices.
        """
        if self.first is None:
            raise DataError(
                "the first slice is a single row, as there is a single subject, from which nothing "
                "is learned; give several subjects by ",
                SUBJECT,
            )
        return self.first

    def steps(self) -> dict[object, Data]:
        """Return the rows of each time as a separate table, in order of time.

        This is for transitions that change in time: the posterior of each table gives a network
        for each step. Each table has a row for each subject that is observed at that time.
        """
        if len(set(self.subjects)) < 2:
            raise DataError(
                "a network for each step is learned from several subjects, of which the table has "
                "one; give ",
                SUBJECT,
            )
        rows: dict[object, list[int]] = {}
        for row, time in enumerate(self.times):
            rows.setdefault(time, []).append(row)
        few = [time for time, own in rows.items() if len(own) < 2]
        if few:
            raise DataError(
                f"the time {shown(few[0])} has a single subject, from which no network is learned; "
                "leave such times out"
            )
        ordered = sorted(rows, key=lambda time: (isinstance(time, str), time))
        return {time: self.take_rows(rows[time]) for time in ordered}


class IncompleteTimeSeries(IncompleteData):
    """A table of a time series with missing values, returned by `time_series`.

    A missing value of a subject, a time and a variable is a single cell, however many rows it
    appears in as a present or an earlier value. `learn` imputes them.

    Parameters
    ----------
    table
        The table, with arbitrary values in the missing places, which are ignored.
    cells
        The number of the cell in each place, see `IncompleteData`.

    Examples
    --------
    >>> import arcwise
    >>> series = arcwise.time_series({"x": [0, 1, None, 0], "y": [1, 1, 0, 1]})
    >>> series
    <IncompleteTimeSeries: 3 rows, 4 discrete variables, 2 of 12 values missing>
    >>> series.count, series.slices.lags
    (1, (1,))
    """

    table: TimeSeries

    @property
    def times(self) -> tuple[object, ...]:
        """The time of the present slice of each row."""
        return self.table.times

    @property
    def subjects(self) -> tuple[object, ...]:
        """The subject of each row; all the same if there is only one."""
        return self.table.subjects

    @property
    def slices(self) -> Slices:
        """The variable and the time of each column."""
        slices = self.table.slices
        assert slices is not None
        return slices

    @property
    def first_slice(self) -> Data | IncompleteData:
        """The first row of each subject, as a separate table, see `TimeSeries.first_slice`."""
        return self.table.first_slice

    def steps(self) -> dict[object, Data]:
        """Refuse separate tables, as the missing values of one time appear in those of others."""
        raise ArgumentError(
            "values are missing, which are imputed with one network for all steps; for one network "
            "for each, give ",
            option("missing", "drop"),
            " and ",
            option("gaps", "split"),
        )


def numbered(unknown: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return cells renumbered 0, 1, 2, ... in the same order."""
    cells = np.full(unknown.shape, OBSERVED, dtype=np.int64)
    missing = unknown != OBSERVED
    cells[missing] = np.unique(unknown[missing], return_inverse=True)[1].reshape(-1)
    return cells
