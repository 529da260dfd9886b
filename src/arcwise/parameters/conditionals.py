"""`Conditionals`: one draw of all parameters of a DAG, and what it says of each column.

A posterior draw of the parameters makes the DAG a distribution that rows can be completed from.
What completing needs of it is the same for tables of probabilities, regressions and anything in
between: the probability (or density) of a node's column given those of its parents and, where that
is normal, the regression behind it.

Columns are given by their positions in the table, as codes of levels where they are discrete and
as numbers where they are continuous, with any number of rows, the same for all that are looked at.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.parameters.dirichlet import Tables, drawn_tables
from arcwise.parameters.normal_wishart import NodePosterior, node_posteriors
from arcwise.scores import LocalScore
from arcwise.scores.parametrization import LinearGaussian, Parametrization, ProbabilityTables
from arcwise.support.log_space import logarithms

Array = NDArray[np.float64]

Columns: TypeAlias = Sequence[NDArray[Any]]
"""A column for each variable: codes of levels, or numbers."""


class Regression(NamedTuple):
    """A node's normal distribution given its parents, in each row.

    Parameters
    ----------
    parents
        The continuous parents.
    intercept
        As [row].
    coefficients
        Those of the continuous parents, as [row, parent].
    variance
        As [row].
    """

    parents: tuple[int, ...]
    intercept: Array
    coefficients: Array
    variance: Array

    def mean(self, columns: Columns) -> Array:
        """Return the mean in each row."""
        mean = np.array(self.intercept, dtype=np.float64)
        for place, parent in enumerate(self.parents):
            mean += self.coefficients[:, place] * columns[parent]
        return mean


class Conditionals(ABC):
    """One draw of all parameters of a DAG.

    Attributes
    ----------
    parents : tuple of tuple of int
        The parents of each node, as positions.
    """

    parents: tuple[tuple[int, ...], ...]

    def __init__(self, parents: Sequence[tuple[int, ...]]) -> None:
        self.parents = tuple(parents)

    def log_probability(self, node: int, columns: Columns) -> Array:
        """Return the log probability, or density, of the node's value given its parents', by row.

        Parameters
        ----------
        node
            The position of the node.
        columns
            The columns; those of the node and of its parents are looked at.
        """
        found = self.regression(node, columns)
        if found is None:
            raise NotImplementedError
        apart = columns[node] - found.mean(columns)
        return np.asarray(
            -0.5 * (logarithms(math.tau * found.variance) + apart**2 / found.variance)
        )

    @abstractmethod
    def regression(self, node: int, columns: Columns) -> Regression | None:
        """Return the normal distribution of the node given its parents; None if it is discrete.

        Parameters
        ----------
        node
            The position of the node.
        columns
            The columns; those of the discrete parents may be looked at, and the number of rows.
        """


class TableConditionals(Conditionals):
    """Tables of probabilities, with the levels of the node along the last axis.

    Parameters
    ----------
    parents
        The parents of each node.
    tables
        The table of each node: an axis for each parent, in their order, and one for the node.
    """

    def __init__(self, parents: Sequence[tuple[int, ...]], tables: Sequence[Array]) -> None:
        super().__init__(parents)
        self.log_tables = tuple(
            logarithms(np.where(table < np.finfo(np.float64).tiny, 0.0, table)) for table in tables
        )

    def log_probability(self, node: int, columns: Columns) -> Array:
        """Return the log probability of the node's level given its parents', in each row."""
        places = tuple(columns[member] for member in (*self.parents[node], node))
        return np.asarray(self.log_tables[node][places])

    def regression(self, node: int, columns: Columns) -> Regression | None:
        """Return None: no node is continuous."""
        return None


class LinearConditionals(Conditionals):
    """A linear regression of each node on its parents, with normal errors.

    Parameters
    ----------
    parents
        The parents of each node.
    intercepts, variances
        Those of each node.
    coefficients
        Those of the parents of each node, in their order.
    """

    def __init__(
        self,
        parents: Sequence[tuple[int, ...]],
        intercepts: Sequence[float],
        coefficients: Sequence[Array],
        variances: Sequence[float],
    ) -> None:
        super().__init__(parents)
        self.intercepts, self.variances = tuple(intercepts), tuple(variances)
        self.coefficients = tuple(coefficients)

    def regression(self, node: int, columns: Columns) -> Regression:
        """Return the regression, which is the same in each row."""
        rows, parents = len(columns[node]), self.parents[node]
        return Regression(
            parents,
            np.broadcast_to(self.intercepts[node], (rows,)),
            np.broadcast_to(self.coefficients[node], (rows, len(parents))),
            np.broadcast_to(self.variances[node], (rows,)),
        )


Draw: TypeAlias = Callable[
    [tuple[tuple[int, ...], ...], Data, Any, np.random.Generator, Collection[int]], Conditionals
]
"""A function of the parents of each node, the data, the parametrization, random numbers, and the
nodes to draw."""

_DRAWS: dict[type[Parametrization], Draw] = {}


def draws_for(kind: type[Parametrization]) -> Callable[[Draw], Draw]:
    """Enter the function that draws parameters of a kind.

    Parameters
    ----------
    kind
        The kind.
    """

    def entered(draw: Draw) -> Draw:
        _DRAWS[kind] = draw
        return draw

    return entered


def can_draw(score: LocalScore | None, data: Data) -> bool:
    """Return whether the parameters of a model with this score can be drawn."""
    found = None if score is None else score.parametrization(data)
    return found is not None and _has_draws(found)


def _has_draws(kind: Parametrization) -> bool:
    return kind.has_prior and type(kind) in _DRAWS


def draw_conditionals(
    dag: Dag,
    data: Data,
    score: LocalScore,
    random: np.random.Generator,
    nodes: Collection[int] | None = None,
) -> Conditionals:
    """Draw all parameters of a DAG from their posterior given complete data.

    Parameters
    ----------
    dag
        The DAG, over the variables of the data.
    data
        The data.
    score
        The score, whose prior on parameters is meant.
    random
        The source of random numbers.
    nodes
        The nodes whose parameters are drawn, and nothing is known of the others; None for all.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.read({"a": [0, 0, 1, 1] * 50, "b": [0, 0, 1, 1] * 50})
    >>> dag = arcwise.Dag(["a", "b"], {"b": ["a"]})
    >>> drawn = draw_conditionals(dag, data, arcwise.scores.BDeu(), np.random.default_rng(1))
    >>> columns = [column.codes for column in data.columns]
    >>> bool((drawn.log_probability(1, columns) > np.log(0.9)).all())
    True
    """
    found = score.parametrization(data)
    if found is None or not _has_draws(found):
        raise ArgumentError(
            f"drawing parameters needs a prior on them, which the score {type(score).__name__} "
            "does not have; use BDeu, BDe, BGe or ConditionalGaussian"
        )
    wanted = range(len(dag.variables)) if nodes is None else nodes
    return _DRAWS[type(found)](dag.parent_indices, data, found, random, wanted)


@draws_for(ProbabilityTables)
def _drawn_tables(
    parents: tuple[tuple[int, ...], ...],
    data: Data,
    kind: ProbabilityTables,
    random: np.random.Generator,
    nodes: Collection[int],
) -> Conditionals:
    assert kind.prior is not None
    tables = Tables(data, kind.prior)
    return TableConditionals(
        parents,
        [
            drawn_tables(tables.dirichlet(node, members), 1, random)[0]
            if node in nodes
            else np.empty(0)
            for node, members in enumerate(parents)
        ],
    )


@draws_for(LinearGaussian)
def _drawn_regressions(
    parents: tuple[tuple[int, ...], ...],
    data: Data,
    kind: LinearGaussian,
    random: np.random.Generator,
    nodes: Collection[int],
) -> Conditionals:
    assert kind.prior is not None
    nothing = (math.nan, np.empty(0), math.nan)
    drawn = [
        _drawn_regression(posterior, parents[node], random) if node in nodes else nothing
        for node, posterior in enumerate(node_posteriors(data, kind.prior))
    ]
    intercepts, coefficients, variances = zip(*drawn, strict=True)
    return LinearConditionals(parents, intercepts, coefficients, variances)


def _drawn_regression(
    posterior: NodePosterior, parents: tuple[int, ...], random: np.random.Generator
) -> tuple[float, Array, float]:
    """Return intercept, coefficients and variance of a node, as `normal_wishart` has them."""
    found = posterior.regressions([parents])
    variance = float(found.residuals[0]) / (2.0 * random.standard_gamma(found.degrees / 2.0))
    noise = random.standard_normal(len(parents) + 1) * math.sqrt(variance)
    slopes = found.coefficients[0] + found.inverse_roots[0].T @ noise[1:]
    mean = posterior.mean[posterior.node] + noise[0] / math.sqrt(posterior.strength)
    intercept = float(mean - slopes @ posterior.mean[list(parents)])
    return intercept, slopes, variance
