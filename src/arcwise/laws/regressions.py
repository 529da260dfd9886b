"""Linear regressions of a continuous node, one for each configuration of its discrete parents.

The posterior of each comes from the rows in that configuration as in `normal_wishart`, with the
share of the imaginary rows that the score gives it. All configurations are computed together; a
node without discrete parents has one.

A configuration without a row has the prior alone, and that may have so few degrees of freedom
that it has no mean: its centre stands for it, and draws from it may be very far away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.laws.law import (
    Columns,
    FamilyPosterior,
    FamilyPosteriors,
    Parameters,
    configuration_numbers,
    looked_up,
)
from arcwise.laws.normal_wishart import conditioned, log_gamma_steps
from arcwise.support.log_space import logarithms

Array = NDArray[np.float64]

# Gamma variates of tiny shape underflow; below this, standard deviations would overflow soon.
_SMALLEST_GAMMA = 1e-60


@dataclass(frozen=True, eq=False)
class RegressionPrior:
    """The prior of the continuous variables within one configuration of discrete parents.

    It is normal-Wishart: for any l of the variables, the mean given the precision W is normal
    with precision ``alpha_mu W``, and W is Wishart with ``degrees + l - 1`` degrees of freedom
    and the diagonal scale matrix of their entries of `scale`.

    Parameters
    ----------
    alpha_mu
        The strength of the prior mean, as a number of rows.
    degrees
        The degrees of freedom of the variance of a single variable, as a number of rows.
    mean, scale
        For each variable of the table; 0 and 1 for discrete ones.

    Examples
    --------
    >>> RegressionPrior(1.0, 3.0, np.zeros(2), np.ones(2)).shared(2).degrees
    1.5
    """

    alpha_mu: float
    degrees: float
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]

    def shared(self, configurations: float) -> RegressionPrior:
        """Return the prior within each of some configurations, which share the rows of this."""
        return replace(
            self,
            alpha_mu=self.alpha_mu / configurations,
            degrees=self.degrees / configurations,
            scale=self.scale / configurations,
        )


@dataclass(frozen=True, eq=False)
class ConfigurationMoments:
    """The posterior of some columns together, by configuration along the first axis.

    Parameters
    ----------
    variables
        The columns.
    strengths, degrees
        Of the mean, and of the precision less the number of columns.
    means, roots
        The posterior means, and a root U of each matrix R = U'U; see `normal_wishart`.
    """

    variables: tuple[int, ...]
    strengths: Array
    degrees: Array
    means: Array
    roots: Array


@dataclass(frozen=True, eq=False)
class RegressionPosterior(FamilyPosterior):
    """The posterior of a continuous node's regressions, one for each configuration.

    Parameters
    ----------
    given
        The posteriors of all families.
    node, parents
        The family.
    discrete, continuous
        The discrete parents, by whose levels configurations are numbered, the last fastest, and
        the continuous ones.
    sizes
        The numbers of levels of the discrete parents.
    origin
        Values near those of the continuous parents and, last, of the node, from which numbers are
        counted.
    strengths, degrees
        Of the mean of the node, and d, the degrees of freedom, by configuration.
    centres
        The posterior means of the continuous parents and, last, of the node, by configuration.
    coefficients, residuals, inverse_roots
        What `normal_wishart.conditioned` returns, by configuration.
    """

    given: FamilyPosteriors
    node: int
    parents: tuple[int, ...]
    discrete: tuple[int, ...]
    continuous: tuple[int, ...]
    sizes: tuple[int, ...]
    origin: Array
    strengths: Array
    degrees: Array
    centres: Array
    coefficients: Array
    residuals: Array
    inverse_roots: Array

    @classmethod
    def of(
        cls,
        given: FamilyPosteriors,
        node: int,
        parents: tuple[int, ...],
        moments: ConfigurationMoments,
    ) -> RegressionPosterior:
        """Return the posterior of a family from the moments of all continuous columns."""
        discrete = tuple(u for u in parents if given.is_discrete(u))
        continuous = tuple(u for u in parents if not given.is_discrete(u))
        members, size = [*continuous, node], len(continuous)
        places = [moments.variables.index(member) for member in members]
        return cls(
            given,
            node,
            parents,
            discrete,
            continuous,
            tuple(given.levels[u] for u in discrete),
            given.origin[members],
            moments.strengths,
            moments.degrees + size + 1,
            moments.means[:, places],
            *conditioned(moments.roots[:, :, places]),
        )

    @cached_property
    def numbers(self) -> int:
        """The number of coefficients, intercepts and deviations of all configurations."""
        return math.prod(self.sizes) * (len(self.continuous) + 2)

    def log_predictive(self, columns: Columns) -> Array:
        """Return the log density of the node given its parents in each row: Student's t."""
        rows = len(columns[self.node])
        which = configuration_numbers(columns, self.discrete, self.sizes, rows)
        members = (*self.continuous, self.node)
        away = np.stack([columns[member] for member in members], axis=1) - self.centres[which]
        constants = log_gamma_steps(self.degrees / 2) - 0.5 * np.log(self.degrees * math.pi)
        d = self.degrees[which]
        error = away[:, -1] - (self.coefficients[which] * away[:, :-1]).sum(axis=1)
        leverage = np.square(np.einsum("rij,rj->ri", self.inverse_roots[which], away[:, :-1]))
        scale = self.residuals[which] / d * (1 + 1 / self.strengths[which] + leverage.sum(axis=1))
        found: Array = (
            constants[which]
            - 0.5 * np.log(scale)
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

    def log_marginal(self) -> float:
        """Return the log marginal likelihood of the node given its parents."""
        prior = self.given.without_rows.of(self.node, self.parents)
        assert isinstance(prior, RegressionPosterior)
        return self.log_constant() - prior.log_constant()

    def log_joint_predictive(self, new: Data, after: FamilyPosterior) -> float:
        """Return the joint log density of the node in all new rows; the prior cancels."""
        assert isinstance(after, RegressionPosterior)
        return after.log_constant() - self.log_constant()

    def mean(self) -> RegressionParameters:
        """Return the centres of all parameters."""
        centres = self.centres - self.origin
        intercepts = centres[:, -1] - (self.coefficients * centres[:, :-1]).sum(axis=1)
        deviations = np.sqrt(self.residuals / self.degrees)
        return self._parameters(
            intercepts[np.newaxis], self.coefficients[np.newaxis], deviations[np.newaxis]
        )

    def drawn(self, count: int, random: np.random.Generator) -> RegressionParameters:
        """Draw regressions."""
        centres = self.centres - self.origin
        shape = count, len(self.degrees)
        gammas = np.maximum(random.standard_gamma(self.degrees / 2, shape), _SMALLEST_GAMMA)
        deviations = np.sqrt(0.5 * self.residuals / gammas)
        normals = random.standard_normal((*shape, 1 + len(self.continuous)))
        spread = np.einsum("cji,dcj->dci", self.inverse_roots, normals[..., 1:])
        coefficients = self.coefficients + deviations[..., np.newaxis] * spread
        middle = centres[:, -1] + deviations / np.sqrt(self.strengths) * normals[..., 0]
        intercepts = middle - (coefficients * centres[:, :-1]).sum(axis=-1)
        return self._parameters(intercepts, coefficients, deviations)

    def _parameters(
        self, intercepts: Array, coefficients: Array, deviations: Array
    ) -> RegressionParameters:
        about = self.node, self.discrete, self.sizes, self.continuous, self.origin
        return RegressionParameters(*about, intercepts, coefficients, deviations)


@dataclass(frozen=True, eq=False)
class RegressionParameters(Parameters):
    """Drawn regressions, as [draw, configuration] and, of coefficients, [..., parent].

    Parameters
    ----------
    node, discrete, sizes, continuous
        The family, as in `RegressionPosterior`.
    origin
        The values of the continuous parents and, last, of the node that count as 0.
    intercepts, coefficients, deviations
        The parameters.
    """

    arrays: ClassVar[tuple[str, ...]] = ("intercepts", "coefficients", "deviations")

    node: int
    discrete: tuple[int, ...]
    sizes: tuple[int, ...]
    continuous: tuple[int, ...]
    origin: Array
    intercepts: Array
    coefficients: Array
    deviations: Array

    @classmethod
    def single(
        cls,
        node: int,
        discrete: tuple[int, ...],
        continuous: tuple[int, ...],
        regression: tuple[Any, Any, Any],
    ) -> RegressionParameters:
        """Return one draw, of given intercepts, coefficients and variances.

        They have an axis for each discrete parent and, of coefficients, one for the others.
        """
        intercepts, coefficients, variances = (np.asarray(each) for each in regression)
        return cls(
            node,
            discrete,
            intercepts.shape,
            continuous,
            np.zeros(1 + len(continuous)),
            intercepts.reshape(1, -1),
            coefficients.reshape(1, intercepts.size, len(continuous)),
            np.sqrt(variances).reshape(1, -1),
        )

    def absolute_intercepts(self) -> Array:
        """Return the intercepts that belong to numbers counted from zero."""
        return np.asarray(self.intercepts + self.origin[-1] - self.coefficients @ self.origin[:-1])

    def configurations(self, columns: Columns, rows: int) -> NDArray[np.int64]:
        """Return the number of each row's configuration."""
        return configuration_numbers(columns, self.discrete, self.sizes, rows)

    def _above(self, columns: Columns, which: NDArray[np.int64], noise: Array | float) -> Array:
        """Return the noise added to the mean of the node, counted from its origin, [draw, row]."""
        found = noise + looked_up(self.intercepts, which)
        for place, parent in enumerate(self.continuous):
            away = columns[parent] - self.origin[place]
            found = found + looked_up(self.coefficients[..., place], which) * away
        return np.asarray(found)

    def log_density(self, columns: Columns) -> Array:
        """Return the normal log density of the node."""
        values = columns[self.node]
        which = self.configurations(columns, values.shape[-1])
        apart = values - self.origin[-1] - self._above(columns, which, 0.0)
        variances = np.square(self.deviations)
        scale = looked_up(logarithms(math.tau * variances), which)
        return np.asarray(-0.5 * (scale + apart**2 / looked_up(variances, which)))

    def expected(self, columns: Columns, rows: int) -> Array:
        """Return the mean of the node."""
        which = self.configurations(columns, rows)
        found: Array = self._above(columns, which, 0.0) + self.origin[-1]
        return found[..., np.newaxis]

    def sample(self, columns: Columns, rows: int, random: np.random.Generator) -> Array:
        """Draw the node: its mean and noise, which does not depend on the parents."""
        which = self.configurations(columns, rows)
        noise = looked_up(self.deviations, which) * random.standard_normal((self.count, rows))
        return np.asarray(self._above(columns, which, noise) + self.origin[-1])
