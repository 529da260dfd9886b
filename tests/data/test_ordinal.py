"""Ordinal columns: declared, recognised, kept by every copy and file, and said by scores."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise import read
from arcwise.cli import main
from arcwise.data import DiscreteColumn
from arcwise.data.archive import load_table, save_table
from arcwise.data.table import IndicatorBlocks
from arcwise.errors import ArgumentError, DataError

GRADES = ["low", "high", "middle", "low", "high"]
ORDER = ["low", "middle", "high"]


def grades() -> arcwise.Data:
    return read(
        {"grade": GRADES, "x": [0.1, 0.7, 0.4, 0.2, 0.9]},
        kinds={"grade": "ordinal"},
        levels={"grade": ORDER},
    )


def test_a_declared_column_is_ordinal_with_its_levels_in_order() -> None:
    data = grades()
    assert data.kinds == {"grade": "ordinal", "x": "continuous"}
    column = data.columns[0]
    assert isinstance(column, DiscreteColumn)
    assert column.levels == tuple(ORDER)
    assert "1 ordinal and 1 continuous" in data.describe()


def test_numbers_have_an_order_and_text_needs_one() -> None:
    data = read({"stage": [3, 1, 2, 1], "b": [0, 1, 1, 0]}, kinds={"stage": "ordinal"})
    assert data.kinds["stage"] == "ordinal"
    with pytest.raises(DataError, match="the order of its labels 'high', 'low' and 'middle' is"):
        read({"grade": GRADES}, kinds={"grade": "ordinal"})
    with pytest.raises(ArgumentError, match="give 'discrete', 'continuous' or 'ordinal'"):
        read({"grade": GRADES}, kinds={"grade": "ranked"})


def test_it_stays_ordinal_in_copies_and_files(tmp_path: Path) -> None:
    data = grades()
    save_table(data, tmp_path / "data.npz")
    for copy in (
        load_table(tmp_path / "data.npz"),
        pickle.loads(pickle.dumps(data)),
        read(data),
        read(data.to_pandas()),
        read(data.to_polars()),
    ):
        assert copy == data
    assert data.take_rows([0, 1]).kinds == data.kinds
    assert data.select(["grade"]).kinds["grade"] == "ordinal"
    unordered = read(data, kinds={"grade": "discrete"})
    assert unordered.fingerprint != data.fingerprint


def test_the_shell_declares_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.csv"
    pd.DataFrame({"grade": GRADES * 3, "stage": [1, 2, 3, 1, 2] * 3}).to_csv(path, index=False)
    assert (
        main(["describe", str(path), "--ordinal", "grade=low,middle,high", "--ordinal", "stage"])
        == 0
    )
    assert "2 ordinal variables" in capsys.readouterr().out


def test_scores_without_an_order_say_so_and_score_it_as_discrete() -> None:
    random = np.random.default_rng(1)
    values = {"grade": random.integers(0, 3, 40), "x": random.standard_normal(40)}
    ordinal = read(values, kinds={"grade": "ordinal"})
    plain = read(values)
    for score in ("conditional-gaussian", "degenerate-gaussian"):
        first = arcwise.score(ordinal, score).log_score("x", ["grade"])
        second = arcwise.score(plain, score).log_score("x", ["grade"])
        assert (first == second) is (score == "conditional-gaussian")
    found = arcwise.learn(ordinal, seed=1, progress=None)
    assert found.account is not None
    said = "ConditionalGaussian treats the levels of 'grade' as unordered."
    assert said in found.account.choices
    found = arcwise.learn(ordinal, score="degenerate-gaussian", seed=1, progress=None)
    assert found.account is not None
    assert not any("unordered" in choice for choice in found.account.choices)


def test_a_level_for_missing_values_has_no_rank() -> None:
    data = read(
        {"grade": [*GRADES, None]},
        kinds={"grade": "ordinal"},
        levels={"grade": ORDER},
        missing="level",
    )
    assert IndicatorBlocks.of(data).values.shape == (6, 3)
    assert IndicatorBlocks.of(grades()).values[:, 0].tolist() == [0.0, 2.0, 1.0, 0.0, 2.0]
