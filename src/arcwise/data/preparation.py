"""`Preparation`: what was done to a table before it became data, in numbers to judge it by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from arcwise.data.scales import Scale


@dataclass(frozen=True)
class Preparation:
    """What was done to a table before it became data.

    Parameters
    ----------
    dropped_rows
        The number of rows left out because values are missing in them.
    discretized
        The number of intervals of each column that was cut into some.
    missing_as_level
        The columns in which missing values are a level of their own.
    imputed
        The number of missing values of each column that has any, where they are imputed.
    transformed
        The columns that were replaced by their normal scores.
    scales
        The scales of the columns that are not modelled on that of their values.

    Examples
    --------
    >>> done = Preparation().with_dropped(20).with_discretized({"age": 3})
    >>> done.dropped_rows, done.discretized
    (20, {'age': 3})
    """

    dropped_rows: int = 0
    discretized: Mapping[str, int] = field(default_factory=dict)
    missing_as_level: tuple[str, ...] = ()
    imputed: Mapping[str, int] = field(default_factory=dict)
    transformed: tuple[str, ...] = ()
    scales: Mapping[str, Scale] = field(default_factory=dict)

    def with_dropped(self, rows: int) -> Preparation:
        """Return it with further rows dropped."""
        return replace(self, dropped_rows=self.dropped_rows + rows)

    def with_imputed(self, missing: Mapping[str, int]) -> Preparation:
        """Return it with these numbers of missing values, which are imputed."""
        return replace(self, imputed=missing)

    def with_discretized(self, intervals: Mapping[str, int]) -> Preparation:
        """Return it with further columns cut into intervals."""
        return replace(self, discretized={**self.discretized, **intervals})

    def with_transformed(self, columns: tuple[str, ...]) -> Preparation:
        """Return it with further columns replaced by their normal scores."""
        return replace(self, transformed=tuple(dict.fromkeys((*self.transformed, *columns))))

    def with_scales(self, scales: Mapping[str, Scale]) -> Preparation:
        """Return it with further columns on other scales."""
        return replace(self, scales={**self.scales, **scales})

    def with_missing_level(self, columns: tuple[str, ...]) -> Preparation:
        """Return it with further columns in which missing values are a level."""
        both = (*self.missing_as_level, *columns)
        return replace(self, missing_as_level=tuple(dict.fromkeys(both)))
