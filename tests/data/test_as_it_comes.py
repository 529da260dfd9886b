"""A table as it comes: all its problems at once, what is left out, any table described."""

from __future__ import annotations

import datetime
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import arcwise
from arcwise.data import describe, discretize, read
from arcwise.data.profile import identifier_reason, looks_like_a_key
from arcwise.data.sources import raw_columns
from arcwise.errors import ArgumentError, DataError, DataWarning
from support.columns import discrete

ROWS = 60
RANDOM = np.random.default_rng(1)
DAY = datetime.date(2020, 1, 1)


def messy() -> pd.DataFrame:
    age = RANDOM.integers(1, 80, ROWS).astype(float)
    age[:9] = np.nan
    return pd.DataFrame(
        {
            "id": np.arange(1, ROWS + 1),
            "name": [f"person {i}" for i in range(ROWS)],
            "sex": ["m", "f"] * (ROWS // 2),
            "age": age,
            "fare": RANDOM.gamma(2, 10, ROWS),
            "cabin": ["A", "B", *([None] * (ROWS - 2))],
            "ship": "Titanic",
            "stay": pd.to_timedelta(np.arange(ROWS), unit="D"),
        }
    )


def refusal(source: Any, **options: Any) -> DataError:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(DataError) as caught:
            read(source, **options)
    return caught.value


def test_all_problems_are_told_at_once_each_with_what_mends_it() -> None:
    error = refusal(messy())
    lines = str(error).splitlines()
    assert lines[0] == "the table cannot be used as it is:"
    assert [line[:4] for line in lines[1:]] == ["  - "] * 3
    for line, words in zip(
        lines[1:],
        (
            ("column 'stay' holds times or durations", "drop='stay'"),
            (
                "'age' (9) and 'cabin' (58); give missing='level'",
                "drop='cabin' to leave out what is mostly missing with missing='drop' to drop the "
                "rows concerned, 9 of 60",
            ),
            ("column 'ship' has a single value", "constant='drop'"),
        ),
        strict=True,
    ):
        assert all(word in line for word in words), line
    shell = error.in_shell()
    for option in ("--drop stay", "--missing drop", "--constant drop"):
        assert option in shell
    assert "drop=" not in shell


def test_a_single_problem_stays_one_sentence() -> None:
    assert "\n" not in str(refusal({"a": [0, 1, None], "b": [0, 1, 1]}))


def test_what_is_asked_for_mends_it() -> None:
    with pytest.warns(DataWarning):
        data = read(
            messy(),
            drop=["stay", "cabin"],
            constant="drop",
            identifiers="drop",
            missing="level",
            discretize="quantile:3",
        )
    assert data.variables == ("sex", "age", "fare")
    assert discrete(data, 1).levels[-1] is None
    assert data.level_counts().tolist() == [2, 4, 3]
    assert data.notes == (
        "Left out: 'id' (it numbers the rows), 'name' (60 of its 60 values are different) and "
        "'ship' (it has a single value).",
        "Missing values are a level of their own in 'age' (9).",
        "Cut into intervals: 'age' (3 intervals) and 'fare' (3 intervals).",
    )


def test_gaps_are_cut_around_whatever_the_order() -> None:
    values = np.array([1.5, np.nan, 2.5, 3.5, np.nan, 4.5])
    level = read({"x": values}, missing="level", discretize="quantile:2")
    assert level.to_dict()["x"] == [
        *("(-inf, 3.5)", None, "(-inf, 3.5)", "[3.5, inf)", None, "[3.5, inf)"),
    ]
    with pytest.warns(DataWarning, match="dropped 2 of 6"):
        dropped = read({"x": values}, missing="drop", discretize={"x": [2]})
    assert dropped.to_dict()["x"] == ["(-inf, 2)", "[2, inf)", "[2, inf)", "[2, inf)"]
    assert discretize({"x": values}, bins=2, missing="level") == level
    known = read({"x": [1, 2, 3, None]}, missing="level")
    assert discrete(discretize(known, columns=["x"], bins=2)).levels[-1] is None


@pytest.mark.parametrize(
    ("cuts", "levels"),
    [
        ("uniform:2", [2, 2, 3]),
        ("quantile", [3, 3, 3]),
        ({"x": "uniform:4", None: 2}, [4, 2, 3]),
        ({"x": 2, "k": 2}, [2, 0, 2]),
        ({"y": [0.5, 1.5]}, [0, 2, 3]),
        (None, [0, 0, 3]),
    ],
)
def test_forms_of_discretize(cuts: Any, levels: list[int]) -> None:
    table = {
        "x": np.linspace(0.1, 9, 12),
        "y": np.linspace(0.1, 1.0, 12),
        "k": [0, 1, 2] * 4,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert read(table, discretize=cuts).level_counts().tolist() == levels


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drop": "agee"}, r"drop names 'agee', which is not a column \(did you mean 'age'\?\)"),
        ({"drop": [3]}, "drop holds 3; give names of columns"),
        ({"drop": 3}, "drop is 3; give a list of columns"),
        ({"discretize": 3}, "discretize is 3; give a method such as 'quantile:3'"),
        ({"discretize": "median"}, "method is 'median'"),
        ({"discretize": "quantile:1"}, "number of bins is 1"),
        ({"discretize": "quantile:x"}, "discretize has 'x' bins"),
        ({"discretize": {"agee": 2}}, "discretize names 'agee', which is not a variable"),
        ({"discretize": {"age": [2, 1]}}, r"breaks\['age'\] is \[2, 1\]"),
        ({"identifiers": "maybe"}, "identifiers is 'maybe'; give one of"),
    ],
)
def test_options_that_are_none(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        read({"age": [31.5, 48.0], "sex": ["m", "w"]}, **options)


IDENTIFIERS: list[tuple[Any, str, bool]] = [
    (range(30), "x", True),
    (range(1000, 970, -1), "x", True),
    ([int(v) for v in np.sort(RANDOM.choice(10**6, 30, replace=False))], "x", True),
    ([int(v) for v in RANDOM.permutation(30)], "x", True),
    ([int(v) for v in RANDOM.permutation(10**4)[:30]], "weight", False),
    ([int(v) for v in RANDOM.permutation(10**4)[:30]], "patient_id", True),
    ([*range(29), 28], "x", False),
    (range(20), "x", False),
    ([f"name {i}" for i in range(30)], "x", True),
    ([f"name {i % 22}" for i in range(30)], "x", True),
    ([f"city {i % 14}" for i in range(30)], "x", False),
    ([f"name {i}" for i in range(19)], "x", False),
    ([f"2024-03-{1 + i % 25:02d}" for i in range(90)], "visit", True),
    ([f"{1 + i % 25}.3.24" for i in range(90)], "visit", True),
    ([f"2024-{1 + i % 12:02d}-01" for i in range(90)], "visit", False),
    ([f"level {i % 25}" for i in range(90)], "visit", False),
    (pd.Categorical([f"name {i}" for i in range(30)]), "x", False),
    ([i / 7 for i in range(30)], "x", False),
    ([*map(float, range(29)), None], "x", True),
]


@pytest.mark.parametrize(("values", "name", "identifies"), IDENTIFIERS)
def test_what_identifies_rows(values: Any, name: str, identifies: bool) -> None:
    (column,) = raw_columns({name: values if hasattr(values, "codes") else list(values)})
    assert (identifier_reason(column) is not None) == identifies


def test_names_of_keys() -> None:
    keys = ("id", "ID", "row id", "patientId", "patient.ID", "uuid", "record_key", "index")
    others = ("humid", "paid", "Madrid", "grid", "monkey", "idle", "identity")
    assert all(map(looks_like_a_key, keys))
    assert not any(map(looks_like_a_key, others))


def test_identifiers_as_asked() -> None:
    table = {"row": range(30), "x": [0, 1] * 15}
    with pytest.warns(DataWarning, match=r"'row' \(it numbers the rows\) seems to identify rows"):
        assert read(table).variables == ("row", "x")
    with pytest.warns(DataWarning, match=r"left out 'row'.*identifiers='keep', or the kind"):
        assert read(table, identifiers="drop").variables == ("x",)
    assert "identifiers='drop'" in str(refusal(table, identifiers="error"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(table, identifiers="drop", kinds={"row": "discrete"}).variables == ("row", "x")
        assert read(table, identifiers="drop", drop="row").variables == ("x",)
    with pytest.warns(DataWarning, match="identify rows"):
        assert read({"row": range(30)}, identifiers="drop").variables == ("row",)


def test_columns_without_a_value_are_left_out_like_constants() -> None:
    table = {"x": [0, 1, 1], "nothing": [None, None, None]}
    with pytest.warns(DataWarning, match=r"left out 'nothing' \(it has no values\)"):
        assert read(table, constant="drop").variables == ("x",)


def test_learn_leaves_out_what_nothing_is_learned_from() -> None:
    table = {"row": range(40), "one": ["B"] * 40, "x": [0, 1] * 20, "y": [0, 0, 1, 1] * 10}
    with pytest.warns(DataWarning) as caught:
        found = arcwise.learn(table, progress=None)
    assert found.variables == ("x", "y")
    assert found.account is not None
    assert "Left out: 'row' (it numbers the rows)" in found.account.choices[1]
    assert any("constant='keep'" in str(each.message) for each in caught)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = arcwise.learn(
            table, constant="keep", kinds={"row": "discrete"}, progress=None, max_indegree=1
        )
        whole = read(table, constant="keep", identifiers="keep", kinds="discrete")
        assert arcwise.learn(whole, progress=None, max_indegree=1).variables == tuple(table)
    assert kept.variables == tuple(table)
    with pytest.raises(DataError, match="has a single value"):
        arcwise.Model({"one": ["B", "B"], "x": [0, 1]})


def test_notes_travel_and_do_not_matter_for_equality() -> None:
    with pytest.warns(DataWarning):
        data = read({"x": [0, 1, 1, 0], "one": [1, 1, 1, 1]}, constant="drop")
    plain = read({"x": [0, 1, 1, 0]})
    assert data == plain
    assert data.notes
    assert data.take_rows([0, 1]).notes == data.select(["x"]).notes == data.notes
    assert data.describe() == plain.describe() + "\n" + data.notes[0]


def test_anything_readable_is_described() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = describe(messy())
    lines = {line.split()[0]: line for line in said.splitlines()[2:10]}
    assert "seems to identify rows" in lines["id"]
    assert "60" in lines["name"]
    assert "15 %" in lines["age"]
    assert "different whole numbers" in lines["age"]
    assert "97 %" in lines["cabin"]
    assert "constant" in lines["ship"]
    assert "unusable" in lines["stay"]
    assert "holds times or durations" in lines["stay"]
    assert "To be mended before the table can be used:" in said
    assert "missing='drop'" in said
    assert "--missing drop" in said.in_shell
    left = describe(messy(), drop="stay", missing="level", discretize="quantile:3",
                    constant="drop", identifiers="drop")  # fmt: skip
    assert "To be mended" not in left
    assert "left out" in left


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"a": []}, "no rows"),
        ({"a": [1]}, "a single row"),
        ({"a": [None, None], "b": [1, 2]}, "no values"),
        ({"a": [1.5, np.inf], "b": [0, 1]}, "values are infinite in 'a' (1)"),
        ({"a": [1, "x"], "b": [0, 1]}, "mixes integer and text values"),
        ({"a": [datetime.timedelta(1)] * 2, "b": [0, 1]}, "type timedelta"),
        ({"a": [None, None]}, "no values"),
        (pl.DataFrame({"a": [[1], [2]]}), "unusable"),
    ],
)
def test_unusable_tables_are_described(table: Any, words: str) -> None:
    assert words in describe(table)


