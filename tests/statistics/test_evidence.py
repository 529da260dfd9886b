"""Evidence: means of weights in logs, and lower bounds that hold at their rate."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import binom

from arcwise.errors import ArgumentError
from arcwise.posterior.evidence import Evidence, LowerBound, lower_bound, lower_bounds
from arcwise.statistics.log_estimates import LogEstimate, log_mean
from support.chi_squared import FALSE_ALARM_RATE


def test_means_by_hand() -> None:
    assert log_mean(np.log([1.0, 2.0, 3.0, 6.0])) == pytest.approx(math.log(3.0), abs=1e-14)


@pytest.mark.parametrize("shift", [-1e5, 0.0, 1e5])
def test_means_of_any_size(shift: float) -> None:
    logs = np.random.default_rng(1).normal(scale=3.0, size=1000)
    expected = logsumexp(logs) - math.log(1000)
    assert log_mean(logs + shift) - shift == pytest.approx(expected, abs=1e-10)


def test_weights_of_zero() -> None:
    logs = [-np.inf, math.log(2.0), -np.inf, math.log(2.0)]
    assert log_mean(logs) == pytest.approx(0.0, abs=1e-15)
    assert log_mean([-np.inf] * 10) == -math.inf
    assert {bound.value for bound in lower_bounds([-np.inf] * 10).values()} == {-math.inf}
    # One bin without weight leaves nothing to say.
    assert lower_bound([0.0, -np.inf, 0.0], 3, 0.9).value == -math.inf
    assert lower_bound([0.0, -np.inf, 0.0], 1, 0.9).value > -10.0


def test_one_sample() -> None:
    assert log_mean([-7.0]) == -7.0
    assert math.isnan(LogEstimate.of_weights([-7.0]).standard_error)
    bounds = lower_bounds([-7.0])
    assert list(bounds) == ["square-root"]
    assert bounds["square-root"].bins == 1
    assert bounds["square-root"].value == pytest.approx(-7.0 - 5.0 * math.log(2.0))


def test_a_bound_by_hand() -> None:
    weights = [8.0, 4.0, 3.0, 1.0, 50.0, 2.0, 0.001]  # the last is left over
    bound = lower_bound(np.log(weights), 3, 1.0 - 1.0 / 8.0)
    # The smallest of 6, 2 and 26, times the cube root of 1/8.
    assert bound.value == pytest.approx(0.0, abs=1e-14)
    assert (bound.bins, bound.confidence) == (3, 0.875)
    # In the order given: others lie together when it changes.
    assert lower_bound(np.log(weights[::-1]), 3, 0.875).value < math.log(0.6)


def test_schemes() -> None:
    logs = np.zeros(400)
    bounds = lower_bounds(logs)
    slack = {name: math.exp(bound.value) for name, bound in bounds.items()}
    assert slack == pytest.approx(
        {"slack-2": 1 / 2, "square-root": 2 ** (-1 / 4), "nine-bins": 0.05 ** (1 / 9)}
    )
    assert {name: bound.bins for name, bound in bounds.items()} == {
        "slack-2": 5,
        "square-root": 20,
        "nine-bins": 9,
    }
    assert bounds["slack-2"].confidence == bounds["square-root"].confidence == 1 - 1 / 32
    assert bounds["nine-bins"].confidence == 0.95
    assert lower_bounds(logs[:24])["square-root"].bins == 4
    assert list(lower_bounds(logs[:9])) == ["slack-2", "square-root", "nine-bins"]
    assert list(lower_bounds(logs[:8])) == ["slack-2", "square-root"]
    assert list(lower_bounds(logs[:4])) == ["square-root"]


def too_high(failures: int, replications: int, risk: float) -> bool:
    """Say whether so many failures are beyond the risk, with a false alarm in a million."""
    return bool(binom.sf(failures - 1, replications, risk) < FALSE_ALARM_RATE)


def test_bounds_hold_at_their_rate() -> None:
    """Weights that are mostly nearly nothing, and rarely much: the mean is exp(500)."""
    replications, count, large = 2000, 45, 18.5
    random = np.random.default_rng(1)
    wrong = {"slack-2": 0, "square-root": 0, "nine-bins": 0}
    wrong_by_maximum = 0
    for _ in range(replications):
        drawn = random.random(count) < 1 / large
        logs = 500.0 + np.log(np.where(drawn, large * (1 - 1e-6) + 1e-6, 1e-6))
        for name, bound in lower_bounds(logs).items():
            wrong[name] += bound.value > 500.0
        best = max(log_mean(group) for group in logs.reshape(5, 9))
        wrong_by_maximum += best - math.log(2.0) > 500.0
    for name, risk in (("slack-2", 2.0**-5), ("square-root", 2.0**-5), ("nine-bins", 0.05)):
        assert not too_high(wrong[name], replications, risk), (name, wrong[name])
    assert wrong["slack-2"] > 0
    # The test can fail: it notices the largest mean in place of the smallest.
    assert too_high(wrong_by_maximum, replications, 2.0**-5)


@pytest.mark.parametrize(("bins", "confidence"), [(5, 1 - 2.0**-5), (9, 0.95), (1, 0.9)])
def test_the_slack_is_not_too_small(bins: int, confidence: float) -> None:
    """Weights that are zero or a little more than the slack make Markov's inequality sharp."""
    replications = 10_000
    large = 1.001 * (1 - confidence) ** (-1 / bins)
    drawn = np.random.default_rng(2).random((replications, bins)) < 1 / large
    failures = sum(
        lower_bound(np.where(row, math.log(large), -np.inf), bins, confidence).value > 0.0
        for row in drawn
    )
    assert not too_high(failures, replications, 1 - confidence)
    # It does fail nearly as often as it may, so a smaller slack would be noticed.
    assert too_high(failures, replications, 0.7 * (1 - confidence))


