"""Intervals hold what their labels say, and none of them is empty."""

import math
from random import Random
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data import discretize, read
from arcwise.errors import ArgumentError, DataError, DataWarning
from support.columns import discrete

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


def bounds(label: Any) -> tuple[float, float]:
    assert label[0] in "[("
    assert label[-1] == ")"
    low, high = (float(part) for part in label[1:-1].split(","))
    return low, high


@pytest.mark.filterwarnings("ignore::arcwise.errors.DataWarning")
@given(
    values=st.lists(NUMBERS, min_size=2, max_size=40).filter(lambda v: len(set(v)) > 1),
    bins=st.integers(2, 6),
    method=st.sampled_from(["quantile", "uniform"]),
)
def test_each_label_is_the_interval_its_values_lie_in(
    values: list[float], bins: int, method: Literal["quantile", "uniform"]
) -> None:
    column = discrete(discretize({"x": values}, bins=bins, method=method))
    assert 2 <= column.size <= bins
    assert len(set(column.levels)) == column.size
    assert set(column.codes.tolist()) == set(range(column.size))
    for value, label in zip(values, column.labels(), strict=True):
        low, high = bounds(label)
        assert low <= value < high
    lows = [bounds(label)[0] for label in column.levels]
    assert lows == sorted(lows)


@given(st.integers(2, 6), st.integers(1, 8), st.randoms())
def test_quantile_intervals_of_distinct_values_are_even(
    bins: int, per_bin: int, random: Random
) -> None:
    values = [float(place) for place in range(bins * per_bin)]
    random.shuffle(values)
    codes = discrete(discretize({"x": values}, bins=bins)).codes
    assert np.bincount(codes).tolist() == [per_bin] * bins


def test_uniform_intervals_have_equal_widths() -> None:
    values = [0.0, 1.0, 3.0, 5.0, 7.0, 8.0]
    assert discrete(discretize({"x": values}, bins=4, method="uniform")).levels == (
        "(-inf, 2)",
        "[2, 4)",
        "[4, 6)",
        "[6, inf)",
    )


def test_uniform_intervals_of_a_range_beyond_the_largest_float() -> None:
    data = discretize({"x": [-1.7e308, 1.0, 1.7e308]}, bins=2, method="uniform")
    assert discrete(data).codes.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([0.0] * 8 + [1.0, 2.0], [0] * 8 + [1, 1]),
        ([5.0] * 8 + [1.0, 2.0], [1] * 8 + [0, 0]),
        ([0.0, 10.0, 0.0, 10.0], [0, 1, 0, 1]),
    ],
)
def test_ties_give_fewer_levels_and_a_warning(values: Any, codes: Any) -> None:
    with pytest.warns(DataWarning, match=r"'x' \(2 of 4\)") as caught:
        column = discrete(discretize({"x": values}, bins=4))
    assert column.codes.tolist() == codes
    assert caught[0].filename == __file__


def test_empty_uniform_intervals_are_no_levels() -> None:
    with pytest.warns(DataWarning, match=r"'x' \(2 of 4\)"):
        column = discrete(discretize({"x": [0.0, 1.0, 100.0]}, bins=4, method="uniform"))
    assert column.levels == ("(-inf, 25)", "[75, inf)")


def test_close_values_get_enough_digits_and_others_few() -> None:
    near = [1.0, math.nextafter(1.0, 2.0), math.nextafter(math.nextafter(1.0, 2.0), 2.0)]
    assert len(set(discrete(discretize({"x": near})).levels)) == 3
    column = discrete(discretize({"x": [0.1, 0.2, 1 / 3, 2 / 3]}, bins=2))
    assert column.levels == ("(-inf, 0.3333)", "[0.3333, inf)")
    near = [1.0001, 1.00011, 1.0001 + 1 / 30_000, 1.00015]
    column = discrete(discretize({"x": near}, bins=2))
    assert column.levels == ("(-inf, 1.00013)", "[1.00013, inf)")


