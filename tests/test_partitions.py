"""Sampling over partitions: what a state says about DAGs, and whole runs against exact ones.

The laws of the moves are in `test_sampling_laws.py`.
"""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest

import arcwise
from arcwise import Model, Partitions, ScoreSums, _core
from arcwise.errors import ArgumentError
from chi_squared import assert_follows
from exact_models import random_model
from reference.dags import all_dags
from reference.spaces import parts_of
from sampling_errors import assert_agrees_on_eleven_variables


def law_of_dags(model: Model) -> dict[tuple[tuple[int, ...], ...], float]:
    """Return the modular posterior of all DAGs."""
    names = model.variables
    weights = {
        dag: math.exp(
            sum(model.log_weight(names[v], [names[u] for u in dag[v]]) for v in range(len(dag)))
        )
        for dag in all_dags(len(names))
    }
    total = math.fsum(weights.values())
    return {dag: weight / total for dag, weight in weights.items() if weight > 0.0}


def run_of_chain(model: Model, draws: int, dags: int, seed: int) -> dict[str, np.ndarray]:
    """Return what a chain keeps, well-spaced."""
    options = _core.RecordOptions()
    options.dags = dags
    options.edges = True
    space = Partitions().build(ScoreSums(model))
    chains = _core.Chains(space, [1.0], 0, False, 60, options, seed, 0, 1)
    chains.start(500, 1, None)
    chains.sample(draws, 1, None)
    return chains.record(0)


def as_dag(packed: np.ndarray) -> tuple[tuple[int, ...], ...]:
    n = len(packed)
    return tuple(tuple(u for u in range(n) if int(packed[v, 0]) >> u & 1) for v in range(n))


@pytest.mark.parametrize("rule", [{}, {"required_edges": [("x2", "x0")]}, {"max_indegree": 1}])
def test_dags_follow_the_modular_posterior(rule: dict[str, object]) -> None:
    model = random_model(4, spread=4.0, seed=11, **rule)
    record = run_of_chain(model, draws=6000, dags=1, seed=1)
    assert_follows([as_dag(dag) for dag in record["parents"]], law_of_dags(model))


def test_dags_belong_to_the_partition_they_were_drawn_from() -> None:
    record = run_of_chain(random_model(4, spread=2.0, seed=3), draws=300, dags=5, seed=2)
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
    record = run_of_chain(model, draws=64, dags=0, seed=3)
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
    with pytest.raises(ArgumentError, match="partitions have 'split or join', 'swap adjacent'"):
        Partitions({"shuffle": 1.0})
