"""Rows are put in order of time, lagged by definition, and refused where steps are not equal."""

from __future__ import annotations

import pickle
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise
from arcwise import time_series
from arcwise.data import IncompleteData
from arcwise.data.archive import load_table, save_table
from arcwise.errors import ArgumentError, DataError
from arcwise.results import IncompleteTimeSeries, TimeSeries

PANEL: dict[str, list[Any]] = {
    "week": [1, 2, 3, 4, 1, 2, 3],
    "id": ["p", "p", "p", "p", "q", "q", "q"],
    "dose": [0, 1, 1, 0, 1, 0, 1],
    "pain": [2.5, 1.0, 0.5, 2.0, 3.0, 1.5, 0.1],
    "sex": ["f", "f", "f", "f", "m", "m", "m"],
}


def shuffled(table: dict[str, list[Any]], seed: int) -> dict[str, list[Any]]:
    order = np.random.default_rng(seed).permutation(len(table["week"])).tolist()
    return {name: [values[row] for row in order] for name, values in table.items()}


@given(st.integers(0, 2**32 - 1), st.integers(0, 3), st.booleans())
def test_lagged_columns_are_those_of_the_definition(seed: int, lags: int, split: bool) -> None:
    random = np.random.default_rng(seed)
    rows = {
        (who, when): float(random.normal())
        for who in range(3)
        for when in range(int(random.integers(8, 12)))
        if not split or when != 3
    }
    keys = list(rows)
    random.shuffle(keys)
    table = {
        "who": [who for who, _ in keys],
        "when": [0.1 * when for _, when in keys],
        "x": [rows[key] for key in keys],
    }
    series = time_series(
        table, time="when", subject="who", lags=lags, gaps="split" if split else "error"
    )
    expected = {
        key: [rows[key[0], key[1] - lag] for lag in range(lags + 1)]
        for key in sorted(keys)
        if all((key[0], key[1] - lag) in rows for lag in range(lags + 1))
    }
    assert list(zip(*series.to_dict().values(), strict=True)) == [
        tuple(values) for values in expected.values()
    ]
    assert list(series.subjects) == [who for who, _ in expected]
    times: list[Any] = list(series.times)
    assert np.allclose(times, [0.1 * when for _, when in expected])


def test_static_columns_are_found_and_have_no_lags() -> None:
    series = time_series(shuffled(PANEL, 1), time="week", subject="id")
    assert series.variables == ("dose(t)", "pain(t)", "dose(t-1)", "pain(t-1)", "sex")
    assert series.slices.static == ("sex",)
    assert series.slices.parent_only == ("dose(t-1)", "pain(t-1)", "sex")
    assert series.rows == 5
    assert "'sex' is the same at all times" in " ".join(series.notes)


def test_what_changes_is_not_static() -> None:
    with pytest.raises(
        DataError, match="static names 'dose', which changes within the subject 'p'"
    ):
        time_series(PANEL, time="week", subject="id", static="dose")
    with pytest.raises(ArgumentError, match="static names 'sx', which is not a column"):
        time_series(PANEL, time="week", subject="id", static=["sx"])
    with pytest.raises(DataError, match="do not change within any subject"):
        time_series({"id": [1, 1, 2, 2], "a": [0, 0, 1, 1], "b": [1, 1, 0, 0]}, subject="id")


def test_the_first_slice_and_the_steps_are_tables_of_their_own() -> None:
    series = time_series(shuffled(PANEL, 2), time="week", subject="id")
    assert series.first_slice.to_dict() == {
        "dose(0)": [0, 1],
        "pain(0)": [2.5, 3.0],
        "sex": ["f", "m"],
    }
    with pytest.raises(DataError, match="the time 4 has a single subject"):
        series.steps()
    equal = {name: values[:3] + values[4:] for name, values in PANEL.items()}
    steps = time_series(equal, time="week", subject="id").steps()
    assert {time: table.to_dict()["dose(t)"] for time, table in steps.items()} == {
        2: [1, 0],
        3: [1, 1],
    }
    alone = time_series({"x": [1, 2, 4, 3]})
    with pytest.raises(DataError, match="the first slice is a single row"):
        _ = alone.first_slice
    with pytest.raises(DataError, match="a network for each step is learned from several subjects"):
        alone.steps()


def test_common_lags_give_the_same_rows() -> None:
    table = {"x": list(range(9))}
    one, three = time_series(table, lags=1, common_lags=3), time_series(table, lags=3)
    assert one.to_dict()["x(t)"] == three.to_dict()["x(t)"]
    assert time_series(table, lags=[1, 3]).variables == ("x(t)", "x(t-1)", "x(t-3)")


