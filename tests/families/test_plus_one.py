"""Families with one parent besides the candidates: which there are, scores, sums and draws."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise
from arcwise import Model
from arcwise.errors import ArgumentError
from arcwise.families import Families
from arcwise.model.score_sums import ScoreSums
from arcwise.scores import FamilyScores
from reference import sums as reference
from reference.dags import all_dags
from reference.linear_extensions import count_linear_extensions
from support.chi_squared import assert_follows
from support.comparison import close
from support.exact_models import names, random_model
from support.sum_nodes import node_with


def sets_by_definition(
    free: set[str], candidates: set[str], required: set[str], bound: int
) -> set[frozenset[str]]:
    """Return all parent sets with at most one free parent that is no candidate."""
    return {
        frozenset(some) | required
        for size in range(len(free) + 1)
        for some in combinations(sorted(free), size)
        if len(set(some) - candidates) <= 1 and size + len(required) <= bound
    }


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_the_families_are_those_of_the_definition(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    variables = names(n)
    chosen = random.random((n, n)) < 0.4
    np.fill_diagonal(chosen, False)
    required = [(variables[0], variables[1])] if n > 2 else []
    forbidden = [(variables[2], variables[1])] if n > 2 else []
    bound = int(random.integers(1, n + 1))
    rule = Families.of(
        variables,
        candidates=chosen.astype(int),
        plus_one=True,
        max_indegree=bound,
        required_edges=required,
        forbidden_edges=forbidden,
    )
    table = rule.table()
    scores = FamilyScores(variables, table)
    for node, name in enumerate(variables):
        must = {parent for parent, child in required if child == name}
        never = {parent for parent, child in forbidden if child == name}
        candidates = {variables[i] for i in np.flatnonzero(chosen[:, node])}
        free = set(variables) - {name} - must - never
        expected = sets_by_definition(free, candidates, must, bound)
        families = [frozenset(parents) for parents, _ in scores.families(name)]
        assert len(families) == len(set(families)) == rule.count(name) == table.count(node)
        assert set(families) == expected
        table.values(node)[:] = np.arange(len(families))
        for index, parents in enumerate(families):
            assert scores.log_score(name, parents) == index
        for size in range(n):
            for some in combinations(sorted(set(variables) - {name}), size):
                if frozenset(some) not in expected:
                    assert scores.log_score(name, some) == -math.inf


@pytest.mark.parametrize("kind", ["gaussian", "discrete", "interventions"])
def test_scores_are_those_of_a_model_with_all_families(kind: str) -> None:
    dag = arcwise.networks.random_dag(7, expected_degree=2.0, seed=2)
    if kind == "gaussian":
        data = arcwise.networks.gaussian_network(dag, seed=2).sample(100, seed=2)
    else:
        network = arcwise.networks.discrete_network(dag, levels=(2, 3), seed=2)
        data = network.sample(200, seed=2)
    if kind == "interventions":
        held = np.zeros((data.rows, 7), dtype=bool)
        held[np.arange(0, data.rows, 3), np.arange(0, data.rows, 3) % 7] = True
        data = arcwise.read(data.to_dict(), interventions=held)
    first, *others = data.variables
    rule: dict[str, Any] = {
        "prior": arcwise.priors.EdgePenalty(0.7) * arcwise.priors.Fair(),
        "required_edges": [(others[0], others[2])],
        "forbidden_edges": [(others[1], first)],
    }
    whole = Model(data, **rule)
    candidates = {name: list(data.variables[:3]) for name in data.variables[3:]}
    part = Model(data, candidates=candidates, plus_one=True, **rule)
    assert len(part.scores) < len(whole.scores)
    for name in data.variables:
        for parents, weight in part.weights.families(name):
            assert close(weight, whole.log_weight(name, parents), 1e-9)
    assert part.families is not None
    assert part.families.total == len(part.scores)
    assert part.log_weight(first, [others[0]]) > -math.inf
    assert part.log_weight(first, others[2:5]) == -math.inf


def test_plus_one_asks_for_candidates_and_data() -> None:
    with pytest.raises(ArgumentError, match="there are no candidates; give candidates too"):
        random_model(4, plus_one=True)
    scores = random_model(3).scores
    with pytest.raises(ArgumentError, match="plus_one needs data to score further families"):
        Model(scores, candidates={"x0": ["x1"]}, plus_one=True)


@pytest.mark.parametrize("outside", [1, 62, 63, 64, 65, 130, 330])
def test_rows_of_many_outside_parents(outside: int) -> None:
    random = np.random.default_rng(outside)
    node = node_with(3, lambda sets: random.uniform(-20, 0, len(sets)), required=2, outside=outside)
    sums, always = node.sums(), ["r0", "r1"]
    assert sums.methods[0] == "rows"
    for _ in range(20):
        allowed = [name for name in node.others if random.random() < 0.5] + always
        required = [name for name in node.others[:-2] if random.random() < 0.02]
        for wanted in (None, required):
            value = sums.log_sum("v", allowed, wanted)
            assert close(value, reference.log_sum(node.families, allowed, wanted), 1e-12)
    last = f"o{outside - 1}"
    only = sums.log_sum("v", [last, *always])
    assert close(only, reference.log_sum(node.families, [last, *always]), 1e-12)


def far_apart(sets: list[frozenset[str]]) -> list[float]:
    """Give an outside parent far more weight than the others, as strong dependence does."""
    random = np.random.default_rng(1)
    return [
        float(random.uniform(-3, 0) + 1500.0 * ("o1" in some) - 800.0 * ("c0" in some))
        for some in sets
    ]


def test_rows_too_wide_for_plain_numbers() -> None:
    node = node_with(3, far_apart, outside=4)
    random = np.random.default_rng(2)
    sums = node.sums()
    for _ in range(200):
        allowed = [name for name in node.others if random.random() < 0.6]
        required = [name for name in node.others if random.random() < 0.3]
        for wanted in (None, required):
            value = sums.log_sum("v", allowed, wanted)
            assert close(value, reference.log_sum(node.families, allowed, wanted), 1e-11)
    for allowed, wanted in [(None, None), (["c0", "c1", "o0"], ["c0"]), (None, ["c1", "o2"])]:
        law = reference.probabilities(node.families, allowed, wanted)
        drawn = sums.sample("v", allowed, wanted, size=20_000, seed=3)
        assert_follows(map(frozenset, drawn), law)


QUERIES: list[tuple[Any, Any]] = [
    (None, None),
    (None, ["c0", "o1"]),
    (["c0", "c1", "c2", "c3", "o0", "o2"], ["c2"]),
    (["c1", "c4", "o0", "o1", "o3"], ["o3"]),
    (["c1", "c2", "c3"], None),
    (["c1", "c2", "c3", "o2"], ["c1", "c3"]),
    ([], None),
]


@pytest.mark.parametrize(("allowed", "wanted"), QUERIES)
@pytest.mark.parametrize("spread", [1.0, 6.0])
def test_draws_from_rows_follow_the_weights(allowed: Any, wanted: Any, spread: float) -> None:
    random = np.random.default_rng(4)
    node = node_with(8, lambda sets: random.normal(0.0, spread, len(sets)), required=1, outside=4)
    allowed = None if allowed is None else [*allowed, "r0"]
    law = reference.probabilities(node.families, allowed, wanted)
    drawn = node.sums().sample("v", allowed, wanted, size=20_000, seed=5)
    assert_follows(map(frozenset, drawn), law)


@pytest.mark.parametrize("share", [0.4, 1e-3, 2.4e-4, 1e-6, 1e-15, 1e-200, 1e-320])
@pytest.mark.parametrize("rare", ["c0", "o0"])
def test_a_tiny_required_part(share: float, rare: str) -> None:
    random = np.random.default_rng(6)

    def weights(sets: list[frozenset[str]]) -> np.ndarray:
        level = [math.log(share) * (rare in some) - 700.0 for some in sets]
        return np.array(level) + random.uniform(-3, 0, len(sets))

    node = node_with(5, weights, outside=3)
    sums = node.sums()
    expected = reference.log_sum(node.families, None, [rare])
    for _ in range(2):  # the second answer comes from memory
        assert close(sums.log_sum("v", None, [rare]), expected, 1e-10)
    law = reference.probabilities(node.families, None, [rare])
    assert_follows(map(frozenset, sums.sample("v", None, [rare], size=20_000, seed=7)), law)


@pytest.mark.parametrize("modularity", ["modular", "order-modular"])
def test_the_exact_posterior_is_that_of_the_restricted_families(modularity: Any) -> None:
    n = 4
    model = random_model(
        n,
        spread=4.0,
        seed=8,
        candidates={"x0": ["x1"], "x1": [], "x2": ["x0", "x1"], "x3": ["x2"]},
        plus_one=True,
        forbidden_edges=[("x3", "x1")],
    )
    variables = names(n)
    weights = {}
    for dag in all_dags(n):
        weight = sum(
            model.log_weight(variables[node], [variables[parent] for parent in parents])
            for node, parents in enumerate(dag)
        )
        orders = count_linear_extensions(dag) if modularity == "order-modular" else 1
        weights[dag] = math.exp(weight) * orders
    whole = sum(weights.values())
    assert sum(weight == 0.0 for weight in weights.values()) > 100
    posterior = arcwise.exact(model, modularity)
    for parent in range(n):
        for node in range(n):
            expected = sum(w for dag, w in weights.items() if parent in dag[node]) / whole
            assert close(float(posterior.edges[parent, node]), expected, 1e-10)


def test_the_prior_constant_counts_only_the_families_there_are() -> None:
    model = random_model(4, seed=9, candidates={"x0": ["x1"], "x2": ["x3"]}, plus_one=True)
    known = sum(
        all(
            model.log_weight(f"x{node}", [f"x{parent}" for parent in parents]) > -math.inf
            for node, parents in enumerate(dag)
        )
        for dag in all_dags(4)
    )
    evidence = arcwise.exact(model).evidence
    assert evidence is not None
    assert close(evidence.log_prior_constant, math.log(known), 1e-10)


def test_given_an_order_edges_and_draws_are_those_of_the_restricted_families() -> None:
    model = random_model(
        6, spread=5.0, seed=10, candidates={"x0": ["x1"], "x4": ["x0", "x5"]}, plus_one=True
    )
    for order in (["x3", "x0", "x5", "x1", "x4", "x2"], [["x3", "x0"], ["x5", "x1"], ["x4", "x2"]]):
        rows, scan = (
            arcwise.algorithms.GivenOrder(model, order, sums=ScoreSums(model, method=method))
            for method in ("rows", "scan")
        )
        assert close(rows.log_weight, scan.log_weight, 1e-11)
        assert np.allclose(
            rows.edge_probabilities(), scan.edge_probabilities(), rtol=0.0, atol=1e-12
        )


def test_an_exact_posterior_is_saved_with_its_families(tmp_path: Any) -> None:
    model = random_model(5, seed=11, candidates={"x0": ["x1"], "x2": ["x3", "x4"]}, plus_one=True)
    posterior = arcwise.exact(model)
    path = tmp_path / "posterior.npz"
    posterior.save(path)
    loaded = arcwise.Posterior.load(path)
    assert np.array_equal(loaded.edges, posterior.edges)
    for parents, _ in model.weights.families("x2"):
        before = posterior.parent_set_probability("x2", parents)
        assert loaded.parent_set_probability("x2", parents) == before
