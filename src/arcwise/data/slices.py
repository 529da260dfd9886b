"""`Slices`: which column of a table is which variable at which time.

In a table of a time series a row holds the present slice, the columns ``x(t)``, and beside it
the slices before, ``x(t-1)``, ``x(t-2)`` and so on, and what never changes, under its own name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arcwise.support.names import index_of


@dataclass(frozen=True)
class Place:
    """What a column of a time series holds.

    Parameters
    ----------
    variable
        The name of the column in the table that was given.
    lag
        How many steps before the present; None if it is static, the same at all times.
    first
        Whether the present is the first time of all, in a table of the first slice.

    Examples
    --------
    >>> Place("rain", 2).name, Place("rain", 0).name, Place("region", None).name
    ('rain(t-2)', 'rain(t)', 'region')
    >>> Place("rain", 0, first=True).name
    'rain(0)'
    """

    variable: str
    lag: int | None
    first: bool = False

    @property
    def name(self) -> str:
        """The name of the column."""
        if self.lag is None:
            return self.variable
        if self.lag:
            return f"{self.variable}(t-{self.lag})"
        return f"{self.variable}(0)" if self.first else f"{self.variable}(t)"


@dataclass(frozen=True)
class Slices:
    """Which column of a table is which variable at which time.

    Parameters
    ----------
    places
        What each column holds, in the order of the columns.
    within
        Whether edges within the present slice are allowed.

    Examples
    --------
    >>> slices = Slices((Place("x", 0), Place("y", 0), Place("x", 1), Place("y", 1)))
    >>> slices.present, slices.parent_only, slices.lags
    (('x(t)', 'y(t)'), ('x(t-1)', 'y(t-1)'), (1,))
    """

    places: tuple[Place, ...]
    within: bool = True

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that change in time, by their own names."""
        return tuple(place.variable for place in self.places if place.lag == 0)

    @property
    def static(self) -> tuple[str, ...]:
        """The variables that do not."""
        return tuple(place.variable for place in self.places if place.lag is None)

    @property
    def lags(self) -> tuple[int, ...]:
        """The lags, ascending, without that of the present."""
        return tuple(sorted({place.lag for place in self.places if place.lag}))

    @property
    def present(self) -> tuple[str, ...]:
        """The columns of the present slice."""
        return tuple(place.name for place in self.places if place.lag == 0)

    @property
    def parent_only(self) -> tuple[str, ...]:
        """The columns that are conditioned on: those of earlier slices, and static ones."""
        return tuple(place.name for place in self.places if place.lag != 0)

    def position(self, variable: str, lag: int | None) -> int | None:
        """Return the position of the column of a variable at a lag; None if there is none."""
        place = Place(variable, lag)
        return self.places.index(place) if place in self.places else None

    def present_names(self) -> Mapping[str, str]:
        """Return the column of the present slice for the own name of each variable."""
        taken = {place.name for place in self.places}
        names = zip(self.variables, self.present, strict=True)
        return {variable: column for variable, column in names if variable not in taken}

    def selected(self, names: Sequence[str]) -> Slices:
        """Return the slices of a table with these columns only, in this order."""
        found = index_of(place.name for place in self.places)
        return Slices(tuple(self.places[found[name]] for name in names), self.within)
