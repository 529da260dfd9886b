"""R-hat, effective sample sizes and standard errors, against ArviZ and against known laws.

Ours differ from ArviZ's in two places: a quantity that never changes has none (there
a perfect one), and one chain has an R-hat, of its halves (there none).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from arviz_stats.base import array_stats
from scipy.stats import chi2, norm, rankdata

from arcwise.errors import ArgumentError
from arcwise.statistics.convergence import (
    effective_sample_size,
    largest_chain_difference,
    rhat,
    standard_error,
    weighted_standard_error,
)
from support.chi_squared import FALSE_ALARM_RATE


def autoregressive(
    shape: tuple[int, ...], correlation: float, seed: int
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return stationary normal draws of variance 1 along axis 1."""
    draws = np.random.default_rng(seed).normal(size=shape)
    for step in range(1, shape[1]):
        draws[:, step] *= math.sqrt(1.0 - correlation**2)
        draws[:, step] += correlation * draws[:, step - 1]
    return draws


def kinds(chains: int, length: int, correlation: float) -> dict[str, Any]:
    draws = autoregressive((chains, length, 3), correlation, chains * length)
    apart = draws + np.arange(chains)[:, np.newaxis, np.newaxis]
    return {
        "real": draws,
        "apart": apart,
        "spread apart": draws * (1.0 + np.arange(chains))[:, np.newaxis, np.newaxis],
        "ties": draws.round(1),
        "far": draws * 1e-3 - 1e4,
        "heavy": np.sinh(4.0 * draws),
        "edges": draws > 0.7,
        "rare edges": draws > 2.5,
        "edges apart": apart > 0.7,
    }


@pytest.mark.parametrize("correlation", [-0.8, 0.0, 0.5, 0.97])
@pytest.mark.parametrize("length", [4, 5, 9, 10, 11, 13, 100, 1001])
@pytest.mark.parametrize("chains", [1, 2, 4])
def test_as_arviz(chains: int, length: int, correlation: float) -> None:
    compared = 0
    for kind, draws in kinds(chains, length, correlation).items():
        if length < 100 and draws.dtype == np.bool_:
            continue  # sums of few bits are exactly 0 now and then, up to rounding
        ours = (rhat(draws), effective_sample_size(draws), standard_error(draws))
        for quantity in range(draws.shape[2]):
            one = draws[:, :, quantity].astype(np.float64)
            if np.ptp(one) == 0.0:
                continue
            axes = {"chain_axis": 0, "draw_axis": 1}
            theirs = [
                array_stats.rhat(one, **axes) if chains > 1 else ours[0][quantity],
                array_stats.ess(one, method="bulk", **axes),
                array_stats.mcse(one, method="mean", **axes),
            ]
            found = [numbers[quantity] for numbers in ours]
            np.testing.assert_allclose(found, theirs, rtol=1e-9, err_msg=kind)
            compared += 1
    assert compared >= 18


def test_one_chain_is_compared_with_itself() -> None:
    draws = autoregressive((1, 1000, 2), 0.0, 1)
    draws[:, 500:, 1] += 1.0
    found = rhat(draws)
    assert found[0] < 1.01
    assert found[1] > 1.1
    for quantity in range(2):
        halves = draws[0, :, quantity].reshape(2, 500)
        expected = 0.0
        for numbers in (halves, abs(halves - np.median(halves))):
            scores = norm.ppf((rankdata(numbers) - 3 / 8) / (1000 + 1 / 4)).reshape(2, 500)
            ratio = 500 * scores.mean(axis=1).var(ddof=1) / scores.var(axis=1, ddof=1).mean()
            expected = max(expected, math.sqrt((499 + ratio) / 500))
        assert found[quantity] == pytest.approx(expected, rel=1e-9)


def test_what_never_changes_is_not_perfect() -> None:
    draws = autoregressive((4, 100, 5), 0.0, 1)
    draws[:, :, 0] = 0.3
    draws[:, :, 1] = 0.0
    draws[:, :, 2] = 1.0 + 1e-16 * np.arange(100)  # rounding is no movement
    for function in (rhat, effective_sample_size):
        found = function(draws)
        assert np.isnan(found[:3]).all()
        assert np.isfinite(found[3:]).all()
    assert (standard_error(draws)[:2] == 0.0).all()
    assert standard_error(draws)[2] < 1e-15


