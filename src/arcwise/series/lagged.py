"""`TimeSeries`: a table of slices in time, each with the slices before it beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arcwise.data import Data, IncompleteData
from arcwise.errors import DataError
from arcwise.series.reading import SUBJECT
from arcwise.support.words import shown


class TimeSeries(Data):
    """A table of a time series: each row a present slice, with the slices before it.

    It is a `Data`, which `Model`, `learn` and everything else take; its lagged and static
    columns are parents only. Returned by `time_series`.

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

    times: tuple[object, ...]
    subjects: tuple[object, ...]

    def __init__(
        self,
        table: Data,
        times: Sequence[object],
        subjects: Sequence[object],
        first: Data | IncompleteData | None,
    ) -> None:
        about = table.notes, table.preparation, table.name, table.slices
        super().__init__(table.columns, table.weights, table.intervened, *about)
        self._set("times", tuple(times))
        self._set("subjects", tuple(subjects))
        self._set("_first", first)

    _first: Data | IncompleteData | None

    def __reduce__(self) -> tuple[Any, ...]:
        about = self.notes, self.preparation, self.name, self.slices
        table = Data(self.columns, self.weights, self.intervened, *about)
        return type(self), (table, self.times, self.subjects, self._first)

    @property
    def first_slice(self) -> Data | IncompleteData:
        """The first row of each subject, as a table of its own: the columns ``x(0)``.

        With static columns, as parents only. Its posterior is that of the network within
        the first slice, which has no slice before it.
        """
        if self._first is None:
            raise DataError(
                "the first slice is a single row, as there is a single subject, from which nothing "
                "is learned; give several subjects by ",
                SUBJECT,
            )
        return self._first

    def steps(self) -> dict[object, Data]:
        """Return the rows of each time as a table of its own, in order of time.

        For transitions that change in time: a posterior for each table is one network for
        each step. Each table has a row for each subject that is there at that time.
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
