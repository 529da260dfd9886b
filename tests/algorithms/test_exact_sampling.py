"""Exact samplers: the law of orders and DAGs, whatever the threads and pieces.

Laws are tested over all orders or DAGs of a few nodes by chi-squared, edges of
more nodes by binomial tails; each test of a correct program fails with
probability at most 1e-6, and seeds are fixed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import arcwise
from arcwise import Model
from arcwise.algorithms import ExactSampler
from arcwise.errors import ArgumentError
from arcwise.priors import EdgePenalty
from arcwise.results import DagSample
from arcwise.scores import FamilyScores
from reference.exact import enumerate_posterior, order_law
from support.chi_squared import FALSE_ALARM_RATE, assert_follows, p_value
from support.exact_models import (
    CONSTRAINED,
    MODULARITIES,
    flat_model,
    names,
    random_model,
    strong_chain,
)

DRAWS = 60_000

MODELS: dict[str, dict[str, Any]] = {
    "flat": {"n": 3, "spread": 0.0},
    "narrow": {"n": 4, "spread": 2.0},
    "wide": {"n": 4, "spread": 30.0},
    "very wide": {"n": 4, "spread": 3_000.0, "seed": 3},
    "sparse": {"n": 4, "spread": 1.0, "prior": EdgePenalty(2.0)},
    "max_indegree": {"n": 4, "spread": 2.0, "max_indegree": 1},
    "gaps": {"n": 4, "spread": 2.0, "impossible": 0.6, "seed": 2},
    **CONSTRAINED,
}


def dags_of(sample: DagSample) -> list[tuple[int, ...]]:
    """Return each draw as the masks of its parents."""
    return list(map(tuple, sample.parents[:, :, 0].tolist()))


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("number", range(len(MODELS)))
def test_the_law_of_dags(number: int, modularity: Any) -> None:
    model = random_model(**list(MODELS.values())[number])
    draws = ExactSampler(model, modularity).dags(DRAWS, seed=number + 1)
    assert_follows(dags_of(draws), enumerate_posterior(model, modularity).law)


@pytest.mark.parametrize("number", range(len(MODELS)))
def test_the_law_of_orders(number: int) -> None:
    model = random_model(**list(MODELS.values())[number])
    orders = ExactSampler(model, "order-modular").orders(DRAWS, seed=number + 31)
    assert_follows(orders, order_law(model))


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_listed_families(modularity: Any) -> None:
    scores = FamilyScores.from_mapping(
        {
            "a": {(): 0.1, ("b",): 1.0, ("b", "c"): 1.0},
            "b": {("c",): 0.5, ("a", "d"): 2.0, (): -1.0},
            "c": {(): 0.0, ("a",): 1.5},
            "d": {("a", "b", "c"): 2.0, ("c",): 0.3},
        }
    )
    model = Model(scores)
    draws = ExactSampler(model, modularity).dags(DRAWS, seed=5)
    assert_follows(dags_of(draws), enumerate_posterior(model, modularity).law)


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_draws_of_the_other_target_are_told_apart(modularity: Any) -> None:
    # The test of the law has power: it fails where the weights 1 / (number of orders) are missing.
    other = MODULARITIES[1 - MODULARITIES.index(modularity)]
    for name in ("flat", "narrow", "sparse", "tiers"):
        model = random_model(**MODELS[name])
        draws = dags_of(ExactSampler(model, modularity).dags(DRAWS, seed=2))
        assert p_value(draws, enumerate_posterior(model, other).law) < FALSE_ALARM_RATE


def test_dags_fit_their_orders() -> None:
    sampler = ExactSampler(random_model(6, 4.0), "order-modular")
    orders = sampler.orders(300, seed=4)
    for order, dag in zip(orders, sampler.dags(300, seed=4), strict=True):
        assert sorted(order) == sorted(dag.variables)
        assert all(order.index(source) < order.index(target) for source, target in dag.edges)


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_a_draw_depends_on_the_seed_and_its_number_only(modularity: Any) -> None:
    model = random_model(7, 15.0)
    sampler = ExactSampler(model, modularity, threads=1)
    whole = sampler.dags(5_000, seed=8).parents
    for threads in (2, 3):
        assert (
            ExactSampler(model, modularity, threads=threads).dags(5_000, seed=8).parents == whole
        ).all()
    pieces = [(0, 1), (1, 254), (255, 1_000), (1_255, 3_745)]
    again = [sampler.dags(count, seed=8, first=first).parents for first, count in pieces]
    assert (np.concatenate(again) == whole).all()
    assert (sampler.dags(5_000, seed=9).parents != whole).any()


def assert_frequencies(sample: DagSample, edges: np.ndarray[Any, Any]) -> None:
    """Compare the counts of all edges with binomial tails that together are the stated rate."""
    n, draws = len(sample.variables), len(sample)
    counts = np.rint(sample.edge_probabilities() * draws)
    edges = np.clip(edges, 0.0, 1.0)
    tails = np.minimum(binom.cdf(counts, draws, edges), binom.sf(counts - 1, draws, edges))
    assert tails.min() > FALSE_ALARM_RATE / (2 * n * (n - 1))


LARGER: dict[str, Model] = {
    "random": random_model(10, 12.0, 2),
    # As many parent sets with the same weight as no sampler keeps.
    "flat": flat_model(10),
    "strong": Model(strong_chain(10, 2_000, 0.3, 1), "bge", max_indegree=3),
    "asia": Model(arcwise.simulate("asia", 1_000, seed=3), "bdeu", prior="fair"),
    "required": random_model(11, 8.0, 4, max_indegree=3, required_edges=[("x9", "x1")]),
    "independent": flat_model(12, prior=EdgePenalty(3.0), max_indegree=3),
}


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("name", LARGER)
def test_frequencies_of_edges(name: str, modularity: Any) -> None:
    model = LARGER[name]
    draws = ExactSampler(model, modularity).dags(20_000, seed=6)
    assert_frequencies(draws, arcwise.exact(model, modularity).edges)


def test_frequencies_tell_the_targets_apart() -> None:
    model = LARGER["independent"]
    draws = ExactSampler(model, "order-modular").dags(20_000, seed=6)
    with pytest.raises(AssertionError):
        assert_frequencies(draws, arcwise.exact(model).edges)


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_no_draw_breaks_a_constraint(modularity: Any) -> None:
    tiers = [list(names(9)[:4]), list(names(9)[4:])]
    model = random_model(
        9,
        25.0,
        3,
        max_indegree=2,
        required_edges=[("x1", "x8"), ("x0", "x2")],
        forbidden_edges=[("x2", "x7")],
        temporal_order=tiers,
    )
    for dag in ExactSampler(model, modularity).dags(5_000, seed=3).unique():
        edges = set(dag.edges)
        assert {("x1", "x8"), ("x0", "x2")} <= edges
        assert ("x2", "x7") not in edges
        assert not any(source in tiers[1] and to in tiers[0] for source, to in edges)
        assert max(len(dag.parents(node)) for node in dag.variables) <= 2
        assert model.log_weight_of(dag) > -np.inf


def test_sparse_posteriors_take_the_digits_they_need() -> None:
    # Doubles lose more than the tolerance there; the draws must not stop at that.
    model = flat_model(11, prior=EdgePenalty(5.0), max_indegree=2)
    assert arcwise.exact(model, tolerance=1e-6).error > 3e-12
    rough, fine = (ExactSampler(model, tolerance=tolerance) for tolerance in (1e-6, 3e-12))
    assert_frequencies(fine.dags(20_000, seed=7), arcwise.exact(model).edges)
    # The same random numbers, and probabilities that differ in the last digits at most.
    assert (rough.dags(2_000, seed=1).parents == fine.dags(2_000, seed=1).parents).all()


def test_many_draws_of_one_dag() -> None:
    # One DAG has nearly all of the probability, and then all draws are that DAG.
    model = Model(
        list(names(5)),
        lambda node, parents: (
            500.0 * (parents == ((f"x{int(node[1]) - 1}",) if node != "x0" else ()))
        ),
    )
    for modularity in MODULARITIES:
        unique = ExactSampler(model, modularity).dags(10_000, seed=1).unique()
        assert [dag.edges for dag in unique] == [arcwise.exact(model, modularity).map_dag.edges]


@pytest.mark.parametrize("modularity", ["modular", "order-modular"])
def test_exact_posteriors_have_the_dags_asked_for(modularity: Any) -> None:
    model = random_model(5, spread=4.0, seed=2)
    found = arcwise.exact(model, modularity, dags=50, seed=3)
    assert found.dags is not None
    drawn = ExactSampler(model, modularity).dags(50, seed=3)
    assert np.array_equal(found.dags.parents, drawn.parents)
    assert arcwise.exact(model, modularity).dags is None
    with pytest.raises(ArgumentError, match="dags is -1"):
        arcwise.exact(model, modularity, dags=-1)


def test_one_variable() -> None:
    for modularity in MODULARITIES:
        assert (ExactSampler(flat_model(1), modularity).dags(10, seed=1).parents == 0).all()
    assert ExactSampler(flat_model(1), "order-modular").orders(3, seed=1) == [("x0",)] * 3


def test_refusals() -> None:
    sampler = ExactSampler(flat_model(3))
    with pytest.raises(ArgumentError, match="the modular posterior has no orders; use modularity="):
        sampler.orders(3)
    for arguments in (
        {"count": 0},
        {"count": 2.5},
        {"count": 3, "seed": -1},
        {"count": 3, "first": -1},
    ):
        with pytest.raises(ArgumentError, match="; give a whole number"):
            sampler.dags(**arguments)
