"""`GaussianNetwork`: linear Gaussian networks, their moments, and random ones of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.laws import RegressionParameters
from arcwise.networks.network import Network
from arcwise.support.checks import instance, real_numbers
from arcwise.support.random import Purpose, generator
from arcwise.support.words import shown


@dataclass(frozen=True, eq=False, init=False, repr=False)
class GaussianNetwork(Network):
    """A linear Gaussian network: x_j = intercept_j + sum over parents i of weight_ij x_i + noise.

    The noise of each node is normal with mean 0 and independent of the rest.

    Parameters
    ----------
    dag
        The structure.
    weights
        An n x n array [source, target], 0 wherever the DAG has no edge.
    intercepts
        One number for each node, or one for all.
    variances
        The noise variances, positive: one for each node, or one for all.

    Examples
    --------
    >>> network = GaussianNetwork(Dag(["a", "b"], {"b": ["a"]}), [[0, 2], [0, 0]])
    >>> network.covariance()
    array([[1., 2.],
           [2., 5.]])
    """

    dag: Dag
    weights: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    variances: NDArray[np.float64]

    def __init__(
        self,
        dag: Dag,
        weights: ArrayLike,
        intercepts: ArrayLike = 0.0,
        variances: ArrayLike = 1.0,
    ) -> None:
        n = len(instance(dag, Dag, "dag", "an arcwise.Dag").variables)
        for name, value in (
            ("dag", dag),
            ("levels", {}),  # as no variable is discrete
            ("weights", _array(weights, "weights", (n, n))),
            ("intercepts", _array(intercepts, "intercepts", (n,))),
            ("variances", _array(variances, "variances", (n,))),
        ):
            object.__setattr__(self, name, value)
        stray = np.argwhere((self.weights != 0.0) & ~self.dag.matrix())
        if stray.size:
            source, target = (self.dag.variables[index] for index in stray[0])
            raise ArgumentError(
                f"weights is not 0 at {source!r} -> {target!r}, which is not an edge of the DAG; "
                "set it to 0 or add the edge"
            )
        if (self.variances <= 0.0).any():
            node = int(np.argmax(self.variances <= 0.0))
            raise ArgumentError(
                f"variances is {self.variances[node]:g} for {self.dag.variables[node]!r}; "
                "give a number above 0"
            )

    def mean(self) -> NDArray[np.float64]:
        """Return the mean of each variable, intercepts (I - W)^-1."""
        with np.errstate(over="ignore", invalid="ignore"):
            mean: NDArray[np.float64] = self.intercepts @ self._total_effects()
        if not np.isfinite(mean).all():
            raise ArgumentError(
                "the means are beyond any number; give smaller weights or intercepts"
            )
        return mean

    def covariance(self) -> NDArray[np.float64]:
        """Return the covariance matrix (I - W)^-T D (I - W)^-1, D the noise variances."""
        with np.errstate(over="ignore", invalid="ignore"):
            root = np.sqrt(self.variances)[:, np.newaxis] * self._total_effects()
            covariance: NDArray[np.float64] = root.T @ root
        if not np.isfinite(covariance).all():
            raise ArgumentError(
                "the covariances are beyond any number; give smaller weights or variances"
            )
        return covariance

    def _total_effects(self) -> NDArray[np.floating[Any]]:
        return np.linalg.inv(np.eye(len(self.weights)) - self.weights)

    def _parameters(self, node: int) -> RegressionParameters:
        parents = self.dag.parent_indices[node]
        regression = self.intercepts[node], self.weights[list(parents), node], self.variances[node]
        return RegressionParameters.single(node, (), parents, regression)


def gaussian_network(
    dag: Dag,
    *,
    weights: tuple[float, float] = (0.4, 2.0),
    signs: Literal["positive", "random"] = "positive",
    variance: float = 1.0,
    seed: int = 0,
) -> GaussianNetwork:
    """Give a DAG random linear Gaussian parameters; the intercepts are 0.

    Parameters
    ----------
    dag
        The structure.
    weights
        The edge weights are uniform between these two.
    signs
        "random" flips the sign of each weight with probability 1/2.
    variance
        The noise variance of every node.
    seed
        The same arguments and seed give the same network.

    Examples
    --------
    >>> network = gaussian_network(Dag(["a", "b"], {"b": ["a"]}), weights=(1.0, 1.0))
    >>> network.weights
    array([[0., 1.],
           [0., 0.]])
    """
    instance(dag, Dag, "dag", "an arcwise.Dag")
    bounds = weight_bounds(weights, signs)
    random = generator(seed, Purpose.PARAMETERS)
    matrix = np.zeros((len(dag.variables),) * 2)
    for node, parents in enumerate(dag.parent_indices):
        matrix[list(parents), node] = drawn_weights(random, bounds, signs, (len(parents),))
    return GaussianNetwork(dag, matrix, variances=variance)


def weight_bounds(weights: Any, signs: Any) -> tuple[float, float]:
    """Return the two bounds of random weights; refuse other ones, or signs of no known kind."""
    bounds = real_numbers(weights, "weights")
    if bounds.shape != (2,) or not np.isfinite(bounds).all() or bounds[0] > bounds[1]:
        raise ArgumentError(
            f"weights is {shown(weights)}; give two finite numbers, the lower first"
        )
    if not isinstance(signs, str) or signs not in ("positive", "random"):
        raise ArgumentError(f"signs is {shown(signs)}; give 'positive' or 'random'")
    low, high = bounds.tolist()
    return low, high


def drawn_weights(
    random: np.random.Generator, bounds: tuple[float, float], signs: str, shape: tuple[int, ...]
) -> NDArray[np.float64]:
    """Draw uniform weights, of either sign if signs are random."""
    drawn: NDArray[np.float64] = random.uniform(*bounds, shape)
    return drawn * random.choice([-1.0, 1.0], shape) if signs == "random" else drawn


def _array(value: ArrayLike, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    array = real_numbers(value, name).copy()
    if array.ndim == 0 and len(shape) == 1:
        array = np.full(shape, array)
    if array.shape != shape:
        raise ArgumentError(
            f"{name} has the shape {array.shape}; for {shape[0]} variables give {shape}"
        )
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} holds inf or nan; give finite numbers")
    array.flags.writeable = False
    return array
