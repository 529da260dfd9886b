"""Tables in time: rows in order of time within each subject, and lagged columns beside them."""

from arcwise.series.time_series import IncompleteTimeSeries, TimeSeries, time_series

__all__ = ["IncompleteTimeSeries", "TimeSeries", "time_series"]
