"""Gaussian networks: closed-form moments, moments of samples, interventions, refusals.

Every statistical comparison uses fixed seeds and would fail for a correct library with
probability 1e-6 at most.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.networks import GaussianNetwork, gaussian_network, random_dag
from support.columns import continuous

FALSE_ALARM = 1e-6
DIAMOND = Dag(["d", "a", "b", "c"], {"b": ["a"], "c": ["a"], "d": ["b", "c"]})


def diamond() -> GaussianNetwork:
    # Order d, a, b, c; a -> b: 2, a -> c: -1, b -> d: 0.5, c -> d: 3.
    weights = np.array([[0, 0, 0, 0], [0, 0, 2, -1], [0.5, 0, 0, 0], [3, 0, 0, 0]])
    return GaussianNetwork(DIAMOND, weights, [1, 2, 0, -1], [0.5, 1, 4, 0.25])


def values(data: Data) -> np.ndarray:
    return np.column_stack([continuous(data, i).values for i in range(len(data.columns))])


def mahalanobis(difference: np.ndarray, covariance: np.ndarray) -> float:
    return float(difference @ np.linalg.solve(covariance, difference))


def test_moments_by_hand() -> None:
    network = diamond()
    # E: a = 2, b = 2a = 4, c = -1 - a = -3, d = 1 + b/2 + 3c = -6.
    np.testing.assert_allclose(network.mean(), [-6, 2, 4, -3], rtol=1e-14)
    # a's total effect on d is 2/2 - 3 = -2; noise of b and c reaches d by 1/2 and 3.
    expected: list[list[float]] = [
        [0.5 + 4 + 4 / 4 + 9 / 4, -2, -4 + 2, 2 + 0.75],
        [-2, 1, 2, -1],
        [-4 + 2, 2, 4 + 4, -2],
        [2 + 0.75, -1, -2, 1 + 0.25],
    ]
    np.testing.assert_allclose(network.covariance(), expected, rtol=1e-13)


def test_covariance_solves_the_recursion_on_random_networks() -> None:
    for seed in range(20):
        dag = random_dag(9, expected_degree=3, seed=seed)
        network = gaussian_network(dag, signs="random", variance=0.7, seed=seed)
        covariance = network.covariance()
        np.testing.assert_array_equal(covariance, covariance.T)
        # The noise of x (I - W) is independent: (I - W)' C (I - W) is the diagonal of variances.
        residual = np.eye(9) - network.weights
        np.testing.assert_allclose(
            residual.T @ covariance @ residual, 0.7 * np.eye(9), atol=1e-9 * covariance.max()
        )


def test_samples_have_the_moments() -> None:
    network, rows = diamond(), 20_000
    drawn = values(network.sample(rows, seed=3))
    mean, covariance = network.mean(), network.covariance()
    # rows * (mean - m)' C^-1 (mean - m) is chi-squared with 4 degrees of freedom.
    distance = rows * mahalanobis(drawn.mean(axis=0) - mean, covariance)
    assert distance < chi2.isf(FALSE_ALARM / 2, 4)
    # With x = m + L z, the entries of mean(zz') on and above the diagonal are uncorrelated with
    # variances 2/rows and 1/rows, so their standardised squares sum to about chi-squared(10).
    white = np.linalg.solve(np.linalg.cholesky(covariance), (drawn - mean).T)
    error = white @ white.T / rows - np.eye(4)
    statistic = rows * (np.triu(error, 1) ** 2).sum() + rows / 2 * (np.diag(error) ** 2).sum()
    assert statistic < chi2.isf(FALSE_ALARM / 2, 10)


def test_an_intervention_cuts_what_comes_from_the_parents_and_keeps_the_rest() -> None:
    network, rows = diamond(), 5_000
    free, cut = network.sample(rows, seed=4), network.sample(rows, seed=4, interventions={"b": 7.0})
    assert free.intervened is None
    assert cut.intervened is not None
    assert cut.intervened.all(axis=0).tolist() == [False, False, True, False]
    assert cut.intervened.any(axis=0).tolist() == [False, False, True, False]
    before, after = values(free), values(cut)
    assert (after[:, 2] == 7.0).all()
    np.testing.assert_array_equal(after[:, [1, 3]], before[:, [1, 3]])
    np.testing.assert_allclose(after[:, 0], before[:, 0] + 0.5 * (7.0 - before[:, 2]), atol=1e-12)


def test_the_first_rows_of_a_longer_sample_and_the_seed() -> None:
    network = diamond()
    np.testing.assert_array_equal(
        values(network.sample(10, seed=8)), values(network.sample(1000, seed=8))[:10]
    )
    assert network.sample(10, seed=8) == network.sample(10, seed=8)
    assert network.sample(10, seed=8) != network.sample(10, seed=9)


def test_random_parameters_lie_where_they_are_asked_for() -> None:
    dag = random_dag(40, edge_probability=0.5, seed=1)
    weights = gaussian_network(dag, weights=(0.5, 1.5), variance=2.0, seed=1)
    on_edges = weights.weights[dag.matrix()]
    assert ((on_edges >= 0.5) & (on_edges <= 1.5)).all()
    assert np.ptp(on_edges) > 0.9
    assert (weights.weights[~dag.matrix()] == 0).all()
    assert (weights.variances == 2.0).all()
    signed = gaussian_network(dag, signs="random", seed=1).weights[dag.matrix()]
    positive = (signed > 0).sum()
    # Binomial with 1/2: 4.9 deviations are exceeded with probability 1e-6.
    assert abs(positive - len(signed) / 2) < 4.9 * np.sqrt(len(signed)) / 2
    assert abs(signed).min() >= 0.4
    assert abs(signed).max() <= 2.0


def test_parameters_cannot_be_changed_and_survive_pickling() -> None:
    network = diamond()
    with pytest.raises(ValueError, match="read-only"):
        network.weights[0, 1] = 1.0
    with pytest.raises(AttributeError):
        network.dag = DIAMOND  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(network))
    np.testing.assert_array_equal(again.covariance(), network.covariance())
    assert repr(network).startswith("GaussianNetwork(Dag(4 variables, 4 edges")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: GaussianNetwork(DIAMOND, np.eye(4)), "not 0 at 'd' -> 'd', which is not an edge"),
        (lambda: GaussianNetwork(DIAMOND, np.zeros((3, 3))), r"weights has the shape \(3, 3\)"),
        (lambda: GaussianNetwork(DIAMOND, 0.0), r"weights has the shape \(\); .* give \(4, 4\)"),
        (lambda: GaussianNetwork(DIAMOND, np.full((4, 4), np.nan)), "weights holds inf or nan"),
        (lambda: GaussianNetwork(DIAMOND, np.zeros((4, 4)), [1, 2]), "intercepts has the shape"),
        (
            lambda: GaussianNetwork(DIAMOND, np.zeros((4, 4)), variances=[1, 1, 0, 1]),
            "variances is 0 for 'b'; give a number above 0",
        ),
        (lambda: gaussian_network(DIAMOND, weights=(2, 1)), "weights is .*the lower first"),
        (lambda: gaussian_network(DIAMOND, signs="both"), "signs is 'both'; give 'positive' or"),  # type: ignore[arg-type]
        (lambda: gaussian_network(DIAMOND, variance=-1), "variances is -1 for 'd'"),
        (lambda: diamond().sample(0), "rows is 0; give a whole number, 1 or more"),
        (lambda: diamond().sample(5, seed=-3), "seed is -3"),
        (lambda: diamond().sample(5, interventions={"e": 1}), "interventions names 'e'"),
        (
            lambda: diamond().sample(5, interventions={"a": np.inf}),
            r"interventions\['a'\] is inf; give a finite",
        ),
        (lambda: diamond().sample(5, interventions={"a": "x"}), r"interventions\['a'\] is 'x'"),
    ],
)
def test_refusals(build: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        build()
