"""Weights and interventions stay with their rows and variables."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data import read
from arcwise.errors import ArgumentError, DataError, DataWarning

TABLE = {"x": [0, 1, 1, 0], "y": [1, 0, 1, 0], "z": ["a", "b", "b", "a"]}
MASK = np.array([[1, 0, 0], [0, 0, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)


@pytest.mark.parametrize(
    "weights",
    [
        [1.0, 2.0, 0.0, 0.5],
        np.array([1.0, 2.0, 0.0, 0.5]),
        pl.Series([1.0, 2.0, 0.0, 0.5]),
        pd.Series([1.0, 2.0, 0.0, 0.5], index=[9, 8, 7, 6]),
        pa.array([1.0, 2.0, 0.0, 0.5]),
    ],
)
def test_weights_as_an_array(weights: Any) -> None:
    data = read(TABLE, weights=weights)
    assert data.weights.dtype == np.float64
    assert data.weights.tolist() == [1.0, 2.0, 0.0, 0.5]


def test_weights_in_a_column_are_no_variable() -> None:
    data = read({**TABLE, "w": [1, 2, 3, 4]}, weights="w")
    assert data.variables == ("x", "y", "z")
    assert data.weights.tolist() == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="read-only"):
        data.weights[0] = 5


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, None])
def test_unusable_weights(bad: Any) -> None:
    weights = [1.0, bad, 1.0, bad]
    with pytest.raises(DataError, match=r"2 of 4 of the weights are negative, infinite or missing"):
        read(TABLE, weights=weights)
    with pytest.raises(DataError, match=r"2 of 4 of the weights in column 'w' are negative"):
        read({**TABLE, "w": weights}, weights="w", missing="drop")


def test_weights_without_a_sum_a_length_or_numbers() -> None:
    with pytest.raises(DataError, match="positive sum"):
        read(TABLE, weights=[0, 0, 0, 0])
    for weights in ([1, 2], [[1, 2], [3, 4]], ["a", "b", "c", "d"], 5):
        with pytest.raises(ArgumentError, match="4 numbers, one for each row"):
            read(TABLE, weights=weights)
    with pytest.raises(DataError, match="'z' are not numbers"):
        read(TABLE, weights="z")


@pytest.mark.parametrize(
    "interventions",
    [
        MASK,
        MASK.astype(int),
        MASK.tolist(),
        pl.DataFrame(MASK, schema=["x", "y", "z"]),
        pd.DataFrame(MASK[:, ::-1], columns=["z", "y", "x"]),
        {"x": MASK[:, 0], "z": MASK[:, 2].tolist(), "y": pl.Series(MASK[:, 1])},
        {"x": [True, None, True, None], "z": pl.Series([None, 0, 1, 0]), "y": MASK[:, 1]},
    ],
)
def test_masks(interventions: Any) -> None:
    data = read(TABLE, interventions=interventions)
    assert data.intervened.dtype == np.bool_
    assert np.array_equal(data.intervened, MASK)


@pytest.mark.parametrize(
    "settings",
    [
        ["x", None, "x;z", "y"],
        ["x", "", " z ; x ", "y"],
        ["x", "none", "z;x", "y"],
        ["x", "Observational", "x;none;z", "y"],
    ],
)
def test_a_column_names_what_was_set(settings: list[Any]) -> None:
    for source in ({**TABLE, "do": settings}, pl.DataFrame({**TABLE, "do": settings})):
        data = read(source, interventions="do")
        assert data.variables == ("x", "y", "z")
        assert np.array_equal(data.intervened, MASK)


def test_a_variable_called_none_can_be_set() -> None:
    data = read({"none": [0, 1], "y": [1, 0], "do": ["none", ""]}, interventions="do")
    assert data.intervened.tolist() == [[True, False], [False, False]]


def test_a_variable_whose_name_holds_the_separator_can_be_set() -> None:
    data = read({"a;b": [0, 1], "y": [1, 0], "do": ["a;b", "y"]}, interventions="do")
    assert data.intervened.tolist() == [[True, False], [False, True]]


def test_no_intervention_at_all_is_none() -> None:
    for nothing in ({}, {"x": [False] * 4}, np.zeros((4, 3), dtype=bool)):
        assert read(TABLE, interventions=nothing).intervened is None
    assert read({**TABLE, "do": [None] * 4}, interventions="do").intervened is None


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=5, max_size=12))
def test_rows_and_columns_stay_aligned_when_some_are_dropped(flags: Any) -> None:
    rows = len(flags)
    gaps = np.array([flag[0] for flag in flags])
    gaps[:2] = False  # two rows must be left
    mask = np.array(flags)
    table = {
        "constant": [1] * rows,
        "x": [None if gap else place for place, gap in enumerate(gaps)],
        "y": [place % 2 for place in range(rows)],
    }
    weights = np.arange(1.0, rows + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        data = read(table, missing="drop", constant="drop", weights=weights, interventions=mask)
    kept = np.flatnonzero(~gaps)
    assert data.variables[0] == "x"
    assert data.to_dict()["x"] == kept.tolist()
    assert data.weights.tolist() == (kept + 1).tolist()
    expected = mask[kept][:, [["constant", "x", "y"].index(name) for name in data.variables]]
    if expected.any():
        assert np.array_equal(data.intervened, expected)
    else:
        assert data.intervened is None


@pytest.mark.parametrize(
    ("interventions", "message"),
    [
        ({"xx": [True] * 4}, "'xx', which is not a variable .did you mean 'x'"),
        ({"x": [True, False]}, r"\['x'\] has 2 values; give 4 booleans"),
        ({"x": [0, 1, 2, 3]}, r"\['x'\] holds 2 and 3; give 4 booleans"),
        ({"x": ["yes", "no", "no", "no"]}, r"\['x'\] holds 'no' and 'yes'; give 4 booleans"),
        (MASK[:3], r"shape \(3, 3\); give 4 rows and 3 columns"),
        (5, "is of type int; give booleans"),
        ("do", "'do', which is not a column"),
    ],
)
def test_unusable_masks(interventions: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        read(TABLE, interventions=interventions)


def test_unknown_settings_are_refused_with_near_misses() -> None:
    with pytest.raises(DataError, match=r"column 'do' names 'smokee'.*did you mean 'smoke'"):
        read({"smoke": [0, 1], "do": ["smokee", None]}, interventions="do")
