"""Exact posteriors of 7 to 16 variables: independent formulas, names, and strong dependence.

Modular posteriors alternate in sign; the layering recursion of the reference
does not. Order-modular ones come from two recursions here, from one and many
conditioned sums in the reference.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model, Posterior
from arcwise.model.model import Modularity
from arcwise.priors import EdgePenalty, Fair
from reference.layering import PositivePosterior, modular_by_layers, order_modular_by_orders
from support.comparison import close
from support.exact_models import MODULARITIES, names, random_model, strong_chain
from support.strategies import discrete_case

PRECISION = 1e-8

MODELS: dict[str, dict[str, Any]] = {
    "plain": {"n": 7, "spread": 6.0},
    "wide": {"n": 7, "spread": 200.0, "prior": Fair()},
    "very wide": {"n": 7, "spread": 10_000.0},
    "sparse": {"n": 7, "spread": 1.0, "prior": EdgePenalty(6.0)},
    "gaps": {"n": 7, "spread": 30.0, "impossible": 0.7},
    "required": {
        "n": 8,
        "spread": 30.0,
        "max_indegree": 3,
        "required_edges": [("x7", "x0"), ("x0", "x3")],
        "forbidden_edges": [("x1", "x2")],
    },
}


def assert_agrees(posterior: Posterior, expected: PositivePosterior) -> None:
    total = posterior.log_evidence + posterior.log_prior_constant
    assert close(total, expected.log_total, PRECISION)
    difference = float(np.abs(posterior.edges - expected.edges).max())
    assert difference < PRECISION
    assert difference <= posterior.error


@pytest.mark.parametrize("name", MODELS)
def test_modular_against_the_layering_recursion(name: str) -> None:
    model = random_model(**MODELS[name])
    assert_agrees(arcwise.exact(model), modular_by_layers(model))


@pytest.mark.parametrize("name", MODELS)
def test_order_modular_against_orders(name: str) -> None:
    model = random_model(**MODELS[name])
    assert_agrees(arcwise.exact(model, "order-modular"), order_modular_by_orders(model))


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("spread", [0.0, 20.0, 1_000.0, 10_000.0])
def test_both_directions_agree_and_parent_sets_sum_to_1(
    spread: float, modularity: Modularity
) -> None:
    # The error holds the difference of H and B, or of F and B.
    model = random_model(12, spread, 5, max_indegree=4)
    posterior = arcwise.exact(model, modularity)
    assert posterior.error < 1e-10
    for node in model.variables:
        probabilities = [value for _, value in posterior.family_probabilities.families(node)]
        assert np.isfinite(probabilities).all()
        assert min(probabilities) >= 0.0
        assert sum(probabilities) == pytest.approx(1.0, abs=1e-10)
    assert np.isfinite(posterior.edges).all()
    assert (np.diag(posterior.edges) == 0.0).all()
    # One of the two directions, or none.
    assert (posterior.edges + posterior.edges.T <= 1.0 + 1e-10).all()


def assert_names_do_not_matter(n: int, modularity: Any, **rule: Any) -> None:
    order = [f"x{i}" for i in np.random.default_rng(4).permutation(n)]
    first = arcwise.exact(random_model(n, **rule), modularity)
    second = arcwise.exact(random_model(n, variables=order, **rule), modularity)
    place = [first.variables.index(name) for name in order]
    assert np.abs(first.edges[np.ix_(place, place)] - second.edges).max() < 1e-9
    assert close(first.log_evidence, second.log_evidence, 1e-10)
    assert close(first.log_prior_constant, second.log_prior_constant, 1e-10)
    assert close(first.map_log_weight, second.map_log_weight, 1e-10)
    assert set(first.map_dag.edges) == set(second.map_dag.edges)
    # The model is not so symmetric that any order would do.
    assert np.abs(first.edges - second.edges).max() > 0.01


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("spread", [6.0, 500.0])
def test_names_do_not_matter(spread: float, modularity: Modularity) -> None:
    prior = EdgePenalty(0.5)
    assert_names_do_not_matter(12, modularity, spread=spread, max_indegree=5, prior=prior)


@pytest.mark.parametrize("spread", [6.0, 700.0, 10_000.0])
def test_names_do_not_matter_where_the_subsets_come_in_several_blocks(spread: float) -> None:
    # Beyond 14 variables the recursions go block by block.
    assert_names_do_not_matter(16, "order-modular", spread=spread, max_indegree=3)


@pytest.mark.parametrize("nats", [8.0, 14.0, 19.0])
def test_improbable_blocks_count(nats: float) -> None:
    # Sets with x15 and without x14 are a block of their own if these two come last among the
    # variables; it has little probability, yet all that the edge from x15 to x14 has.
    def score(node: str, parents: tuple[str, ...]) -> float:
        return -nats if node == "x15" and "x14" not in parents else -0.5 * len(parents)

    order = list(names(16))
    first = arcwise.exact(Model(order, score, max_indegree=2), "order-modular")
    second = arcwise.exact(Model(order[::-1], score, max_indegree=2), "order-modular")
    assert np.abs(first.edges - second.edges[::-1, ::-1]).max() < 1e-12
    assert 1e-3 < first.edge_probability("x15", "x14") / np.exp(-nats) < 10.0


def test_required_and_forbidden_edges_beyond_one_block() -> None:
    rule: dict[str, Any] = {
        "max_indegree": 3,
        "required_edges": [("x15", "x0"), ("x2", "x14")],
        "forbidden_edges": [("x14", "x1"), ("x1", "x15")],
    }
    posterior = arcwise.exact(random_model(16, 10.0, 3, **rule), "order-modular")
    assert posterior.edge_probability("x15", "x0") == pytest.approx(1.0, abs=1e-11)
    assert posterior.edge_probability("x2", "x14") == pytest.approx(1.0, abs=1e-11)
    assert posterior.edge_probability("x0", "x15") == 0.0
    assert posterior.edge_probability("x14", "x1") == 0.0
    assert posterior.edge_probability("x1", "x15") == 0.0
    assert posterior.error < 1e-11
    assert {("x15", "x0"), ("x2", "x14")} <= set(posterior.map_dag.edges)


def test_independent_halves_do_not_see_each_other() -> None:
    # Two halves without edges between, their 16 variables mixed: the edges are those of each half
    # alone, and the orders of the halves interleave in C(16, 8) ways.
    left = random_model(8, 12.0, 1, max_indegree=3)
    right = random_model(8, 12.0, 2, max_indegree=3)

    def score(node: str, parents: tuple[str, ...]) -> float:
        half = left if node[0] == "x" else right
        return half.log_weight("x" + node[1:], ["x" + parent[1:] for parent in parents])

    variables = [*names(8), *(f"y{i}" for i in range(8))]
    candidates = {v: [u for u in variables if u[0] == v[0] and u != v] for v in variables}
    rows = np.random.default_rng(1).permutation(16)
    mixed = [variables[i] for i in rows]
    model = Model(mixed, score, max_indegree=3, candidates=candidates)
    whole = arcwise.exact(model, "order-modular")
    total = math.log(math.comb(16, 8))
    for letter, half in (("x", left), ("y", right)):
        alone = arcwise.exact(half, "order-modular")
        place = [whole.variables.index(f"{letter}{i}") for i in range(8)]
        assert np.abs(whole.edges[np.ix_(place, place)] - alone.edges).max() < 1e-11
        total += alone.log_evidence + alone.log_prior_constant
    assert close(whole.log_evidence + whole.log_prior_constant, total, 1e-12)


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("score", ["bge", "bic"])
def test_8000_rows_of_strong_dependence(score: str, modularity: Modularity) -> None:
    # Families of one node lie more than 10,000 nats apart, and nearly all DAGs weigh nothing.
    model = Model(strong_chain(8, 8_000, 0.05, 1), score)
    values = [value for _, value in model.scores.families("x4")]
    assert max(values) - min(values) > 10_000
    posterior = arcwise.exact(model, modularity)
    by_formula = modular_by_layers if modularity == "modular" else order_modular_by_orders
    expected = by_formula(model)
    assert_agrees(posterior, expected)
    # The chain is found whichever way it points, and it is no accident of rounding to 0 or 1.
    for i in range(7):
        both = posterior.edges[i, i + 1] + posterior.edges[i + 1, i]
        assert both == pytest.approx(1.0, abs=1e-6)
        assert 0.0 < posterior.edges[i, i + 1] < 1.0
    assert 0.0 < posterior.map_probability < 1.0


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_nearly_deterministic_levels(modularity: Modularity) -> None:
    random = np.random.default_rng(3)
    codes = np.empty((8_000, 7), dtype=np.uint16)
    codes[:, 0] = random.integers(0, 4, 8_000)
    for i in range(1, 7):
        changed = random.random(8_000) < 0.002
        codes[:, i] = np.where(changed, random.integers(0, 4, 8_000), codes[:, i - 1])
    model = Model(discrete_case(codes, [4] * 7).data, "bdeu")
    by_formula = modular_by_layers if modularity == "modular" else order_modular_by_orders
    assert_agrees(arcwise.exact(model, modularity), by_formula(model))
