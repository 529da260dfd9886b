"""Estimates on the log scale: effective runs, t quantiles, and intervals that cover."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, t

from arcwise.statistics.log_estimates import (
    LogEstimate,
    cautious_effective_runs,
    effective_runs,
    interval_of,
    log_mean,
    summed_degrees,
    t_quantile,
    weighted_mean,
)
from support.chi_squared import FALSE_ALARM_RATE
from support.log_weights import plain_error

FEWEST = 10.0


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 7, 9, 15.5, 30, 99, 1000])
def test_quantiles_of_t(degrees: float) -> None:
    assert t_quantile(degrees) == pytest.approx(t.ppf(0.975, degrees), rel=2e-5)


def test_degrees_of_sums() -> None:
    assert summed_degrees([2.0, 2.0], [5.0, 5.0]) == pytest.approx(10.0)
    # A variance that dominates is known from its own degrees of freedom.
    assert summed_degrees([1.0, 1e-9], [5.0, 500.0]) == pytest.approx(5.0, rel=1e-6)
    assert summed_degrees([0.0, 0.0], [5.0, 5.0]) == math.inf


def test_kish_and_the_variance_of_the_mean() -> None:
    logs = 0.3 * np.random.default_rng(1).normal(size=200)
    assert cautious_effective_runs(logs) <= effective_runs(logs)
    estimate = LogEstimate.of_weights(logs)
    assert estimate.value == log_mean(logs)
    # Nearly that of the sample, where the weights hardly vary.
    assert estimate.standard_error == pytest.approx(plain_error(logs), rel=0.2)
    assert estimate.standard_error >= plain_error(logs) * (1 - 1e-12)


def test_weights_of_no_account_do_not_count() -> None:
    logs = np.concatenate([np.zeros(30), np.full(70, -50.0), np.full(20, -np.inf)])
    assert cautious_effective_runs(logs) == pytest.approx(30.0)
    assert cautious_effective_runs(np.full(5, -np.inf)) == 0.0


def test_populations_count_by_their_particles() -> None:
    logs = np.log([1.0, 1.1, 0.9, 1.0])
    assert LogEstimate.of_weights(logs).effective_runs < 4.0
    many = LogEstimate.of_weights(logs, particles=1000)
    assert 100.0 < many.effective_runs < 4000.0
    assert many.degrees_of_freedom == 3.0


def test_a_single_run_says_nothing_of_its_error() -> None:
    one = LogEstimate.of_weights([-3.0])
    assert one.value == -3.0
    assert math.isnan(one.effective_runs)


def test_products_and_means() -> None:
    one, other = LogEstimate(1.0, 0.04, 100.0, 9.0), LogEstimate(2.0, 0.01)
    product = one.plus(other)
    assert (product.value, product.variance, product.runs) == (3.0, 0.05, 100.0)
    assert product.degrees_of_freedom == pytest.approx(9.0 * (0.05 / 0.04) ** 2)
    assert one.shifted(-1.0).value == 0.0
    mean = weighted_mean([LogEstimate(0.0, 0.01), LogEstimate(3.0, 0.02)])
    assert mean.value == pytest.approx(1.0)
    assert mean.variance == pytest.approx(0.02 / 3)
    # A variance from few degrees of freedom counts as larger than it is.
    assert weighted_mean([LogEstimate(0.0, 0.01, 1e9, 3.0), LogEstimate(3.0, 0.01)]).value > 2.0


def test_intervals_are_of_the_relative_error() -> None:
    low, high = interval_of(5.0, 0.2)
    assert math.exp(5.0 - low) == pytest.approx(1.2)
    assert math.exp(5.0 - high) == pytest.approx(0.8)
    assert interval_of(5.0, 1.0)[1] == math.inf


def covered(spread: float, count: int, replications: int, cautious: bool) -> tuple[int, int]:
    """Return how many means of log-normal weights state an error, and how many cover."""
    draws = np.random.default_rng(count).normal(scale=spread, size=(replications, count))
    stated = cover = 0
    for logs in draws:
        estimate = LogEstimate.of_weights(logs)
        if not cautious:
            error = plain_error(logs)
            estimate = LogEstimate(log_mean(logs), error**2, float(count), count - 1.0)
        if estimate.effective_runs >= FEWEST and estimate.relative_margin < 1.0:
            stated += 1
            low, high = interval_of(estimate.value, estimate.relative_margin)
            cover += low <= spread**2 / 2 <= high
    return stated, cover


@pytest.mark.parametrize("count", [50, 100, 400])
def test_intervals_cover_whatever_the_spread(count: int) -> None:
    """Log weights from hardly any spread to far too much, as of runs far too short."""
    spreads = [0.3, 0.8, 1.2, 1.6, 2.0, 2.5, 4.0]
    found = np.array([covered(spread, count, 400, cautious=True) for spread in spreads])
    stated, cover = found.sum(axis=0)
    assert found[0, 0] == 400
    assert found[-1, 0] == 0
    # At least 90 % of them; a false alarm of a program that covers 93 % in a million.
    assert cover >= binom.ppf(FALSE_ALARM_RATE, stated, 0.93)
    assert cover / stated > 0.9


def test_kish_alone_would_not_cover() -> None:
    """The test above can fail: with Kish's figure, runs too short state errors too small."""
    stated, cover = covered(2.2, 100, 400, cautious=False)
    assert stated > 100
    assert cover / stated < 0.8
    assert covered(2.2, 100, 400, cautious=True)[0] < 20
