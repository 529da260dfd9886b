"""The same table gives the same Data, whichever library or file it comes from."""

from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.data import read
from arcwise.errors import DataWarning
from support.columns import continuous, discrete

# Words that a text file cannot tell from numbers, booleans or gaps are not among these.
LABELS = st.text(alphabet="abcxyzäß,;'\" ", min_size=1, max_size=6).map(lambda s: f"l{s}l")
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
INTEGERS = st.integers(min_value=-(2**63), max_value=2**63 - 1)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[Any]]:
    rows = draw(st.integers(min_value=2, max_value=12))
    cells = st.sampled_from([LABELS, FLOATS, INTEGERS, st.booleans()])
    # A single name with a semicolon would look like two names to a reader of .csv files.
    names = draw(
        st.lists(LABELS.filter(lambda s: ";" not in s), min_size=1, max_size=4, unique=True)
    )
    return {name: draw(st.lists(draw(cells), min_size=rows, max_size=rows)) for name in names}


# Each example is written and read 18 times.
@settings(max_examples=30, deadline=None)
@given(table=tables())
def test_every_source_gives_the_same_data(
    table: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("sources")
    polars = pl.DataFrame(table)
    pandas = pd.DataFrame(table)
    polars.write_csv(folder / "polars.csv")
    polars.write_csv(folder / "polars.tsv", separator="\t")
    pandas.to_csv(folder / "pandas.csv.gz", index=False)
    polars.write_parquet(folder / "polars.parquet")
    pandas.to_parquet(folder / "pandas.parquet")
    first = read(table, constant="keep")
    first.write_csv(folder / "own.csv")
    sources = {
        "arrays": {name: np.array(values) for name, values in table.items()},
        "polars": polars,
        "lazy": polars.lazy(),
        "pandas": pandas,
        "pandas objects": pandas.astype(object),
        "pyarrow": polars.to_arrow(),
        "narwhals": nw.from_native(polars),
        "own pandas": first.to_pandas(),
        "own polars": first.to_polars(),
        "own dictionary": first.to_dict(),
        "itself": first,
    } | {file.name: str(file) for file in folder.iterdir()}
    for name, source in sources.items():
        data = read(source, constant="keep")
        assert data.fingerprint == first.fingerprint, name
        assert data == first
        assert data.to_dict() == first.to_dict(), name


@settings(max_examples=40, deadline=None)
@given(
    codes=st.lists(st.integers(0, 2), min_size=2, max_size=9),
    order=st.permutations(["low", "mid", "high", "never"]),
)
def test_declared_levels_survive_every_library(
    codes: Any, order: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    labels = [order[code] for code in codes]
    path = tmp_path_factory.mktemp("levels") / "enum.parquet"
    enum = pl.DataFrame({"x": pl.Series(labels, dtype=pl.Enum(order))})
    enum.write_parquet(path)
    categorical = pd.DataFrame({"x": pd.Categorical(labels, categories=order)})
    first = read({"x": labels}, levels={"x": order})
    assert discrete(first).levels == tuple(order)
    assert first.to_dict() == {"x": labels}
    for source in (
        categorical,
        pa.Table.from_pandas(categorical),
        {"x": categorical["x"].array},
        first.to_pandas(),
    ):
        assert read(source) == first
    ordered = categorical.astype(pd.CategoricalDtype(order, ordered=True))
    ordinal = read({"x": labels}, levels={"x": order}, kinds={"x": "ordinal"})
    assert ordinal != first
    for source in (
        enum,
        path,
        ordered,
        pa.Table.from_pandas(ordered),
        {"x": ordered["x"].array},
        ordinal.to_pandas(),
        ordinal.to_polars(),
    ):
        assert read(source) == ordinal
        assert read(source, kinds="discrete") == first


def test_arrow_chunks_with_different_dictionaries_are_united() -> None:
    chunks = [pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", None]).dictionary_encode()]
    data = read(pa.table({"x": pa.chunked_array(chunks)}), missing="level")
    assert data.to_dict() == {"x": ["b", "a", "c", None]}
    assert discrete(data).levels == ("b", "a", "c", None)


def test_polars_categorical_shows_observed_levels_only() -> None:
    # Its categories are shared by the whole process, so other frames' labels are among them.
    pl.Series(["alien"], dtype=pl.Categorical)
    data = read(pl.DataFrame({"x": pl.Series(["b", "a", "b"], dtype=pl.Categorical)}))
    assert discrete(data).levels == ("a", "b")


def test_integer_and_interval_categories_keep_their_meaning() -> None:
    frame = pd.DataFrame(
        {
            "i": pd.Categorical([3, 1, 3], categories=[3, 2, 1]),
            "cut": pd.cut([0.5, 1.5, 2.5], [0, 1, 2, 3]),
        }
    )
    data = read(frame)
    assert discrete(data).levels == (3, 2, 1)
    assert discrete(data, 1).levels == ("(0, 1]", "(1, 2]", "(2, 3]")
    assert data.to_dict()["i"] == [3, 1, 3]


def test_arrays_get_names() -> None:
    array = np.array([[0, 1, 2], [3, 1, 0]])
    assert read(array, constant="keep").variables == ("X0", "X1", "X2")
    with pytest.warns(DataWarning, match="'b'"):
        data = read(array, names=["a", "b", "c"], constant="drop")
    assert data.to_dict() == {"a": [0, 3], "c": [2, 0]}


def test_structured_object_masked_and_text_arrays() -> None:
    fields = np.array([(1, 2.5, "x"), (3, 4.5, "y")], dtype="i4,f4,U3")
    assert read(fields).to_dict() == {"f0": [1, 3], "f1": [2.5, 4.5], "f2": ["x", "y"]}
    objects = np.array([[1, "x", None], [2, "y", True], [1, "x", False]], dtype=object)
    data = read(objects, missing="level")
    assert data.to_dict() == {"X0": [1, 2, 1], "X1": ["x", "y", "x"], "X2": [None, True, False]}
    masked = np.ma.array([[1.5, 2], [3, 4], [5, 6]])
    masked[1, 1] = np.ma.masked
    with pytest.warns(DataWarning, match="1 of 3 rows"):
        assert read(masked, missing="drop").to_dict() == {"X0": [1.5, 5.0], "X1": [2.0, 6.0]}
    assert discrete(read(np.array([["b"], ["a"]]))).levels == ("a", "b")


def test_mappings_take_any_kind_of_column() -> None:
    table = {
        "list": [1, 2],
        "range": range(2),
        "polars": pl.Series(["u", "v"]),
        "pandas": pd.Series([0.5, 1.5], index=[7, 8]),
        "nullable": pd.array([1, None], dtype="Int64"),
        "arrow": pa.chunked_array([["x"], ["y"]]),
        5: (True, False),
    }
    assert read(table, missing="level").to_dict() == {
        "list": [1, 2],
        "range": [0, 1],
        "polars": ["u", "v"],
        "pandas": [0.5, 1.5],
        "nullable": [1, None],
        "arrow": ["x", "y"],
        "5": [True, False],
    }


def test_arrow_streams_and_integer_labels_are_read() -> None:
    table = pa.table({"a": [1, 2]})
    assert read(table.to_reader()).to_dict() == {"a": [1, 2]}
    assert read(pd.DataFrame([[1, "x"], [2, "y"]])).variables == ("0", "1")


def test_a_data_comes_back_as_it_is_unless_options_are_given() -> None:
    data = read({"a": [0.5, 1.5, 0.5], "b": ["x", "y", "y"]}, weights=[1, 2, 3])
    assert read(data) is data
    changed = read(data, kinds={"a": "discrete"}, interventions={"b": [True, False, False]})
    assert changed.kinds == {"a": "discrete", "b": "discrete"}
    assert discrete(changed).levels == (0.5, 1.5)
    assert changed.weights.tolist() == [1, 2, 3]
    again = read(changed, weights=[1, 1, 1])
    assert again.intervened.tolist() == changed.intervened.tolist()


def test_a_data_with_a_missing_level_can_drop_those_rows() -> None:
    data = read({"a": ["x", None, "y", "x"], "b": [0, 1, 1, 0]}, missing="level")
    assert discrete(read(data, weights=[1, 1, 1, 1])).levels == ("x", "y", None)
    with pytest.warns(DataWarning, match="1 of 4 rows"):
        dropped = read(data, missing="drop")
    assert dropped.to_dict() == {"a": ["x", "y", "x"], "b": [0, 1, 0]}
    assert discrete(dropped).levels == ("x", "y")


def test_the_source_cannot_change_the_data_afterwards() -> None:
    array = np.array([[0.5, 1.5], [2.5, 3.5]], order="F")
    frame = pd.DataFrame({"a": [0.5, 1.5], "b": [1, 2]})
    from_array, from_frame = read(array), read(frame)
    array[:] = 9
    frame.loc[:, "a"] = 9.0
    assert from_array.to_dict() == {"X0": [0.5, 2.5], "X1": [1.5, 3.5]}
    assert from_frame.to_dict() == {"a": [0.5, 1.5], "b": [1, 2]}


def test_a_large_table_is_read_whole(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    rows = 200_000
    table: dict[str, np.ndarray] = {}
    for place in range(10):
        table[f"text{place}"] = np.array(["aa", "bb", "cc"])[rng.integers(0, 3, rows)]
        table[f"count{place}"] = rng.integers(0, 5, rows)
        table[f"real{place}"] = rng.normal(size=rows)
    frame = pl.DataFrame(table)
    frame.write_csv(tmp_path / "large.csv")
    data = read(frame)
    assert (data.rows, len(data.variables)) == (rows, 30)
    codes = discrete(data, data.index("text3")).codes
    assert np.array_equal(np.array(["aa", "bb", "cc"])[codes], table["text3"])
    assert np.array_equal(continuous(data, data.index("real3")).values, table["real3"])
    assert read(tmp_path / "large.csv") == data
