"""Parameters of all DAGs of a mixed sample, drawn from their posterior, and looked up in rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError, option
from arcwise.networks._random import Purpose, generator
from arcwise.parameters.conditional_regressions import (
    DrawnRegressions,
    MixedPosterior,
    configuration_numbers,
)
from arcwise.parameters.dirichlet import drawn_tables
from arcwise.parameters.sampled import SampledFamilies

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

_MOST_NUMBERS = 1 << 27


@dataclass(frozen=True, eq=False)
class _Table:
    """Drawn tables of one family, as [draw, configuration, level], of the draws that have it."""

    parents: tuple[int, ...]
    sizes: tuple[int, ...]
    draws: NDArray[np.int64]
    table: Array


@dataclass(frozen=True, eq=False)
class _Regression:
    """Drawn regressions of one family, of the draws that have it; parents are places."""

    discrete: tuple[int, ...]
    sizes: tuple[int, ...]
    parents: tuple[int, ...]
    draws: NDArray[np.int64]
    drawn: DrawnRegressions


class MixedDraws:
    """Draws of all parameters, all of the first DAG first.

    Parameters
    ----------
    families, posterior
        The DAGs, and the posterior of their parameters.
    draws, seed
        The number of draws for each DAG, and their seed.
    """

    def __init__(
        self, families: SampledFamilies, posterior: MixedPosterior, draws: int, seed: int
    ) -> None:
        self.count = len(families) * draws
        self.levels = posterior.levels
        self.continuous = posterior.continuous
        self.origin = posterior.origin
        with np.errstate(divide="ignore"):
            self.log_shares = np.repeat(np.log(families.shares / draws), draws)
        self._families, self._each = families, draws
        self._tables: dict[int, list[_Table]] = {}
        self._regressions: dict[int, list[_Regression]] = {}
        place = {v: number for number, v in enumerate(self.continuous)}
        numbers = 0
        for node, parent_sets in enumerate(families.parents):
            discrete_node = posterior.is_discrete(node)
            purpose = Purpose.DRAWN_TABLES if discrete_node else Purpose.DRAWN_REGRESSIONS
            random = generator(seed, purpose, node)
            of_draw = np.repeat(families.places[:, node], draws)
            for number, parents in enumerate(parent_sets):
                own = np.flatnonzero(of_draw == number)
                above = tuple(u for u in parents if posterior.is_discrete(u))
                sizes = tuple(posterior.levels[u] for u in above)
                width = posterior.levels[node] or len(parents) - len(above) + 2
                numbers += len(own) * math.prod(sizes) * width
                if numbers > _MOST_NUMBERS:
                    raise ArgumentError(
                        option("draws"),
                        f" is {draws} for each of {len(families)} DAGs, whose parameters are too "
                        "many; give fewer draws, or fewer DAGs",
                    )
                if discrete_node:
                    table = drawn_tables(
                        posterior.tables.dirichlet(node, parents), len(own), random
                    )
                    flat = table.reshape(len(own), -1, posterior.levels[node])
                    self._tables.setdefault(node, []).append(_Table(above, sizes, own, flat))
                else:
                    found = posterior.regressions(node, parents)
                    drawn = found.drawn(len(own), random, self.origin)
                    others = tuple(place[u] for u in found.continuous)
                    self._regressions.setdefault(node, []).append(
                        _Regression(above, sizes, others, own, drawn)
                    )

    def log_probabilities(self, node: int, codes: Codes) -> Array:
        """Return log P(node | parents) by each draw, as [draw, row].

        Parameters
        ----------
        node
            A discrete variable.
        codes
            As [draw, row, variable], or with a first axis of length 1 if all draws have the same.
        """
        found = np.empty((self.count, codes.shape[1]))
        for family in self._tables[node]:
            own = codes if len(codes) == 1 else codes[family.draws]
            which = configuration_numbers(own, family.parents, family.sizes)
            every = np.arange(len(family.draws))[:, np.newaxis]
            with np.errstate(divide="ignore"):
                found[family.draws] = np.log(family.table[every, which, own[..., node]])
        return found

    def regressions(self, codes: Codes) -> tuple[Array, Array, Array]:
        """Return coefficients, intercepts and deviations by each draw, in each row.

        Parameters
        ----------
        codes
            As in `log_probabilities`.

        Returns
        -------
        tuple of numpy.ndarray
            As [draw, row, node, parent] and [draw, row, node], over the continuous variables;
            intercepts belong to values that are counted from the origin.
        """
        n = len(self.continuous)
        shape = self.count, codes.shape[1], n
        coefficients = np.zeros((*shape, n))
        intercepts, deviations = np.empty(shape), np.empty(shape)
        for place, node in enumerate(self.continuous):
            for family in self._regressions[node]:
                own = codes if len(codes) == 1 else codes[family.draws]
                which = configuration_numbers(own, family.discrete, family.sizes)
                every = np.arange(len(family.draws))[:, np.newaxis]
                drawn = family.drawn
                intercepts[family.draws, :, place] = drawn.intercepts[every, which]
                deviations[family.draws, :, place] = drawn.deviations[every, which]
                for number, parent in enumerate(family.parents):
                    coefficients[family.draws, :, place, parent] = drawn.coefficients[
                        every, which, number
                    ]
        return coefficients, intercepts, deviations

    def sampled_codes(
        self, codes: Codes, unknown: NDArray[np.bool_], random: np.random.Generator
    ) -> Codes:
        """Draw unknown discrete values given those above them, by each draw.

        Parameters
        ----------
        codes
            The known ones, as [row, variable].
        unknown
            Which to draw, in the same form.
        random
            The random numbers.

        Returns
        -------
        numpy.ndarray
            As [draw, row, variable].
        """
        found = np.repeat(codes[np.newaxis], self.count, axis=0)
        uniform = random.random((self.count, *codes.shape))
        columns = np.flatnonzero(unknown.any(axis=0)).tolist()
        for dag, places in enumerate(self._families.places.tolist()):
            own = np.arange(dag * self._each, (dag + 1) * self._each)
            waiting = set(columns)
            while waiting:
                node = next(
                    v
                    for v in waiting
                    if not waiting.intersection(self._families.parents[v][places[v]])
                )
                waiting.remove(node)
                family = self._tables[node][places[node]]
                rows = np.flatnonzero(unknown[:, node])
                here = found[own][:, rows]
                which = configuration_numbers(here, family.parents, family.sizes)
                at = np.searchsorted(family.draws, own)[:, np.newaxis]
                reached = np.cumsum(family.table[at, which], axis=-1)
                reached /= reached[..., -1:]
                level = (uniform[own][:, rows, node, np.newaxis] >= reached[..., :-1]).sum(axis=-1)
                found[own[:, np.newaxis], rows, node] = level
        return found
