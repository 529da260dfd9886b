"""`Rows`: the rows of a table in order of time within each subject, at equal steps.

Times are numbers or dates. Months and years have unequal numbers of days, so dates that all have
the same day of the month, or are all the last day of a month, are counted in months.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
from arcwise.errors import DataError, Wording, option, worded
from arcwise.support.names import number, plural, shown

TIME = option("time")
_WANTED = "numbers, or dates such as 2024-03-01"
_LARGER_UNITS = (("day", 86_400), ("hour", 3600), ("minute", 60))


class Unit(Enum):
    """The unit in which dates are counted."""

    SECOND = "second"
    MONTH = "month"


@dataclass(frozen=True, eq=False)
class Times:
    """The time of each row."""

    values: NDArray[np.float64]
    labels: tuple[object, ...]
    unit: Unit | None = None  # None if the times were given as numbers

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
    """Return the times in a column, or refuse values that are neither numbers nor dates."""
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
    for shift in (np.timedelta64(0, "s"), day):  # the same day of every month, or the last
        months = (moments + shift).astype("datetime64[M]")
        within = np.unique((moments + shift) - months)
        if len(within) == 1 and (shift != day or within[0] < day) and len(np.unique(months)) > 1:
            return months.astype(np.int64).astype(np.float64), Unit.MONTH
    return moments.astype(np.int64).astype(np.float64), Unit.SECOND


def _moment(text: str) -> np.datetime64:
    """Return the moment of a text such as 2024-03, 2024-03-01 or 2024-03-01T12:00Z."""
    if re.fullmatch(r"\d{4}-\d{2}", text):
        text += "-01"
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    return np.datetime64(moment, "s")


GAPS = option("gaps", "split")
_TOLERANCE = 1e-6  # relative to a step, for the rounding of decimal fractions such as 0.1
_MOST_STEPS = 2**31


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows in order of subject and, within each, of time."""

    order: NDArray[np.int64]  # the row of the table at each place
    subjects: NDArray[np.int64]  # the number of each row's subject, ascending
    steps: NDArray[np.int64]  # the number of steps since the first row of the subject

    def starts(self) -> NDArray[np.int64]:
        """Return the place of the first row of each subject."""
        return np.flatnonzero(np.diff(self.subjects, prepend=-1))

    def earlier(self, lag: int) -> NDArray[np.int64]:
        """Return the place of the row `lag` steps before each row, or -1."""
        # Keys combine subject and step, so that rows of different subjects are far apart.
        span = int(self.steps.max(initial=0)) + lag + 1
        keys = self.subjects * span + self.steps
        wanted = keys - lag
        place = np.searchsorted(keys, wanted)
        place = np.minimum(place, len(keys) - 1)
        found = (keys[place] == wanted) & (self.steps >= lag)
        return np.where(found, place, -1)


def ordered_rows(
    times: Times | None, subjects: NDArray[np.int64], names: Sequence[object], *, split: bool
) -> Rows:
    """Return the rows in order, or refuse steps that are not equal."""
    if times is None:
        ranks = np.argsort(np.argsort(subjects, kind="stable"))
        times = Times(ranks.astype(np.float64), tuple(ranks.tolist()))
    order = np.lexsort((times.values, subjects))
    own, values = subjects[order], times.values[order]
    starts = np.flatnonzero(np.diff(own, prepend=-1))
    first = np.repeat(values[starts], np.diff(np.append(starts, len(own))))
    same = own[1:] == own[:-1]
    differences = np.diff(values)
    wording = _Words(times, order, own, names)
    twice = np.flatnonzero(same & (differences == 0))
    if len(twice):
        who, when = wording.whose(twice[0]), wording.at(twice[0])
        raise DataError(
            f"{who}the time {when} twice; give one row for each time"
            f"{'' if len(names) > 1 else ', and '}",
            "" if len(names) > 1 else option("subject"),
            "" if len(names) > 1 else " if the table has several subjects",
        )
    usual = _usual(differences[same])
    step = times.in_words(usual)
    exact = (values - first) / usual
    steps = np.rint(exact)
    # The rounding error of a time grows with its size, as with seconds since 1970.
    rounding = _TOLERANCE + 4 * np.finfo(np.float64).eps * np.abs(values) / usual
    if not (steps <= _MOST_STEPS).all():
        raise DataError(
            f"the times span more than {_MOST_STEPS:,} steps of {step}; give times at "
            "equal distances"
        )
    odd = np.flatnonzero(np.abs(exact - steps) > rounding)
    jumps = np.flatnonzero(same & (np.diff(steps) != 1))
    if len(odd):
        at = odd[0] - 1
        raise DataError(
            f"{wording.steps(at)}, which is no multiple of the usual step of {step}; give "
            "times at equal distances, or averages over equal spans of time"
        )
    if len(jumps) and not split:
        several = "" if len(jumps) == 1 else f" (and {plural(len(jumps) - 1, 'further gap')})"
        raise DataError(
            f"{wording.steps(jumps[0])}, where the usual step is {step}{several}; add the "
            "rows that are missing, or give ",
            GAPS,
            " to use only rows whose earlier ones are there",
        )
    return Rows(order, own, steps.astype(np.int64))


def _usual(differences: NDArray[np.float64]) -> float:
    """Return the most frequent difference between times, the smallest of ties."""
    if not len(differences):
        return 1.0
    # Differences of decimal fractions that should be equal differ in their last bits.
    scale = float(differences.min())
    rounded = np.rint(differences / scale / _TOLERANCE)
    distinct, counts = np.unique(rounded, return_counts=True)
    return float(differences[rounded == distinct[np.argmax(counts)]].mean())


@dataclass(frozen=True, eq=False)
class _Words:
    """Descriptions of places by their times and subjects, for messages."""

    times: Times
    order: NDArray[np.int64]
    own: NDArray[np.int64]
    names: Sequence[object]

    def at(self, place: int) -> str:
        return shown(self.times.labels[self.order[place]])

    def whose(self, place: int) -> str:
        if len(self.names) == 1:
            return "the table has "
        return f"the subject {shown(self.names[self.own[place]])} has "

    def steps(self, place: int) -> str:
        who = "the time" if len(self.names) == 1 else "the time of the subject "
        name = "" if len(self.names) == 1 else shown(self.names[self.own[place]])
        return f"{who}{name} goes from {self.at(place)} to {self.at(place + 1)}"


def too_short(lags: int, longest: int, rows: int) -> Wording:
    """Return the message that at most one row has all its lags."""
    return worded(
        f"{'no row has' if not rows else 'a single row has'} {lags} earlier "
        f"{'one' if lags == 1 else 'ones'}: the longest series has {longest} "
        f"{'row' if longest == 1 else 'rows'}; give fewer ",
        option("lags"),
        " or longer series",
    )
