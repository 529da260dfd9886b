"""`IncompleteTimeSeries`: a time series in which values are missing, which are to be imputed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data, IncompleteData
from arcwise.data.incomplete import OBSERVED
from arcwise.data.slices import Slices
from arcwise.errors import ArgumentError, option
from arcwise.series.lagged import TimeSeries


class IncompleteTimeSeries(IncompleteData):
    """A table of a time series in which values are missing, as `time_series` returns it.

    A value of a subject, a time and a variable is one cell, in however many rows it stands as a
    present or an earlier one. `learn` imputes them.

    Parameters
    ----------
    table
        The table, with any values in the places that are missing, which count for nothing.
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

    def __init__(self, table: TimeSeries, cells: NDArray[np.int64]) -> None:
        super().__init__(table, cells)

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
        """Which columns are of which time."""
        slices = self.table.slices
        assert slices is not None
        return slices

    @property
    def first_slice(self) -> Data | IncompleteData:
        """The first row of each subject, as a table of its own, see `TimeSeries.first_slice`."""
        return self.table.first_slice

    def steps(self) -> dict[object, Data]:
        """Refuse to tear apart what is missing at one time and stands beside others."""
        raise ArgumentError(
            "values are missing, which are imputed with one network for all steps; for one network "
            "for each, give ",
            option("missing", "drop"),
            " and ",
            option("gaps", "split"),
        )


def numbered(unknown: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return cells numbered 0, 1, 2, ... in the order of any other numbers of theirs."""
    cells = np.full(unknown.shape, OBSERVED, dtype=np.int64)
    missing = unknown != OBSERVED
    cells[missing] = np.unique(unknown[missing], return_inverse=True)[1].reshape(-1)
    return cells
