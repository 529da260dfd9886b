"""Values that a user says stand for missing ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import read
from arcwise.data import Data, DiscreteColumn, IncompleteData
from arcwise.errors import ArgumentError, DataWarning

pytestmark = pytest.mark.filterwarnings("ignore:dropped")

AGES = [31, 45, -999, 28, 62, -999, 51, 37]
SEXES = ["m", "f", "unknown", "f", "m", "m", "unknown", "f"]
HEIGHTS = [1.7, 1.6, 9.99, 1.8, 1.75, 1.65, 1.9, 9.99]
TABLE = {"age": AGES, "sex": SEXES, "height": HEIGHTS}


def missing(source: Any, **options: Any) -> dict[str, list[int]]:
    """Return the rows in which values of each column are missing."""
    data = read(source, missing="impute", identifiers="keep", **options)
    if not isinstance(data, IncompleteData):
        return {}
    table, gaps = data.table, np.asarray(data.missing)
    found = {
        name: np.flatnonzero(gaps[:, place]).tolist() for place, name in enumerate(table.variables)
    }
    return {name: rows for name, rows in found.items() if rows}


def levels_of(data: Data) -> list[tuple[object, ...]]:
    """Return the levels of each discrete column."""
    return [column.levels for column in data.columns if isinstance(column, DiscreteColumn)]


@pytest.mark.filterwarnings("ignore::arcwise.errors.DataWarning")
@pytest.mark.parametrize(
    ("codes", "found"),
    [
        (None, {}),
        (-999, {"age": [2, 5]}),
        ("-999", {"age": [2, 5]}),
        (np.int64(-999), {"age": [2, 5]}),
        ("unknown", {"sex": [2, 6]}),
        ([-999, "unknown"], {"age": [2, 5], "sex": [2, 6]}),
        ({"height": 9.99}, {"height": [2, 7]}),
        ({"height": [9.99, 1.9], None: "unknown"}, {"height": [2, 6, 7], "sex": [2, 6]}),
        ({"sex": [], None: "unknown"}, {}),
    ],
)
def test_codes_are_missing(codes: Any, found: dict[str, list[int]]) -> None:
    assert missing(TABLE, missing_codes=codes) == found


@pytest.mark.filterwarnings("ignore::arcwise.errors.DataWarning")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_so_they_are_in_files(ending: str, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    frame, path = polars.DataFrame(TABLE), tmp_path / f"table.{ending}"
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    codes = [-999, "unknown", 9.99]
    assert missing(path, missing_codes=codes) == missing(TABLE, missing_codes=codes)


def test_a_code_is_no_level() -> None:
    data = read({"x": [0, 1, 9, 1], "y": SEXES[:4]}, missing="drop", missing_codes=[9, "unknown"])
    assert levels_of(data) == [(0, 1), ("f", "m")]
    assert data.rows == 3
    assert data.notes == (
        "Codes read as missing values: 'x' in 1 row and 'y' in 1 row.",
        *data.notes[1:],
    )


def test_a_column_without_its_word_is_one_of_numbers() -> None:
    values = [f"{number}.5" for number in range(40)]
    values[3] = "below limit"
    data = read({"x": values, "y": [0, 1] * 20}, missing="drop", missing_codes="below limit")
    assert data.kinds == {"x": "continuous", "y": "discrete"}
    assert data.rows == 39


@pytest.mark.parametrize(
    ("values", "code", "options", "levels"),
    [
        (["1", "2", "9"], "9", {}, ("1", "2")),
        (["1", "2", "9"], "9", {"levels": {"x": ["1", "2"]}}, ("1", "2")),
        (["1", "2", "unknown"], "unknown", {"kinds": {"x": "discrete"}}, ("1", "2")),
        (["1", "01", "unknown"], "unknown", {}, ("01", "1")),
        ([f"{number:05d}" for number in range(30)], "00003", {"identifiers": "keep"}, None),
    ],
)
def test_texts_that_look_like_numbers_stay_labels(
    values: list[str], code: str, options: Any, levels: tuple[object, ...] | None
) -> None:
    table = {"x": values * 4, "y": [0, 1] * (2 * len(values))}
    data = read(table, missing="drop", missing_codes=code, **options)
    assert data.kinds["x"] == "discrete"
    assert levels is None or levels_of(data)[0] == levels


def test_a_code_that_occurs_in_no_row_is_no_level_either() -> None:
    given = read({"x": ["low", "high"], "y": [0, 1]}, levels={"x": ["low", "high", "none"]})
    with pytest.warns(DataWarning, match="does not occur"):
        data = read(given, missing_codes={"x": "none"})
    assert levels_of(data)[0] == ("low", "high")


def test_a_number_beyond_all_bounds_is_a_code() -> None:
    table = {"x": ["a", "b", "c"], "y": [1.5, 2.5, 3.5]}
    with pytest.warns(DataWarning, match=r"missing_codes: 1000\S{,80} does not occur"):
        assert missing(table, missing_codes=[10**400, "a"]) == {"x": [0]}


def test_declared_levels_stay_but_for_the_code() -> None:
    levels = {"x": ["low", "mid", "high", "none"]}
    given = read({"x": ["low", "high", "none"], "y": [0, 1, 1]}, levels=levels)
    data = read(given, missing_codes={"x": "none"}, missing="drop", constant="keep")
    assert levels_of(data)[0] == ("low", "mid", "high")
    assert data.rows == 2


def test_a_number_is_no_code_of_truth_values() -> None:
    table = {"x": [True, False, True], "y": [1, 0, 2]}
    assert missing(table, missing_codes=1) == {"y": [0]}


def test_codes_that_occur_nowhere_are_told() -> None:
    with pytest.warns(DataWarning, match="missing_codes: 77 does not occur in the table") as told:
        read(TABLE, missing_codes=[77, -999], missing="drop", kinds={"age": "continuous"})
    assert "--missing-codes: 77" in str(told[0].message.in_shell())  # type: ignore[union-attr]
    with pytest.warns(DataWarning, match="'gone' does not occur in 'sex'"):
        read(TABLE, missing_codes={"sex": "gone"}, kinds={"age": "continuous"})


@pytest.mark.parametrize(
    ("codes", "match"),
    [
        ({"agee": -999}, "agee"),
        (True, "missing_codes holds True; give numbers or texts"),
        ([None], "missing_codes holds None"),
        ({"age": [[1]]}, "missing_codes holds"),
    ],
)
def test_what_cannot_be_a_code_is_refused(codes: Any, match: str) -> None:
    with pytest.raises(ArgumentError, match=match):
        read(TABLE, missing_codes=codes)


def test_the_advice_about_a_likely_code_can_be_followed() -> None:
    values = np.arange(60.0)
    values[:4] = -999
    table = {"x": values, "y": values[::-1].copy()[::-1] % 7}
    with pytest.warns(DataWarning, match=r"give missing_codes=\{'x': -999\}") as told:
        read(table)
    spoken = next(each.message for each in told if "-999" in str(each.message))
    assert "give --missing-codes x=-999" in spoken.in_shell()  # type: ignore[union-attr]
    assert missing(table, missing_codes={"x": -999}) == {"x": [0, 1, 2, 3]}


@pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")
def test_codes_of_time_series_are_missing_in_every_lag() -> None:
    table = {"t": list(range(40)), "x": [k * 7 % 3 for k in range(40)], "y": [0, 1] * 20}
    table["x"][5] = -999
    series = arcwise.time_series(
        table, time="t", missing="drop", missing_codes={"x": -999}, gaps="split"
    )
    assert series.rows == 40 - 1 - 2
