"""`mean_network`: one DAG with the posterior means of its parameters, as a network."""

from __future__ import annotations

import numpy as np

from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.laws.regressions import RegressionPosterior
from arcwise.laws.tables import TablePosterior
from arcwise.model import Model
from arcwise.networks import DiscreteNetwork, GaussianNetwork
from arcwise.parameters.requirements import inference
from arcwise.support.checks import instance
from arcwise.support.names import positions, refuse_other_names


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
        intercepts[target] = mean.absolute_intercepts()[0, 0]
        # The mean of an inverse gamma variable of shape d / 2 and scale r / 2.
        variances[target] = each.residuals[0] / (each.degrees[0] - 2)
    return GaussianNetwork(dag, weights, intercepts, variances)
