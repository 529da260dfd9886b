"""The ratio of two constants by Bennett's acceptance ratio, against known ones."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from arcwise.statistics.log_estimates import FEWEST_IN_COMMON, acceptance_ratio

LOG_RATIO = 40.0


def normal_log_ratios(
    distance: float, count: int, seed: int, memory: float = 0.0
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
    """Return log ratios of two normal densities some distance apart, at draws of both.

    The unnormalised densities are exp(-x^2 / 2) and e^40 exp(-(x - distance)^2 / 2); draws are
    those of four autoregressive chains each.
    """
    draw = np.random.default_rng(seed)
    series = draw.normal(size=(8, count))
    for place in range(1, count):
        series[:, place] *= np.sqrt(1.0 - memory**2)
        series[:, place] += memory * series[:, place - 1]
    series[4:] += distance
    logs = LOG_RATIO + distance * series - distance**2 / 2.0
    return list(logs[:4]), list(logs[4:])


@pytest.mark.parametrize(("distance", "memory"), [(0.5, 0.0), (2.0, 0.0), (3.0, 0.0), (2.0, 0.8)])
def test_known_ratio(distance: float, memory: float) -> None:
    """Of 100 intervals of 95 %, more than 16 miss once in 20,000 times; so much for the errors."""
    found = [
        acceptance_ratio(*normal_log_ratios(distance, 500, seed, memory)) for seed in range(100)
    ]
    errors = np.array([each.standard_error for each in found])
    off = np.array([each.value for each in found]) - LOG_RATIO
    assert (np.abs(off) > 1.96 * errors).sum() <= 16
    # Nor are the errors too large: the mean square of the ratios is near 1.
    assert 0.6 < np.mean((off / errors) ** 2) < 1.6
    assert abs(off.mean()) < 4.9 * np.sqrt((errors**2).mean() / 100)


@pytest.mark.parametrize("noise", [0.5, 1.0])
def test_estimated_ratios(noise: float) -> None:
    """Unbiased estimates of the ratios, two for each draw; the same limits as above."""
    draw = np.random.default_rng(3)

    def estimated(chains: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        return [
            each[:, None] + noise * draw.normal(size=(len(each), 2)) - noise**2 / 2.0
            for each in chains
        ]

    pairs = [normal_log_ratios(2.0, 500, seed) for seed in range(100)]
    found = [acceptance_ratio(estimated(one), estimated(other)) for one, other in pairs]
    errors = np.array([each.standard_error for each in found])
    off = np.array([each.value for each in found]) - LOG_RATIO
    assert (np.abs(off) > 1.96 * errors).sum() <= 16
    assert 0.6 < np.mean((off / errors) ** 2) < 1.6
    assert abs(off.mean()) < 4.9 * np.sqrt((errors**2).mean() / 100)
    # One estimate for both the ratio and its weighting is biased.
    biased = [
        acceptance_ratio([x[:, 0] for x in estimated(one)], [x[:, 0] for x in estimated(other)])
        for one, other in pairs
    ]
    off = np.array([each.value for each in biased]) - LOG_RATIO
    assert abs(off.mean()) > 10.0 * np.sqrt((errors**2).mean() / 100)


def test_more_precise_than_either_mean() -> None:
    first, second = normal_log_ratios(3.0, 2_000, 1)
    found = acceptance_ratio(first, second)
    one_sided = np.exp(np.concatenate(first) - LOG_RATIO)
    of_first = one_sided.std() / one_sided.mean() / np.sqrt(len(one_sided))
    assert found.standard_error < of_first / 2.0


def test_nothing_in_common() -> None:
    # Far apart, the few draws nearest to the other distribution say nothing about the error.
    found = acceptance_ratio(*normal_log_ratios(12.0, 500, 1))
    assert found.standard_error == np.inf
    assert FEWEST_IN_COMMON > 10


def test_constant_ratios() -> None:
    same = [np.full(100, 3.0)] * 2
    found = acceptance_ratio(same, same)
    assert found.value == pytest.approx(3.0)
    assert found.standard_error == pytest.approx(0.0, abs=1e-12)
