"""Estimates of features: exact values, errors, intervals, sure bounds, and words."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Posterior
from arcwise.algorithms import ExactSampler
from arcwise.errors import ArgumentError
from arcwise.features import Edge, Path
from arcwise.posterior.estimate import Interval, event_estimate, event_interval
from arcwise.results import DagSample
from arcwise.statistics.convergence import weighted_standard_error
from support.enumerated import law_of
from support.exact_models import flat_model, random_model
from support.run_records import chain_run
from support.sampled_posteriors import random_sample, sampled_posterior

TEXTS = (
    "x0 -> x1",
    "x0 -- x3",
    "not x0 -- x3",
    "edges",
    "parents(x2) = {x0, x3}",
    "x0 -> x2 and not x1 -> x2",
    "x0 -> x2 or parents(x2) = {}",
    "x0 -> x2 given x1 -> x2",
    "x0 -> x2 given not (x1 -> x2 or x3 -> x2)",
)


@pytest.mark.parametrize("text", TEXTS)
def test_exact_values_are_those_of_enumeration(text: str) -> None:
    model = random_model(4, 8.0, 2)
    found = arcwise.exact(model).estimate(text)
    assert found.exact
    assert found.standard_error == 0.0
    assert found.value == pytest.approx(law_of(model).probability(text), abs=1e-10)
    assert found.bounds == found.interval
    assert found.interval.low <= found.value <= found.interval.high
    assert str(found).endswith("(exact)")
    assert float(found) == found.value == arcwise.exact(model).probability(text)


def test_more_than_64_variables_are_exact_by_their_parents() -> None:
    n = 70
    dags = random_sample(n, 5)
    posterior = sampled_posterior(n, edges=dags.edge_probabilities(), dags=dags, edge_errors=None)
    text = "x69 -> x1 and not x2 -> x1"
    assert posterior.estimate(text).value == pytest.approx(dags.probability(text))


def test_what_is_not_exact_needs_dags() -> None:
    exact = arcwise.exact(flat_model(3))
    for text in ("x0 ~> x2", "x0 -> x1 and x1 -> x2", "x0 -> x1 given x1 -> x2", "edges >= 2"):
        with pytest.raises(ArgumentError, match=r"^the probability of '.*' is estimated from"):
            exact.estimate(text)
    with pytest.raises(ArgumentError, match=r"^the probability of the relation 'ancestor'"):
        exact.matrix("ancestor")
    skeleton = exact.matrix("skeleton")
    assert skeleton.probabilities[0, 1] == pytest.approx(exact.probability("x0 -- x1"))
    assert (skeleton.standard_errors == 0.0).all()
    sampled = replace(exact, dags=ExactSampler(flat_model(3)).dags(500, seed=1))
    assert 0.0 < sampled.probability("x0 ~> x2") < 1.0
    assert sampled.estimate("x0 -> x1").exact


def test_edges_of_samplers_are_those_of_the_matrix() -> None:
    posterior = sampled_posterior()
    assert posterior.edge_errors is not None
    assert posterior.dags is not None
    posterior.edges[1, 3] = 0.3
    found = posterior.estimate("x1 -> x3")
    assert (found.value, found.standard_error) == (0.3, posterior.edge_errors[1, 3])
    assert not found.exact
    opposite = posterior.estimate("not x1 -> x3")
    assert opposite.value == 0.7
    assert opposite.interval == pytest.approx((1 - found.interval.high, 1 - found.interval.low))
    joined = posterior.estimate("x1 -- x3")
    assert joined.value == pytest.approx(posterior.edges[1, 3] + posterior.edges[3, 1])
    sums = posterior.edge_errors[1, 3] + posterior.edge_errors[3, 1]
    from_dags = posterior.dags.estimate("x1 -- x3").standard_error
    assert joined.standard_error == pytest.approx(min(sums, from_dags))
    assert posterior.estimate("edges").value == pytest.approx(posterior.edges.sum())
    matrix = posterior.matrix("skeleton")
    assert matrix.probabilities[1, 3] == joined.value
    assert matrix.standard_errors[1, 3] == pytest.approx(joined.standard_error)
    assert posterior.matrix("edge").standard_errors is posterior.edge_errors


def test_errors_are_those_of_the_draws() -> None:
    random = np.random.default_rng(3)
    dags = random_sample(5, 400, weights=random.random(400), chains=np.repeat(np.arange(4), 100))
    assert dags.weights is not None
    has = Path("x0", "x2").values(dags)
    found = dags.estimate("x0 ~> x2")
    error = weighted_standard_error(has, dags.weights, dags.chains)
    assert found.standard_error == pytest.approx(float(error))
    assert found.effective_samples == pytest.approx(found.value * (1 - found.value) / error**2)
    # Given an event: the ratio of two means errs as its linear part does.
    edge = Edge("x1", "x2").values(dags)
    both, alone = (has & edge) @ dags.shares, edge @ dags.shares
    linear = (has & edge) / alone - both / alone**2 * edge
    ratio = dags.estimate("x0 ~> x2", given="x1 -> x2")
    expected = weighted_standard_error(linear, dags.weights, dags.chains)
    assert ratio.value == pytest.approx(both / alone)
    # Both means are of the same weights, whose own error cancels in a ratio.
    assert ratio.standard_error == pytest.approx(float(expected), rel=0.02)
    number = dags.estimate(lambda dag: len(dag.edges) ** 2)
    values = np.array([len(dag.edges) ** 2 for dag in dags])
    error = weighted_standard_error(values, dags.weights, dags.chains)
    assert number.standard_error == pytest.approx(float(error))
    assert number.interval == pytest.approx(
        (number.value - 1.96 * float(error), number.value + 1.96 * float(error)), rel=1e-4
    )
    assert not number.is_event


@pytest.mark.parametrize("always", [True, False])
def test_what_all_or_no_dag_has_is_not_certain(always: bool) -> None:
    dags = ExactSampler(flat_model(3)).dags(1000, seed=1)
    found = dags.estimate(lambda dag: always)
    assert found.value == float(always)
    doubt = abs(found.interval.low - 1.0) if always else found.interval.high
    # The rule of three: 3 / n is the one-sided bound.
    assert 3.0 / 1000 < doubt < 8.0 / 1000
    assert 0.2 / 1000 < found.standard_error < 2.0 / 1000
    assert found.interval.low == 0.0 or found.interval.high == 1.0
    number = dags.estimate(lambda dag: 7.0)
    assert (number.value, number.interval) == (7.0, Interval(-math.inf, math.inf))
    assert math.isnan(number.standard_error)


def test_chains_that_hardly_move_leave_more_doubt() -> None:
    dags = ExactSampler(flat_model(3)).dags(100, seed=1)
    slow = DagSample(dags.variables, np.repeat(dags.parents, 20, axis=0))
    assert slow.effective_draws < 200
    assert slow.estimate("x0 -> x1 and x1 -> x0").interval.high > 3.0 / 200
    assert slow.effective_sample_size() == pytest.approx(2000)


@pytest.mark.parametrize("error", [1e-6, 1e-170, 5e-324])
@pytest.mark.parametrize("value", [1e-200, 1e-3, 0.4, 1.0 - 1e-9])
def test_no_more_draws_are_claimed_than_there_are(value: float, error: float) -> None:
    # A mean of exact probabilities may vary so little that the square of its error is 0.
    found = event_estimate("x0 -> x1", value, error, known=300.0, draws=1000)
    assert found.effective_samples <= 1000
    assert found.interval.low <= value <= found.interval.high
    if min(value, 1.0 - value) < 0.01:  # it is not known that all states that matter were visited
        assert found.interval.high - found.interval.low > 1.0 / 300


def test_intervals_of_probabilities() -> None:
    for effective in (0.5, 3.0, 40.0, 1e6):
        for probability in (0.0, 1e-9, 0.01, 0.3, 0.5, 0.9, 1.0):
            low, high = event_interval(probability, effective)
            assert 0.0 <= low <= probability <= high <= 1.0
            assert low < high
            other = event_interval(1.0 - probability, effective)
            assert other == pytest.approx((1.0 - high, 1.0 - low), abs=1e-12)
    low, high = event_interval(0.5, 1e6)
    assert (low, high) == pytest.approx((0.5 - 1.96 * 0.0005, 0.5 + 1.96 * 0.0005), abs=1e-6)
    # Three seen among many: Poisson bounds 0.619 and 8.77, Wilson's upper one is 8.82.
    low, high = event_interval(3e-6, 1e6)
    assert low * 1e6 == pytest.approx(0.619, abs=0.05)
    assert high * 1e6 == pytest.approx(8.8, abs=0.1)
    assert event_interval(0.3, math.nan) == (0.0, 1.0)


def test_no_dags_and_no_errors() -> None:
    edges = np.array([[0.0, 0.25], [0.5, 0.0]])
    posterior = Posterior(("a", "b"), "modular", chain_run(), edges)
    found = posterior.estimate("a -> b")
    assert (found.value, found.interval) == (0.25, (0.0, 1.0))
    assert math.isnan(found.standard_error)
    assert posterior.estimate("a -- b").value == 0.75
    assert str(found) == "a -> b has probability 0.250 (95 % interval 0.000 to 1.000)"


def test_different_dags_tell_no_error() -> None:
    model = random_model(4, 6.0, 3)
    found = arcwise.algorithms.unique_dags(model, steps=2000, thinning=10, chains=1, seed=1)
    estimate = found.estimate("x0 ~> x3")
    assert estimate.value == pytest.approx(law_of(model).probability("x0 ~> x3"), abs=0.05)
    assert math.isnan(estimate.standard_error)
    assert estimate.interval == (0.0, 1.0)


def test_sure_bounds_of_weighted_dags() -> None:
    model = random_model(4, 9.0, 5)
    law, exact = law_of(model), arcwise.exact(model)
    assert exact.log_evidence is not None
    assert exact.log_prior_constant is not None
    total = exact.log_evidence + exact.log_prior_constant
    asked: list[tuple[Any, Any]] = [
        ("x0 ~> x3", None),
        ("x0 -> x1 <- x2", None),
        ("x0 -> x1", "x2 ~> x1"),
        ("x1 -> x2 and x2 -> x1", "x0 -- x1"),
    ]
    for count in (5, 50, 3000):
        weighted = arcwise.algorithms.importance_weighted_dags(
            model, count, seed=1, log_total_weight=total
        )
        assert weighted.coverage is not None
        for feature, given in asked:
            try:
                truth = law.probability(feature, given)
                low, high = weighted.interval(feature, given)
                found = weighted.estimate(feature, given)
            except ArgumentError as error:
                assert count == 5 and "holds in no sampled DAG" in str(error)  # noqa: PT017, PT018
                continue
            assert low - 1e-9 <= truth <= high + 1e-9
            assert found.bounds == found.interval == (low, high)
            assert math.isnan(found.standard_error)
    assert "guaranteed bounds" in str(found)
    assert weighted.estimate("edges").bounds is None
    unknown = arcwise.algorithms.importance_weighted_dags(model, 50, seed=1)
    assert unknown.estimate("x0 ~> x3").interval == (0.0, 1.0)


def test_words() -> None:
    dags = random_sample(3, 200)
    said = str(dags.estimate("x0 -> x1"))
    assert said.startswith("x0 -> x1 has probability 0.")
    assert " ± 0.0" in said
    assert "effective sample size" in said
    assert "edges has mean " in str(dags.estimate("edges"))
