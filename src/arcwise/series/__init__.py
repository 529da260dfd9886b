"""Time series: rows in order of time within each subject, and lagged columns for earlier slices."""

from arcwise.series.time_series import IncompleteTimeSeries, TimeSeries, time_series

__all__ = ["IncompleteTimeSeries", "TimeSeries", "time_series"]
