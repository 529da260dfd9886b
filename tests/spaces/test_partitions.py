"""Sampling over partitions: what a state says about DAGs, and whole runs against exact ones.

The laws of the moves are in `test_laws.py`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Partitions
from arcwise.errors import ArgumentError
from reference.spaces import parts_of
from support.chi_squared import assert_follows
from support.exact_models import random_model
from support.recorded_dags import as_dag, law_of_dags, recorded
from support.sampling_errors import assert_agrees_on_eleven_variables


@pytest.mark.parametrize("rule", [{}, {"required_edges": [("x2", "x0")]}, {"max_indegree": 1}])
def test_dags_follow_the_modular_posterior(rule: dict[str, Any]) -> None:
    model = random_model(4, spread=4.0, seed=11, **rule)
    record = recorded(Partitions(), model, draws=6000, dags=1, seed=1)
    assert_follows([as_dag(dag) for dag in record["parents"]], law_of_dags(model))


def test_dags_belong_to_the_partition_they_were_drawn_from() -> None:
    record = recorded(Partitions(), random_model(4, spread=2.0, seed=3), draws=300, dags=5, seed=2)
    codes = np.repeat(record["codes"], 5, axis=0)
    for code, dag in zip(codes.tolist(), record["parents"], strict=True):
        assert parts_of(as_dag(dag)) == tuple(code)


def test_edges_given_a_partition_are_exact_sums() -> None:
    model = random_model(4, spread=30.0, seed=7, required_edges=[("x1", "x3")])
    given: dict[tuple[int, ...], np.ndarray] = defaultdict(lambda: np.zeros((4, 4)))
    mass: dict[tuple[int, ...], float] = defaultdict(float)
    for dag, probability in law_of_dags(model).items():
        parts = parts_of(dag)
        mass[parts] += probability
        for node, parents in enumerate(dag):
            for parent in parents:
                given[parts][parent, node] += probability
    record = recorded(Partitions(), model, draws=64, dags=0, seed=3)
    expected = np.mean(
        [given[tuple(code)] / mass[tuple(code)] for code in record["codes"].tolist()], 0
    )
    assert np.abs(record["edge_sums"] / 64 - expected).max() < 1e-12


@pytest.mark.parametrize(("algorithm", "steps"), [("mcmc", 24_000), ("mc3", 24_000), ("ais", 4000)])
def test_edges_agree_with_exact_ones(algorithm: str, steps: int) -> None:
    assert_agrees_on_eleven_variables(algorithm, "partitions", steps)


def test_the_order_modular_posterior_is_refused() -> None:
    with pytest.raises(ArgumentError, match="samples the modular posterior"):
        arcwise.mcmc(random_model(3), "partitions", target="order-modular", steps=10)


@pytest.mark.parametrize("n", [1, 2])
def test_one_and_two_variables(n: int) -> None:
    model = random_model(n, spread=2.0)
    found = arcwise.mcmc(model, Partitions(), steps=20_000, chains=2, seed=1)
    assert np.abs(found.edges - arcwise.exact(model).edges).max() < 0.05


def test_unknown_moves_are_refused() -> None:
    with pytest.raises(ArgumentError, match="Partitions has 'split or join', 'swap adjacent'"):
        Partitions({"shuffle": 1.0})
