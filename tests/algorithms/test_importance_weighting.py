"""IW-DDS and Hoeffding: intervals that hold for sure, weights, coverage and rates.

What holds for sure is asserted of every seed; the one statistical test states
its rate of false alarms. Seeds are fixed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import arcwise
from arcwise import Dag, Model
from arcwise.algorithms import ExactSampler, importance_weighted_dags, samples_for
from arcwise.errors import ArgumentError
from arcwise.priors import EdgePenalty
from reference.exact import EnumeratedPosterior, enumerate_posterior
from support.chi_squared import FALSE_ALARM_RATE
from support.exact_models import ancestors, random_model

ROUNDING = 1e-11

MODELS: dict[str, dict[str, Any]] = {
    "narrow": {"n": 4, "spread": 2.0},
    "wide": {"n": 4, "spread": 30.0, "prior": "fair"},
    "very wide": {"n": 4, "spread": 10_000.0},
    "sparse": {"n": 4, "spread": 1.0, "prior": EdgePenalty(3.0)},
    "required": {"n": 4, "spread": 3.0, "required_edges": [("x3", "x0")], "max_indegree": 2},
    "five": {"n": 5, "spread": 6.0},
}

Masks = tuple[int, ...]

FEATURES: dict[str, tuple[Callable[[Dag], bool], Callable[[Masks], bool]]] = {
    "path": (
        lambda dag: reaches(dag, "x0", "x2"),
        lambda masks: 0 in ancestors(masks, 2),
    ),
    "path or path": (
        lambda dag: reaches(dag, "x1", "x3") or reaches(dag, "x3", "x1"),
        lambda masks: 1 in ancestors(masks, 3) or 3 in ancestors(masks, 1),
    ),
    "v-structure": (
        lambda dag: (
            {("x0", "x1"), ("x2", "x1")} <= set(dag.edges)
            and not {("x0", "x2"), ("x2", "x0")} & set(dag.edges)
        ),
        lambda masks: masks[1] & 0b101 == 0b101 and not (masks[0] >> 2 | masks[2]) & 1,
    ),
    "at most two edges": (
        lambda dag: dag.number_of_edges <= 2,
        lambda masks: sum(mask.bit_count() for mask in masks) <= 2,
    ),
}
"""The same features of a Dag and of masks."""


def reaches(dag: Dag, source: str, target: str) -> bool:
    """Say whether there is a directed path, by the parents of the target."""
    return any(parent == source or reaches(dag, source, parent) for parent in dag.parents(target))


def has_edge(u: int, v: int) -> Callable[[Masks], bool]:
    return lambda masks: bool(masks[v] >> u & 1)


def questions(model: Model, truth: EnumeratedPosterior) -> list[tuple[Any, float]]:
    """Return all edges and features with their probabilities."""
    n = len(model.variables)
    edges = [
        ((model.variables[u], model.variables[v]), float(truth.edges[u, v]))
        for u in range(n)
        for v in range(n)
        if u != v
    ]
    return edges + [(of_dag, truth.probability(of_masks)) for of_dag, of_masks in FEATURES.values()]


@pytest.mark.parametrize("name", MODELS)
def test_the_interval_contains_the_truth_always(name: str) -> None:
    model = random_model(**MODELS[name])
    truth = enumerate_posterior(model, "modular")
    asked = questions(model, truth)
    for count in (1, 4, 20, 200):
        for seed in range(1, 9):
            result = importance_weighted_dags(
                model, count, seed=seed, log_total_weight=truth.log_total
            )
            assert result.coverage is not None
            for feature, probability in asked:
                low, high = result.interval(feature)
                assert 0.0 <= low <= high <= 1.0
                assert high - low == pytest.approx(1.0 - result.coverage, abs=ROUNDING)
                assert low - ROUNDING <= probability <= high + ROUNDING


def masks_of(dags: arcwise.results.DagSample) -> list[Masks]:
    return list(map(tuple, dags.parents[:, :, 0].tolist()))


@pytest.mark.parametrize("name", MODELS)
def test_weights_and_coverage(name: str) -> None:
    model = random_model(**MODELS[name])
    truth = enumerate_posterior(model, "modular")
    posterior = arcwise.exact(model)
    total = posterior.log_evidence + posterior.log_prior_constant
    for seed in (1, 2, 3):
        result = importance_weighted_dags(model, 100, seed=seed, log_total_weight=total)
        drawn = masks_of(result.dags)
        sample = ExactSampler(model, "order-modular").dags(100, seed=seed)
        assert len(drawn) == len(set(drawn))
        assert set(drawn) == set(masks_of(sample))
        probabilities = np.array([truth.law[dag] for dag in drawn])
        assert result.coverage == pytest.approx(math.fsum(probabilities), abs=1e-11)
        assert result.dags.shares == pytest.approx(probabilities / probabilities.sum(), abs=1e-11)
        assert result.dags.shares.sum() == pytest.approx(1.0, abs=ROUNDING)
        for edge, _ in questions(model, truth)[:6]:
            u, v = (model.variables.index(node) for node in edge)
            having = [has_edge(u, v)(dag) for dag in drawn]
            expected = probabilities[having].sum() / probabilities.sum()
            assert result.probability(edge) == pytest.approx(expected, abs=1e-11)
            assert result.dags.edge_probabilities()[u, v] == pytest.approx(expected, abs=1e-11)


def test_estimates_converge() -> None:
    model = random_model(4, 6.0, 3)
    truth = enumerate_posterior(model, "modular")
    coverages = []
    for count in (10, 100, 1_000, 30_000):
        result = importance_weighted_dags(model, count, seed=5, log_total_weight=truth.log_total)
        assert result.coverage is not None
        coverages.append(result.coverage)
        for feature, probability in questions(model, truth):
            # The DAGs that were not drawn cannot do more.
            assert (
                abs(result.probability(feature) - probability) <= 1.0 - result.coverage + ROUNDING
            )
    assert coverages == sorted(coverages)
    assert coverages[0] < 0.9
    assert coverages[-1] > 0.99


def test_an_estimate_without_weights_would_be_wrong() -> None:
    # DAGs with many orders are drawn too often, and different ones count once each.
    model = random_model(**MODELS["sparse"])
    truth = enumerate_posterior(model, "modular")
    result = importance_weighted_dags(model, 30_000, seed=1)
    drawn = ExactSampler(model, "order-modular").dags(30_000, seed=1)
    weighted = np.abs(result.dags.edge_probabilities() - truth.edges).max()
    unweighted = np.abs(drawn.edge_probabilities() - truth.edges).max()
    assert weighted < 0.002 < 0.01 < unweighted


def test_without_the_evidence_there_is_an_estimate_and_no_interval() -> None:
    result = importance_weighted_dags(random_model(3, 2.0), 50, seed=1)
    assert result.coverage is None
    assert 0.0 <= result.probability(("x0", "x1")) <= 1.0
    with pytest.raises(ArgumentError, match="give log_total_weight"):
        result.interval(("x0", "x1"))


@pytest.mark.parametrize(
    ("epsilon", "delta", "expected"),
    [(0.01, 0.05, 18_445), (0.05, 0.1, 600), (0.5, 0.9, 2), (0.001, 1e-6, 7_254_329)],
)
def test_hoeffding_sample_sizes(epsilon: float, delta: float, expected: int) -> None:
    # The smallest whole number with 2 exp(-2 m epsilon^2) <= delta.
    assert samples_for(epsilon, delta) == expected
    assert 2 * math.exp(-2 * expected * epsilon**2) <= delta
    assert 2 * math.exp(-2 * (expected - 1) * epsilon**2) > delta


@pytest.mark.parametrize("wrong", [0.0, 1.0, -0.1, 2.0, math.nan])
def test_hoeffding_refuses_what_is_no_share(wrong: float) -> None:
    with pytest.raises(ArgumentError, match=r"^epsilon is .*; give a number between 0 and 1"):
        samples_for(wrong, 0.1)
    with pytest.raises(ArgumentError, match=r"^delta is .*; give a number between 0 and 1"):
        samples_for(0.1, wrong)


def misses(parents: np.ndarray[Any, Any], u: int, v: int, truth: float, epsilon: float) -> int:
    """Return in how many runs [run, draw, node] the share of an edge is off by epsilon or more."""
    shares = (parents[:, :, v] >> u & 1).mean(axis=1)
    return int((np.abs(shares - truth) >= epsilon).sum())


@pytest.mark.parametrize("modularity", ["modular", "order-modular"])
def test_hoeffding_holds_at_its_rate(modularity: Any) -> None:
    # 400 runs; more misses than the bound have probability at most 1e-6 if each has at most delta.
    epsilon, delta, runs = 0.05, 0.1, 400
    model = random_model(4, 2.0)
    truth = enumerate_posterior(model, modularity)
    # The edge nearest to one half varies most.
    u, v = divmod(int(np.abs(truth.edges - 0.5).argmin()), len(truth.edges))
    probability = float(truth.edges[u, v])
    assert 0.3 < probability < 0.7
    draws = samples_for(epsilon, delta)
    drawn = ExactSampler(model, modularity).dags(runs * draws, seed=11).parents[:, :, 0]
    parents = drawn.astype(np.int64).reshape(runs, draws, 4)
    allowed = binom.ppf(1 - FALSE_ALARM_RATE, runs, delta)
    assert misses(parents, u, v, probability, epsilon) <= allowed
    # A sixth of the draws are too few, and draws of another posterior are not about this one.
    assert misses(parents[:, : draws // 6], u, v, probability, epsilon) > allowed
    other = enumerate_posterior(model, modularity).edges[u, v] + 2 * epsilon
    assert misses(parents, u, v, other, epsilon) > allowed


def test_features_agree_on_both_forms() -> None:
    # The two ways the features are written here say the same of every DAG drawn.
    sample = ExactSampler(random_model(4, 2.0)).dags(400, seed=2).unique()
    for of_dag, of_masks in FEATURES.values():
        said = [of_dag(dag) for dag in sample]
        assert said == [of_masks(masks) for masks in masks_of(sample)]
        assert 0 < sum(said) < len(said)
