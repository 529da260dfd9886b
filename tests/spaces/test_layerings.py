"""Layerings: their number, their weights, steps of more nodes, and the size that is chosen.

The laws of the moves are in `test_laws.py`, what a state says about DAGs in
`test_compositions.py`.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model, _core_testing
from arcwise.errors import ArgumentError, CapacityError
from arcwise.model.score_sums import ScoreSums
from arcwise.spaces import Layerings, Partitions
from reference.layering import modular_by_layers
from reference.spaces import (
    State,
    layerings,
    log_weights_of_layerings,
    partitions,
)
from support.exact_laws import imbalance, kernel_of, target_of
from support.exact_models import random_model
from support.recorded_dags import recorded
from support.run_records import chains_of

RULES: dict[str, dict[str, Any]] = {
    "free": {},
    "required edges": {"required_edges": [("x2", "x0"), ("x0", "x1")]},
    "candidates": {"candidates": {"x0": ["x1"], "x1": ["x0", "x2"], "x3": ["x4", "x0"]}},
    "impossible families": {"impossible": 0.4},
    "two parents": {"max_indegree": 2},
}


@cache
def five_nodes(rule: str, spread: float) -> Model:
    options = dict(RULES[rule])
    if "candidates" in options:
        options["candidates"] = {f"x{i}": options["candidates"].get(f"x{i}", []) for i in range(5)}
    return random_model(5, spread=spread, seed=3, **options)


@cache
def expected_weights(rule: str, spread: float, max_size: int) -> dict[State, float]:
    return log_weights_of_layerings(five_nodes(rule, spread), max_size)


# With 3,000 nats between weights the plain numbers of the recursion underflow at every turn.
@pytest.mark.parametrize("method", ["table", "walk", "scan"])
@pytest.mark.parametrize("spread", [5.0, 700.0, 3000.0])
@pytest.mark.parametrize("rule", RULES)
def test_weights_are_those_of_the_definition(rule: str, spread: float, method: str) -> None:
    model = five_nodes(rule, spread)
    sums = ScoreSums(model, method=method)  # type: ignore[arg-type]
    for max_size in range(1, 6):
        space = Layerings(max_size).build(sums)
        expected = expected_weights(rule, spread, max_size)
        assert math.isclose(math.exp(space.log_size), len(expected))
        for state, log_weight in expected.items():
            value, impossible = _core_testing.log_weight(space, list(state))
            assert math.isfinite(value)
            assert (impossible > 0) == (log_weight == -math.inf)
            if impossible == 0:
                assert abs(value - log_weight) < 1e-10 * max(1.0, abs(log_weight) / 100.0)


@pytest.mark.parametrize("rule", RULES)
def test_layers_of_one_are_partitions(rule: str) -> None:
    sums = ScoreSums(five_nodes(rule, 20.0))
    layered = Layerings(1).build(sums)
    partitioned = Partitions().build(sums)
    assert math.isclose(layered.log_size, partitioned.log_size)
    for state in partitions(5):
        # The values that stand for weights of zero are the same, too.
        value, impossible = _core_testing.log_weight(layered, list(state))
        expected, expected_impossible = _core_testing.log_weight(partitioned, list(state))
        assert impossible == expected_impossible
        assert math.isclose(value, expected, rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize("spread", [8.0, 2000.0])
@pytest.mark.parametrize("rule", [{}, {"max_indegree": 2}, {"required_edges": [("x2", "x0")]}])
def test_one_layer_of_all_is_the_exact_posterior(rule: dict[str, Any], spread: float) -> None:
    model = random_model(7, spread=spread, seed=5, **rule)
    expected = modular_by_layers(model)
    for max_size in (7, 9):
        space = Layerings(max_size).build(ScoreSums(model))
        assert math.isclose(space.log_size, 0.0, abs_tol=1e-12)
        value, impossible = _core_testing.log_weight(space, [0] * 7)
        assert impossible == 0
        assert math.isclose(value, expected.log_total, rel_tol=1e-13, abs_tol=1e-10)
        record = recorded(Layerings(max_size), model, draws=2)
        assert np.abs(record["edge_sums"] / 2 - expected.edges).max() < 1e-11


# Layers of three and more nodes, moved in part and as a whole; and several moves of partitions.
@pytest.mark.parametrize("inverse", [0.0, 0.4, 1.0])
@pytest.mark.parametrize(
    ("n", "max_size", "move", "partition_moves"),
    [(5, 3, "relocate", 1), (5, 4, "relocate", 1), (5, 3, "swap", 1), (3, 2, "re-partition", 2)],
)
def test_steps_of_more_nodes_leave_the_target_as_it_is(
    n: int, max_size: int, move: str, partition_moves: int, inverse: float
) -> None:
    space = Layerings(max_size, {move: 1.0}, partition_moves).build(ScoreSums(random_model(n)))
    states = list(layerings(n, max_size))
    modularity = target_of(space, states, inverse)
    kernel = kernel_of(space, states, inverse, modularity > 0.0)
    assert np.abs(kernel.sum(axis=1) - 1.0).max() < 1e-12
    assert imbalance(modularity, kernel) < 1e-9
    assert imbalance(target_of(space, states, abs(inverse - 0.001)), kernel) > 1e-7


@pytest.mark.parametrize("n", [5, 8])
def test_there_are_as_many_as_the_recurrence_says(n: int) -> None:
    sums = ScoreSums(random_model(n, max_indegree=1))
    for max_size in range(1, n + 1):
        built = Layerings(max_size).build(sums)
        if n == 5:
            assert round(math.exp(built.log_size)) == len(list(layerings(n, max_size)))
        else:
            assert math.isclose(math.exp(built.log_size), _count(n, max_size, n), rel_tol=1e-12)


def _count(left: int, max_size: int, before: int) -> int:
    """Return the number of ways to put so many nodes into layers after one of a size."""
    if left == 0:
        return 1
    sizes = range(max(1, max_size - before + 1), left + 1)
    return sum(math.comb(left, size) * _count(left - size, max_size, size) for size in sizes)


def test_the_size_chosen_is_told() -> None:
    few = random_model(6, spread=2.0, max_indegree=1)
    many = random_model(10, max_indegree=5)  # 3,820 families, between 4^5 and 4^6
    assert Layerings().on(ScoreSums(few)).max_size == 4
    assert Layerings().on(ScoreSums(many)).max_size == 5
    assert Layerings(3).on(ScoreSums(many)).max_size == 3
    found = arcwise.mcmc(few, "layerings", steps=4000, chains=2, seed=1)
    assert chains_of(found).settings.space == Layerings(max_size=4, partition_moves=10)
    assert found.modularity == "modular"


def test_bad_sizes_and_codes_are_refused() -> None:
    with pytest.raises(ArgumentError, match="max_size"):
        Layerings(0)
    sums = ScoreSums(random_model(13, max_indegree=1))
    with pytest.raises(CapacityError, match="from 1 to 12"):
        Layerings(13).build(sums)
    with pytest.raises(ArgumentError, match="neighbouring layers"):
        _core_testing.log_weight(Layerings(3).build(sums), [0, 1] + [2] * 11)
