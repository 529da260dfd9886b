"""random_dag: the stated distributions, by exact enumeration and by counting.

Every statistical comparison uses fixed seeds and would fail for a correct library with
probability 1e-6 at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import permutations
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, chi2

from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.networks import random_dag
from arcwise.support.random import Purpose, generator
from reference.dags import Parents, all_dags, linear_extensions

FALSE_ALARM = 1e-6


def assert_counts_fit(counts: Counter[Parents], probabilities: dict[Parents, float]) -> None:
    """Chi-squared test of counts against probabilities; outcomes of probability 0 never come."""
    draws = counts.total()
    possible = {dag: p for dag, p in probabilities.items() if p > 0}
    assert set(counts) <= set(possible)
    assert min(possible.values()) * draws > 10
    statistic = sum((counts[dag] - draws * p) ** 2 / (draws * p) for dag, p in possible.items())
    assert statistic < chi2.isf(FALSE_ALARM, len(possible) - 1)


def order_probability(
    dag: Parents, given_order: Callable[[Parents, tuple[int, ...]], float]
) -> float:
    """Average a DAG's probability given the order over all orders, those it contradicts at 0."""
    orders = list(permutations(range(len(dag))))
    extensions = set(linear_extensions(dag))
    return sum(given_order(dag, order) for order in orders if order in extensions) / len(orders)


def draw(seeds: int, **given: Any) -> Counter[Parents]:
    return Counter(random_dag(3, seed=seed, **given).parent_indices for seed in range(seeds))


def test_each_forward_edge_has_the_edge_probability() -> None:
    def given_order(dag: Parents, order: tuple[int, ...]) -> float:
        edges = sum(map(len, dag))
        return 0.3**edges * 0.7 ** (3 - edges)

    expected = {dag: order_probability(dag, given_order) for dag in all_dags(3)}
    assert sum(expected.values()) == pytest.approx(1.0)
    assert_counts_fit(draw(3000, edge_probability=0.3), expected)
    # 0.6 / (3 - 1) is the same probability.
    assert draw(300, expected_degree=0.6) == draw(300, edge_probability=0.3)


def test_excess_parents_are_thinned_uniformly() -> None:
    def given_order(dag: Parents, order: tuple[int, ...]) -> float:
        probability = 1.0
        for place, node in enumerate(order):
            parents = len(dag[node])
            if parents == 0:
                probability *= 0.4**place
            elif parents == 1:
                probability *= (1 - 0.4**place) / place
            else:
                return 0.0
        return probability

    expected = {dag: order_probability(dag, given_order) for dag in all_dags(3)}
    assert sum(expected.values()) == pytest.approx(1.0)
    assert_counts_fit(draw(3000, edge_probability=0.6, max_indegree=1), expected)


@pytest.mark.parametrize("max_indegree", [1, 2, 5])
def test_max_indegree_alone_draws_the_number_of_parents_uniformly(max_indegree: int) -> None:
    def given_order(dag: Parents, order: tuple[int, ...]) -> float:
        probability = 1.0
        for place, node in enumerate(order):
            most = min(max_indegree, place)
            parents = len(dag[node])
            probability *= (parents <= most) / (most + 1) / comb(place, min(parents, place))
        return probability

    expected = {dag: order_probability(dag, given_order) for dag in all_dags(3)}
    assert sum(expected.values()) == pytest.approx(1.0)
    assert_counts_fit(draw(3000, max_indegree=max_indegree), expected)


def test_expected_degree_for_many_variables() -> None:
    n, degree = 200, 4.0
    edges = sum(
        random_dag(n, expected_degree=degree, seed=seed).number_of_edges for seed in range(20)
    )
    low, high = binom.interval(1 - FALSE_ALARM, 20 * comb(n, 2), degree / (n - 1))
    assert low <= edges <= high


def test_names_limits_and_seeds() -> None:
    assert random_dag(3, edge_probability=0.0) == Dag(["X0", "X1", "X2"], {})
    assert random_dag(["u", "v"], edge_probability=1.0).number_of_edges == 1
    assert random_dag(1, expected_degree=0.0).variables == ("X0",)
    dag = random_dag(60, edge_probability=0.9, max_indegree=3, seed=5)
    assert max(map(len, dag.parent_indices)) == 3
    assert dag == random_dag(60, edge_probability=0.9, max_indegree=3, seed=5)
    assert dag != random_dag(60, edge_probability=0.9, max_indegree=3, seed=6)
    assert random_dag(np.int64(2), max_indegree=np.int64(1), seed=2**128 - 1).number_of_edges < 2  # type: ignore[arg-type]


def test_each_purpose_and_item_has_random_numbers_of_its_own() -> None:
    # One seed for a DAG, its parameters and its data must not tie them to each other.
    streams = [
        generator(seed, purpose, item).integers(2**63, size=100)
        for seed in (0, 1, 2**127)
        for purpose in Purpose
        for item in range(5)
    ]
    assert len(np.unique(streams)) == 3 * len(Purpose) * 5 * 100


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "none of edge_probability, expected_degree and max_indegree"),
        ({"edge_probability": 0.5, "expected_degree": 1}, "got both edge_probability=0.5 and"),
        ({"edge_probability": 1.5}, "edge_probability is 1.5; give a number from 0 to 1"),
        ({"edge_probability": float("nan")}, "edge_probability is nan"),
        ({"expected_degree": 4}, "expected_degree is 4; give a number from 0 to 3 for 4 variables"),
        ({"max_indegree": -1}, "max_indegree is -1; give a whole number, 0 or more"),
        ({"max_indegree": 1, "seed": -1}, "seed is -1"),
        ({"max_indegree": 1, "seed": 1.0}, "seed is 1.0"),
        (
            {"max_indegree": 1, "seed": 2**128},
            "give a whole number up to 340,282,366,920",
        ),
    ],
)
def test_refusals(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        random_dag(4, **given)


@pytest.mark.parametrize(
    ("variables", "message"),
    [(0, "variables is 0"), (2.0, "variables is 2.0"), ("ab", "string 'ab'"), (["a", "a"], "once")],
)
def test_refused_variables(variables: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        random_dag(variables, max_indegree=1)
