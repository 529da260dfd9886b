"""`DataProfile`: the facts about a table by which results from it are judged, without its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from arcwise.data.moments import Moments
from arcwise.data.remarks import encoded_reason
from arcwise.data.slices import Slices
from arcwise.data.table import Data, Preparation
from arcwise.data.within_levels import standardized_within_levels
from arcwise.support.words import counted

LawName = Literal["discrete", "gaussian", "conditional-gaussian"]
"""The parameters of a family: a table of probabilities, a linear regression, or, where columns
are mixed, a table for a discrete variable and for a continuous one a regression for each
configuration of its discrete parents."""

FEWEST_OTHERS = 20
"""Rows outside the commonest level of a discrete variable, below which it is nearly constant."""

_MOST_NAMED = 8


@dataclass(frozen=True)
class DataProfile:
    """The facts about a table by which results from it are judged.

    Parameters
    ----------
    levels
        The number of levels of each variable; 0 if it is continuous.
    parametrization
        What the parameters of a family are; None if that is not known, as of a score that is a
        function.
    notes, preparation
        What was done to the table before, in words and in numbers.
    total_weight, effective_rows
        The sum of the row weights, and Kish's effective number of rows; None without weights.
    intervened_rows, intervened
        The number of rows in which some variable was intervened on, and of those in which each
        was, for variables that were.
    identifiers
        The variables that seem only to identify rows.
    nearly_constant
        The discrete variables of which fewer than 20 rows have another level than the commonest,
        with the number of those rows.
    moments
        The shapes of the variables that the score takes to be normal, from the rows without an
        intervention; in mixed data, of the deviations within levels of discrete variables.
    slices
        Which columns are of which time, if the table is of a time series.
    """

    levels: tuple[int, ...]
    parametrization: LawName | None = None
    notes: tuple[str, ...] = ()
    preparation: Preparation = field(default_factory=Preparation)
    total_weight: float | None = None
    effective_rows: float | None = None
    intervened_rows: int = 0
    intervened: Mapping[str, int] = field(default_factory=dict)
    identifiers: tuple[str, ...] = ()
    nearly_constant: Mapping[str, int] = field(default_factory=dict)
    moments: Mapping[str, Moments] = field(default_factory=dict)
    slices: Slices | None = None

    @classmethod
    def of(cls, data: Data, parametrization: LawName | None) -> DataProfile:
        """Return the profile of a table.

        Parameters
        ----------
        data
            The table.
        parametrization
            What the parameters of a family are, if known.
        """
        weights, mask = data.weights, data.intervened
        return cls(
            levels=tuple(data.level_counts().tolist()),
            parametrization=parametrization,
            notes=tuple(data.notes),
            preparation=data.preparation,
            total_weight=None if weights is None else float(weights.sum()),
            effective_rows=None
            if weights is None
            else float(weights.sum() ** 2 / np.square(weights).sum()),
            intervened_rows=int(data.intervened_rows.sum()),
            intervened={}
            if mask is None
            else {
                name: int(count)
                for name, count in zip(data.variables, mask.sum(axis=0), strict=True)
                if count
            },
            identifiers=tuple(
                column.name for column in data.columns if encoded_reason(column) is not None
            ),
            nearly_constant={
                column.name: others
                for column in data.columns
                if column.size
                and (others := data.rows - int(np.bincount(column.stored).max())) < FEWEST_OTHERS
            },
            moments=_moments(data, parametrization),
            slices=data.slices,
        )

    def rows_for(self, variable: str, rows: int) -> float:
        """Return how many rows tell about the parents of a variable, as their weights count."""
        share = 1.0 - self.intervened.get(variable, 0) / rows
        return share * (rows if self.total_weight is None else self.total_weight)

    def preparation_sentences(self, rows: int) -> tuple[str, ...]:
        """Return in words what was done to the table, and what its rows are."""
        result = [*self.notes]
        imputed = self.preparation.imputed
        if imputed:
            values = len(self.levels) * rows
            result.append(
                f"{sum(imputed.values()):,} of {values:,} values are missing, in "
                f"{counted(imputed, _MOST_NAMED)}, and were imputed, as if they were missing at "
                "random."
            )
        if self.intervened_rows:
            several = "" if len(self.intervened) == 1 else "s"
            result.append(
                f"In {self.intervened_rows:,} of {rows:,} rows {len(self.intervened)} "
                f"variable{several} were intervened on; there, nothing is learned about the "
                "parents of such a variable."
                if several
                else f"In {self.intervened_rows:,} of {rows:,} rows "
                f"{next(iter(self.intervened))!r} was intervened on; there, nothing is learned "
                "about its parents."
            )
        if self.total_weight is not None:
            result.append(f"The rows are weighted and count as {self.total_weight:,.6g} rows.")
        return tuple(result)


def _moments(data: Data, parametrization: LawName | None) -> dict[str, Moments]:
    if parametrization not in ("gaussian", "conditional-gaussian"):
        return {}
    rows = ~data.intervened_rows
    levels = [column.computable()[rows] for column in data.columns if column.size]
    result = {}
    for column in data.columns:
        numbers = column.numbers()
        if parametrization == "conditional-gaussian":
            if column.size or numbers is None:
                continue
            found = Moments.of(standardized_within_levels(numbers[rows], levels))
        else:
            found = None if numbers is None else Moments.of(numbers[rows])
        if found is not None:
            result[column.name] = found
    return result