def test_weights_and_interventions_are_those_of_the_present() -> None:
    table = {
        "x": [0, 1, 1, 0],
        "y": [1, 0, 1, 1],
        "w": [1.0, 2.0, 3.0, 4.0],
        "do": ["x", "", "y", ""],
    }
    series = time_series(table, weights="w", interventions="do")
    assert series.weights.tolist() == [2.0, 3.0, 4.0]
    assert series.intervened.tolist() == [
        [False, False, False, False],
        [False, True, False, False],
        [False, False, False, False],
    ]


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([1, 2, 3, 5], "the time goes from 3 to 5, where the usual step is 1; add the rows"),
        ([1, 2, 2, 3], "the table has the time 2 twice; give one row for each time, and subject"),
        ([1.0, 2.0, 3.0, 4.5], "the time goes from 3.0 to 4.5, which is no multiple of the usual"),
        (["a", "b", "c", "d"], "has the value 'a', which is neither a number nor a date"),
        ([1, 2, None, 4], "has no value in row 3; give every row its time"),
        (
            ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-09"],
            "the time goes from '2024-01-03' to '2024-01-09', where the usual step is 1 day",
        ),
        (
            [date(2024, 1, 31), date(2024, 2, 29), date(2024, 3, 31), date(2024, 5, 31)],
            "from '2024-03-31' to '2024-05-31', where the usual step is 1 month",
        ),
        ([True, False, True, False], "neither a number nor a date"),
    ],
)
def test_irregular_times_are_refused(times: list[Any], message: str) -> None:
    with pytest.raises(DataError) as refused:
        time_series({"t": times, "x": [0, 1, 1, 0]}, time="t")
    assert message in str(refused.value)


def test_a_gap_names_the_subject_and_the_option() -> None:
    table = {**PANEL, "week": [1, 2, 3, 5, 1, 2, 3]}
    with pytest.raises(DataError) as refused:
        time_series(table, time="week", subject="id")
    assert str(refused.value) == (
        "the time of the subject 'p' goes from 3 to 5, where the usual step is 1; add the rows "
        "that are missing, or give gaps='split' to use only rows whose earlier ones are there"
    )
    assert "--gaps split" in refused.value.in_shell()
    assert time_series(table, time="week", subject="id", gaps="split").rows == 4


@pytest.mark.parametrize(
    "times",
    [
        ["2023-11", "2023-12", "2024-01", "2024-02"],
        ["2023-11-30", "2023-12-31", "2024-01-31", "2024-02-29"],
        ["2023-11-15", "2023-12-15", "2024-01-15", "2024-02-15"],
        ["2020-02-29", "2021-02-28", "2022-02-28", "2023-02-28"],
        ["2024-02-27", "2024-02-28", "2024-02-29", "2024-03-01"],
        ["2024-02-28T22:00Z", "2024-02-28T23:00Z", "2024-02-29T00:00Z", "2024-02-29T01:00Z"],
        [1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.3, 1e9 + 0.4],
        polars.Series(
            [date(2023, 11, 30), date(2023, 12, 31), date(2024, 1, 31), date(2024, 2, 29)]
        ),
        np.array(["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"], dtype="datetime64[D]"),
    ],
)
def test_equal_steps_of_any_unit_are_equal(times: Any) -> None:
    assert time_series({"t": times, "x": [0, 1, 1, 0]}, time="t").rows == 3


def test_rows_with_missing_values_are_dropped_as_gaps() -> None:
    table = {"t": [1, 2, 3, 4, 5], "x": [0.5, None, 1.5, 2.5, 1.0]}
    with (
        pytest.warns(arcwise.errors.DataWarning, match="dropped 1 of 5 rows"),
        pytest.raises(DataError, match="goes from 1 to 3"),
    ):
        time_series(table, time="t", missing="drop")
    with pytest.warns(arcwise.errors.DataWarning):
        series = time_series(table, time="t", missing="drop", gaps="split")
    assert series.times == (4, 5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lags": -1}, "lags is -1; give a whole number, 0 or more"),
        ({"lags": [1, 1]}, "give each lag once"),
        ({"lags": "2"}, "lags is '2'"),
        ({"lags": 5}, "no row has 5 earlier ones: the longest series has 4 rows; give fewer lags"),
        ({"lags": 3}, "a single row has 3 earlier ones"),
        ({"time": "when"}, "time names 'when', which is not a column"),
        ({"time": 3}, "time is 3; give the name of a column"),
        ({"subject": np.array([1, 2])}, "give the name of a column"),
        ({"static": [np.array([1, 2])]}, "which is not a column"),
        ({"subject": "x", "time": "t"}, "the table has no columns besides times and subjects"),
        ({"gaps": "fill"}, "gaps is 'fill'; give one of 'error' and 'split'"),
        ({"lag": 2}, "time_series has no argument 'lag'"),
    ],
)
def test_arguments_are_refused_in_one_sentence(arguments: dict[str, Any], message: str) -> None:
    table = {"t": [1, 2, 3, 4], "x": [0, 1, 1, 0]}
    with pytest.raises((ArgumentError, DataError)) as refused:
        time_series(table, **arguments)
    assert message in str(refused.value)


