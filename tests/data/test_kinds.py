"""Each column gets the kind and the levels that its type, or the user, says."""

import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data import ContinuousColumn, DiscreteColumn, discretize, read
from arcwise.errors import DataError, DataWarning
from support.columns import discrete


def levels(values: Any, **options: Any) -> tuple[Any, ...]:
    return discrete(read({"x": values}, constant="keep", **options)).levels


def test_default_kinds() -> None:
    data = read(
        pl.DataFrame(
            {
                "int": [1, 2],
                "small": pl.Series([1, 2], dtype=pl.UInt8),
                "text": ["a", "b"],
                "bool": [True, False],
                "category": pl.Series(["a", "b"], dtype=pl.Categorical),
                "real": [0.5, 1.0],
                "half": pl.Series([0.5, 1.0], dtype=pl.Float32),
                "decimal": [Decimal("0.5"), Decimal("1")],
            }
        )
    )
    assert set(list(data.kinds.values())[:5]) == {"discrete"}
    assert set(list(data.kinds.values())[5:]) == {"continuous"}
    assert data.to_dict()["decimal"] == [0.5, 1.0]


def test_level_order() -> None:
    assert levels([10, 9, -1]) == (-1, 9, 10)
    assert levels(["b", "B", "a"]) == ("B", "a", "b")
    assert levels([True, False]) == (False, True)
    assert levels([True, True]) == (True,)
    assert levels([2.0, 0.5, 2.0], kinds="discrete") == (0.5, 2)
    for large in (np.array([2**63 + 1, 1], dtype=np.uint64), pl.Series([2**63 + 1, 1])):
        assert levels(large) == (1, 2**63 + 1)


def test_levels_are_plain_python_values() -> None:
    data = read(
        {"i": np.array([1, 2]), "f": [1.0, 2.5], "b": np.array([True, False])}, kinds="discrete"
    )
    assert [[type(v) for v in discrete(data, i).levels] for i in range(3)] == [
        [int, int],
        [int, float],
        [bool, bool],
    ]


@given(st.lists(st.integers(-(2**60), 2**60), min_size=2, max_size=30))
def test_integers_with_gaps_lose_no_digits(values: Any) -> None:
    frame = pd.DataFrame({"x": pd.array([*values, None], dtype="Int64")})
    for source in (frame, {"x": [*values, None]}, pl.DataFrame({"x": [*values, None]})):
        data = read(source, missing="level", kinds="discrete")
        assert discrete(data).levels == (*sorted(set(values)), None)
        assert data.to_dict()["x"] == [*values, None]


def test_kinds_for_all_and_by_name() -> None:
    table = {
        "i": [1, 2, 3],
        "f": [0.5, 1.5, 2.5],
        "s": ["1", "2.5", "-3e2"],
        "b": [True, False, True],
    }
    assert set(read(table, kinds="discrete").kinds.values()) == {"discrete"}
    measured = read(table, kinds="continuous")
    assert set(measured.kinds.values()) == {"continuous"}
    assert measured.to_dict()["s"] == [1.0, 2.5, -300.0]
    assert measured.to_dict()["b"] == [1.0, 0.0, 1.0]
    mixed = read(table, kinds={"i": "continuous", "f": "discrete"})
    assert list(mixed.kinds.values()) == ["continuous", "discrete", "discrete", "discrete"]


def test_numeric_categories_can_be_continuous() -> None:
    frame = pd.DataFrame({"x": pd.Categorical(["2", "1"], categories=["3", "2", "1"])})
    assert read(frame, kinds="continuous").to_dict() == {"x": [2.0, 1.0]}


def test_declared_levels_come_first_and_stay() -> None:
    data = read({"x": [0, 1, 1], "y": [0.5, 0.5, 0.5]}, levels={"x": [2, 1, 0], "y": [0.5, 1.0]})
    assert discrete(data).levels == (2, 1, 0)
    assert discrete(data).codes.tolist() == [2, 1, 1]
    assert discrete(data, 1).levels == (0.5, 1)
    assert data.level_counts().tolist() == [3, 2]
    overruled = read(
        pl.DataFrame({"x": pl.Series(["a", "b"], dtype=pl.Enum(["z", "b", "a"]))}),
        levels={"x": ["a", "b"]},
    )
    assert discrete(overruled).levels == ("a", "b")


def test_booleans_are_not_the_integers_they_equal() -> None:
    with pytest.raises(DataError, match="False and True"):
        read({"x": [True, False]}, levels={"x": [0, 1]})
    with pytest.raises(DataError, match="holds 0 and 1"):
        read({"x": [1, 0]}, levels={"x": [False, True]})


