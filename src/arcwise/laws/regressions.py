"""Linear regressions of continuous nodes on their parents, with the posterior of `BGe`.

With the normal-Wishart prior of `BGe` (alpha_mu, alpha_w, mean, scale T) and rows of
total weight N, mean xbar and centred scatter S, the posterior is normal-Wishart again
with alpha_mu + N, alpha_w + N, the weighted mean of the two means, and

    R = T + S + N alpha_mu / (N + alpha_mu) (xbar - mean)(xbar - mean)'.

Given s parents P, a node v has x_v = intercept + b' x_P + noise of variance sigma^2, where

    1 / sigma^2 ~ Gamma(d / 2, rate r / 2),    d = alpha_w + N - n + s + 1,
    b | sigma^2 ~ Normal(R_PP^-1 R_Pv, sigma^2 R_PP^-1),    r = R_vv - R_vP R_PP^-1 R_Pv,

and its mean at the posterior means of its parents is normal about v's posterior mean with
variance sigma^2 / (alpha_mu + N). The rows are those in which v was not intervened on,
exactly as in the score, so that with interventions each node has its own posterior;
parameters of different nodes are independent given a DAG.

R itself is never formed: for columns far from the prior mean, or nearly collinear, r
would lose its digits. A root is kept instead, R = U'U, computed from the rows themselves.

With discrete parents there is one regression for each of their configurations, with the posterior
from the rows in that configuration and a share of the prior's imaginary rows. All configurations
are computed together; a node without discrete parents has one. The posterior in a configuration
without rows is the prior, which may have too few degrees of freedom for a mean: its centre then
takes the place of the mean, and draws from it may be very far away.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.columns import Kind
from arcwise.data.profile import LawName
from arcwise.laws.law import (
    Columns,
    FamilyPosterior,
    FamilyPosteriors,
    Law,
    Parameters,
    configuration_numbers,
    looked_up,
)
from arcwise.support.arrays import logarithms

Array = NDArray[np.float64]

# From this argument on, the series for the ratio of gamma functions is exact to all digits, some of
# which a difference of log gammas would lose.
_LARGE = 200.0

# Gamma variates of tiny shape underflow; below this, standard deviations would soon overflow.
_SMALLEST_GAMMA = 1e-60


@dataclass(frozen=True, eq=False)
class NormalWishart:
    """A normal-Wishart prior of given variables: mean and precision of normal rows.

    Parameters
    ----------
    alpha_mu
        The strength of the mean, as a number of rows.
    alpha_w
        The degrees of freedom of the precision.
    mean, scale
        The prior mean, and the matrix T of the precision.

    Examples
    --------
    >>> NormalWishart(1.0, 4.0, np.zeros(2), np.eye(2)).alpha_w
    4.0
    """

    alpha_mu: float
    alpha_w: float
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NodePosterior:
    """The normal-Wishart posterior from the rows in which one node was not intervened on."""

    node: int
    strength: float  # alpha_mu + N
    degrees: float  # alpha_w + N - n
    mean: Array
    root: Array  # U


def node_posteriors(data: Data, prior: NormalWishart) -> list[NodePosterior]:
    """Return the posterior of each node, from all rows if it was never intervened on."""
    values = data.continuous_values("a linear Gaussian model")
    weights = np.ones(data.rows) if data.weights is None else data.weights
    whole: tuple[float, float, Array, Array] | None = None
    found = []
    for node in range(len(data.variables)):
        mask = None if data.intervened is None else data.intervened[:, node]
        if mask is not None and mask.any():
            own = updated(prior, values[~mask], weights[~mask])
        else:
            whole = updated(prior, values, weights) if whole is None else whole
            own = whole
        found.append(NodePosterior(node, *own))
    return found


def updated(
    prior: NormalWishart, values: Array, weights: Array
) -> tuple[float, float, Array, Array]:
    """Return strength, degrees less the number of variables, mean and root of the posterior."""
    total = float(weights.sum())
    n = len(prior.mean)
    mean, centred = prior.mean, np.zeros((0, n))
    if total > 0:
        mean = weights @ values / total
        centred = values - mean
        # The rounding error of the mean would matter for values far from zero.
        rest = weights @ centred / total
        centred -= rest
        mean = mean + rest
        centred *= np.sqrt(weights)[:, np.newaxis]
    strength = prior.alpha_mu + total
    offset = mean - prior.mean
    border = math.sqrt(total * prior.alpha_mu / strength) * offset
    rows = [border[np.newaxis], np.linalg.cholesky(prior.scale).T, centred]
    root = np.asarray(np.linalg.qr(np.concatenate(rows), mode="r"))
    centre = prior.mean + total / strength * offset
    return strength, prior.alpha_w + total - n, centre, root


def conditioned(roots: Array) -> tuple[Array, Array, Array]:
    """Return the posteriors of regressions of the last column of some roots on the others."""
    size = roots.shape[2] - 1
    triangles = np.asarray(np.linalg.qr(roots, mode="r"))
    diagonals = np.einsum("cii->ci", triangles)
    triangles = triangles * np.where(diagonals < 0, -1.0, 1.0)[:, :, np.newaxis]
    # The last column holds the projection of the node on its parents and, last, the residual.
    inverse_roots = np.asarray(np.linalg.inv(triangles[:, :size, :size])).transpose(0, 2, 1)
    coefficients = np.einsum("cij,ci->cj", inverse_roots, triangles[:, :size, size])
    return coefficients, np.square(triangles[:, size, size]), inverse_roots


def log_gamma_step(x: float) -> float:
    """Return log Gamma(x + 1/2) - log Gamma(x)."""
    if x < _LARGE:
        return math.lgamma(x + 0.5) - math.lgamma(x)
    return 0.5 * math.log(x) - 1 / (8 * x) + 1 / (192 * x**3)


def log_gamma_steps(x: Array) -> Array:
    """Return log Gamma(x + 1/2) - log Gamma(x) of each number, computed once per distinct one."""
    distinct, which = np.unique(x, return_inverse=True)
    return np.array([log_gamma_step(each) for each in distinct.tolist()])[which.reshape(x.shape)]


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
        Their entries for each variable of the table; 0 and 1 for discrete ones.

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
        """Return the prior in each of some configurations, which share its imaginary rows."""
        return replace(
            self,
            alpha_mu=self.alpha_mu / configurations,
            degrees=self.degrees / configurations,
            scale=self.scale / configurations,
        )


@dataclass(frozen=True, eq=False)
class ConfigurationMoments:
    """The posterior of some columns together, by configuration along the first axis."""

    variables: tuple[int, ...]  # the columns
    strengths: Array  # alpha_mu + N
    degrees: Array  # alpha_w + N - n
    means: Array
    roots: Array  # U, with R = U'U


@dataclass(frozen=True, eq=False)
class RegressionPosterior(FamilyPosterior):
    """The posterior of a continuous node's regressions, one for each configuration."""

    given: FamilyPosteriors  # the posteriors of all families
    node: int
    parents: tuple[int, ...]
    discrete: tuple[int, ...]  # their levels number the configurations, the last fastest
    continuous: tuple[int, ...]
    sizes: tuple[int, ...]  # the numbers of levels of the discrete parents
    # Values near those of the continuous parents and, last, of the node, relative to which
    # parameters are defined.
    origin: Array
    # alpha_mu + N, and d, by configuration.
    strengths: Array
    degrees: Array
    # The posterior means of the continuous parents and, last, of the node, by configuration.
    centres: Array
    # The results of `conditioned`, by configuration.
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
    """Drawn regressions, as [draw, configuration]; coefficients have a last axis [parent]."""

    arrays: ClassVar[tuple[str, ...]] = ("intercepts", "coefficients", "deviations")

    node: int
    discrete: tuple[int, ...]
    sizes: tuple[int, ...]
    continuous: tuple[int, ...]
    origin: Array  # as in `RegressionPosterior`
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

        They have an axis for each discrete parent; coefficients also have one for the others.
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

    @cached_property
    def absolute_intercepts(self) -> Array:
        """The intercepts relative to zero instead of the origin."""
        return np.asarray(self.intercepts + self.origin[-1] - self.coefficients @ self.origin[:-1])

    def configurations(self, columns: Columns, rows: int) -> NDArray[np.int64]:
        """Return the number of each row's configuration."""
        return configuration_numbers(columns, self.discrete, self.sizes, rows)

    def _above(self, columns: Columns, which: NDArray[np.int64], noise: Array | float) -> Array:
        """Return noise plus the mean of the node, relative to its origin, as [draw, row]."""
        found = noise + looked_up(self.intercepts, which)
        for place, parent in enumerate(self.continuous):
            away = columns[parent] - self.origin[place]
            found = found + looked_up(self.coefficients[..., place], which) * away
        return np.asarray(found)

    def log_density(self, columns: Columns) -> Array:
        """Return the normal log density of the node."""
        values = columns[self.node]
        which = self.configurations(columns, values.shape[-1])
        error = values - self.origin[-1] - self._above(columns, which, 0.0)
        variances = np.square(self.deviations)
        scale = looked_up(logarithms(math.tau * variances), which)
        return np.asarray(-0.5 * (scale + error**2 / looked_up(variances, which)))

    def expected(self, columns: Columns, rows: int) -> Array:
        """Return the mean of the node."""
        which = self.configurations(columns, rows)
        found: Array = self._above(columns, which, 0.0) + self.origin[-1]
        return found[..., np.newaxis]

    def sample(self, columns: Columns, rows: int, random: np.random.Generator) -> Array:
        """Draw the node: its mean plus noise."""
        which = self.configurations(columns, rows)
        noise = looked_up(self.deviations, which) * random.standard_normal((self.count, rows))
        return np.asarray(self._above(columns, which, noise) + self.origin[-1])