def test_a_series_survives_pickling_selection_and_files(tmp_path: Path) -> None:
    series = time_series(PANEL, time="week", subject="id")
    again = pickle.loads(pickle.dumps(series))
    assert again == series
    assert (again.times, again.slices) == (series.times, series.slices)
    assert again.first_slice == series.first_slice
    save_table(series, tmp_path / "data.npz")
    loaded = load_table(tmp_path / "data.npz")
    assert isinstance(loaded, arcwise.Data)
    assert loaded == series
    assert loaded.slices == series.slices
    fewer = series.select(["pain(t)", "dose(t-1)"])
    assert fewer.slices.parent_only == ("dose(t-1)",)
    assert series.take_rows([0, 1]).slices == series.slices
    kept = arcwise.read(series, drop="sex", constant="keep")
    assert kept.slices.static == ()
    with pytest.raises(ArgumentError, match="has lagged columns already"):
        time_series(series)


def test_a_table_is_read_with_the_options_of_read() -> None:
    series = time_series(PANEL, time="week", subject="id", discretize="quantile:2", drop="sex")
    assert set(series.kinds.values()) == {"discrete"}
    columns: list[Any] = list(series.columns)
    levels = {column.name: column.levels for column in columns}
    assert levels["pain(t)"] == levels["pain(t-1)"]
    assert time_series(arcwise.read(PANEL), time="week", subject="id") == time_series(
        PANEL, time="week", subject="id"
    )


def test_missing_values_are_cells_of_subjects_times_and_variables() -> None:
    table = {
        "id": ["p", "p", "p", "q", "q", "q", "r", "r", "r"],
        "week": [1, 2, 3] * 3,
        "dose": [0.5, None, 1.5, 2.0, 2.5, None, None, 1.0, 0.2],
        "sex": ["f", None, None, None, "m", None, None, None, None],
    }
    series = time_series(table, time="week", subject="id")
    assert isinstance(series, IncompleteTimeSeries)
    assert series.variables == ("dose(t)", "dose(t-1)", "sex")
    assert series.table.to_dict()["sex"][:4] == ["f", "f", "m", "m"]
    # p at 2, q at 3, r at 1, and the sex of r, which is one unknown at both times.
    assert series.cells.tolist() == [
        [0, -1, -1], [-1, 0, -1], [-1, -1, -1], [1, -1, -1], [-1, 2, 3], [-1, -1, 3]
    ]  # fmt: skip
    assert series.count == 4
    assert series.times == (2, 3, 2, 3, 2, 3)
    first = series.first_slice
    assert isinstance(first, IncompleteData)
    assert first.variables == ("dose(0)", "sex")
    assert first.missing.tolist() == [[False, False], [False, False], [True, True]]
    assert series.table.preparation.imputed == {"dose(t)": 2, "dose(t-1)": 2, "sex": 2}
    for refused in (series.steps, lambda: arcwise.dynamics.learn_steps(series)):
        with pytest.raises(ArgumentError, match="one network for all steps"):
            refused()
    with pytest.raises(ArgumentError, match="only learn imputes"):
        arcwise.Model(series)
    with pytest.raises(DataError, match="static names 'dose', which changes within"):
        time_series(table, time="week", subject="id", static="dose")


def test_a_time_without_values_stands_between_others() -> None:
    series = time_series({"x": [0.1, None, 0.4, 0.2], "y": [1.0, None, 0.5, 0.1]})
    assert isinstance(series, IncompleteTimeSeries)
    assert (series.rows, series.count) == (3, 2)


def test_a_value_that_no_row_has_is_no_cell() -> None:
    # With gaps, the first of four times has no later one beside it.
    table = {"t": [1, 3, 4, 5], "x": [None, 1.5, 0.3, 1.0], "y": [1.0, 0.2, 0.3, 0.1]}
    series = time_series(table, time="t", gaps="split")
    assert isinstance(series, TimeSeries)
    assert series.times == (4, 5)
    assert series.preparation.imputed == {}
