"""`read_times`: a column of times, numbers or dates, as numbers that count equal steps.

Months and years are of unequal numbers of days: dates that all have the same day of the month,
or are all the last day of theirs, are counted in months.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from arcwise.data.columns import level_numbers
from arcwise.data.raw import RawColumn, RawLabels, RawNumbers, UnusableColumnError
from arcwise.data.sources import raw_column
from arcwise.errors import DataError, option
from arcwise.support.words import number, shown

TIME = option("time")
_WANTED = "numbers, or dates such as 2024-03-01"


_LARGER_UNITS = (("day", 86_400), ("hour", 3600), ("minute", 60))


class Unit(Enum):
    """What dates are counted in."""

    SECOND = "second"
    MONTH = "month"


@dataclass(frozen=True, eq=False)
class Times:
    """The time of each row.

    Parameters
    ----------
    values
        As numbers: those given, or the seconds or months of dates.
    labels
        As they were written, for messages and results.
    unit
        What the numbers count; None if they were given as numbers.
    """

    values: NDArray[np.float64]
    labels: tuple[object, ...]
    unit: Unit | None = None

    def take(self, rows: NDArray[np.bool_]) -> Times:
        """Return the times of the chosen rows."""
        chosen = tuple(self.labels[row] for row in np.flatnonzero(rows).tolist())
        return Times(self.values[rows], chosen, self.unit)

    def in_words(self, step: float) -> str:
        """Return a difference between times in words."""
        if self.unit is None:
            return number(step)
        count, unit = step, self.unit.value
        for larger, seconds in _LARGER_UNITS if self.unit is Unit.SECOND else ():
            if step % seconds == 0:
                count, unit = step / seconds, larger
                break
        return f"{number(count)} {unit}{'' if count == 1 else 's'}"


def read_times(name: str, values: Any) -> Times:
    """Return the times in a column, or refuse what is neither numbers nor dates.

    Parameters
    ----------
    name
        The name of the column.
    values
        A series, an array or a list; or a raw column.
    """
    try:
        column = _raw(name, values)
    except UnusableColumnError as error:
        raise DataError(
            f"the column of times {name!r} {error}; give {_WANTED}, or name another column by ",
            TIME,
        ) from None
    gaps = np.flatnonzero(column.missing)
    if len(gaps):
        raise DataError(
            f"the column of times {name!r} has no value in row {gaps[0] + 1}; give every row its "
            "time, or leave these rows out"
        )
    if isinstance(column, RawNumbers):
        if not np.isfinite(column.values).all():
            raise DataError(
                f"the column of times {name!r} has a value that is not finite; give {_WANTED}"
            )
        return Times(column.values.astype(np.float64), tuple(column.values.tolist()))
    labels = tuple(column.levels[code] for code in column.codes.tolist())
    numbers = level_numbers(column.levels)
    if numbers is not None:
        return Times(numbers[column.codes], labels)
    dates, unit = _dates(name, column.levels)
    return Times(dates[column.codes], labels, unit)


def _raw(name: str, values: Any) -> RawColumn:
    if isinstance(values, RawNumbers | RawLabels):
        return values
    if isinstance(values, np.ndarray) and values.dtype.kind == "M":
        return raw_column(name, np.datetime_as_string(values))
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and series.dtype.is_temporal():
        return raw_column(name, [None if each is None else _iso(each) for each in series.to_list()])
    if isinstance(values, list | tuple) and any(hasattr(each, "isoformat") for each in values):
        return raw_column(name, [_iso(each) for each in values])
    return raw_column(name, values)


def _iso(moment: Any) -> Any:
    return moment.isoformat().removesuffix("T00:00:00") if hasattr(moment, "isoformat") else moment


def _dates(name: str, levels: tuple[object, ...]) -> tuple[NDArray[np.float64], Unit]:
    """Return dates as seconds or, if that makes their steps equal, as months."""
    moments = np.empty(len(levels), dtype="datetime64[s]")
    for place, level in enumerate(levels):
        try:
            moments[place] = _moment(str(level))
        except (ValueError, OverflowError):
            raise DataError(
                f"the column of times {name!r} has the value {shown(level)}, which is neither a "
                f"number nor a date; give {_WANTED}, or name another column by ",
                TIME,
            ) from None
    day = np.timedelta64(86_400, "s")
    for shift in (np.timedelta64(0, "s"), day):  # the same day of all months, or the last
        months = (moments + shift).astype("datetime64[M]")
        within = np.unique((moments + shift) - months)
        if len(within) == 1 and (shift != day or within[0] < day) and len(np.unique(months)) > 1:
            return months.astype(np.int64).astype(np.float64), Unit.MONTH
    return moments.astype(np.int64).astype(np.float64), Unit.SECOND


def _moment(text: str) -> np.datetime64:
    """Return the moment that a text such as 2024-03, 2024-03-01 or 2024-03-01T12:00Z writes."""
    if re.fullmatch(r"\d{4}-\d{2}", text):
        text += "-01"
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return np.datetime64(moment, "s")