def test_breaks_are_cut_exactly_where_they_are_given() -> None:
    data = discretize(
        {"x": [0.5, 1.25, 2.0, 9.0], "y": [1.0, 2.0, 3.0, 4.0]},
        breaks={"x": [1.25, 3.123456789]},
        bins={"y": 2},
    )
    assert discrete(data).levels == (
        "(-inf, 1.25)",
        "[1.25, 3.123456789)",
        "[3.123456789, inf)",
    )
    assert discrete(data).codes.tolist() == [0, 1, 1, 2]
    assert discrete(data, 1).codes.tolist() == [0, 0, 1, 1]


def test_only_the_chosen_columns_change() -> None:
    table = {
        "x": [0.5, 1.5, 2.5, 3.5],
        "y": [0.5, 1.5, 2.5, 3.5],
        "i": [1, 2, 3, 9],
        "s": list("abab"),
    }
    data = read(table, weights=[1, 2, 3, 4], interventions={"x": [True, False, False, False]})
    all_reals = discretize(data, bins=2)
    assert all_reals.kinds == dict.fromkeys(table, "discrete")
    assert all_reals.columns[2:] == data.columns[2:]
    assert all_reals.weights.tolist() == [1, 2, 3, 4]
    assert np.array_equal(all_reals.intervened, data.intervened)
    some = discretize(data, columns=["y", "i"], bins={"y": 2, "i": 4})
    assert some.columns[0] is data.columns[0]
    assert some.level_counts().tolist() == [0, 2, 4, 2]
    named = discretize(data, breaks={"i": [2.5]}, bins=2)
    assert discrete(named, 2).levels == ("(-inf, 2.5)", "[2.5, inf)")


def test_any_source_is_accepted_and_nothing_to_cut_is_fine() -> None:
    frame = pl.DataFrame({"x": [0.5, 1.5, 2.5]})
    assert discretize(frame) == discretize(read(frame))
    data = read({"x": [0, 1]})
    assert discretize(data) == data


def test_one_interval_tells_nothing() -> None:
    with pytest.raises(
        DataError, match=r"column 'x', 0\.5 to 1\.5, all fall into one of 2 intervals"
    ):
        discretize({"x": [0.5, 1.5]}, breaks={"x": [7]})
    constant = read({"x": [0.5, 0.5]}, constant="keep")
    with pytest.raises(DataError, match="column 'x'"):
        discretize(constant)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "entropy"}, "method is 'entropy'; give one of 'quantile' and 'uniform'"),
        ({"bins": 1}, "number of bins is 1; give a whole number from 2"),
        ({"bins": True}, "bins is True; give a whole number from 2"),
        ({"bins": {"x": 2.5}}, "bins for 'x' is 2.5"),
        ({"bins": {"xx": 2}}, "bins names 'xx'.*did you mean 'x'"),
        ({"columns": ["z"]}, "columns names 'z'"),
        ({"columns": ["x"], "bins": {"y": 2}}, "'y', which columns leaves out"),
        (
            {"breaks": {"x": [2, 1]}},
            r"breaks\['x'\] is \[2, 1\]; give .* finite number, in ascending order",
        ),
        ({"breaks": {"x": []}}, r"breaks\['x'\] is "),
        ({"breaks": {"x": [1, float("nan")]}}, r"breaks\['x'\] is "),
        ({"breaks": {"x": "ab"}}, r"breaks\['x'\] is "),
        ({"breaks": [1, 2]}, "breaks is of type list; give a mapping"),
        ({"breaks": {"w": [1]}}, "breaks names 'w'"),
    ],
)
def test_unusable_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        discretize({"x": [0.5, 1.5, 2.5], "y": [1.5, 2.5, 3.5]}, **options)


def test_labels_cannot_be_cut() -> None:
    for labels in (["a", "b"], [True, False]):
        with pytest.raises(DataError, match="column 's' is categorical"):
            discretize({"s": labels}, columns=["s"])
