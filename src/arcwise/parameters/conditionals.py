"""The conditional distributions of a DAG: one posterior draw of its parameters, or their means.

A draw of the parameters makes the DAG a distribution from which missing values can be imputed.
Imputation needs the same from every law: the probability or density of a node's column given those
of its parents and, where that is normal, the regression.

Columns are identified by their positions in the table and have equal lengths; discrete ones hold
codes of levels, continuous ones numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.laws import Parameters, RegressionParameters
from arcwise.laws.law import Columns
from arcwise.laws.regressions import RegressionPosterior
from arcwise.laws.tables import TablePosterior
from arcwise.model import Model
from arcwise.networks import DiscreteNetwork, GaussianNetwork
from arcwise.parameters.requirements import inference
from arcwise.scores import LocalScore
from arcwise.support.checks import instance
from arcwise.support.names import positions, refuse_other_names

Array = NDArray[np.float64]


class Regression(NamedTuple):
    """A node's normal distribution given its continuous parents, in each row."""

    parents: tuple[int, ...]
    intercept: Array  # as [row]
    coefficients: Array  # as [row, parent]
    variance: Array  # as [row]

    def mean(self, columns: Columns) -> Array:
        """Return the mean in each row."""
        mean = np.array(self.intercept, dtype=np.float64)
        for place, parent in enumerate(self.parents):
            mean += self.coefficients[:, place] * columns[parent]
        return mean


@dataclass(frozen=True, eq=False)
class Conditionals:
    """One draw of all parameters of a DAG."""

    parents: tuple[tuple[int, ...], ...]  # the parents of each node, as positions
    # One draw for each node, or for some of the nodes.
    parameters: Mapping[int, Parameters]

    def with_families(self, others: Conditionals) -> Conditionals:
        """Return these conditionals with the families of others in place of the same nodes' own."""
        parents = list(self.parents)
        for node in others.parameters:
            parents[node] = others.parents[node]
        return Conditionals(tuple(parents), {**self.parameters, **others.parameters})

    def log_probability(self, node: int, columns: Columns) -> Array:
        """Return the log probability or density of the node given its parents, by row."""
        found: Array = self.parameters[node].log_density(columns)[0]
        return found

    def regression(self, node: int, columns: Columns) -> Regression | None:
        """Return the normal distribution of the node given its parents; None if it is discrete."""
        own = self.parameters[node]
        if not isinstance(own, RegressionParameters):
            return None
        which = own.configurations(columns, len(columns[node]))
        return Regression(
            own.continuous,
            own.absolute_intercepts[0, which],
            own.coefficients[0, which],
            np.square(own.deviations[0, which]),
        )


def can_draw(score: LocalScore | None, data: Data) -> bool:
    """Return whether the parameters of a model with this score can be drawn."""
    found = None if score is None else score.law(data)
    return found is not None and found.has_prior


def draw_conditionals(
    parents: Sequence[tuple[int, ...]],
    data: Data,
    score: LocalScore,
    random: np.random.Generator,
    nodes: Collection[int] | None = None,
) -> Conditionals:
    """Draw all parameters of a DAG from their posterior given complete data.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.read({"a": [0, 0, 1, 1] * 50, "b": [0, 0, 1, 1] * 50})
    >>> score, random = arcwise.scores.BDeu(), np.random.default_rng(1)
    >>> drawn = draw_conditionals([(), (0,)], data, score, random)
    >>> columns = [column.codes for column in data.columns]
    >>> bool((drawn.log_probability(1, columns) > np.log(0.9)).all())
    True
    """
    found = score.law(data)
    if found is None or not found.has_prior:
        raise ArgumentError(
            f"drawing parameters needs a prior on them, which the score {type(score).__name__} "
            "does not have; use BDeu, BDe, BGe or ConditionalGaussian"
        )
    posteriors = found.given(data)
    wanted = range(len(parents)) if nodes is None else sorted(nodes)
    return Conditionals(
        tuple(parents),
        {node: posteriors.of(node, parents[node]).drawn(1, random) for node in wanted},
    )


def mean_network(dag: Dag, model: Model) -> DiscreteNetwork | GaussianNetwork:
    """Return a DAG as a network whose parameters are their posterior means.

    For programs that take one network with parameters; see `to_pgmpy`. For discrete data,
    probabilities under this network, given evidence or an intervention, are the posterior means
    that `arcwise.predict` and `arcwise.interventional` give for this DAG. For continuous data its
    coefficients are the posterior means, but its predictive distributions are narrower than those
    of `predict`, which averages over parameters.

    Parameters
    ----------
    dag
        The DAG, such as ``posterior.map_dag`` or ``posterior.median_dag()``.
    model
        The model, such as ``posterior.model``: discrete data with `BDeu` or `BDe`, or continuous
        data with `BGe`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> mean_network(Dag(["a", "b"], {"b": ["a"]}), model).tables["b"].round(3)
    array([[0.976, 0.024],
           [0.024, 0.976]])
    """
    instance(dag, Dag, "dag", "an arcwise.Dag")
    found = inference(dag, model, "mean_network")
    variables = found.data.variables
    refuse_other_names(dict.fromkeys(dag.variables), variables, "dag")
    families = {
        name: (place, tuple(positions(dag.parents(name), variables, "dag")))
        for name, place in zip(
            dag.variables, positions(dag.variables, variables, "dag"), strict=True
        )
    }
    every = {name: found.posteriors.of(*family) for name, family in families.items()}
    tables = {name: each for name, each in every.items() if isinstance(each, TablePosterior)}
    regressions = [each for each in every.values() if isinstance(each, RegressionPosterior)]
    if len(tables) == len(every):
        return DiscreteNetwork(
            dag,
            {each.name: each.kind.levels for each in found.data.columns},
            {name: each.mean().table[0] for name, each in tables.items()},
        )
    if len(regressions) < len(every):
        raise ArgumentError(
            "mean_network is for discrete or continuous data, but the model's are mixed; use "
            "predict, effects and interventional, which average over parameters"
        )
    n = len(dag.variables)
    weights, intercepts, variances = np.zeros((n, n)), np.empty(n), np.empty(n)
    for target, each in enumerate(regressions):
        mean = each.mean()
        weights[list(dag.parent_indices[target]), target] = mean.coefficients[0, 0]
        intercepts[target] = mean.absolute_intercepts[0, 0]
        # The mean of an inverse gamma variable of shape d / 2 and scale r / 2.
        variances[target] = each.residuals[0] / (each.degrees[0] - 2)
    return GaussianNetwork(dag, weights, intercepts, variances)