def test_each_chain_at_a_place_of_its_own() -> None:
    draws = np.repeat([[0.1, 0.0, 1.0], [0.1, 1.0, 2.0], [0.3, 1.0, 3.0]], 100, axis=0)
    draws = draws.reshape(3, 100, 3)
    assert (rhat(draws) == np.inf).all()
    # What 300 draws say is what three would.
    assert (effective_sample_size(draws) < 10).all()


@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_too_few_draws(length: int) -> None:
    draws = autoregressive((4, 3, 2), 0.0, 1)[:, :length]
    for function in (rhat, effective_sample_size, standard_error):
        found = function(draws)
        assert found.shape == (2,)
        assert np.isnan(found).all()


def test_numbers_that_are_not_finite() -> None:
    draws = autoregressive((2, 50, 4), 0.0, 1)
    draws[0, 3, 0], draws[1, 7, 1], draws[1, 7, 2] = np.nan, -np.inf, np.inf
    for function in (rhat, effective_sample_size, standard_error):
        found = function(draws)
        assert np.isnan(found[:3]).all()
        assert found[3] == pytest.approx(float(function(draws[:, :, 3])), rel=1e-12)


def test_quantities_do_not_know_of_each_other() -> None:
    draws = autoregressive((3, 400, 200), 0.5, 1)
    draws[:, :, ::3] = draws[:, :, ::3] > 0
    draws[:, :, 7] = 1.0
    for function in (rhat, effective_sample_size, standard_error):
        whole = function(draws.reshape(3, 400, 20, 10))
        assert whole.shape == (20, 10)
        alone = np.array([function(draws[:, :, i]) for i in range(200)])
        np.testing.assert_allclose(whole.reshape(-1), alone, rtol=1e-12)


def test_standard_errors_are_those_of_the_means() -> None:
    """The sum of squared errors follows chi-squared: false alarms once in a million a side."""
    correlation, length = 0.8, 4000
    draws = autoregressive((4, length, 400), correlation, 5)
    found = standard_error(draws)
    exact = math.sqrt((1 + correlation) / (1 - correlation) / (4 * length))
    assert abs(np.median(found) / exact - 1.0) < 0.03
    squares = float(((draws.mean(axis=(0, 1)) / exact) ** 2).sum())
    low, high = (chi2.ppf(tail, 400) for tail in (FALSE_ALARM_RATE, 1 - FALSE_ALARM_RATE))
    assert low < squares < high
    # Taking the draws as independent would have failed.
    assert not low < squares * (1 + correlation) / (1 - correlation) < high


def test_differences_between_chains() -> None:
    means = np.array([[[0.1, 0.5]], [[0.4, 0.5]], [[0.2, 0.4]]])
    np.testing.assert_allclose(largest_chain_difference(means), [[0.3, 0.1]])
    assert np.isnan(largest_chain_difference(means[:1])).all()


def test_equal_weights_are_no_weights() -> None:
    draws = autoregressive((3, 500, 4), 0.6, 1)
    draws[:, :, 3] = 0.25
    rows = draws.reshape(1500, 4)
    chains = np.repeat([5, 2, 9], 500)
    found = weighted_standard_error(rows, np.full(1500, 0.1), chains)
    np.testing.assert_allclose(found, standard_error(draws), rtol=1e-9, atol=1e-16)
    # The draws of the chains may come one after the other.
    mixed = np.arange(1500).reshape(3, 500).T.reshape(-1)
    again = weighted_standard_error(rows[mixed], np.ones(1500), chains[mixed])
    np.testing.assert_allclose(again, found, rtol=1e-9, atol=1e-16)
    # Taken as one chain they are another estimate of the same.
    np.testing.assert_allclose(weighted_standard_error(rows, np.ones(1500)), found, rtol=0.3)


