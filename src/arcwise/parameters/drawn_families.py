"""Parameters of all DAGs of a sample, drawn from their posterior."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError, option
from arcwise.laws import FamilyPosteriors, Parameters, RegressionParameters, TableParameters
from arcwise.laws.law import looked_up
from arcwise.parameters.sampled import SampledFamilies, in_order
from arcwise.support.random import Purpose, generator

Array = NDArray[np.float64]
Columns = NDArray[Any]
"""Values of all variables, as [variable, draw, row], or with a second axis of length 1."""

_MOST_NUMBERS = 1 << 27


class DrawnFamilies:
    """Draws of all parameters, all of the first DAG first.

    Parameters
    ----------
    families, posteriors
        The DAGs, and the posteriors of their parameters.
    draws, seed
        The number of draws for each DAG, and their seed.
    """

    def __init__(
        self, families: SampledFamilies, posteriors: FamilyPosteriors, draws: int, seed: int
    ) -> None:
        self.count, self.families = len(families) * draws, families
        self.levels, self.continuous = posteriors.levels, posteriors.continuous
        self.origin = posteriors.origin
        with np.errstate(divide="ignore"):
            self.log_shares = np.repeat(np.log(families.shares / draws), draws)
        self._each = draws
        self._drawn: list[list[tuple[NDArray[np.int64], Parameters]]] = []
        numbers = 0
        for node, parent_sets in enumerate(families.parents):
            purpose = Purpose.DRAWN_REGRESSIONS
            if posteriors.is_discrete(node):
                purpose = Purpose.DRAWN_TABLES
            random = generator(seed, purpose, node)
            of_draw = np.repeat(families.places[:, node], draws)
            self._drawn.append([])
            for number, posterior in enumerate(posteriors.every(node, parent_sets)):
                own = np.flatnonzero(of_draw == number)
                numbers += len(own) * posterior.numbers
                if numbers > _MOST_NUMBERS:
                    raise ArgumentError(
                        option("draws"),
                        f" is {draws} for each of {len(families)} DAGs, whose parameters are too "
                        "many; give fewer draws, or fewer DAGs",
                    )
                self._drawn[-1].append((own, posterior.drawn(len(own), random)))

    @cached_property
    def linear(self) -> bool:
        """Whether numbers are linear in each other, and levels do not depend on numbers."""
        return all(
            isinstance(parameters, TableParameters | RegressionParameters)
            for of_node in self._drawn
            for _, parameters in of_node
        )

    def log_densities(self, node: int, columns: Columns) -> Array:
        """Return the log density of a node by each draw, as [draw, row]."""
        found = np.empty((self.count, columns.shape[2]))
        for own, parameters in self._drawn[node]:
            values = columns if columns.shape[1] == 1 else columns[:, own]
            found[own] = parameters.log_density(values)
        return found

    def regressions(self, columns: Columns, draws: slice) -> tuple[Array, Array, Array]:
        """Return coefficients, intercepts and deviations by some of the draws, in each row.

        As [draw, row, node, parent] and [draw, row, node], over the continuous variables, whose
        values are counted from the origin. Without discrete variables all rows have the same, and
        there is one.
        """
        place = {v: number for number, v in enumerate(self.continuous)}
        shape = draws.stop - draws.start, columns.shape[2] if any(self.levels) else 1, len(place)
        coefficients = np.zeros((*shape, len(place)))
        intercepts, deviations = np.empty(shape), np.empty(shape)
        for node, at in place.items():
            for every, parameters in self._drawn[node]:
                inside = slice(*np.searchsorted(every, (draws.start, draws.stop)))
                own, each = every[inside] - draws.start, parameters.take(inside)
                assert isinstance(each, RegressionParameters)
                values = columns if columns.shape[1] == 1 else columns[:, every[inside]]
                which = each.configurations(values, shape[1])
                intercepts[own, :, at] = looked_up(each.intercepts, which)
                deviations[own, :, at] = looked_up(each.deviations, which)
                above = looked_up(each.coefficients, which).transpose(0, 2, 1)
                parents = [place[parent] for parent in each.continuous]
                coefficients[own[:, np.newaxis], :, at, parents] = above
        return coefficients, intercepts, deviations

    def completed(
        self, columns: Columns, unknown: NDArray[np.bool_], random: np.random.Generator
    ) -> Columns:
        """Draw unknown values given those above them, by each draw.

        Parameters
        ----------
        columns
            The known values, the same for all draws.
        unknown
            Which to draw, as [row, variable].
        random
            The random numbers.
        """
        found = np.repeat(columns, self.count, axis=1)
        nodes = np.flatnonzero(unknown.any(axis=0)).tolist()
        for dag, places in enumerate(self.families.places.tolist()):
            own = np.arange(dag * self._each, (dag + 1) * self._each)
            parents = {node: self.families.parents[node][places[node]] for node in nodes}
            for node in in_order(parents):
                of_family, parameters = self._drawn[node][places[node]]
                rows = np.flatnonzero(unknown[:, node])
                at = parameters.take(np.searchsorted(of_family, own))
                here = found[:, own][:, :, rows]
                found[node, own[:, np.newaxis], rows] = at.sample(here, len(rows), random)
        return found
