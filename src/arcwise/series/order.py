"""`Rows`: the rows of a table in order of time within each subject, counted in equal steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import DataError, Wording, option, worded
from arcwise.series.clock import Times
from arcwise.support.words import plural, shown

GAPS = option("gaps", "split")
# Of a step, by which decimal fractions such as 0.1 may be off.
_TOLERANCE = 1e-6
_MOST_STEPS = 2**31


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows in order of subject and, within each, of time.

    Parameters
    ----------
    order
        The row of the table at each place.
    subjects
        The number of the subject of each, ascending.
    steps
        How many steps after its subject's first row each is.
    """

    order: NDArray[np.int64]
    subjects: NDArray[np.int64]
    steps: NDArray[np.int64]

    def starts(self) -> NDArray[np.int64]:
        """Return the place of the first row of each subject."""
        return np.flatnonzero(np.diff(self.subjects, prepend=-1))

    def earlier(self, lag: int) -> NDArray[np.int64]:
        """Return the place of the row so many steps before each; -1 where there is none."""
        # Both numbers in one: rows of one subject follow each other, those of two are far apart.
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
    """Return the rows in order, or refuse steps that are not equal.

    Parameters
    ----------
    times
        The time of each row; None if the rows are in order already, a step apart.
    subjects
        The number of the subject of each row.
    names
        The names of the subjects, for messages.
    split
        Whether steps may be missing.
    """
    rows = len(subjects)
    if times is None:
        order = np.argsort(subjects, kind="stable")
        own = subjects[order]
        first = np.flatnonzero(np.diff(own, prepend=-1))
        counts = np.diff(np.append(first, rows))
        return Rows(order, own, np.arange(rows) - np.repeat(first, counts))
    order = np.lexsort((times.values, subjects))
    own, values = subjects[order], times.values[order]
    same = own[1:] == own[:-1]
    differences = np.diff(values)
    told = _Told(times, order, own, names)
    twice = np.flatnonzero(same & (differences == 0))
    if len(twice):
        raise DataError(
            f"{told.whose(twice[0])}the time {told.at(twice[0])} twice; give one row for each time"
            f"{'' if len(names) > 1 else ', and '}",
            "" if len(names) > 1 else option("subject"),
            "" if len(names) > 1 else " if the table has several subjects",
        )
    usual = _usual(differences[same])
    step = times.in_words(usual)
    first = np.repeat(values[told.starts], told.counts)
    exact = (values - first) / usual
    steps = np.rint(exact)
    # Numbers far from zero, such as seconds, are themselves rounded.
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
            f"{told.steps(at)}, which is no multiple of the usual step of {step}; give "
            "times at equal distances, or averages over equal spans of time"
        )
    if len(jumps) and not split:
        several = "" if len(jumps) == 1 else f" (and {plural(len(jumps) - 1, 'further gap')})"
        raise DataError(
            f"{told.steps(jumps[0])}, where the usual step is {step}{several}; add the "
            "rows that are missing, or give ",
            GAPS,
            " to use only rows whose earlier ones are there",
        )
    return Rows(order, own, steps.astype(np.int64))


def _usual(differences: NDArray[np.float64]) -> float:
    """Return the commonest difference between times, the smallest of several."""
    if not len(differences):
        return 1.0
    # Decimal fractions make differences that are not quite equal.
    scale = float(differences.min())
    rounded = np.rint(differences / scale / _TOLERANCE)
    distinct, counts = np.unique(rounded, return_counts=True)
    return float(differences[rounded == distinct[np.argmax(counts)]].mean())


@dataclass(frozen=True, eq=False)
class _Told:
    """Where something is wrong, in words."""

    times: Times
    order: NDArray[np.int64]
    own: NDArray[np.int64]
    names: Sequence[object]

    @property
    def starts(self) -> NDArray[np.int64]:
        return np.flatnonzero(np.diff(self.own, prepend=-1))

    @property
    def counts(self) -> NDArray[np.int64]:
        return np.diff(np.append(self.starts, len(self.own)))

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
    """Say that hardly any row has all its lags."""
    return worded(
        f"{'no row has' if not rows else 'a single row has'} {lags} earlier "
        f"{'one' if lags == 1 else 'ones'}: the longest series has {longest} "
        f"{'row' if longest == 1 else 'rows'}; give fewer ",
        option("lags"),
        " or longer series",
    )
