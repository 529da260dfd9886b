"""Sums of logarithms in the core, against extended precision: single ones and over all subsets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import _core_testing
from arcwise.errors import ArgumentError
from arcwise.support.arrays import logarithms, relative_weights

ROUNDING = 1e-15  # a few units in the last place of a double
LOGARITHMS = st.floats(-1e5, 1e5) | st.just(-np.inf)


def extended_log_sum_over_subsets(table: np.ndarray) -> np.ndarray:
    """Return ln of the sums over subsets, one element after the other, in extended precision."""
    result = table.astype(np.longdouble)
    masks = np.arange(len(table))
    bit = 1
    while bit < len(table):
        upper = masks[masks & bit != 0]
        result[upper] = np.logaddexp(result[upper], result[upper ^ bit])
        bit *= 2
    return result


def assert_close(values: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    finite = np.isfinite(expected)
    assert np.array_equal(values[~finite], expected[~finite].astype(float))
    error = np.abs(values[finite] - expected[finite])
    assert (error <= tolerance * np.maximum(1.0, np.abs(expected[finite]))).all()


@given(st.lists(st.tuples(LOGARITHMS, LOGARITHMS), min_size=1, max_size=40))
def test_adding_two_arrays(pairs: list[tuple[float, float]]) -> None:
    to, added = (np.array(column) for column in zip(*pairs, strict=True))
    expected = np.logaddexp(to.astype(np.longdouble), added.astype(np.longdouble))
    _core_testing.log_add_into(to, added)
    assert_close(to, expected, ROUNDING)


def test_every_gap_between_two_numbers() -> None:
    gaps = np.concatenate([np.linspace(0, 60, 60_001), np.geomspace(60, 1e6, 2001), [np.inf]])
    for base in (0.0, -1.0, 1234.5):
        expected = np.logaddexp(np.longdouble(base), (base - gaps).astype(np.longdouble))
        larger = np.full(len(gaps), base)
        _core_testing.log_add_into(larger, base - gaps)
        assert_close(larger, expected, ROUNDING)
        smaller = base - gaps
        _core_testing.log_add_into(smaller, np.full(len(gaps), base))
        assert np.array_equal(smaller, larger)


@pytest.mark.parametrize("spread", [1.0, 300.0, 1000.0, 2040.0, 2100.0, 20_000.0])
@pytest.mark.parametrize("elements", range(13))
def test_sums_over_subsets(elements: int, spread: float) -> None:
    random = np.random.default_rng(elements)
    for absent in (0.0, 0.4):
        table = random.uniform(-spread, 0.0, 2**elements) - 777.7
        table[random.random(2**elements) < absent] = -np.inf
        expected = extended_log_sum_over_subsets(table)
        _core_testing.log_sum_over_subsets(table, elements)
        assert_close(table, expected, 5 * ROUNDING)


@pytest.mark.parametrize("elements", [0, 1, 3, 6])
def test_sums_over_subsets_straight_from_the_definition(elements: int) -> None:
    random = np.random.default_rng(elements)
    table = random.normal(0.0, 3.0, 2**elements)
    masks = range(2**elements)
    expected = np.array([np.log(sum(np.exp(table[s]) for s in masks if s & u == s)) for u in masks])
    _core_testing.log_sum_over_subsets(table, elements)
    np.testing.assert_allclose(table, expected, rtol=0, atol=1e-13)


def test_a_large_table_which_is_summed_in_halves() -> None:
    table = np.random.default_rng(1).uniform(-5000.0, 0.0, 2**16)
    expected = extended_log_sum_over_subsets(table)
    _core_testing.log_sum_over_subsets(table, 16)
    assert_close(table, expected, 5 * ROUNDING)


@pytest.mark.parametrize("elements", [0, 2, 7, 11])
def test_tables_of_zeros_only(elements: int) -> None:
    table = np.full(2**elements, -np.inf)
    _core_testing.log_sum_over_subsets(table, elements)
    assert np.array_equal(table, np.full(2**elements, -np.inf))
    _core_testing.max_over_subsets(table, elements)
    assert np.array_equal(table, np.full(2**elements, -np.inf))


@pytest.mark.parametrize("step", [100.0, 350.0, 800.0, 5000.0])
@pytest.mark.parametrize("falling", [False, True])
def test_tables_that_climb_from_window_to_window(step: float, falling: bool) -> None:
    # A set is heavier, or lighter, than all its subsets by far: no scale suits all sums.
    sizes = np.array([mask.bit_count() for mask in range(2**9)], dtype=float)
    table = -step * sizes if falling else step * sizes
    expected = extended_log_sum_over_subsets(table)
    _core_testing.log_sum_over_subsets(table, 9)
    assert_close(table, expected, 5 * ROUNDING)


@pytest.mark.parametrize("elements", range(13))
def test_maxima_over_subsets(elements: int) -> None:
    random = np.random.default_rng(elements)
    table = random.uniform(-1e4, 0.0, 2**elements)
    table[random.random(2**elements) < 0.3] = -np.inf
    expected = table.copy()
    for bit in range(elements):
        for mask in range(2**elements):
            if mask >> bit & 1:
                expected[mask] = max(expected[mask], expected[mask ^ 1 << bit])
    _core_testing.max_over_subsets(table, elements)
    assert np.array_equal(table, expected)


def test_arrays_of_the_wrong_size_are_refused() -> None:
    with pytest.raises(ArgumentError, match="same length"):
        _core_testing.log_add_into(np.zeros(3), np.zeros(4))
    for transform in (_core_testing.log_sum_over_subsets, _core_testing.max_over_subsets):
        for elements in (2, -1, 41):
            with pytest.raises(ArgumentError, match="entries"):
                transform(np.zeros(3), elements)


@given(st.lists(LOGARITHMS, min_size=1, max_size=40), st.floats(-1e5, 1e5))
def test_weights_relative_to_the_largest(logs: list[float], finite: float) -> None:
    array = np.array([*logs, finite])
    expected = np.exp((array - array.max()).astype(np.longdouble))
    weights = relative_weights(array)
    far = array < array.max() - 700.0
    assert not weights[far].any()
    # The distance itself is rounded to half a unit in the last place.
    error = np.abs(weights - expected)[~far]
    assert (error <= 4 * ROUNDING * expected[~far]).all()


def test_weights_relative_to_a_given_one_keep_their_shape() -> None:
    logs = np.array([[0.0, 1.0], [-1.0, 600.0]])
    assert np.allclose(relative_weights(logs, 1.0), np.exp(logs - 1.0), rtol=ROUNDING, atol=0.0)


@given(st.lists(st.floats(1e-300, 1e300), min_size=1, max_size=40))
def test_logarithms(values: list[float]) -> None:
    expected = np.log(np.array(values, dtype=np.longdouble))
    assert_close(logarithms(np.array(values)), expected, ROUNDING)
    assert logarithms(np.array([0.0, 1.0])).tolist() == [-np.inf, 0.0]