def test_evidence_is_plain_values() -> None:
    evidence = Evidence(
        -12.5,
        0.25,
        {"nine-bins": LowerBound(-13.0, 0.95, 9)},
        3.0,
        0.125,
        method="ais",
        effective_runs=14.0,
    )
    assert json.loads(json.dumps(evidence.as_dict())) == {
        "log_evidence": -12.5,
        "standard_error": 0.25,
        "lower_bounds": {"nine-bins": {"value": -13.0, "confidence": 0.95, "bins": 9}},
        "log_prior_constant": 3.0,
        "log_prior_constant_error": 0.125,
        "method": "ais",
        "effective_runs": 14.0,
        "degrees_of_freedom": None,
        "doubts": [],
        "parts": [],
        "verdict": "reliable",
        "interval": pytest.approx([-12.898770, -11.826673]),
    }
    exact = Evidence(-12.5)
    assert (exact.standard_error, exact.method, dict(exact.lower_bounds)) == (0.0, "exact", {})
    with pytest.raises(FrozenInstanceError):
        exact.log_evidence = 1.0  # type: ignore[misc]


def test_refusals() -> None:
    for wrong in ([], [[1.0]], 3.0):
        with pytest.raises(ArgumentError, match=r"^log_weights has the shape .*; give a vector"):
            log_mean(wrong)
    for infinite in ([np.nan, 1.0], [np.inf, 1.0]):
        with pytest.raises(ArgumentError, match=r"^log_weights holds NaN or infinity; give"):
            lower_bounds(infinite)
    with pytest.raises(ArgumentError, match=r"^bins is 3, but there are only 2 weights; give"):
        lower_bound([0.0, 0.0], 3, 0.9)
    with pytest.raises(ArgumentError, match=r"^bins is 0; give a whole number, 1 or more"):
        lower_bound([0.0, 0.0], 0, 0.9)
    for confidence in (0.0, 1.0, math.nan):
        with pytest.raises(ArgumentError, match=r"^confidence is .*; give a number between 0"):
            lower_bound([0.0, 0.0], 1, confidence)
