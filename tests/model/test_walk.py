"""Walks over families: when they are chosen, what they leave out, sums for all sets of places."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise
from arcwise import Model, _core_testing
from arcwise.errors import ArgumentError
from arcwise.model.score_sums import ScoreSums
from arcwise.scores import FamilyScores
from reference import sums as reference
from support.comparison import close
from support.sum_nodes import METHODS, Node, Way, node_with


@pytest.mark.parametrize(
    ("candidates", "bound", "method"),
    [(20, 3, "table"), (21, 3, "walk"), (21, 6, "walk"), (22, 7, "scan"), (66, 3, "walk")],
)
def test_the_method_is_chosen_by_counts(candidates: int, bound: int, method: str) -> None:
    node = node_with(candidates, lambda sets: np.zeros(len(sets)), max_indegree=bound)
    assert node.sums().methods[0] == method


def test_listed_families_are_scanned_and_no_walk_is_to_be_had() -> None:
    names = [f"c{i}" for i in range(21)]
    lists: dict[str, dict[Iterable[str], float]] = {name: {(): 0.0} for name in names}
    model = Model(FamilyScores.from_mapping({"v": {(): -1.0, tuple(names): -2.0}, **lists}))
    assert ScoreSums(model).methods[model.variables.index("v")] == "scan"
    with pytest.raises(ArgumentError, match=r"method is 'walk', but the families of .* are a list"):
        ScoreSums(model, method="walk")


def places_and_base(node: Node, random: np.random.Generator, most: int) -> tuple[list[int], ...]:
    """Return nodes to be places, "v" itself perhaps among them, and others to be the base."""
    nodes = random.permutation(len(node.model.variables)).tolist()
    count = int(random.integers(0, most + 1))
    return nodes[:count], [other for other in nodes[count:] if random.random() < 0.8]


def sums_over(sums: ScoreSums, node: int, base: list[int], places: list[int]) -> list[float]:
    out = np.empty(2 ** len(places))
    _core_testing.log_sums_over(sums.core, node, base, places, out)
    found: list[float] = out.tolist()
    return found


def names_of(node: Node, nodes: list[int]) -> list[str]:
    return [node.model.variables[other] for other in nodes]


def subsets(items: list[int]) -> list[list[int]]:
    """Return all subsets; the one at index Y holds the items at the bits of Y."""
    return [
        [item for i, item in enumerate(items) if index >> i & 1] for index in range(2 ** len(items))
    ]


@st.composite
def nodes(draw: Any) -> tuple[Node, np.random.Generator]:
    candidates = draw(st.integers(0, 8))
    required = draw(st.sampled_from([0, 0, 1, 2]))
    outside = draw(st.sampled_from([0, 0, 1, 3]))
    bound = required + draw(st.integers(0, candidates + (outside > 0)))
    spread = draw(st.sampled_from([1.0, 100.0, 3000.0, 30_000.0]))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def weights(sets: list[frozenset[str]]) -> np.ndarray:
        values = random.uniform(-spread, 0.0, len(sets)) - random.uniform(0, 5000)
        values[random.random(len(sets)) < 0.1] = -np.inf
        values[random.integers(len(sets))] = -random.uniform(0, 5000)
        return values

    return node_with(candidates, weights, required, bound, outside), random


@given(nodes())
def test_sums_for_all_sets_of_places(drawn: tuple[Node, Any]) -> None:
    node, random = drawn
    places, base = places_and_base(node, random, 6)
    for method in node.methods:
        found = sums_over(node.sums(method), 0, base, places)
        for value, subset in zip(found, subsets(places), strict=True):
            expected = reference.log_sum(node.families, names_of(node, [*base, *subset]))
            assert close(value, expected)


@given(nodes())
def test_probabilities_of_parents(drawn: tuple[Node, Any]) -> None:
    # As when the places come in a random order after the base: the node is put somewhere among
    # them, in proportion to its sum there.
    node, random = drawn
    places, base = places_and_base(node, random, 4)
    sets = subsets(places)
    sums = [reference.log_sum(node.families, names_of(node, [*base, *some])) for some in sets]
    shares = random.dirichlet(np.ones(len(sets)))
    expected = np.zeros(len(node.model.variables))
    factors = np.full(len(sets), -np.inf)
    for some, share, total in zip(sets, shares, sums, strict=True):
        if total == -math.inf:
            continue
        law = reference.probabilities(node.families, names_of(node, [*base, *some]))
        for parents, probability in law.items():
            for parent in parents:
                expected[node.model.variables.index(parent)] += share * probability
        for index, fewer in enumerate(sets):
            if {*fewer} <= {*some}:
                factors[index] = np.logaddexp(factors[index], math.log(share) - total)
    for method in node.methods:
        found = _core_testing.parent_probabilities(
            node.sums(method).core, 0, base, places, factors.tolist()
        )
        assert np.allclose(found, expected, rtol=0.0, atol=1e-10)


def simulated_model(n: int, rows: int = 200) -> Model:
    dag = arcwise.networks.random_dag(n, expected_degree=2.5, max_indegree=3, seed=5)
    network = arcwise.networks.discrete_network(dag, levels=(2, 3), concentration=0.4, seed=5)
    return Model(network.sample(rows, seed=5), "bdeu", max_indegree=3)


def test_walks_of_a_model_of_data_agree_with_scans() -> None:
    model = simulated_model(24)
    walk = ScoreSums(model)
    assert {*walk.methods} == {"walk"}
    scan = ScoreSums(model, method="scan", tolerance=1e-15)
    random = np.random.default_rng(1)
    for _ in range(200):
        node = int(random.integers(24))
        others = [other for other in range(24) if other != node]
        allowed = [other for other in others if random.random() < random.random()]
        expected = scan.core.log_sum(node, allowed, None)
        assert abs(walk.core.log_sum(node, allowed, None) - expected) < 2e-12
        places = [other for other in others if other not in allowed][:4]
        found = sums_over(walk, node, allowed, places)
        assert np.allclose(found, sums_over(scan, node, allowed, places), 0.0, 2e-12)


def test_what_is_left_out_is_most_families_and_within_the_tolerance() -> None:
    model = simulated_model(24)
    count = model.weights.table.count(0)
    families = [(frozenset(parents), weight) for parents, weight in model.weights.families("X0")]
    kept = {}
    for tolerance in (1e-300, 1e-12, 1e-4):
        sums = ScoreSums(model, method="walk", tolerance=tolerance)
        kept[tolerance] = (
            sum(_core_testing.families_kept(sums.core, node) for node in range(24)) / 24
        )
        for allowed in ([], list(model.variables[1:]), list(model.variables[3:20])):
            missing = reference.log_sum(families, allowed) - sums.log_sum("X0", allowed)
            assert -1e-12 < missing < tolerance + 1e-12
    assert kept[1e-300] == count
    assert kept[1e-4] < kept[1e-12] < 0.7 * count


@pytest.mark.parametrize("method", METHODS)
def test_sums_are_the_same_on_any_number_of_threads(method: Way) -> None:
    model = simulated_model(12)
    one, three = (ScoreSums(model, method=method, threads=threads) for threads in (1, 3))
    for node in range(12):
        others = [other for other in range(12) if other != node]
        base, places = others[:7], others[7:]
        found = sums_over(one, node, base, places)
        assert sums_over(three, node, base, places) == found
        question = (node, base, places, [-value for value in found])
        probabilities = _core_testing.parent_probabilities(one.core, *question)
        assert _core_testing.parent_probabilities(three.core, *question) == probabilities
        assert three.core.log_sum(node, base, base[:2]) == one.core.log_sum(node, base, base[:2])
