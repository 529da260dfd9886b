"""Linear Gaussian and conditional Gaussian networks, given or with random parameters.

In a conditional Gaussian network, discrete variables have discrete parents only, and tables of
probabilities. A continuous variable has, for each configuration of its discrete parents, a linear
regression on its continuous parents.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError, CapacityError
from arcwise.graphs.dag import Dag
from arcwise.laws import Parameters, RegressionParameters
from arcwise.networks.discrete import (
    LARGEST_TABLE,
    checked_levels,
    checked_table,
    numbered_levels,
    table_parameters,
)
from arcwise.networks.network import Network
from arcwise.support.checks import instance, positive_number, real_number, real_numbers
from arcwise.support.names import positions, refuse_other_names, shown
from arcwise.support.random import Purpose, generator

Array = NDArray[np.float64]


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
        self, dag: Dag, weights: ArrayLike, intercepts: ArrayLike = 0.0, variances: ArrayLike = 1.0
    ) -> None:
        n = len(instance(dag, Dag, "dag", "an arcwise.Dag").variables)
        for name, value in (
            ("dag", dag),
            ("levels", {}),  # no variable is discrete
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
    """Return the two bounds of random weights; refuse other ones, or unknown signs."""
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


class Regression(NamedTuple):
    """The regressions of a continuous node, one for each configuration of its discrete parents.

    Parameters
    ----------
    intercepts
        An array with an axis for each discrete parent, in the order of ``dag.parents(name)``; a
        number without discrete parents.
    coefficients
        An array with the same axes and a last one for the continuous parents, in that order; it
        can be left out without continuous parents.
    variances
        The noise variances, positive, in the form of the intercepts; one number for all.

    Examples
    --------
    >>> Regression([0.0, 3.0]).variances
    1.0
    """

    intercepts: ArrayLike
    coefficients: ArrayLike | None = None
    variances: ArrayLike = 1.0


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ConditionalGaussianNetwork(Network):
    """A network of tables for discrete variables and of regressions for continuous ones.

    Parameters
    ----------
    dag
        The structure, without an edge from a continuous variable to a discrete one.
    levels
        For each discrete variable the labels of its values; all others are continuous.
    tables
        For each discrete variable an array as in `DiscreteNetwork`.
    regressions
        For each continuous variable its `Regression`.

    Examples
    --------
    >>> network = ConditionalGaussianNetwork(
    ...     Dag(["sex", "height", "weight"], {"height": ["sex"], "weight": ["height"]}),
    ...     {"sex": ("f", "m")},
    ...     {"sex": [0.5, 0.5]},
    ...     {
    ...         "height": Regression([165.0, 178.0], variances=[40.0, 50.0]),
    ...         "weight": Regression(-80.0, [0.9], 60.0),
    ...     },
    ... )
    >>> network.sample(100, seed=1)
    <Data: 100 rows, 1 discrete and 2 continuous variables>
    """

    dag: Dag
    levels: Mapping[str, tuple[Hashable, ...]]
    tables: Mapping[str, Array]
    regressions: Mapping[str, Regression]

    def __init__(
        self,
        dag: Dag,
        levels: Mapping[str, Sequence[Hashable]],
        tables: Mapping[str, ArrayLike],
        regressions: Mapping[str, Regression],
    ) -> None:
        instance(dag, Dag, "dag", "an arcwise.Dag")
        for name, given in (("levels", levels), ("tables", tables), ("regressions", regressions)):
            if not isinstance(given, Mapping):
                raise ArgumentError(f"{name} is {shown(given)}; give a mapping from the variables")
        positions(levels, dag.variables, "levels")
        discrete = [name for name in dag.variables if name in levels]
        continuous = [name for name in dag.variables if name not in levels]
        refuse_other_names(tables, discrete, "tables")
        refuse_other_names(regressions, continuous, "regressions")
        refuse_continuous_parents(dag, discrete)
        labels = {name: checked_levels(levels[name], name) for name in discrete}
        arrays = {}
        for name in discrete:
            shape = tuple(len(labels[each]) for each in (*dag.parents(name), name))
            arrays[name] = checked_table(tables[name], name, shape)
        checked = {}
        for name in continuous:
            parents = dag.parents(name)
            shape = tuple(len(labels[each]) for each in parents if each in labels)
            numbers = sum(each not in labels for each in parents)
            checked[name] = _checked_regression(regressions[name], name, shape, numbers)
        fields = {"dag": dag, "levels": labels, "tables": arrays, "regressions": checked}
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    def _parameters(self, node: int) -> Parameters:
        name, parents = self.dag.variables[node], self.dag.parent_indices[node]
        if name in self.levels:
            return table_parameters(node, parents, self.tables[name])
        discrete = tuple(u for u in parents if self.dag.variables[u] in self.levels)
        continuous = tuple(u for u in parents if u not in discrete)
        return RegressionParameters.single(node, discrete, continuous, self.regressions[name])


def refuse_continuous_parents(dag: Dag, discrete: Sequence[str]) -> None:
    """Refuse a DAG with an edge from a continuous variable to a discrete one."""
    for name in discrete:
        wrong = [parent for parent in dag.parents(name) if parent not in discrete]
        if wrong:
            raise ArgumentError(
                f"dag has the edge {wrong[0]!r} -> {name!r}, from a continuous variable to a "
                "discrete one; leave it out, or turn it round"
            )


def _checked_regression(
    given: Regression, name: str, shape: tuple[int, ...], parents: int
) -> Regression:
    instance(given, Regression, f"regressions[{name!r}]", "an arcwise.networks.Regression")
    coefficients = given.coefficients
    if coefficients is None and parents == 0:
        coefficients = np.zeros((*shape, 0))
    if coefficients is None:
        raise ArgumentError(
            f"regressions[{name!r}] has no coefficients, but {parents} continuous parents; give "
            "the coefficients"
        )
    found = Regression(
        _numbers(given.intercepts, f"the intercepts of regressions[{name!r}]", shape),
        _numbers(coefficients, f"the coefficients of regressions[{name!r}]", (*shape, parents)),
        _numbers(given.variances, f"the variances of regressions[{name!r}]", shape),
    )
    if not (np.asarray(found.variances) > 0.0).all():
        raise ArgumentError(
            f"the variances of regressions[{name!r}] are not all positive; give numbers above 0"
        )
    return found


def _numbers(value: ArrayLike, name: str, shape: tuple[int, ...]) -> Array:
    array = real_numbers(value, name)
    if array.ndim == 0:
        array = np.full(shape, array)
    if array.shape != shape:
        raise ArgumentError(
            f"{name} have the shape {array.shape}; give the shape {shape}, the levels of each "
            "discrete parent first"
        )
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} hold inf or nan; give finite numbers")
    array = array.copy()
    array.flags.writeable = False
    return array


def conditional_gaussian_network(
    dag: Dag,
    levels: Mapping[str, int | Sequence[Hashable]],
    *,
    concentration: float = 1.0,
    weights: tuple[float, float] = (0.4, 2.0),
    signs: Literal["positive", "random"] = "positive",
    shift: float = 2.0,
    variance: float = 1.0,
    seed: int = 0,
) -> ConditionalGaussianNetwork:
    """Give a DAG of discrete and continuous variables random parameters.

    Parameters
    ----------
    dag
        The structure, without an edge from a continuous variable to a discrete one; see `first`
        of `random_dag`.
    levels
        For each discrete variable the number of its levels, or their labels; all other variables
        are continuous.
    concentration
        The Dirichlet parameter of each level in each row of the tables.
    weights, signs
        The coefficients of each configuration of the discrete parents are uniform between the two
        weights; "random" flips each sign with probability 1/2.
    shift
        The standard deviation, between the configurations, of the normal intercepts of a
        continuous variable with discrete parents; without any, its intercept is 0.
    variance
        The noise variance of every continuous variable.
    seed
        The same arguments and seed give the same network.

    Examples
    --------
    >>> dag = Dag(["a", "x", "y"], {"x": ["a"], "y": ["a", "x"]})
    >>> network = conditional_gaussian_network(dag, {"a": 3}, seed=1)
    >>> network.regressions["y"].coefficients.shape
    (3, 1)
    """
    instance(dag, Dag, "dag", "an arcwise.Dag")
    concentration = positive_number(concentration, "concentration")
    bounds = weight_bounds(weights, signs)
    spread = real_number(shift, "shift", lambda x: 0.0 <= x < math.inf, "a number, 0 or more")
    positions(levels, dag.variables, "levels")
    labels = {
        name: numbered_levels(levels[name], f"levels[{name!r}]")
        for name in dag.variables
        if name in levels
    }
    refuse_continuous_parents(dag, list(labels))
    tables, regressions = {}, {}
    for node, name in enumerate(dag.variables):
        random = generator(seed, Purpose.PARAMETERS, item=node)
        parents = dag.parents(name)
        shape = tuple(len(labels[each]) for each in parents if each in labels)
        if name in labels:
            _refuse_large((*shape, len(labels[name])), name)
            tables[name] = random.dirichlet([concentration] * len(labels[name]), shape)
            continue
        numbers = sum(each not in labels for each in parents)
        _refuse_large((*shape, numbers + 1), name)
        coefficients = drawn_weights(random, bounds, signs, (*shape, numbers))
        intercepts = random.normal(0.0, spread, shape) if shape else np.zeros(())
        regressions[name] = Regression(intercepts, coefficients, variance)
    return ConditionalGaussianNetwork(dag, labels, tables, regressions)


def _refuse_large(shape: tuple[int, ...], name: str) -> None:
    if math.prod(shape) > LARGEST_TABLE:
        raise CapacityError(
            f"{name!r} would have {math.prod(shape)} parameters and at most {LARGEST_TABLE} are "
            "allowed; use a DAG with a smaller max_indegree or fewer levels"
        )
