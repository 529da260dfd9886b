"""Data is immutable, speaks to the scores, and goes back out with its labels."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data import Data, DiscreteColumn, read
from arcwise.errors import ArgumentError, DataError, MissingDependencyError
from support.columns import continuous, discrete


@pytest.fixture
def data() -> Data:
    table = {
        "smoke": ["no", "yes", "no", "yes"],
        "count": [7, 5, 7, 9],
        "age": [31.5, 48, 22.5, 60],
    }
    return read(table, weights=[1, 2, 3, 4], interventions={"age": [True, False, False, True]})


def loaded_by(code: str) -> str:
    code += "; import sys; print([m for m in ('pandas', 'polars', 'pyarrow') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_importing_loads_no_data_frame_library() -> None:
    assert loaded_by("import arcwise.data") == "[]"
    assert loaded_by("import arcwise.data, polars") == "['polars']"


def test_reading_memory_needs_no_data_frame_library() -> None:
    code = (
        "import numpy as np; from arcwise.data import discretize, read; "
        "read({'a': [1, None], 'b': ['x', 'y']}, missing='level'); "
        "discretize(np.array([[0.5], [1.5], [2.5]]))"
    )
    assert loaded_by(code) == "[]"


def test_discrete_codes(data: Data) -> None:
    table = data.select(["count", "smoke"]).discrete_codes("BDeu")
    assert table.dtype == np.uint16
    assert table.flags.f_contiguous
    assert table.tolist() == [[1, 0], [0, 1], [1, 0], [2, 1]]
    with pytest.raises(
        DataError, match="BDeu needs discrete columns, but column 'age' is continuous"
    ):
        data.discrete_codes("BDeu")


def test_continuous_values(data: Data) -> None:
    table = data.select(["age", "count"]).continuous_values("BGe")
    assert table.dtype == np.float64
    assert table.flags.f_contiguous
    assert table.tolist() == [[31.5, 7], [48, 5], [22.5, 7], [60, 9]]
    with pytest.raises(
        DataError, match="BGe needs continuous columns, but column 'smoke' is categorical"
    ):
        data.continuous_values("BGe")


@pytest.mark.parametrize("labels", [[True, False], ["1", "2"], [1, None]])
def test_labels_are_no_measurements(labels: list[Any]) -> None:
    table = read({"x": labels, "y": [0.5, 1.5]}, missing="level")
    with pytest.raises(DataError, match=r"column 'x'.*kinds=\{'x': 'continuous'\}"):
        table.continuous_values("BGe")


def test_level_counts_include_declared_levels(data: Data) -> None:
    assert data.level_counts().tolist() == [2, 3, 0]
    assert data.level_counts().dtype == np.int64
    declared = read({"x": [0, 1]}, levels={"x": [0, 1, 2, 3]})
    assert declared.level_counts().tolist() == [4]


def test_select_keeps_weights_and_interventions(data: Data) -> None:
    part = data.select(["age", "smoke"])
    assert part.variables == ("age", "smoke")
    assert part.weights.tolist() == [1, 2, 3, 4]
    assert part.intervened.tolist() == [
        [True, False],
        [False, False],
        [False, False],
        [True, False],
    ]
    assert data.select(["smoke"]).intervened is None
    for names in ("smoke", [], ["age", "age"]):
        with pytest.raises(ArgumentError, match="give a list of different variables"):
            data.select(names)


def test_take_rows_keeps_levels_weights_and_interventions(data: Data) -> None:
    part = data.take_rows([3, 0])
    assert part == data.take_rows(np.array([-1, -4]))
    assert part.to_dict() == {"smoke": ["yes", "no"], "count": [9, 7], "age": [60, 31.5]}
    assert discrete(part, 1).levels == (5, 7, 9)
    assert part.weights.tolist() == [4, 1]
    assert part.intervened.tolist() == [[False, False, True]] * 2
    masked = data.take_rows([False, True, True, False])
    assert masked.to_dict()["age"] == [48, 22.5]
    assert masked.intervened is None
    for rows in ([4], [-5], [True], [], [[0]], [0.5], [False] * 4, "x"):
        with pytest.raises(ArgumentError, match="give a mask of 4 booleans"):
            data.take_rows(rows)


def test_index_suggests_close_names(data: Data) -> None:
    assert data.index("count") == 1
    with pytest.raises(
        ArgumentError, match=r"'Smokes' is not a variable \(did you mean 'smoke'\?\)"
    ):
        data.index("Smokes")
    with pytest.raises(ArgumentError, match="the variables are 'smoke', 'count' and 'age'"):
        data.index("qqq")


def test_nothing_can_be_changed(data: Data) -> None:
    with pytest.raises(AttributeError, match="cannot assign to field 'rows'"):
        data.rows = 5  # type: ignore[misc]
    with pytest.raises(AttributeError, match="cannot delete field 'columns'"):
        del data.columns
    for array in (discrete(data).codes, continuous(data, 2).values, data.weights, data.intervened):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    data.kinds["smoke"] = "continuous"
    assert data.kinds["smoke"] == "discrete"


def test_copies_and_pickles_are_equal_and_as_immutable(data: Data) -> None:
    for other in (pickle.loads(pickle.dumps(data)), copy.deepcopy(data), copy.copy(data)):
        assert other == data
        assert hash(other) == hash(data)
        assert not discrete(other).codes.flags.writeable
        assert not other.weights.flags.writeable


def test_constructor_refuses_what_does_not_fit() -> None:
    a = DiscreteColumn("a", np.array([0, 1]), (0, 1))
    longer = DiscreteColumn("b", np.array([0, 1, 1]), (0, 1))
    for columns in ([], [a, a], [a, longer]):
        with pytest.raises(DataError, match="the same length and with different names"):
            Data(columns)
    with pytest.raises(ArgumentError, match="weights"):
        Data([a], weights=np.array([1.0, 2.0, 3.0]))
    with pytest.raises(ArgumentError, match="intervened"):
        Data([a], intervened=np.array([[True, False]]))


BASE = {"a": [0, 1, 1], "b": [0.5, 1.5, 2.5]}


@pytest.mark.parametrize(
    "other",
    [
        read({"a": [0, 1, 0], "b": [0.5, 1.5, 2.5]}),
        read({"a": [0, 1, 1], "b": [0.5, 1.5, 2.0]}),
        read({"a": [0, 1, 1], "c": [0.5, 1.5, 2.5]}),
        read({"b": [0.5, 1.5, 2.5], "a": [0, 1, 1]}),
        read({"a": ["0", "1", "1"], "b": [0.5, 1.5, 2.5]}),
        read({"a": [False, True, True], "b": [0.5, 1.5, 2.5]}),
        read(BASE, levels={"a": [0, 1, 2]}),
        read(BASE, levels={"a": [1, 0]}),
        read(BASE, kinds="continuous"),
        read(BASE, weights=[1, 1, 1]),
        read(BASE, interventions={"a": [True, False, False]}),
        read(BASE, interventions={"a": [False, True, False]}),
        read({"a": [0, 1, 1]}),
    ],
)
def test_any_difference_changes_the_fingerprint(other: Data) -> None:
    assert other.fingerprint != read(BASE).fingerprint
    assert other != read(BASE)


def test_the_fingerprint_tells_which_variable_was_set_in_which_row() -> None:
    masks = [{name: np.arange(3) == row} for name in ("a", "b") for row in range(3)]
    assert len({read(BASE, interventions=mask).fingerprint for mask in masks}) == 6


def test_the_fingerprint_is_a_stable_name() -> None:
    data = read(BASE)
    assert data.fingerprint == "e7e80cbfbd9ee8101215de6f3ddcb8f14c08b4c357166b50658040cf19892479"
    assert read({"b": [0.0, 1.0]}).fingerprint == read({"b": [-0.0, 1.0]}).fingerprint


def test_describe_and_repr(data: Data) -> None:
    assert repr(data) == "<Data: 4 rows, 2 discrete and 1 continuous variables>"
    assert data.describe().splitlines() == [
        "4 rows, 2 discrete and 1 continuous variables",
        "name   kind        levels  values",
        "smoke  discrete         2  no, yes",
        "count  discrete         3  5, 7, 9",
        "age    continuous          22.5 to 60",
        "row weights: 1 to 4",
        "interventions: some variable was intervened on in 2 rows",
    ]
    many = read({"x": range(50), "y\nz": ["a\nb", "c"] * 25}, kinds="discrete")
    assert many.describe().splitlines()[2].endswith(", ..., 49")
    assert len(many.describe().splitlines()) == 4


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=2, max_size=8))
def test_frames_carry_everything_the_labels_do_not(labels: Any) -> None:
    data = read(
        {"x": labels, "f": range(len(labels))}, levels={"x": ["c", "a", "b", "z"]}, missing="level"
    )
    for frame in (data.to_pandas(), data.to_polars()):
        assert read(frame, kinds={"x": "discrete"}, missing="level") == data


def test_frames_carry_the_order_of_observed_levels() -> None:
    data = read({"x": ["low", "mid", "high"]}, levels={"x": ["low", "mid", "high"]})
    assert read(data.to_pandas()) == data
    assert read(data.to_polars(), kinds="discrete") == data


def test_fractions_and_declared_numbers_go_back_to_pandas() -> None:
    data = read({"f": [0.5, 1.0, 0.5], "i": [1, 2, 1]}, kinds="discrete", levels={"i": [3, 2, 1]})
    assert read(data.to_pandas()) == data
    assert data.to_polars().to_dict(as_series=False) == {"f": [0.5, 1.0, 0.5], "i": [1, 2, 1]}
    assert isinstance(data.to_pandas(), pd.DataFrame)
    assert isinstance(data.to_polars(), pl.DataFrame)


def test_categories_that_are_many_whole_numbers_go_back_to_pandas() -> None:
    data = read({"postcode": range(30)}, kinds="discrete")
    assert read(data.to_pandas()) == data


def test_plain_columns_go_back_as_plain_types(data: Data) -> None:
    assert data.to_polars().dtypes == [pl.String, pl.Int64, pl.Float64]
    assert data.to_pandas()["count"].dtype == np.int64


@pytest.mark.parametrize(("package", "method"), [("pandas", "to_pandas"), ("polars", "to_polars")])
def test_a_missing_package_is_named(
    data: Data, package: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependencyError, match=f"`{method}` needs the package {package}"):
        getattr(data, method)()


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.tab.gz"])
def test_write_csv(data: Data, tmp_path: Path, name: str) -> None:
    data.write_csv(tmp_path / name)
    back = read(tmp_path / name)
    assert back.to_dict() == data.to_dict()
    assert back.kinds == data.kinds


def test_write_csv_says_why_it_cannot(data: Data, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"out\.xlsx"):
        data.write_csv(tmp_path / "out.xlsx")
    with pytest.raises(ArgumentError, match="there is no folder"):
        data.write_csv(tmp_path / "nowhere" / "out.csv")
