"""Consensus graphs: above a threshold, the median DAG, and credible sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import Dag, Posterior
from arcwise.algorithms import ExactSampler
from arcwise.errors import ArgumentError
from arcwise.graphs import Cpdag
from arcwise.results import DagSample
from support.enumerated import every_dag, law_of, sample_of
from support.exact_models import flat_model, names, random_model
from support.run_records import chain_run
from support.sampled_posteriors import sampled_posterior


def with_edges(edges: dict[tuple[int, int], float], n: int = 3) -> Posterior:
    matrix = np.zeros((n, n))
    for place, probability in edges.items():
        matrix[place] = probability
    return Posterior(names(n), "modular", chain_run(), matrix)


CYCLE = {(0, 1): 0.6, (1, 2): 0.7, (2, 0): 0.55, (1, 0): 0.4, (0, 2): 0.2}


def test_threshold_graph_with_a_cycle() -> None:
    graph = with_edges(CYCLE).threshold_graph(0.5)
    assert graph.edges == (("x1", "x2", 0.7), ("x0", "x1", 0.6), ("x2", "x0", 0.55))
    assert graph.undirected == ()
    assert graph.cycle == ("x0", "x1", "x2")
    assert not graph.is_acyclic
    with pytest.raises(
        ArgumentError,
        match=r"^the edges with a probability above 0.5 contain the cycle x0 -> x1 -> x2",
    ):
        graph.dag()
    above = with_edges(CYCLE).threshold_graph(0.6)
    assert above.is_acyclic
    # Above, not at.
    assert above.dag() == Dag(names(3), {"x2": ["x1"]})
    assert above.undirected == (("x0", "x1", 1.0), ("x0", "x2", 0.75))
    assert above.graph() == Cpdag(names(3), [("x1", "x2")], [("x0", "x1"), ("x0", "x2")])
    assert len(with_edges(CYCLE).threshold_graph(0.0).edges) == 5
    for threshold in (-0.1, 1.0):
        with pytest.raises(ArgumentError, match=r"^threshold is .*; give a number of at least 0"):
            with_edges(CYCLE).threshold_graph(threshold)


def test_an_adjacency_of_open_direction_does_not_vanish() -> None:
    posterior = with_edges({(0, 1): 0.45, (1, 0): 0.45, (1, 2): 0.3, (2, 1): 0.2})
    graph = posterior.threshold_graph(0.5)
    assert (graph.edges, graph.undirected) == ((), (("x0", "x1", 0.9),))
    assert posterior.median_dag().edges == (("x0", "x1"),)


def test_the_median_dag_turns_what_would_close_a_cycle() -> None:
    assert with_edges(CYCLE).median_dag().edges == (("x0", "x1"), ("x0", "x2"), ("x1", "x2"))
    sure = with_edges({(0, 1): 0.9, (2, 1): 0.51, (2, 0): 0.5})
    assert sure.median_dag().edges == (("x0", "x1"), ("x2", "x1"))
    assert with_edges({}).median_dag().number_of_edges == 0


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7))
def test_the_median_dag_has_all_probable_adjacencies(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    edges = random.random((n, n)).round(1)
    edges = np.where(np.eye(n, dtype=bool), 0.0, edges / np.maximum(1.0, edges + edges.T))
    posterior = Posterior(names(n), "modular", chain_run(), edges)
    matrix = posterior.median_dag().matrix()  # which is a DAG, or it could not be built
    assert np.array_equal(matrix | matrix.T, edges + edges.T > 0.5)


def test_the_median_dag_has_the_fewest_expected_wrong_adjacencies() -> None:
    for seed in range(5):
        model = random_model(4, 6.0, seed)
        law = law_of(model)
        posterior = arcwise.exact(model)
        matrices = np.array([dag.matrix() for dag in law], dtype=float)
        joined = matrices + matrices.transpose(0, 2, 1)
        either = law.edge_probabilities() + law.edge_probabilities().T
        # The expected number of wrong adjacencies of each DAG.
        wrong = (joined * (1.0 - either) + (1.0 - joined) * either).sum(axis=(1, 2))
        chosen = posterior.median_dag().matrix()
        assert np.array_equal(joined[int(wrong.argmin())].astype(bool), chosen | chosen.T)


def test_a_credible_set_is_the_smallest_that_reaches_the_level() -> None:
    a, b, c = ((), (0,)), ((1,), ()), ((), ())
    sample = sample_of([a, b, a, c, a])
    chosen = sample.credible_set(0.6)
    assert [dag.edges for dag in chosen.graphs] == [(("x0", "x1"),)]
    assert chosen.reached == pytest.approx(0.6)
    assert (chosen.distinct, chosen.distinct_share) == (3, 0.6)
    assert sample.credible_set(0.61).probabilities == pytest.approx([0.6, 0.2])
    assert len(sample.credible_set(1.0)) == 3
    classes = sample.credible_set(0.7, classes=True)
    assert list(classes.graphs) == [Cpdag(names(2), undirected=[("x0", "x1")])]
    assert classes.probabilities == pytest.approx([0.8])
    assert repr(classes).startswith("<CredibleSet: 1 graphs of probability 0.800; 40.0% of")
    weighted = DagSample(sample.variables, sample.parents, np.array([1.0, 9.0, 1.0, 1.0, 1.0]))
    assert weighted.credible_set(0.5).probabilities == pytest.approx([9 / 13])
    for level in (0.0, 1.1):
        with pytest.raises(ArgumentError, match=r"^level is .*; give a probability above 0"):
            sample.credible_set(level)


def test_all_classes_of_all_dags() -> None:
    for n, dags, classes in ((3, 25, 11), (4, 543, 185)):
        _, sample = every_dag(n)
        assert sample.credible_set(1.0).distinct == dags
        assert sample.credible_set(1.0, classes=True).distinct == classes


def test_probabilities_of_classes_are_those_of_enumeration() -> None:
    model = random_model(4, 12.0, 3)
    law = law_of(model)
    expected = law.credible_set(0.8, classes=True)
    posterior = sampled_posterior(4, dags=law, edges=law.edge_probabilities(), edge_errors=None)
    assert len(posterior.credible_set(0.8, classes=True)) == len(expected)
    by_class: dict[Cpdag, float] = {}
    for dag, share in zip(law, law.shares, strict=True):
        key = arcwise.graphs.cpdag(dag)
        by_class[key] = by_class.get(key, 0.0) + float(share)
    for graph, probability in zip(expected.graphs, expected.probabilities, strict=True):
        assert by_class[graph] == pytest.approx(probability)
    best = sorted(by_class.values(), reverse=True)
    assert expected.probabilities == pytest.approx(best[: len(expected)])
    assert sum(best[: len(expected) - 1]) < 0.8 <= sum(best[: len(expected)])


def test_known_coverage_makes_probabilities_exact() -> None:
    model = random_model(4, 12.0, 3)
    exact, law = arcwise.exact(model), law_of(model)
    assert exact.log_evidence is not None
    assert exact.log_prior_constant is not None
    total = exact.log_evidence + exact.log_prior_constant
    weighted = arcwise.algorithms.importance_weighted_dags(
        model, 300, seed=1, log_total_weight=total
    )
    chosen = weighted.credible_set(0.5)
    truth = {dag: float(share) for dag, share in zip(law, law.shares, strict=True)}
    for dag, probability in zip(chosen.graphs, chosen.probabilities, strict=True):
        assert truth[dag] == pytest.approx(probability, rel=1e-9)
    everything = weighted.credible_set(1.0)
    assert everything.reached == pytest.approx(weighted.coverage)


def test_exact_posteriors_have_no_dags_to_choose_from() -> None:
    with pytest.raises(ArgumentError, match=r"^the probability of a whole DAG is estimated from"):
        arcwise.exact(flat_model(3)).credible_set()
    dags = ExactSampler(flat_model(2)).dags(3000, seed=1)
    assert dags.credible_set(0.99, classes=True).probabilities[0] == pytest.approx(2 / 3, abs=0.05)
