"""Exact posteriors with parent-only variables, against all DAGs one by one.

The exact computations run over the ordinary variables alone; everything is unfolded afterwards.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model
from arcwise.algorithms import GivenOrder
from arcwise.algorithms.exact_computation import ExactComputation
from support.chi_squared import FALSE_ALARM_RATE, assert_follows, p_value
from support.exact_models import MODULARITIES, random_model
from support.parent_only_models import (
    MODELS,
    definition,
    listed,
    log_prior_total,
    model_of,
    parents_of,
)


@pytest.mark.parametrize("as_list", [False, True])
@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("name", MODELS)
def test_posterior_is_that_of_all_dags(name: str, modularity: Any, as_list: bool) -> None:
    model = model_of(name)
    expected = definition(model, modularity)
    found = arcwise.exact(listed(model) if as_list else model, modularity, paths=True)
    assert np.abs(found.edges - expected.edges).max() < 1e-10
    assert found.paths is not None
    assert np.abs(found.paths - expected.paths).max() < 1e-10
    assert found.evidence is not None
    total = found.evidence.log_evidence + found.evidence.log_prior_constant
    assert total == pytest.approx(expected.log_total, abs=1e-10, rel=1e-12)
    assert found.map_log_weight == pytest.approx(expected.best()[1], abs=1e-10, rel=1e-12)
    assert found.map_dag is not None
    assert model.log_weight_of(found.map_dag) == pytest.approx(found.map_log_weight, rel=1e-12)
    best = tuple(tuple(sorted(own)) for own in found.map_dag.parent_indices)
    assert found.map_probability == pytest.approx(expected.law[best], abs=1e-10)


@pytest.mark.parametrize("modularity", MODULARITIES)
# Where some families are impossible, the prior has others than the posterior.
@pytest.mark.parametrize("name", [name for name in MODELS if "impossible" not in name])
def test_prior_constant_is_that_of_all_dags(name: str, modularity: Any) -> None:
    model = model_of(name)
    found = arcwise.exact(model, modularity)
    expected = log_prior_total(model, modularity)
    assert found.log_prior_constant == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("name", ["first and last", "plus one", "required", "impossible families"])
def test_parent_sets_are_those_of_all_dags(name: str, modularity: Any) -> None:
    model = model_of(name)
    law = definition(model, modularity).law
    found = arcwise.exact(model, modularity)
    names = model.variables
    for v, node in enumerate(names):
        expected: dict[tuple[str, ...], float] = {}
        for dag, probability in law.items():
            own = tuple(names[u] for u in dag[v])
            expected[own] = expected.get(own, 0.0) + probability
        for parents, probability in expected.items():
            assert found.parent_set_probability(node, parents) == pytest.approx(
                probability, abs=1e-10
            )
        assert sum(p for _, p in found.parent_sets(node, 10_000)) == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("name", ["one", "plus one", "required"])
def test_draws_follow_the_posterior(name: str, modularity: Any) -> None:
    """A correct program fails with a probability of one in a million."""
    model = model_of(name)
    law = definition(model, modularity).law
    dags = arcwise.exact(model, modularity, dags=20_000, seed=3).dags
    assert dags is not None
    assert_follows(parents_of(dags), law)


@pytest.mark.parametrize("fault", ["the best parents", "those of another model", "none"])
def test_wrong_unfolding_is_found(fault: str) -> None:
    model = model_of("one")
    law = definition(model, "modular").law
    computation = ExactComputation(model)
    ordinary = computation.ordinary_dags(20_000, seed=3).parents
    core = model.folded.core
    assert core is not None
    if fault == "the best parents":
        parents = core.best(ordinary)
    else:
        other = random_model(**(MODELS["one"] | {"seed": 9}))
        right = model.folded if fault == "none" else other.folded
        parents = right.draws(ordinary, 3, 0)
    drawn = parents_of(arcwise.results.DagSample(model.variables, parents))
    assert (p_value(drawn, law) < FALSE_ALARM_RATE) == (fault != "none")


@pytest.mark.parametrize("name", [name for name in MODELS if name not in ("one ordinary",)])
def test_forbidden_edges_say_the_same_under_the_modular_prior(name: str) -> None:
    """Parent-only variables that have a place in the order change no modular probability."""
    rule = {"spread": 6.0, "seed": 2} | MODELS[name]
    chosen = rule.pop("parent_only")
    n = rule["n"]
    rule["forbidden_edges"] = [
        *rule.get("forbidden_edges", []),
        *((f"x{u}", z) for z in chosen for u in range(n) if f"x{u}" != z),
    ]
    other = arcwise.exact(random_model(**rule), paths=True)
    found = arcwise.exact(model_of(name), paths=True)
    assert np.abs(found.edges - other.edges).max() < 1e-10
    assert found.paths is not None
    assert other.paths is not None
    assert np.abs(found.paths - other.paths).max() < 1e-10
    assert found.map_dag == other.map_dag


def test_evidence_is_conditional_on_them() -> None:
    """P(a, b | z) = P(a, b, z) / P(z), where the joint model has all edges from z."""
    data = arcwise.simulate("asia", 200, seed=1)
    forbidden = [(name, "smoke") for name in data.variables if name != "smoke"]
    joint = arcwise.exact(Model(data, forbidden_edges=forbidden, max_indegree=2, prior="uniform"))
    given = arcwise.exact(Model(data, parent_only="smoke", max_indegree=2, prior="uniform"))
    alone = arcwise.score(data, max_indegree=0).log_score("smoke", [])
    assert joint.log_evidence is not None
    assert given.log_evidence == pytest.approx(joint.log_evidence - alone, abs=1e-8)


def test_features_and_functions_are_over_all_variables() -> None:
    model = model_of("first and last")
    law = definition(model, "modular").law
    found = arcwise.exact(model, dags=4000, seed=1)
    assert found.variables == model.variables
    assert found.parent_only == ("x0", "x4")
    expected = math.fsum(p for dag, p in law.items() if 0 in dag[1] or 4 in dag[1])
    exactly = found.estimate("x0 -> x1 or x4 -> x1")
    assert exactly.value == pytest.approx(expected, abs=1e-10)
    # Four standard errors: a false alarm in 16,000.
    joint = math.fsum(p for dag, p in law.items() if 0 in dag[1] and 0 in dag[2])
    sampled = found.estimate("x0 -> x1 and x0 -> x2")
    assert abs(sampled.value - joint) < 4 * math.sqrt(joint * (1 - joint) / 4000) + 1e-9
    by_function = found.estimate(lambda dag: "x4" in dag.parents("x3"))
    assert abs(by_function.value - found.edge_probability("x4", "x3")) < 0.04


@pytest.mark.parametrize("order", [["x3", "x1", "x2"], [["x1", "x3"], ["x2"]], [("x3", "x2")]])
def test_given_an_order_of_the_others(order: Any) -> None:
    model = model_of("first and last")
    names = model.variables
    places = [names.index(name) for name in ("x1", "x2", "x3")]
    pairs = {("x3", "x1"), ("x1", "x2"), ("x3", "x2")}
    if order == [["x1", "x3"], ["x2"]]:
        pairs = {("x1", "x2"), ("x3", "x2")}
    elif order == [("x3", "x2")]:
        pairs = {("x3", "x2")}
    weights: dict[Any, float] = {}
    for each in permutations(places):
        if any(each.index(names.index(a)) > each.index(names.index(b)) for a, b in pairs):
            continue
        for dag, weight in definition(model, "modular").log_weights.items():
            if all(u not in each or each.index(u) < each.index(v) for v in each for u in dag[v]):
                weights[dag] = weights.get(dag, 0.0) + math.exp(weight)
    total = math.fsum(weights.values())
    given = GivenOrder(model, order)
    assert given.log_weight == pytest.approx(math.log(total), abs=1e-10)
    edges = np.zeros((5, 5))
    for dag, weight in weights.items():
        for v in range(5):
            edges[list(dag[v]), v] += weight / total
    assert np.abs(given.edge_probabilities() - edges).max() < 1e-10
    assert_follows(parents_of(given.dags(5000, seed=1)), {d: w / total for d, w in weights.items()})
