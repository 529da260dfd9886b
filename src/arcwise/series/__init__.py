"""Tables in time: rows in order of time within each subject, and lagged columns beside them."""

from arcwise.series.time_series import TimeSeries, time_series

__all__ = ["TimeSeries", "time_series"]
