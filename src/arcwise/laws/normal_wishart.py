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
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data

Array = NDArray[np.float64]

# From here on the series for the ratio of gamma functions is exact to all digits, which a
# difference of their logs would lose.
_LARGE = 200.0


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
    """The normal-Wishart posterior from the rows in which one node was not intervened on.

    Parameters
    ----------
    node
        The node.
    strength, degrees
        alpha_mu + N, and alpha_w + N less the number of variables.
    mean, root
        The posterior mean, and U.
    """

    node: int
    strength: float
    degrees: float
    mean: Array
    root: Array


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


def conditioned(roots: Array) -> tuple[Array, Array, Array]:
    """Return the posteriors of regressions of the last column of some roots on the others.

    Parameters
    ----------
    roots
        Columns of U, those of the parents and last of the node, as [regression, row, column].

    Returns
    -------
    tuple of numpy.ndarray
        The means of the coefficients, r, and L^-1 where R_PP = L L', so that L^-T z sigma has the
        spread of the coefficients.
    """
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
    """Return log Gamma(x + 1/2) - log Gamma(x) of each number, of which few are different."""
    distinct, which = np.unique(x, return_inverse=True)
    return np.array([log_gamma_step(each) for each in distinct.tolist()])[which.reshape(x.shape)]