@pytest.mark.parametrize("grouped", [False, True])
def test_weighted_errors_are_those_of_the_means(grouped: bool) -> None:
    """Squared errors in units of the estimate average 1; six standard errors allowed (1e-8)."""
    replications, chains, length, correlation = 600, 4, 500, 0.7
    squares = []
    for seed in range(replications):
        if grouped:  # 500 independent groups of two draws that share much
            base = np.random.default_rng(seed).normal(size=(500, 1))
            state = (base + 0.3 * np.random.default_rng(seed + 9999).normal(size=(500, 2))) / 1.044
            number = np.repeat(np.arange(500), 2)
        else:
            state = autoregressive((chains, length), correlation, seed)
            number = np.repeat(np.arange(chains), length)
        state = state.reshape(-1)
        weights = np.exp(0.8 * state)  # the target is normal with mean 0.8
        values = state > 0.5
        error = float(weighted_standard_error(values, 1e-200 * weights, number))
        truth = 0.5 * math.erfc((0.5 - 0.8) / math.sqrt(2.0))
        estimate = float((weights * values).sum() / weights.sum())
        squares.append(((estimate - truth) / error) ** 2)
    # The square of a normal variable has variance 2; estimated errors add a little.
    assert abs(np.mean(squares) - 1.0) < 6.0 * math.sqrt(2.0 / replications)
    assert np.std(squares) < 2.5


def test_the_error_of_weighted_independent_draws_is_the_jackknife() -> None:
    draw = np.random.default_rng(11)
    values, weights = draw.normal(size=(40, 3)), draw.exponential(size=40) ** 2
    keep = ~np.eye(40, dtype=bool)
    without = np.stack([weights[own] @ values[own] / weights[own].sum() for own in keep])
    mean = weights @ values / weights.sum()
    expected = np.sqrt(39 / 40 * np.square(without - mean).sum(axis=0))
    found = weighted_standard_error(values, weights, np.arange(40))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_chains_that_differ_by_more_than_they_show_have_larger_errors() -> None:
    # Draws of autocorrelation 0.99 seem less correlated to chains of a hundred.
    number = np.repeat(np.arange(8), 100)
    for seed in range(20):
        draws = autoregressive((8, 100), 0.99, seed)
        between = float(draws.mean(axis=1).std(ddof=1)) / math.sqrt(8)
        found = float(weighted_standard_error(draws.reshape(-1), np.ones(800), number))
        assert found >= between * (1.0 - 1e-9)


def test_a_single_draw_with_all_the_weight_has_no_error() -> None:
    weights = np.zeros(40)
    weights[7] = 1.0
    assert np.isnan(weighted_standard_error(np.arange(40.0), weights, np.arange(40)))


def test_a_chain_cut_off_early_does_not_matter_much() -> None:
    draws = autoregressive((4, 1000), 0.8, 2)
    rows = np.concatenate([draws[0], draws[1], draws[2], draws[3, :2]])
    number = np.repeat([0, 1, 2, 3], [1000, 1000, 1000, 2])
    found = float(weighted_standard_error(rows, np.ones(len(rows)), number))
    assert found == pytest.approx(float(standard_error(draws[:3])), rel=0.05)


def test_zero_weights_and_constants() -> None:
    values = np.array([[1.0, 0.3], [1.0, 0.3], [0.0, 0.3], [1.0, 0.3], [1.0, 0.3]])
    weights = [1.0, 2.0, 0.0, 1.0, 4.0]
    assert weighted_standard_error(values, weights).tolist() == [0.0, 0.0]
    assert np.isnan(weighted_standard_error([1.0, 0.0], [1.0, 1.0]))


def test_errors_of_tiny_quantities_are_those_of_large_ones() -> None:
    draws = autoregressive((1, 400), 0.5, seed=6)[0]
    rows = np.stack([draws, np.ldexp(draws, -700)], axis=1)
    large, tiny = weighted_standard_error(rows, np.ones(400))
    assert large > 0.0
    assert tiny == np.ldexp(large, -700)


def test_refusals() -> None:
    for draws in (np.zeros(3), np.zeros((0, 4))):
        with pytest.raises(ArgumentError, match=r"^draws has the shape .*; give \(chains, draws"):
            rhat(draws)
    with pytest.raises(ArgumentError, match=r"^means_by_chain has the shape .*; give"):
        largest_chain_difference(np.zeros((0, 3)))
    for values, weights, chains in (
        (np.zeros(3), np.ones(2), None),
        (np.zeros(3), np.ones(3), [0, 1]),
        (np.zeros(0), np.ones(0), None),
        (0.0, 1.0, None),
    ):
        with pytest.raises(ArgumentError, match=r"have the shapes .*; give one weight"):
            weighted_standard_error(values, weights, chains)
    for wrong in ([1.0, -1.0], [0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0]):
        with pytest.raises(ArgumentError, match=r"^weights must be finite"):
            weighted_standard_error([1.0, 0.0], wrong)
