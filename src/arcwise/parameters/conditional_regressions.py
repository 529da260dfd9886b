"""The posterior of mixed parameters: tables, and a regression for each configuration.

A continuous node has, for each configuration of its discrete parents, a regression on its
continuous parents, whose posterior comes from the rows in that configuration as in
`normal_wishart`, with the share of the imaginary rows that the score gives it. All
configurations are computed together.

A configuration without a row has the prior alone, and that may have so few degrees of freedom
that it has no mean: its centre stands for it, and draws from it may be very far away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.errors import CapacityError, option
from arcwise.parameters.dirichlet import MAX_CELLS, Tables
from arcwise.parameters.normal_wishart import log_gamma_steps, updated
from arcwise.parameters.numbering import all_combinations
from arcwise.scores.parametrization import ConditionalLinearGaussian, NormalWishart

Array = NDArray[np.float64]
Codes = NDArray[np.uint16]

# Gamma variates of tiny shape underflow; below this, standard deviations would overflow soon.
_SMALLEST_GAMMA = 1e-60


@dataclass(frozen=True, eq=False)
class DrawnRegressions:
    """Regressions of a family, as [draw, configuration] and, of coefficients, [..., parent]."""

    intercepts: Array
    coefficients: Array
    deviations: Array


@dataclass(frozen=True, eq=False)
class ConditionalRegressions:
    """The posterior of a continuous node's regressions, one for each configuration.

    Parameters
    ----------
    node
        The node.
    discrete, continuous
        Its discrete parents, by whose levels configurations are numbered, the last fastest, and
        its continuous parents.
    sizes
        The numbers of levels of the discrete parents.
    strengths, degrees
        Of the mean of the node, and d, the degrees of freedom, by configuration.
    centres
        The posterior means of the parents and, last, of the node, as [configuration, place].
    coefficients, residuals, inverse_roots
        As in `Regressions`, with a configuration in place of a parent set.
    """

    node: int
    discrete: tuple[int, ...]
    continuous: tuple[int, ...]
    sizes: tuple[int, ...]
    strengths: Array
    degrees: Array
    centres: Array
    coefficients: Array
    residuals: Array
    inverse_roots: Array

    def configurations(self, codes: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the number of the configuration of each row of codes, [..., variable]."""
        return configuration_numbers(codes, self.discrete, self.sizes)

    def log_predictive(self, codes: NDArray[np.integer], values: Array) -> Array:
        """Return the log density of the node given its parents in each row, [row, variable].

        With the parameters integrated out, it is Student's t.
        """
        which = self.configurations(codes)
        away = values[:, [*self.continuous, self.node]] - self.centres[which]
        d = self.degrees[which]
        error = away[:, -1] - (self.coefficients[which] * away[:, :-1]).sum(axis=1)
        leverage = np.square(np.einsum("rij,rj->ri", self.inverse_roots[which], away[:, :-1]))
        scale = self.residuals[which] / d * (1 + 1 / self.strengths[which] + leverage.sum(axis=1))
        found: Array = (
            log_gamma_steps(d / 2)
            - 0.5 * np.log(d * math.pi * scale)
            - 0.5 * (d + 1) * np.log1p(np.square(error) / (d * scale))
        )
        return found

    def log_constant(self) -> float:
        """Return the log marginal likelihood of the family, up to a term of the prior alone."""
        d = self.degrees
        terms = (
            np.array([math.lgamma(each) for each in (d / 2).tolist()])
            - 0.5 * (np.log(self.strengths) + d * (math.log(math.pi) + np.log(self.residuals)))
            + np.log(np.einsum("cii->ci", self.inverse_roots)).sum(axis=1)
        )
        return math.fsum(terms.tolist())

    def mean(self) -> DrawnRegressions:
        """Return the centres of all parameters, as a single draw."""
        intercepts = self.centres[:, -1] - (self.coefficients * self.centres[:, :-1]).sum(axis=1)
        deviations = np.sqrt(self.residuals / self.degrees)
        return DrawnRegressions(
            intercepts[np.newaxis], self.coefficients[np.newaxis], deviations[np.newaxis]
        )

    def drawn(
        self, count: int, random: np.random.Generator, origin: Array | None = None
    ) -> DrawnRegressions:
        """Draw from the posterior.

        Parameters
        ----------
        count, random
            The number of draws, and the random numbers.
        origin
            For each variable the value that counts as 0, for columns far from it; None for 0.
        """
        zero = np.zeros(1 + len(self.continuous))
        if origin is not None:
            zero = origin[[*self.continuous, self.node]]
        centres = self.centres - zero
        shape = count, len(self.degrees)
        gammas = np.maximum(random.standard_gamma(self.degrees / 2, shape), _SMALLEST_GAMMA)
        deviations = np.sqrt(0.5 * self.residuals / gammas)
        normals = random.standard_normal((*shape, 1 + len(self.continuous)))
        spread = np.einsum("cji,dcj->dci", self.inverse_roots, normals[..., 1:])
        coefficients = self.coefficients + deviations[..., np.newaxis] * spread
        middle = centres[:, -1] + deviations / np.sqrt(self.strengths) * normals[..., 0]
        intercepts = middle - (coefficients * centres[:, :-1]).sum(axis=-1)
        return DrawnRegressions(intercepts, coefficients, deviations)


