"""The posterior of Gaussian parameters: regressions of nodes on parents under BGe's prior.

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
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data

Array = NDArray[np.float64]

# From here on the series for the ratio of gamma functions is exact to all digits, which a
# difference of their logs would lose.
_LARGE = 200.0
# Numbers held at one time, so that the working set stays in the cache.
_PIECE = 1 << 16


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
    strength: float
    degrees: float
    mean: Array
    root: Array

    def regressions(self, parents: Sequence[tuple[int, ...]]) -> Regressions:
        """Return the posterior of the node's regressions on parent sets of one size."""
        size = len(parents[0])
        members = np.array(parents, dtype=np.intp).reshape(len(parents), size)
        families = np.column_stack([members, np.full(len(parents), self.node)])
        triangles = np.empty((len(parents), size + 1, size + 1))
        step = max(1, _PIECE // (len(self.mean) * (size + 1)))
        for first in range(0, len(parents), step):
            piece = slice(first, first + step)
            columns = self.root.T[families[piece]].transpose(0, 2, 1)
            triangles[piece] = np.linalg.qr(columns, mode="r")
        diagonals = np.einsum("fii->fi", triangles)
        triangles *= np.where(diagonals < 0, -1.0, 1.0)[:, :, np.newaxis]
        # The last column holds the projection of the node on its parents and, last, the residual.
        inverses = np.asarray(np.linalg.inv(triangles[:, :size, :size]), dtype=np.float64)
        inverse_roots = inverses.transpose(0, 2, 1)
        return Regressions(
            self.degrees + size + 1,
            np.einsum("fij,fi->fj", inverse_roots, triangles[:, :size, size]),
            np.square(triangles[:, size, size]),
            inverse_roots,
        )

    def log_predictive(self, parents: Sequence[tuple[int, ...]], rows: Array) -> Array:
        """Return log densities of the node given its parents, as [parent set, row].

        The parent sets must have the same size. With the parameters integrated out, the
        density is Student's t with d degrees of freedom.
        """
        found = self.regressions(parents)
        away = np.ascontiguousarray((rows - self.mean).T)
        members = np.array(parents, dtype=np.intp).reshape(len(parents), -1)
        result = np.empty((len(parents), len(rows)))
        d = found.degrees
        constant = log_gamma_step(d / 2) - 0.5 * math.log(d * math.pi)
        step = max(1, _PIECE // max(1, rows.size))
        for first in range(0, len(parents), step):
            piece = slice(first, first + step)
            of_parents = away[members[piece]]  # [parent set, parent, row]
            error = away[self.node] - np.einsum("fp,fpr->fr", found.coefficients[piece], of_parents)
            leverage = np.square(found.inverse_roots[piece] @ of_parents).sum(axis=1)
            spread = (found.residuals[piece] / d)[:, np.newaxis]
            squared_scale = spread * (1 + 1 / self.strength + leverage)
            result[piece] = (
                constant
                - 0.5 * np.log(squared_scale)
                - 0.5 * (d + 1) * np.log1p(error**2 / (d * squared_scale))
            )
        return result

    def log_constants(self, parents: Sequence[tuple[int, ...]]) -> Array:
        """Return the log marginal likelihood of each family, up to a term of the prior alone.

        Differences between two posteriors with the same prior equal those of the BGe
        score. The parent sets must have the same size.
        """
        found = self.regressions(parents)
        d = found.degrees
        diagonals = np.einsum("fii->fi", found.inverse_roots)
        return np.asarray(
            math.lgamma(d / 2)
            - 0.5 * (math.log(self.strength) + d * (math.log(math.pi) + np.log(found.residuals)))
            + np.log(diagonals).sum(axis=1)
        )


@dataclass(frozen=True, eq=False)
class Regressions:
    """The posterior of a node's coefficients and variance for several parent sets of one size.

    Parameters
    ----------
    degrees
        d, the degrees of freedom.
    coefficients
        The means of the coefficients, as [parent set, parent].
    residuals
        r of each parent set.
    inverse_roots
        L^-1 where R_PP = L L', so that L^-T z sigma has the spread of the coefficients.
    """

    degrees: float
    coefficients: Array
    residuals: Array
    inverse_roots: Array


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
        # The rounded mean is not quite the mean; far from zero, the remainder would matter.
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


def log_gamma_step(x: float) -> float:
    """Return log Gamma(x + 1/2) - log Gamma(x)."""
    if x < _LARGE:
        return math.lgamma(x + 0.5) - math.lgamma(x)
    return 0.5 * math.log(x) - 1 / (8 * x) + 1 / (192 * x**3)


def log_gamma_steps(x: Array) -> Array:
    """Return log Gamma(x + 1/2) - log Gamma(x) of each number, of which few are different."""
    distinct, which = np.unique(x, return_inverse=True)
    return np.array([log_gamma_step(each) for each in distinct.tolist()])[which.reshape(x.shape)]