def test_a_table_in_order_is_described_as_before(tmp_path: Path) -> None:
    data = arcwise.simulate("asia", 1000, seed=1)
    path = tmp_path / "asia.csv"
    data.write_csv(path)
    assert describe(path) == describe(data) == data.describe()
    with pytest.raises(ArgumentError, match="describe has no argument 'mising'"):
        describe(path, mising="drop")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "days",
    [
        pd.Series(pd.date_range("2020-01-01", periods=30)),
        pd.Series(pd.date_range("2020-01-01", periods=30)).dt.date,
        pl.Series(pd.date_range("2020-01-01", periods=30).to_pydatetime()),
        pl.Series([DAY + datetime.timedelta(days=place) for place in range(30)]),
        pd.date_range("2020-01-01", periods=30).to_numpy(),
        [DAY + datetime.timedelta(days=place) for place in range(30)],
        [str(DAY + datetime.timedelta(days=place)) for place in range(30)],
    ],
    ids=["pandas", "objects", "polars", "dates", "numpy", "list", "text"],
)
def test_dates_are_treated_alike_whatever_they_come_as(days: Any) -> None:
    table = {"day": days, "x": [0, 1] * 15}
    with pytest.warns(DataWarning, match=r"left out 'day' \(it has 30 dates\)"):
        assert read(table, identifiers="drop").variables == ("x",)
    with pytest.warns(DataWarning):
        data = read(table)
    column = discrete(data)
    assert column.levels[:2] == ("2020-01-01", "2020-01-02")


def test_dates_may_be_missing_and_have_a_time() -> None:
    noon = datetime.datetime(2020, 1, 1, 12)
    for days in (
        [None, DAY, noon],
        np.array([None, DAY, noon], dtype="M8[s]"),
        pd.Series([pd.NaT, pd.Timestamp(DAY), noon]),
    ):
        column = discrete(read({"day": days, "x": [0, 1, 1]}, missing="level"))
        assert column.levels == ("2020-01-01", "2020-01-01 12:00:00", None)
        assert column.codes.tolist() == [2, 0, 1]
