"""Edges of 13 and 20 variables against exact ones, from data drawn from random networks.

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
from arcwise.simulate import discrete_network, random_dag
from sampling_errors import assert_edges_within_errors


@cache
def twenty() -> tuple[Model, Any]:
    """Return a model of 20 variables and its exact order-modular posterior."""
    dag = random_dag(20, expected_degree=3, max_indegree=3, seed=5)
    data = discrete_network(dag, seed=5).sample(250, seed=5)
    model = Model(data, max_indegree=2)
    return model, arcwise.exact(model, "order-modular")


@cache
def thirteen() -> tuple[Model, Any]:
    """Return a model of 13 variables and its exact modular posterior.

    The data say enough for the numbers of orders of DAGs not to differ too much:
    where a few DAGs carry the weight, errors come out too small, and a warning says so.
    """
    dag = random_dag(13, expected_degree=5, max_indegree=3, seed=6)
    data = discrete_network(dag, concentration=0.5, seed=6).sample(1000, seed=6)
    model = Model(data, max_indegree=3)
    return model, arcwise.exact(model)


RUNS: dict[str, Any] = {
    "mcmc linear": lambda model, target: arcwise.mcmc(
        model, target=target, steps=100_000, dags_per_state=5, chains=2, seed=1, threads=1
    ),
    "mcmc buckets": lambda model, target: arcwise.mcmc(
        model,
        "buckets:4",
        target=target,
        steps=40_000,
        dags_per_state=5,
        chains=2,
        seed=2,
        threads=1,
    ),
    "mc3": lambda model, target: arcwise.mc3(
        model,
        target=target,
        ladder="adapted",
        levels=24,
        steps=10_000,
        dags_per_state=5,
        chains=2,
        seed=3,
        threads=1,
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_twenty_variables_under_the_order_modular_prior(name: str) -> None:
    model, exact = twenty()
    found = RUNS[name](model, "order-modular")
    assert_edges_within_errors(found, exact.edges)
    assert np.nanmax(found.edge_errors) < 0.1
    if found.evidence is not None:
        off = found.evidence.log_evidence - exact.log_evidence
        assert abs(off) < 4.9 * found.evidence.standard_error


@pytest.mark.parametrize("name", RUNS)
def test_thirteen_variables_under_the_modular_prior(name: str) -> None:
    model, exact = thirteen()
    found = RUNS[name](model, "modular")
    assert_edges_within_errors(found, exact.edges)
    assert np.nanmax(found.edge_errors) < 0.1
    if found.evidence is not None:
        off = found.evidence.log_evidence - exact.log_evidence
        assert abs(off) < 4.9 * found.evidence.standard_error
