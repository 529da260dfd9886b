"""Features of more variables and many DAGs: against exact values, batches against single draws."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model
from arcwise.algorithms import ExactSampler
from arcwise.posterior import matrices
from arcwise.results import DagSample
from support.exact_models import names
from support.interrupting import assert_stops_within_two_seconds
from support.sampled_posteriors import random_sample
from support.sampling_errors import assert_common_within_errors

Array = np.ndarray[Any, np.dtype[np.float64]]


def network_model(n: int, rows: int, max_indegree: int) -> Model:
    dag = arcwise.networks.random_dag(n, expected_degree=2.0, max_indegree=max_indegree, seed=2)
    network = arcwise.networks.discrete_network(dag, levels=(2, 3), concentration=0.7, seed=2)
    return Model(network.sample(rows, seed=2), prior="uniform", max_indegree=max_indegree)


def test_paths_against_exact_ancestors() -> None:
    model = network_model(12, 200, 3)
    exact = arcwise.algorithms.ancestor_probabilities(model)
    np.fill_diagonal(exact, 0.0)
    dags = ExactSampler(model).dags(5_000, seed=1)
    found, errors = dags.matrix("ancestor")
    assert_common_within_errors(found, errors, exact)
    chains = arcwise.mcmc(model, "partitions", steps=60_000, seed=3)
    found, errors = chains.matrix("ancestor")
    assert_common_within_errors(found, errors, exact)
    # Single features say the same as the matrix, and of 24 intervals three at most may fail:
    # more do in one of 40 cases if features were independent, and this seed is no such case.
    names_of = model.variables
    asked = list(permutations(range(12), 2))[::6][:24]
    missed = 0
    for u, v in asked:
        estimate = chains.estimate(f"{names_of[u]} ~> {names_of[v]}")
        assert estimate.value == pytest.approx(found[u, v], abs=1e-9)
        missed += not estimate.interval.low <= exact[u, v] <= estimate.interval.high
    assert missed <= 3


def test_edges_of_twenty_variables() -> None:
    model = network_model(20, 100, 2)
    exact = arcwise.exact(model, "order-modular")
    dags = ExactSampler(model, "order-modular").dags(6_000, seed=2)
    found, errors = dags.matrix("edge")
    assert_common_within_errors(found, errors, exact.edges)
    skeleton, errors = dags.matrix("skeleton")
    assert_common_within_errors(skeleton, errors, exact.matrix("skeleton").probabilities)
    number = dags.estimate("edges")
    assert abs(number.value - exact.probability("edges")) < 4 * number.standard_error
    node, other = model.variables[3], model.variables[7]
    for text in (f"parents({node}) = {{}}", f"parents({node}) = {{{other}}}"):
        truth, estimate = exact.estimate(text), dags.estimate(text)
        assert truth.exact
        # A rare one may be off by more than four errors, but not by so much.
        assert abs(estimate.value - truth.value) <= 4 * estimate.standard_error + 1e-3


@pytest.mark.parametrize("interleaved", [False, True])
def test_errors_by_batches(interleaved: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    small = random_sample(5, 3000, seed=3)
    # Each DAG for several draws, so that there is an autocorrelation to be seen.
    repeated = np.repeat(small.parents, random.integers(1, 6, 3000), axis=0)[:8000]
    weights = random.random(8000)
    weights[100:150] = 0.0
    chains = np.arange(8000) % 4 if interleaved else np.repeat(np.arange(4), 2000)
    sample = DagSample(names(5), repeated, weights, chains=chains)
    for relation in ("edge", "ancestor", "cpdag"):
        by_batch = matrices.relation_errors(sample, relation)
        monkeypatch.setattr(matrices, "_DRAW_BY_DRAW", len(sample))
        by_draw = matrices.relation_errors(sample, relation)
        monkeypatch.undo()
        off = ~np.eye(5, dtype=np.bool_)
        ratio = by_batch[off] / by_draw[off]
        # Two estimates of the same error, each good to some ten per cent.
        assert 0.65 < ratio.min() < ratio.max() < 1.5
        assert 0.9 < np.median(ratio) < 1.1
        # Too many numbers to hold at once: the same batches, one column after the other.
        monkeypatch.setattr(matrices, "_MOST_BATCHES", 80)
        together = matrices.relation_errors(sample, relation)
        monkeypatch.setattr(matrices, "_MOST_NUMBERS", 100)
        by_column = matrices.relation_errors(sample, relation)
        monkeypatch.undo()
        np.testing.assert_allclose(by_column, together, rtol=1e-9)


def test_interruption() -> None:
    script = """
import numpy as np
from arcwise import _core
parents = np.zeros((50_000, 100, 2), dtype=np.uint64)
for node in range(1, 100):
    parents[:, node, (node - 1) // 64] = np.uint64(1) << np.uint64((node - 1) % 64)
offsets = np.array([0, len(parents)], dtype=np.uint64)
def job():
    _core.relation_sums(parents, "ancestor", 99, None, offsets, 1)
"""
    assert_stops_within_two_seconds(script)


def test_sums_do_not_depend_on_threads() -> None:
    sample = random_sample(7, 4000, weights=np.random.default_rng(1).random(4000))
    found = [
        arcwise._core.relation_sums(
            sample.parents, "ancestor", 0, sample.weights, np.array([0, 999, 4000], "u8"), threads
        )
        for threads in (1, 2, 5)
    ]
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_different_dags_in_the_order_they_were_seen() -> None:
    sample = random_sample(3, 500)
    distinct, place = sample.distinct()
    assert (distinct.parents[place] == sample.parents).all()
    first = [list(map(bytes, sample.parents)).index(bytes(row)) for row in distinct.parents]
    assert first == sorted(first)
    assert len({bytes(row) for row in distinct.parents}) == len(distinct) == 25
