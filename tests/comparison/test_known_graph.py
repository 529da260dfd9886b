"""Posteriors against a known DAG: curves by counting pairs, distances by enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import Dag
from arcwise.errors import ArgumentError
from arcwise.graphs import cpdag, structural_hamming_distance
from arcwise.results import EdgeCurve
from support.edge_chains import chain_posterior, flipping
from support.exact_models import names
from support.sampled_posteriors import sampled_posterior


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=40))
def test_areas_by_counting_pairs(places: list[tuple[int, bool]]) -> None:
    scores = np.array([score / 6 for score, _ in places])
    true = np.array([label for _, label in places])
    curve = EdgeCurve.of(scores, true)
    pairs = [np.sign(a - b) / 2 + 0.5 for a in scores[true] for b in scores[~true]]
    if pairs:
        assert curve.auc == pytest.approx(np.mean(pairs))
    else:
        assert np.isnan(curve.auc)
    if true.any():
        precisions = [true[scores >= score].mean() for score in scores[true]]
        assert curve.average_precision == pytest.approx(np.mean(precisions))
    else:
        assert np.isnan(curve.average_precision)
    for threshold in (*np.unique(scores), 0.25, 2.0, -1.0):
        counts, found = curve.at(threshold), scores >= threshold
        assert counts.true_positives == (found & true).sum()
        assert counts.false_positives == (found & ~true).sum()
        assert counts.false_negatives == (~found & true).sum()
        assert counts.true_negatives == (~found & ~true).sum()
    assert curve.thresholds[0] == np.inf
    assert len(curve.thresholds) == len(set(scores)) + 1


def test_rates_and_areas_of_a_perfect_and_of_no_ranking() -> None:
    perfect = EdgeCurve.of([0.9, 0.8, 0.2], [True, True, False])
    assert perfect.auc == perfect.average_precision == 1.0
    assert perfect.true_positive_rate.tolist() == [0.0, 0.5, 1.0, 1.0]
    assert perfect.false_positive_rate.tolist() == [0.0, 0.0, 0.0, 1.0]
    assert np.isnan(perfect.precision[0])
    assert EdgeCurve.of([0.5] * 10, [True] * 3 + [False] * 7).auc == 0.5
    assert repr(perfect) == (
        "<EdgeCurve: 2 edges among 3 pairs, AUC 1.0000, average precision 1.0000>"
    )


def test_distances_are_those_of_each_dag() -> None:
    posterior = sampled_posterior()
    assert posterior.dags is not None
    truth = Dag(names(5)[::-1], {"x3": ["x0", "x4"], "x1": ["x3"]})
    comparison = posterior.compare(truth)
    shares = posterior.dags.shares
    each = [structural_hamming_distance(dag, truth) for dag in posterior.dags]
    assert comparison.structural_hamming_distance.value == pytest.approx(shares @ each)
    assert comparison.cpdag_distance is not None
    classes = [structural_hamming_distance(cpdag(dag), cpdag(truth)) for dag in posterior.dags]
    assert comparison.cpdag_distance.value == pytest.approx(shares @ classes)
    for distance in (comparison.structural_hamming_distance, comparison.cpdag_distance):
        assert distance.standard_error is not None
        assert 0.0 < distance.standard_error < 2.0
    fewer = arcwise.compare(posterior, truth, dags=10).cpdag_distance
    chosen = np.linspace(0, 59, 10).round().astype(int)
    part = shares[chosen] / shares[chosen].sum()
    assert fewer is not None
    assert fewer.value == pytest.approx(part @ np.array(classes)[chosen])


def test_the_error_of_a_distance_is_that_of_the_edge_it_hangs_on() -> None:
    posterior = chain_posterior({(0, 1): flipping(4, 500, 0.1, 1)})
    truth = Dag(names(4), {"x1": ["x0"]})
    distance = posterior.compare(truth).structural_hamming_distance
    assert distance.value == pytest.approx(1.0 - posterior.edges[0, 1])
    assert posterior.edge_errors is not None
    assert distance.standard_error == pytest.approx(posterior.edge_errors[0, 1])


def test_curves_of_an_exact_posterior() -> None:
    network = arcwise.networks.asia()
    model = arcwise.Model(network.sample(500, seed=1), max_indegree=2)
    posterior = arcwise.exact(model)
    comparison = posterior.compare(network.dag)
    assert comparison.cpdag_distance is None
    assert comparison.structural_hamming_distance.standard_error is None
    order = [network.dag.variables.index(name) for name in posterior.variables]
    known = network.dag.matrix()[np.ix_(order, order)]
    for threshold in (0.1, 0.5, 0.9):
        found = posterior.edges >= threshold
        counts = comparison.directed.at(threshold)
        assert counts.true_positives == (found & known).sum()
        assert counts.false_positives == (found & ~known).sum()
        either = np.triu(posterior.edges + posterior.edges.T >= threshold)
        counts = comparison.skeleton.at(threshold)
        assert counts.true_positives == (either & (known | known.T)).sum()
    assert comparison.directed.positives == 8
    told = str(comparison).splitlines()
    assert told[0].startswith("The known graph has 8 edges")
    half = comparison.skeleton.at(0.5)
    assert told[1] == (
        f"At a probability of at least 0.5: {half.true_positives} true adjacencies, "
        f"{half.false_positives} false, {half.false_negatives} missed."
    )
    assert comparison.directed.positives + comparison.directed.negatives == 56
    assert comparison.skeleton.positives + comparison.skeleton.negatives == 28
    assert arcwise.comparison.roc(posterior, network.dag).auc == comparison.directed.auc
    assert (
        arcwise.comparison.roc(posterior, network.dag, skeleton=True).auc == comparison.skeleton.auc
    )


def test_refusals() -> None:
    posterior = sampled_posterior()
    with pytest.raises(ArgumentError, match=r"truth is Cpdag\(.*; give pairs"):
        posterior.compare(cpdag(Dag(names(5), {})))
    with pytest.raises(ArgumentError, match="truth lacks 'x4'"):
        posterior.compare(Dag(names(4), {}))
    with pytest.raises(ArgumentError, match="of type int; give a Posterior"):
        arcwise.comparison.roc(3, Dag(["a"], {}))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="2 probabilities and 1 truth values"):
        EdgeCurve.of([0.1, 0.2], [True])
