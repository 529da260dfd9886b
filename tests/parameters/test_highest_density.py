"""Highest-density regions are the shortest unions, with an interval for each mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from arcwise.parameters.summaries import highest_density, shortest_unions
from reference.prediction import shortest_union

LENGTHS = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 4.0, 9.0]), min_size=2, max_size=9)


@given(LENGTHS, st.data())
@settings(max_examples=150)
def test_unions_are_the_shortest_of_all(lengths: list[float], data: Any) -> None:
    wanted = data.draw(st.integers(1, len(lengths)))
    for runs, found in enumerate(shortest_unions(np.array(lengths), wanted, 3), 1):
        assert found.sum() == wanted
        chosen = np.flatnonzero(found).tolist()
        assert sum(cell - 1 not in chosen for cell in chosen) <= runs
        assert np.array(lengths)[found].sum() == pytest.approx(
            shortest_union(lengths, wanted, runs)
        )


def equal(values: np.ndarray) -> np.ndarray:
    return np.full(len(values), 1 / len(values))


def test_one_mode_has_one_interval_whatever_its_shape() -> None:
    """A second interval would be a false alarm: none in 400 samples of five shapes."""
    random = np.random.default_rng(3)
    shapes = (
        random.normal,
        random.exponential,
        random.uniform,
        lambda size: random.standard_t(1.5, size),
        lambda size: random.beta(0.7, 3.0, size),
    )
    for shape in shapes:
        for count in [100, 1000] * 40:
            values = np.asarray(shape(size=count))
            assert len(highest_density(values, equal(values), 0.95)) == 1


def test_the_interval_is_that_of_the_density() -> None:
    values = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    ((low, high),) = highest_density(values, equal(values), 0.95)
    assert (low, high) == pytest.approx((-1.96, 1.96), abs=0.03)
    skewed = -np.log1p(-(np.arange(20_000) + 0.5) / 20_000)
    ((low, high),) = highest_density(skewed, equal(skewed), 0.95)
    assert (low, high) == pytest.approx((0.0, -np.log(0.05)), abs=0.01)


def test_two_modes_of_very_different_width_and_weight() -> None:
    values = norm.ppf((np.arange(2000) + 0.5) / 2000)
    both = np.concatenate([2.0 + 0.001 * values, -5.0 + values])
    shares = np.repeat([0.3 / 2000, 0.7 / 2000], 2000)
    broad, narrow = highest_density(both, shares, 0.95)
    assert (narrow.low, narrow.high) == pytest.approx((1.997, 2.003), abs=1e-3)
    # All of the narrow mode, as its density is highest: 0.65 of 0.7 are left for the other.
    assert (broad.low, broad.high) == pytest.approx((-5 - 1.80, -5 + 1.80), abs=0.11)  # a cell
    inside = (both >= broad.low) & (both <= broad.high) | (both >= narrow.low)
    assert shares[inside].sum() == pytest.approx(0.95, abs=0.006)


def test_modes_that_touch_and_constants() -> None:
    values = norm.ppf((np.arange(1000) + 0.5) / 1000)
    both = np.concatenate([values, values + 2.5])
    assert len(highest_density(both, equal(both), 0.95)) == 1
    three = np.concatenate([values, values + 20, values + 40])
    assert len(highest_density(three, equal(three), 0.95)) == 3
    assert highest_density([3.0, 3.0], np.array([0.5, 0.5]), 0.95) == ((3.0, 3.0),)
    assert highest_density([3.0, 4.0], np.array([0.0, 1.0]), 0.5) == ((4.0, 4.0),)
