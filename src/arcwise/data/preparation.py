"""`Preparation`: what was done to a table before it became data, for the account of a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arcwise.support.words import listing, plural

_MOST_NAMED = 6


@dataclass(frozen=True)
class Preparation:
    """What was done to a table before it became data.

    Parameters
    ----------
    dropped_rows
        The number of rows left out because values are missing in them.
    left_out
        The columns left out, such as constant ones.
    discretized
        The number of intervals of each column that was cut into some.
    missing_as_level
        The columns in which missing values are a level of their own.

    Examples
    --------
    >>> Preparation(dropped_rows=20, discretized={"age": 3}).sentences(80)
    ('20 of 100 rows were dropped, as values are missing in them.',
    "'age' was cut into 3 intervals.")
    """

    dropped_rows: int = 0
    left_out: tuple[str, ...] = ()
    discretized: Mapping[str, int] = field(default_factory=dict)
    missing_as_level: tuple[str, ...] = ()

    def sentences(self, rows: int) -> tuple[str, ...]:
        """Return it in words.

        Parameters
        ----------
        rows
            The number of rows that are left.
        """
        result = []
        if self.dropped_rows:
            verb = "was" if self.dropped_rows == 1 else "were"
            result.append(
                f"{self.dropped_rows:,} of {plural(rows + self.dropped_rows, 'row')} {verb} "
                "dropped, as values are missing in them."
            )
        if self.left_out:
            named = listing(map(repr, self.left_out), _MOST_NAMED)
            result.append(f"Left out: {named}.")
        by_intervals: dict[int, list[str]] = {}
        for name, intervals in self.discretized.items():
            by_intervals.setdefault(intervals, []).append(name)
        for intervals, names in sorted(by_intervals.items()):
            verb, each = ("was", "") if len(names) == 1 else ("were", " each")
            result.append(
                f"{listing(map(repr, names), _MOST_NAMED)} {verb} cut into {intervals} "
                f"intervals{each}."
            )
        if self.missing_as_level:
            named = listing(map(repr, self.missing_as_level), _MOST_NAMED)
            result.append(f"Missing values are a level of their own in {named}.")
        return tuple(result)
