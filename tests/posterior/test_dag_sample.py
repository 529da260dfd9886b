"""Samples of DAGs: weights and their logs, chains, adding them up, and standard errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arcwise.errors import ArgumentError
from arcwise.results import DagSample
from arcwise.statistics.convergence import standard_error, weighted_standard_error
from support.sampled_posteriors import packed, random_sample


def matrices_of(sample: DagSample) -> list[list[tuple[str, str]]]:
    return [list(dag.edges) for dag in sample]


@pytest.mark.parametrize("shift", [-1e6, 0.0, 1e6])
def test_logs_of_weights_of_any_size(shift: float) -> None:
    logs = np.log([1.0, 2.0, 4.0, 1.0])
    plain = random_sample(4, 4, weights=np.exp(logs))
    sample = random_sample(4, 4, log_weights=logs + shift)
    np.testing.assert_allclose(sample.shares, [1 / 8, 2 / 8, 4 / 8, 1 / 8], rtol=1e-9)
    np.testing.assert_allclose(sample.edge_probabilities(), plain.edge_probabilities(), rtol=1e-9)
    assert sample.weights is not None
    assert sample.weights.max() == 1.0


def test_weights_of_zero() -> None:
    sample = random_sample(3, 3, log_weights=np.array([-np.inf, 0.0, -np.inf]))
    assert sample.shares.tolist() == [0.0, 1.0, 0.0]
    assert sample.effective_sample_size() == 1.0
    again = random_sample(3, 3, weights=np.array([0.0, 2.0, 0.0]))
    assert again.log_weights is not None
    assert again.log_weights.tolist() == [-np.inf, math.log(2.0), -np.inf]


def test_effective_sample_size_of_weights() -> None:
    assert random_sample(3, 50).effective_sample_size() == pytest.approx(50.0)
    sample = random_sample(3, 3, weights=np.array([1.0, 2.0, 3.0]))
    assert sample.effective_sample_size() == pytest.approx(36.0 / 14.0)


def test_adding_keeps_chains_apart() -> None:
    first = random_sample(4, 3, seed=1, chains=np.array([0, 2, 0]))
    second = random_sample(4, 2, seed=2)
    third = random_sample(4, 2, seed=3, chains=np.array([1, 0], dtype=np.uint8))
    whole = DagSample.concatenate([first, second, third])
    assert whole.chains is not None
    assert whole.chains.tolist() == [0, 2, 0, 3, 3, 5, 4]
    assert whole.weights is None
    assert matrices_of(whole) == matrices_of(first) + matrices_of(second) + matrices_of(third)
    added = first + second + third
    assert added.chains is not None
    assert added.chains.tolist() == whole.chains.tolist()
    assert matrices_of(added) == matrices_of(whole)


def test_adding_keeps_the_scale_of_weights() -> None:
    first = random_sample(4, 2, log_weights=np.array([-1000.0, -1001.0]))
    second = random_sample(4, 1, seed=2, log_weights=np.array([-1002.0]))
    expected = np.exp([0.0, -1.0, -2.0])
    np.testing.assert_allclose((first + second).shares, expected / expected.sum(), rtol=1e-12)
    third = random_sample(4, 2, weights=np.array([2.0, 3.0])) + random_sample(4, 1)
    np.testing.assert_allclose(third.shares, [2 / 6, 3 / 6, 1 / 6])


def test_standard_errors_of_edges() -> None:
    n, chains, length = 4, 3, 200
    random = np.random.default_rng(1)
    matrices = np.zeros((chains, length, n, n), dtype=np.bool_)
    for chain in range(chains):
        state = np.zeros((n, n), dtype=np.bool_)
        for step in range(length):
            u, v = sorted(random.choice(n, 2, replace=False))
            state[v, u] = random.random() < 0.5  # v has the parent u before it
            matrices[chain, step] = state
    matrices[:, :, 3, 0] = True
    variables = tuple("abcd")
    number = np.repeat(np.arange(chains), length)
    flat = matrices.reshape(-1, n, n)
    plain = DagSample(variables, packed(flat), chains=number)
    expected = standard_error(matrices).T
    np.testing.assert_allclose(plain.standard_errors(), expected, rtol=1e-9, atol=1e-15)
    assert plain.standard_errors()[0, 3] == 0.0
    assert plain.standard_errors()[0, 1] > 0.0
    weights = random.random(chains * length)
    weighted = DagSample(variables, packed(flat), log_weights=np.log(weights) + 1e5, chains=number)
    expected = weighted_standard_error(flat, weights, number).T
    np.testing.assert_allclose(weighted.standard_errors(), expected, rtol=1e-6, atol=1e-15)


def test_one_word_more() -> None:
    sample = random_sample(65, 6, seed=4)
    errors = sample.standard_errors()
    probabilities = sample.edge_probabilities()
    assert errors.shape == (65, 65)
    assert ((errors > 0) == ((probabilities > 0) & (probabilities < 1 - 1e-12))).all()


def test_refusals() -> None:
    with pytest.raises(ArgumentError, match=r"^both weights and log_weights were given"):
        random_sample(3, 2, weights=np.ones(2), log_weights=np.zeros(2))
    for logs in ([0.0], [np.nan, 0.0], [np.inf, 0.0], [-np.inf, -np.inf]):
        with pytest.raises(ArgumentError, match=r"^log_weights must hold one number or -inf for"):
            random_sample(3, 2, log_weights=np.array(logs))
    for weights in ([1.0], [-1.0, 2.0], [0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0]):
        with pytest.raises(ArgumentError, match=r"^weights must hold one nonnegative finite"):
            random_sample(3, 2, weights=np.array(weights))
    for chains in ([0], [0, -1], [0.0, 1.0]):
        with pytest.raises(ArgumentError, match=r"^chains must hold one whole number, 0 or more"):
            random_sample(3, 2, chains=np.array(chains))
    for samples in ([], [random_sample(3, 2), random_sample(4, 2)]):
        with pytest.raises(ArgumentError, match=r"^the samples cannot be concatenated; give one"):
            DagSample.concatenate(samples)
