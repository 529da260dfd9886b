"""`conditional_gaussian_network`: random tables and regressions for a DAG of mixed variables."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Literal

import numpy as np

from arcwise.errors import CapacityError
from arcwise.graphs.dag import Dag
from arcwise.networks.conditional_gaussian import (
    ConditionalGaussianNetwork,
    Regression,
    refuse_continuous_parents,
)
from arcwise.networks.gaussian import drawn_weights, weight_bounds
from arcwise.networks.random_tables import LARGEST_TABLE, numbered_levels
from arcwise.support.checks import instance, positive_number, real_number
from arcwise.support.names import positions
from arcwise.support.random import Purpose, generator


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
