"""Gaps, infinities and columns that never vary are handled as asked, and said."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from arcwise.data import Data, IncompleteData, read
from arcwise.errors import ArgumentError, DataError, DataWarning
from support.columns import discrete

GAPPY = {
    "x": ["a", None, "b", "a", "c"],
    "y": [1.5, 2.5, float("nan"), 3.5, 4.5],
    "z": [0, 1, 0, 1, None],
}

FRAMES = [
    GAPPY,
    pl.DataFrame(GAPPY, strict=False),
    pd.DataFrame(GAPPY).astype({"z": "Int64"}),
    pd.DataFrame(GAPPY).astype({"x": "category", "z": "Int64", "y": "Float64"}),
    pd.DataFrame(GAPPY, dtype=object),
    pa.table(GAPPY),
]


@pytest.mark.parametrize("source", FRAMES)
def test_every_gap_is_counted(source: Any) -> None:
    with pytest.raises(DataError, match=r"'x' \(1\), 'y' \(1\) and 'z' \(1\)"):
        read(source)


@pytest.mark.parametrize("source", FRAMES)
def test_drop_leaves_complete_rows_and_says_how_many(source: Any) -> None:
    with pytest.warns(DataWarning, match="dropped 3 of 5 rows"):
        data = read(source, missing="drop", constant="keep")
    assert data.to_dict() == {"x": ["a", "a"], "y": [1.5, 3.5], "z": [0, 1]}


def test_levels_only_in_dropped_rows_go_unless_declared() -> None:
    table: dict[str, Any] = {"x": ["a", "b", "c"], "y": [0, 1, None]}
    with pytest.warns(DataWarning, match="1 of 3"):
        assert discrete(read(table, missing="drop")).levels == ("a", "b")
    table["x"] = pd.Categorical(table["x"])
    with pytest.warns(DataWarning, match="1 of 3"):
        assert discrete(read(table, missing="drop")).levels == ("a", "b", "c")


def test_level_makes_none_the_last_level() -> None:
    table = {
        "x": ["a", None, "b"],
        "i": [None, 5, 3],
        "b": [True, None, True],
        "f": [0.5, 1.5, 2.5],
    }
    for source in (
        table,
        pl.DataFrame(table),
        pa.table(table),
        pd.DataFrame(table).astype({"i": "Int64"}),
    ):
        data = read(source, missing="level")
        assert [discrete(data, i).levels for i in range(3)] == [
            ("a", "b", None),
            (3, 5, None),
            (True, None),
        ]
        assert data.to_dict() == table
        assert data.kinds["f"] == "continuous"


def test_level_round_trips_through_frames_and_text(tmp_path: Path) -> None:
    data = read(
        {"x": ["a", None, "b"], "i": [None, 5, 3], "b": [True, None, False]}, missing="level"
    )
    data.write_csv(tmp_path / "gaps.csv")
    for source in (data.to_pandas(), data.to_polars(), data.to_dict(), tmp_path / "gaps.csv"):
        assert read(source, missing="level") == data


def test_level_leaves_columns_without_gaps_alone() -> None:
    data = read({"x": ["a", None], "y": ["a", "b"]}, missing="level")
    assert discrete(data, 1).levels == ("a", "b")


def test_level_is_not_for_measurements() -> None:
    with pytest.raises(DataError, match=r"'y' \(2\).*kinds=\{'y': 'discrete'\}"):
        read({"x": [0, None, 1], "y": [0.5, None, float("nan")]}, missing="level")
    data = read({"y": [0.5, None, 1.0]}, missing="level", kinds={"y": "discrete"})
    assert discrete(data).levels == (0.5, 1, None)


@pytest.mark.parametrize("rows", [[None, None], [1, None, None]])
def test_dropping_must_leave_rows(rows: list[Any]) -> None:
    with pytest.raises(DataError, match=r"at least 2.*'x' \(2\)"):
        read({"x": rows}, missing="drop")


def test_cells_to_be_imputed_hold_values_of_their_columns_until_then() -> None:
    table = {"x": ["a", None, "b", "b", None], "y": [0.5, 1.5, None, 2.5, None]}
    data = read(table, missing="impute")
    assert isinstance(data, IncompleteData)
    assert (data.rows, data.count) == (4, 2)  # the last row has no value at all
    assert data.missing_counts() == {"x": 1, "y": 1}
    assert "25 %" in data.describe()
    completed = data.completed([1, 7.25])
    assert completed.to_dict() == {"x": ["a", "b", "b", "b"], "y": [0.5, 1.5, 7.25, 2.5]}
    assert data.fingerprint == read(table, missing="impute").fingerprint
    assert data.fingerprint != completed.fingerprint
    with pytest.warns(DataWarning, match="dropped"):
        assert read(data, missing="drop").rows == 2
    complete = read({"x": [0, 1, 1]}, missing="impute")
    assert isinstance(complete, Data)


def test_copies_of_a_cell_share_a_value_and_cannot_stand_in_one_row() -> None:
    table = read({"x": [0, 1, 1], "y": [0, 1, 0]})
    copies = IncompleteData(table, [[-1, 0], [0, -1], [-1, -1]])
    assert copies.completed([1]).to_dict() == {"x": [0, 1, 1], "y": [1, 1, 0]}
    for cells in ([[0, 0], [-1, -1], [-1, -1]], [[1, -1], [-1, -1], [-1, -1]], [[0, 1]]):
        with pytest.raises(ArgumentError):
            IncompleteData(table, cells)


def test_columns_of_nothing_but_gaps_are_missing() -> None:
    for nothing in ([None, None], np.array([np.nan, np.nan]), pl.Series([None, None]), pa.nulls(2)):
        with pytest.raises(DataError, match=r"'n' \(2\)"):
            read({"x": [0, 1], "n": nothing})


def test_infinities_are_named_and_counted() -> None:
    table = {"x": [np.inf, 1.0, -np.inf], "y": [1.0, 2.0, 3.0], "z": [1.0, np.inf, 2.0]}
    with pytest.raises(DataError, match=r"'x' \(2\) and 'z' \(1\)"):
        read(table)


def test_constant_columns() -> None:
    table = {"x": [7, 7, 7], "f": [0.5, 0.5, 0.5], "y": [0, 1, 0], "b": [True, True, True]}
    with pytest.raises(DataError, match="columns 'x', 'f' and 'b' have a single value"):
        read(table)
    with pytest.warns(DataWarning, match="left out the constant columns 'x', 'f' and 'b'"):
        assert read(table, constant="drop").variables == ("y",)
    kept = read(table, constant="keep")
    assert kept.variables == ("x", "f", "y", "b")
    assert discrete(kept).levels == (7,)


def test_all_columns_constant() -> None:
    with pytest.raises(DataError, match="every column has a single value"):
        read({"x": [7, 7]}, constant="drop")


def test_a_second_declared_level_is_enough() -> None:
    labels = ["no", "no"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read({"x": pd.Categorical(labels, categories=["no", "yes"])})
        read(pl.DataFrame({"x": pl.Series(labels, dtype=pl.Enum(["no", "yes"]))}), constant="drop")
        read({"x": labels}, levels={"x": ["no", "yes"]})
        read({"x": ["no", None]}, missing="level")
    with pytest.raises(DataError, match="column 'x' has a single value"):
        read({"x": pd.Categorical(labels, categories=["no"])})


def test_constant_is_judged_after_rows_are_dropped() -> None:
    table = {"x": ["a", "b", "a"], "y": [0, None, 1]}
    with pytest.warns(DataWarning, match="1 of 3"), pytest.raises(DataError, match="column 'x'"):
        read(table, missing="drop")
