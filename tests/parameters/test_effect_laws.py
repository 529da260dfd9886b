"""Drawn effects follow the posterior of the parameters, and are calibrated."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, invwishart, t, wishart

import arcwise
from arcwise import Dag, Model
from arcwise.laws.regressions import LinearGaussianPosteriors
from arcwise.networks import GaussianNetwork
from arcwise.scores import BGe
from reference import parameters as reference
from reference.dags import Parents, all_dags
from support.chi_squared import FALSE_ALARM_RATE, assert_follows, p_value
from support.small_gaussian import simple_model

BINS = 20


UNIFORM = dict.fromkeys(range(BINS), 1 / BINS)


def binned(shares: Iterable[float]) -> list[int]:
    """Return the bin of each number between 0 and 1."""
    return [min(BINS - 1, int(share * BINS)) for share in shares]


def test_a_single_coefficient_is_students_t() -> None:
    model, _, scale = simple_model()
    dag = Dag(model.variables, {"X1": ["X0"]})
    values, weights = arcwise.effects(dag, draws=40_000, seed=3, model=model).between("X0", "X1")
    degrees = 5.5 + 8 - 3 + 1 + 1  # alpha_w + N - n + parents + 1
    centre = scale[0, 1] / scale[0, 0]
    residual = scale[1, 1] - scale[0, 1] ** 2 / scale[0, 0]
    spread = math.sqrt(residual / degrees / scale[0, 0])
    assert_follows(binned(t.cdf(values, degrees, centre, spread)), UNIFORM)
    assert np.allclose(weights, 1 / 40_000)


def test_two_coefficients_vary_as_the_whole_precision_matrix_says() -> None:
    """Drawing all of Sigma, and regressing, knows nothing of gammas and degrees of a node."""
    model, _, scale = simple_model()
    dag = Dag(model.variables, {"X1": ["X0"], "X2": ["X0", "X1"]})
    found = arcwise.effects(dag, draws=20_000, seed=4, model=model)
    sigma: Any = invwishart(5.5 + 8, scale).rvs(20_000, random_state=5)
    of_x1 = sigma[:, 0, 1] / sigma[:, 0, 0]
    of_x2 = np.linalg.solve(sigma[:, :2, :2], sigma[:, :2, 2:])[:, :, 0]
    expected = {
        ("X0", "X1"): of_x1,
        ("X1", "X2"): of_x2[:, 1],
        ("X0", "X2"): of_x2[:, 0] + of_x1 * of_x2[:, 1],
    }
    for pair, draws in expected.items():
        edges = np.quantile(draws, np.arange(1, BINS) / BINS)
        counts = [
            np.bincount(np.searchsorted(edges, x), minlength=BINS)
            for x in (draws, found.between(*pair).values)
        ]
        difference = counts[0] - counts[1]
        # Chi-squared of two samples of one size, each with a share in every bin.
        statistic = (difference**2 / (counts[0] + counts[1])).sum()
        assert statistic < chi2.isf(FALSE_ALARM_RATE, BINS - 1)


def test_a_density_worked_out_by_numerical_integration() -> None:
    model, _, _ = simple_model()
    assert model.data is not None
    two = Model(model.data.select(["X0", "X1"]), BGe(0.7, 4.0, 0.2, [[2.0, 0.5], [0.5, 1.0]]))
    dag = Dag(["X0", "X1"], {"X1": ["X0"]})
    x, y = model.data.continuous_values("BGe")[:, :2].T
    slope, log_variance, level = np.meshgrid(
        np.linspace(-4, 6, 151), np.linspace(-4, 5, 91), np.linspace(-6, 6, 121), indexing="ij"
    )
    variance = np.exp(log_variance)
    prior_slope = 0.5 / 2.0
    log_density = -(4.0 / 2) * log_variance - (1.0 - 0.5**2 / 2.0) / (2 * variance)
    log_density -= 0.5 * log_variance + 2.0 * (slope - prior_slope) ** 2 / (2 * variance)
    away = level - (0.2 - 0.2 * slope)
    log_density -= 0.5 * log_variance + 0.7 * away**2 / (2 * variance)
    for each_x, each_y in zip(x, y, strict=True):
        error = each_y - level - slope * each_x
        log_density -= 0.5 * log_variance + error**2 / (2 * variance)
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    mean = (density * slope).sum()
    deviation = math.sqrt((density * (slope - mean) ** 2).sum())
    found = arcwise.effects(dag, draws=100_000, seed=6, model=two)
    assert abs(found.mean[0, 1] - mean) < 1e-6
    # Relative standard error of a standard deviation from 1e5 draws is about 0.3 per cent.
    assert abs(found.standard_deviations[0, 1] / deviation - 1) < 0.02


def drawn_from_the_prior(dag: Parents, random: np.random.Generator) -> GaussianNetwork:
    """Return the DAG with parameters from the prior of BGe(1, 5) for three variables.

    Those of each family come from a precision matrix of its own.
    """
    n, names = 3, ("X0", "X1", "X2")
    weights, intercepts, variances = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for node, parents in enumerate(dag):
        chosen = list(parents)
        sigma = np.linalg.inv(wishart(5.0, np.eye(n) / 0.5).rvs(random_state=random))
        mean = random.multivariate_normal(np.zeros(n), sigma)
        slopes = np.linalg.solve(sigma[np.ix_(chosen, chosen)], sigma[chosen, node])
        weights[chosen, node] = slopes
        intercepts[node] = mean[node] - slopes @ mean[chosen]
        variances[node] = sigma[node, node] - slopes @ sigma[chosen, node]
    structure = Dag(names, {names[v]: [names[u] for u in dag[v]] for v in range(n)})
    return GaussianNetwork(structure, weights, intercepts, variances)


@cache
def trials() -> list[tuple[Model, np.ndarray, arcwise.posterior.DagSample]]:
    """Return models of simulated rows, the true effects, and DAGs drawn from the posterior."""
    random = np.random.default_rng(10)
    dags = list(all_dags(3))
    result = []
    for trial in range(300):
        dag = dags[random.integers(len(dags))]
        network = drawn_from_the_prior(dag, random)
        model = Model(network.sample(6, seed=trial), BGe(1.0, 5.0, 0.0, 0.5), prior="uniform")
        coefficients = [network.weights[list(dag[v]), v].tolist() for v in range(3)]
        truth = [
            reference.path_effect(dag, coefficients, u, v) for u, v in permutations(range(3), 2)
        ]
        sample = arcwise.algorithms.ExactSampler(model).dags(BINS - 1, seed=trial)
        result.append((model, np.array(truth, dtype=np.float32), sample))
    return result


def ranks_of_true_effects(summed: Callable[[np.ndarray], np.ndarray]) -> list[int]:
    """Return ranks among 19 posterior draws, ties (no effect at all) broken at random.

    Ranked is the sum of a function of all six effects: all but one of the 25 DAGs have some,
    while each pair alone has none in most of them, and a tie tells nothing.
    """
    random = np.random.default_rng(11)
    ranks = []
    for trial, (model, truth, sample) in enumerate(trials()):
        found = arcwise.effects(sample, seed=trial, model=model)
        pairs = permutations(model.variables, 2)
        values = summed(np.array([found.between(*pair).values for pair in pairs])).sum(axis=0)
        right = summed(truth).sum()
        ties = int((values == right).sum())
        ranks.append(int((values < right).sum()) + int(random.integers(ties + 1)))
    return ranks


@pytest.mark.parametrize("summed", [np.positive, np.abs])
def test_ranks_of_true_effects_are_uniform(summed: Callable[[np.ndarray], np.ndarray]) -> None:
    """Simulation-based calibration: structure, parameters and rows from the prior."""
    assert_follows(ranks_of_true_effects(summed), UNIFORM)


def test_calibration_sees_draws_that_are_too_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = LinearGaussianPosteriors.every

    def narrow(self: LinearGaussianPosteriors, node: int, parents: Any) -> Any:
        found: Any = honest(self, node, parents)
        return [replace(each, residuals=each.residuals / 4) for each in found]

    monkeypatch.setattr(LinearGaussianPosteriors, "every", narrow)
    assert p_value(ranks_of_true_effects(np.abs), UNIFORM) < FALSE_ALARM_RATE