def configuration_numbers(
    codes: NDArray[np.integer], members: tuple[int, ...], sizes: tuple[int, ...]
) -> NDArray[np.int64]:
    """Return the number of each row's configuration of some variables, the last fastest."""
    number = np.zeros(codes.shape[:-1], dtype=np.int64)
    for member, size in zip(members, sizes, strict=True):
        number = number * size + codes[..., member]
    return number


class MixedPosterior:
    """The posterior of all tables and regressions of data with discrete and continuous columns.

    Parameters
    ----------
    data
        The data, with weights and interventions as in the score.
    prior
        The prior of the score.
    """

    def __init__(self, data: Data, prior: ConditionalLinearGaussian) -> None:
        self.variables = data.variables
        self.tables = Tables(data, prior.tables)
        self.levels = self.tables.levels
        self.continuous = tuple(v for v, levels in enumerate(self.levels) if levels == 0)
        self._place = {v: place for place, v in enumerate(self.continuous)}
        self._codes = data.codes()
        self._values = data.values()[:, list(self.continuous)]
        self._weights = np.ones(data.rows) if data.weights is None else data.weights
        self._intervened = data.intervened
        self._prior = prior
        self._split: dict[tuple[int, tuple[int, ...]], tuple[Array, Array, Array, Array]] = {}
        self._regressions: dict[tuple[int, tuple[int, ...]], ConditionalRegressions] = {}

    def is_discrete(self, node: int) -> bool:
        """Return whether a variable is discrete."""
        return self.levels[node] > 0

    def regressions(self, node: int, parents: tuple[int, ...]) -> ConditionalRegressions:
        """Return the posterior of the regressions of a continuous node."""
        if (node, parents) not in self._regressions:
            self._regressions[node, parents] = self._computed(node, parents)
        return self._regressions[node, parents]

    @property
    def origin(self) -> Array:
        """The prior mean of each variable."""
        return self._prior.regressions.mean

    def log_means(self, node: int, parents: tuple[int, ...], rows: NDArray[Any]) -> Array:
        """Return the log probability or density of the node in rows of codes and numbers."""
        if self.is_discrete(node):
            return self.tables.log_means(node, parents, rows)
        return self.regressions(node, parents).log_predictive(rows.astype(np.int64), rows)

    def scaled_factor(
        self, node: int, parents: tuple[int, ...], scope: tuple[int, ...], rows: NDArray[Any]
    ) -> tuple[Array, Array]:
        """Return densities at the known values of each row, [row, *scope], and logs of scales."""
        if self.is_discrete(node):
            return self.tables.scaled_factor(node, parents, scope, rows)
        sizes = [self.levels[v] for v in scope]
        every = all_combinations(sizes)
        expanded = np.repeat(rows, len(every), axis=0)
        expanded[:, list(scope)] = np.tile(every, (len(rows), 1))
        logs = self.log_means(node, parents, expanded).reshape(len(rows), -1)
        highest = logs.max(axis=1)
        found = np.exp(logs - highest[:, np.newaxis])
        return found.reshape(len(rows), *sizes), highest

    def log_predictive(
        self, node: int, parents: tuple[int, ...], codes: Codes, values: Array
    ) -> Array:
        """Return the log probability or density of the node given its parents in each row."""
        if self.is_discrete(node):
            return self.tables.log_predictive(node, parents, codes)
        return self.regressions(node, parents).log_predictive(codes, values)

    def _computed(self, node: int, parents: tuple[int, ...]) -> ConditionalRegressions:
        discrete = tuple(u for u in parents if self.is_discrete(u))
        continuous = tuple(u for u in parents if not self.is_discrete(u))
        sizes = tuple(self.levels[u] for u in discrete)
        if math.prod(sizes) * len(self.continuous) ** 2 > MAX_CELLS:
            raise CapacityError(
                f"{self.variables[node]!r} has a regression for each of {math.prod(sizes)} "
                f"configurations of {len(discrete)} discrete parents, which is too many; merge "
                "levels or lower ",
                option("max_indegree"),
            )
        strengths, degrees, means, roots = self._by_configuration(node, discrete, sizes)
        members = [self._place[u] for u in (*continuous, node)]
        triangles = np.asarray(np.linalg.qr(roots[:, :, members], mode="r"))
        diagonals = np.einsum("cii->ci", triangles)
        triangles = triangles * np.where(diagonals < 0, -1.0, 1.0)[:, :, np.newaxis]
        size = len(continuous)
        inverses = np.asarray(np.linalg.inv(triangles[:, :size, :size])).transpose(0, 2, 1)
        return ConditionalRegressions(
            node,
            discrete,
            continuous,
            sizes,
            strengths,
            degrees + size + 1,
            means[:, members],
            np.einsum("cij,ci->cj", inverses, triangles[:, :size, size]),
            np.square(triangles[:, size, size]),
            inverses,
        )

    def _normal_wishart(self, configurations: int) -> NormalWishart:
        shared = self._prior.regressions.shared(configurations)
        chosen = list(self.continuous)
        degrees = shared.degrees + len(chosen) - 1
        return NormalWishart(
            shared.alpha_mu, degrees, shared.mean[chosen], np.diag(shared.scale[chosen])
        )

    def _by_configuration(
        self, node: int, discrete: tuple[int, ...], sizes: tuple[int, ...]
    ) -> tuple[Array, Array, Array, Array]:
        """Return strengths, degrees, means and roots of all continuous columns."""
        mask = None if self._intervened is None else self._intervened[:, node]
        # All nodes that were never intervened on have the same.
        key = node if mask is not None and mask.any() else -1
        if (key, discrete) not in self._split:
            counted = np.ones(len(self._values), dtype=np.bool_) if key < 0 else ~mask  # type: ignore[operator]
            number = math.prod(sizes)
            prior = self._normal_wishart(number)
            which = configuration_numbers(self._codes[counted], discrete, sizes)
            values, weights = self._values[counted], self._weights[counted]
            order = np.argsort(which, kind="stable")
            ends = np.cumsum(np.bincount(which, minlength=number))
            empty = updated(prior, values[:0], weights[:0])
            found = [
                updated(prior, values[rows], weights[rows]) if len(rows) else empty
                for rows in np.split(order, ends[:-1])
            ]
            self._split[key, discrete] = (
                np.array([each[0] for each in found]),
                np.array([each[1] for each in found]),
                np.stack([each[2] for each in found]),
                np.stack([each[3] for each in found]),
            )
        return self._split[key, discrete]
