"""Edges of 13 to 20 variables against exact ones, from data drawn from random networks.

As many edges may be beyond four standard errors as the binomial law allows at a false-alarm rate
of 1e-6, if each is with probability 1e-3 (see `sampling_errors`). Seeds are fixed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model
from arcwise.networks import discrete_network, random_dag
from support.sampling_errors import (
    assert_common_within_errors,
    assert_edges_within_errors,
    assert_evidence_within_errors,
)


@cache
def twenty() -> tuple[Model, Any]:
    """Return a model of 20 variables and its exact order-modular posterior."""
    dag = random_dag(20, expected_degree=3, max_indegree=3, seed=5)
    data = discrete_network(dag, seed=5).sample(250, seed=5)
    model = Model(data, prior="uniform", max_indegree=2)
    return model, arcwise.exact(model, "order-modular")


@cache
def thirteen() -> tuple[Model, Any]:
    """Return a model of 13 variables and its exact modular posterior.

    The data say enough for the numbers of orders of DAGs not to differ too much:
    where a few DAGs carry the weight, errors come out too small, and a warning says so.
    """
    dag = random_dag(13, expected_degree=5, max_indegree=3, seed=6)
    data = discrete_network(dag, concentration=0.5, seed=6).sample(1000, seed=6)
    model = Model(data, prior="uniform", max_indegree=3)
    return model, arcwise.exact(model)


RUNS: dict[str, Any] = {
    "mcmc linear": lambda model, modularity: arcwise.mcmc(
        model, modularity=modularity, steps=100_000, dags_per_state=5, chains=2, seed=1, threads=1
    ),
    "mcmc buckets": lambda model, modularity: arcwise.mcmc(
        model,
        "buckets:4",
        modularity=modularity,
        steps=40_000,
        dags_per_state=5,
        chains=2,
        seed=2,
        threads=1,
    ),
    "mc3": lambda model, modularity: arcwise.mc3(
        model,
        modularity=modularity,
        ladder="adapted",
        temperatures=25,
        steps=10_000,
        dags_per_state=5,
        chains=2,
        seed=3,
        threads=1,
    ),
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("modularity", ["order-modular", "modular"])
def test_thirteen_and_twenty_variables(name: str, modularity: str) -> None:
    model, exact = twenty() if modularity == "order-modular" else thirteen()
    found = RUNS[name](model, modularity)
    assert_edges_within_errors(found, exact.edges)
    assert np.nanmax(found.edge_errors) < 0.1
    assert_evidence_within_errors(found, exact, 4.9)


@cache
def sixteen(space: str) -> tuple[Any, Any]:
    """Return the modular posterior of 16 variables by a space, and the exact one."""
    dag = random_dag(16, expected_degree=2.0, max_indegree=3, seed=5)
    data = discrete_network(dag, levels=(2, 3), concentration=0.7, seed=5).sample(200, seed=5)
    model = Model(data, prior="uniform", max_indegree=3)
    dags: dict[str, Any] = {"dags_per_state": 5} if space in WEIGHTED else {}
    steps = 100_000 if space in WEIGHTED else 200_000
    found = arcwise.mcmc(model, space, steps=steps, chains=4, seed=3, threads=1, **dags)
    return found, arcwise.exact(model)


WEIGHTED = ("linear", "buckets:4")  # orders: DAGs are weighted by 1 / (number of orders)


@pytest.mark.parametrize("space", [*WEIGHTED, "partitions"])
def test_sixteen_variables_by_weighted_orders_and_by_partitions(space: str) -> None:
    found, exact = sixteen(space)
    assert (found.run.order_weights is not None) == (space in WEIGHTED)
    assert_common_within_errors(found.edges, found.edge_errors, exact.edges)
    assert np.abs(found.edges - exact.edges).max() < 0.06


@pytest.mark.parametrize("space", WEIGHTED)
def test_weighted_orders_agree_with_partitions(space: str) -> None:
    (orders, _), (parts, _) = sixteen(space), sixteen("partitions")
    errors = np.hypot(orders.edge_errors, parts.edge_errors)
    assert_common_within_errors(orders.edges, errors, parts.edges)