def test_whole_numbers_of_many_values_are_measurements_and_are_asked_about() -> None:
    table = {"x": np.arange(60) % 21, "y": np.arange(60) % 20}
    with pytest.warns(
        DataWarning,
        match=r"'x' \(21 different whole numbers\) counts as continuous; give "
        r"kinds=\{'x': 'continuous'\} if that is right, kinds=\{'x': 'discrete'\} if each number "
        r"is a category, or discretize=\{'x': 'quantile:3'\}",
    ) as caught:
        data = read(table)
    assert data.kinds == {"x": "continuous", "y": "discrete"}
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(table, kinds="discrete").kinds["x"] == "discrete"
        assert read(table, kinds={"x": "continuous"}).kinds["x"] == "continuous"
        assert read(table, discretize={"x": 2}).level_counts().tolist() == [2, 20]
        assert read(table, levels={"x": range(60)}).level_counts().tolist() == [60, 20]


def test_whole_numbers_with_gaps_are_those_of_pandas() -> None:
    table = {"few": [0.0, 1.0, np.nan] * 10, "many": [*map(float, range(29)), np.nan]}
    with pytest.warns(DataWarning, match=r"'many' \(29 levels\)|numbers the rows"):
        data = read(table, missing="level", discretize="quantile:2")
    assert discrete(data).levels == (0, 1, None)
    assert read({"x": [0.0, 1.0, 1.0]}).kinds == {"x": "continuous"}


def test_many_text_levels_deserve_another_warning() -> None:
    with pytest.warns(DataWarning, match=r"'name' \(55 levels\) has few rows.*drop='name'"):
        read({"name": [f"row {i % 55}" for i in range(200)]})


def test_the_most_levels_are_65535() -> None:
    data = read({"x": np.arange(65535)}, kinds="discrete")
    assert data.level_counts().tolist() == [65535]
    assert discrete(data).codes[-1] == 65534
    for values in (np.arange(65536), np.arange(65536).astype(str)):
        with pytest.raises(DataError, match="'x' has 65536"):
            read({"x": values}, kinds="discrete")


def test_column_arrays_are_frozen_and_of_the_promised_types() -> None:
    data = discretize(
        read({"i": [1, 2, 1, 2], "f": [0.5, 1.5, 2.5, 3.5], "s": list("abab")}), bins=2
    )
    for column in [*data.columns, *read({"f": [0.5, 1.5]}).columns]:
        array = column.stored
        assert array.dtype == (np.uint16 if isinstance(column, DiscreteColumn) else np.float64)
        assert array.flags.c_contiguous
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_a_read_only_view_is_copied_because_its_owner_can_still_write() -> None:
    owner = np.array([0.5, 1.5])
    view = owner[:]
    view.flags.writeable = False
    column = ContinuousColumn("x", view)
    owner[0] = 9
    assert column.values.tolist() == [0.5, 1.5]


def test_columns_refuse_codes_without_a_level_and_values_that_are_not_finite() -> None:
    for codes in ([0, 2], [-1, 0], [[0, 1]]):
        with pytest.raises(DataError, match="'x'"):
            DiscreteColumn("x", np.array(codes), ("a", "b"))
    with pytest.raises(DataError, match="'x'"):
        ContinuousColumn("x", np.array([0.5, np.nan]))


def test_a_kind_knows_its_values_their_order_and_their_resolution() -> None:
    table = {"group": ["b", "a", "b"], "grade": ["low", "high", "low"], "size": [0.25, 1.5, 1.25]}
    data = read(table, kinds={"grade": "ordinal"}, levels={"grade": ["low", "high"]})
    group, grade, size = (column.kind for column in data.columns)
    assert [kind.name for kind in (group, grade, size)] == ["discrete", "ordinal", "continuous"]
    assert (group.levels, grade.levels, size.levels) == (("a", "b"), ("low", "high"), ())
    assert (group.size, grade.size, size.size) == (2, 2, 0)
    assert (group.ordered, grade.ordered, size.ordered) == (False, True, True)
    found = [column.kind.resolution(column.stored) for column in data.columns]
    assert found == [None, 1.0, 0.25]


@pytest.mark.parametrize(("values", "step"), [([0.3, 0.1, 0.2, 0.7], 0.1), ([2.0, 2.0], None)])
def test_the_resolution_of_numbers_is_the_most_frequent_gap(
    values: list[float], step: float | None
) -> None:
    column = ContinuousColumn("x", np.array(values))
    found = column.kind.resolution(column.stored)
    assert found == step if step is None else found == pytest.approx(step, abs=1e-12)


def test_a_kind_says_which_values_cannot_be_stored() -> None:
    discrete, continuous = read({"a": ["x", "y"], "b": [0.5, 1.5]}).columns
    assert discrete.kind.problem(np.array([0, 1, 1])) is None
    assert "0 to 1" in discrete.kind.problem(np.array([0, 2]))
    assert continuous.kind.problem(np.array([1e300])) is None
    assert "finite" in continuous.kind.problem(np.array([np.nan]))


def test_a_column_with_other_values_keeps_name_and_kind() -> None:
    data = read({"a": ["x", "y"], "b": [0.5, 1.5]})
    for column, values in zip(data.columns, ([1, 1], [2.5, 3.5]), strict=True):
        other = column.like(np.array(values))
        assert (other.name, other.kind) == (column.name, column.kind)
        assert other.stored.tolist() == values
        assert other.renamed("c").name == "c"