@dataclass(frozen=True, eq=False)
class LinearGaussian(Law):
    """A linear regression with normal noise for each family of continuous variables.

    Parameters
    ----------
    prior
        The prior of the mean and precision of all variables, which implies the priors of the
        regressions; None for a score without one.

    Examples
    --------
    >>> LinearGaussian(None).has_prior
    False
    """

    has_means: ClassVar[bool] = True
    kind: ClassVar[LawName] = "gaussian"
    all_numbers: ClassVar[bool] = True

    prior: NormalWishart | None

    @property
    def has_prior(self) -> bool:
        """Whether the regressions have a prior."""
        return self.prior is not None

    def allows(self, child: Kind, parent: Kind) -> bool:
        """Return True: all variables are continuous."""
        return True

    def given(self, data: Data) -> LinearGaussianPosteriors:
        """Return the posterior of all regressions."""
        assert self.prior is not None
        return LinearGaussianPosteriors(self, data, self.prior)


class LinearGaussianPosteriors(FamilyPosteriors):
    """The normal-Wishart posteriors of all regressions."""

    def __init__(self, law: Law, data: Data, prior: NormalWishart) -> None:
        super().__init__(law, data)
        self.prior = prior
        self.nodes = node_posteriors(data, prior)

    @cached_property
    def origin(self) -> Array:
        """The posterior mean of each variable, from the rows in which it was not intervened on."""
        return np.array([own.mean[own.node] for own in self.nodes])

    def family(self, node: int, parents: tuple[int, ...]) -> RegressionPosterior:
        """Compute the posterior of one family."""
        return self._of_one_size(node, [parents])[0]

    def every(self, node: int, parents: Sequence[tuple[int, ...]]) -> list[FamilyPosterior]:
        """Return the posteriors of some families of a node, those of equal size together."""
        waiting: dict[int, list[tuple[int, ...]]] = {}
        for members in parents:
            if (node, members) not in self._families:
                waiting.setdefault(len(members), []).append(members)
        for of_size in waiting.values():
            for found in self._of_one_size(node, of_size):
                self._families[node, found.parents] = found
        return super().every(node, parents)

    def _of_one_size(
        self, node: int, parents: Sequence[tuple[int, ...]]
    ) -> list[RegressionPosterior]:
        own = self.nodes[node]
        columns = np.array([(*members, node) for members in parents], dtype=np.intp)
        origins, centres = self.origin[columns], own.mean[columns]
        found = conditioned(own.root.T[columns].transpose(0, 2, 1))
        strengths, degrees = np.array([own.strength]), np.array([own.degrees + columns.shape[1]])
        result = []
        for place, members in enumerate(parents):
            one = slice(place, place + 1)
            regressions = centres[one], *(each[one] for each in found)
            family = self, node, members, (), members, (), origins[place]
            result.append(RegressionPosterior(*family, strengths, degrees, *regressions))
        return result
