"""Every refusal is one sentence that names what came."""

import datetime
import gzip
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from arcwise.data import read
from arcwise.errors import ArcwiseError, ArgumentError, DataError, FileFormatError

OK = [0, 1]
DAY = datetime.date(2020, 1, 2)


def refusal(source: Any, **options: Any) -> tuple[type[Exception], str]:
    with pytest.raises(ArcwiseError) as caught:
        read(source, **options)
    message = str(caught.value)
    assert message.strip() == message != ""
    assert "\n" not in message
    assert not re.search(r"[.!?]\s+[A-Z`]|\.$", message), f"more than one sentence: {message}"
    assert "Traceback" not in message
    return type(caught.value), message


SOURCES = [
    ([[1, 2]], ArgumentError, "type list"),
    (5, ArgumentError, "type int"),
    (None, ArgumentError, "type NoneType"),
    (pd.Series(OK), ArgumentError, "type Series"),
    (pl.Series(OK), ArgumentError, "type Series"),
    (np.arange(3), DataError, "the array has 1 dimension; give one of rows by columns"),
    (np.zeros((2, 2, 2)), DataError, "the array has 3 dimensions"),
    (np.empty((3, 0)), DataError, "no columns"),
    (np.empty((0, 3)), DataError, "no rows"),
    ({}, DataError, "no columns"),
    (pd.DataFrame(), DataError, "no columns"),
    (pl.DataFrame({"a": []}), DataError, "no rows"),
    ({"a": [1]}, DataError, "a single row"),
    ({"a": [1, 2], "b": [1, 2, 3]}, DataError, "'a' has 2 rows and 'b' has 3 rows"),
    ({"a": OK, "b": 5}, DataError, "column 'b' is a single int"),
    ({"a": OK, "b": "xy"}, DataError, "column 'b' is a single str"),
    ({"a": OK, "": OK}, DataError, "column 2 has no name"),
    ({" ": OK, "a": OK, "": OK}, DataError, "columns 1 and 3 have no name"),
    ({"1": OK, 1: OK}, DataError, "name '1' occurs more than once"),
    (pd.DataFrame([OK, OK], columns=["a", "a"]), DataError, "name 'a' occurs more than once"),
    (pa.table([OK, OK, OK], names=["a", "b", "a"]), DataError, "name 'a' occurs more than once"),
    (pl.DataFrame({"d": [DAY - DAY] * 2}), DataError, "'d' holds times or durations (Duration)"),
    (
        pl.DataFrame({"d": [datetime.time(1)] * 2}),
        DataError,
        "'d' holds times or durations (Time)",
    ),
    ({"d": [DAY - DAY] * 2}, DataError, "column 'd' holds values of type timedelta"),
    ({"d": np.zeros(2, dtype="m8[s]")}, DataError, "column 'd' holds values of type timedelta64"),
    (pl.DataFrame({"l": [[1], [2]]}), DataError, "column 'l' holds values of type List(Int64)"),
    (pl.DataFrame({"l": [{"a": 1}] * 2}), DataError, "column 'l' holds values of type Struct"),
    (pd.DataFrame({"c": [1j, 2j]}), DataError, "column 'c' holds values of type complex128"),
    (pl.DataFrame({"y": [b"a", b"b"]}), DataError, "column 'y' holds values of type Binary"),
    (pd.DataFrame({"m": [1, "x"]}), DataError, "column 'm' mixes integer and text values"),
    ({"m": [True, 2]}, DataError, "column 'm' mixes boolean and integer values"),
    ({"c": pd.Categorical([1, "x"])}, DataError, "column 'c' has categories of mixed types"),
    ({"i": [1, 2**80]}, DataError, "column 'i' holds integers of more than 64 bits"),
    (pl.DataFrame({"i": pl.Series([1, 2**80], dtype=pl.Int128)}), DataError, "more than 64 bits"),
    ({"a": [DAY - DAY] * 2, "b": [1, "x"]}, DataError, "type timedelta and column 'b' mixes"),
    (pl.LazyFrame({"a": ["x"]}).select(pl.col("a").cast(int)), DataError, "lazy frame"),
]


@pytest.mark.parametrize(("source", "kind", "fragment"), SOURCES)
def test_unusable_sources(source: Any, kind: type[Exception], fragment: str) -> None:
    found, message = refusal(source)
    assert found is kind
    assert fragment in message


OPTIONS = [
    ({"names": ["a"]}, ArgumentError, "names is for arrays"),
    ({"kinds": "nominal"}, ArgumentError, "kinds is 'nominal' for 'age'"),
    ({"kinds": {"age": "real"}}, ArgumentError, "kinds is 'real' for 'age'"),
    (
        {"kinds": {"agee": "discrete"}},
        ArgumentError,
        "'agee', which is not a variable (did you mean 'age'?)",
    ),
    ({"kinds": 3}, ArgumentError, "kinds is of type int; give a mapping from column names"),
    (
        {"kinds": {"sex": "continuous"}},
        DataError,
        "column 'sex' cannot be continuous, because its value 'm'",
    ),
    ({"levels": {"sex": ["w", "d"]}}, DataError, "column 'sex' holds 'm', which is not among"),
    ({"levels": {"zip": [1]}}, ArgumentError, "'zip', which is not a variable"),
    ({"levels": {"sex": "mw"}}, ArgumentError, "levels['sex'] is 'mw'; give a list"),
    ({"levels": {"sex": 5}}, ArgumentError, "levels['sex'] is 5; give a list"),
    ({"levels": {"sex": ["m", "w", None]}}, ArgumentError, "without None"),
    ({"levels": {"sex": ["m", "w", "m"]}}, ArgumentError, "different labels"),
    ({"levels": {"sex": ["m", "w", 1]}}, ArgumentError, "of one type"),
    ({"levels": {"sex": []}}, ArgumentError, "at least one label"),
    ({"levels": ["m", "w"]}, ArgumentError, "levels is of type list; give a mapping"),
    (
        {"levels": {"sex": ["m", "w"]}, "kinds": "continuous"},
        ArgumentError,
        "'sex' has declared levels",
    ),
    ({"missing": "ignore"}, ArgumentError, "missing is 'ignore'; give one of 'error', 'drop'"),
    ({"constant": "ignore"}, ArgumentError, "constant is 'ignore'; give one of 'error', 'drop'"),
    ({"weights": "weight"}, ArgumentError, "weights names 'weight', which is not a column"),
    ({"weights": "sex"}, DataError, "column 'sex' are not numbers"),
    ({"weights": [1]}, ArgumentError, "2 numbers, one for each row"),
    ({"weights": [1, -1]}, DataError, "1 of 2 of the weights are negative"),
    ({"interventions": "sex"}, DataError, "column 'sex' names 'm'"),
    (
        {"interventions": {"sex": [2, 0]}},
        ArgumentError,
        "interventions['sex'] holds 2; give 2 booleans",
    ),
    (
        {"interventions": {"sex": [DAY - DAY] * 2}},
        ArgumentError,
        "column 'sex' holds values of type timedelta",
    ),
    ({"weights": [[1], [1, 2]]}, ArgumentError, "weights holds lists of different lengths"),
    ({"interventions": [[1], [1, 0]]}, ArgumentError, "interventions holds lists"),
    ({"interventions": 7}, ArgumentError, "interventions is of type int; give booleans"),
]


@pytest.mark.parametrize(("options", "kind", "fragment"), OPTIONS)
def test_unusable_options(options: dict[str, Any], kind: type[Exception], fragment: str) -> None:
    found, message = refusal({"age": [31.5, 48.0], "sex": ["m", "w"]}, **options)
    assert found is kind
    assert fragment in message


CONTENTS = [
    ("missing", {"x": [0, None], "y": [np.nan, np.nan]}, {}, "'x' (1) and 'y' (2)"),
    (
        "missing",
        {"x": [0, None], "y": [0, 1]},
        {"missing": "drop"},
        "leaves 1 of 2 rows; give at least 2 complete rows",
    ),
    ("missing", {"y": [0.5, None]}, {"missing": "level"}, "continuous 'y' (1)"),
    ("infinite", {"y": [0.5, np.inf]}, {}, "'y' (1)"),
    ("infinite", {"y": ["0.5", "inf"]}, {"kinds": "continuous"}, "'inf'"),
    ("constant", {"x": [0, 0], "y": [0, 1]}, {}, "column 'x' has a single value"),
    ("constant", {"x": [0, 0]}, {"constant": "drop"}, "every column"),
    ("levels", {"x": np.arange(70_000)}, {"kinds": "discrete"}, "'x' has 70000"),
    ("levels", {"x": [str(i) for i in range(70_000)]}, {"identifiers": "keep"}, "'x' has 70000"),
    ("nothing left", {"w": [1, 2]}, {"weights": "w"}, "no columns besides the weights"),
]


@pytest.mark.parametrize(("_topic", "table", "options", "fragment"), CONTENTS)
def test_unusable_contents(
    _topic: str, table: dict[str, Any], options: dict[str, Any], fragment: str
) -> None:
    found, message = refusal(table, **options)
    assert found is DataError
    assert fragment in message


def test_names_of_arrays() -> None:
    for names in (["a"], "ab", ["a", "b", "c"]):
        assert "each of the 2 columns" in refusal(np.eye(2), names=names)[1]
    assert "'a' occurs more than once" in refusal(np.eye(2), names=["a", "a"])[1]


FILES = [
    ("empty.csv", b"", FileFormatError, "is empty"),
    ("blank.csv", b" \n \n", FileFormatError, "is empty"),
    ("header.csv", b"a,b\n", DataError, "no rows"),
    ("repeated.csv", b"a,b,a\n1,2,3\n4,5,6\n", DataError, "name 'a' occurs more than once"),
    ("unnamed.csv", b"a,,b\n1,2,3\n4,5,6\n", DataError, "column 2 has no name"),
    ("long.csv", b"a,b\n1,2\n3,4,5\n", FileFormatError, "line 3 of"),
    (
        "short.csv",
        b"a,b,c\n1,2,3\n4,5\n",
        FileFormatError,
        "has 2 fields, but the first line has 3",
    ),
    ("r-table.csv", b"a,b\nr1,1,2\nr2,3,4\n", FileFormatError, "has 3 fields"),
    ("open-quote.csv", b'a,b\n1,"2\n3,4\n', FileFormatError, "damaged"),
    ("stray-quote.csv", b'a,b\n1,x"y\n3,4\n', FileFormatError, "quotation marks"),
    ("binary.csv", bytes(range(256)), FileFormatError, "not UTF-8 text"),
    ("utf16.csv", "a,b\n1,2\n3,4\n".encode("utf-16-le"), FileFormatError, "not UTF-8 text"),
    ("utf16-zero.csv", "a,b\n1,\0\n3,4\n".encode("utf-16"), FileFormatError, "zero bytes"),
    ("utf16-cut.csv", "a,b\n1,2\n".encode("utf-16")[:-1], FileFormatError, "not UTF-8 text"),
    ("latin.csv", "a,b\n1,2\né,4\n".encode("latin-1"), FileFormatError, "UTF-8 text (line 3)"),
    ("plain.csv.gz", b"a,b\n1,2\n", FileFormatError, "gzip"),
    ("cut.csv.gz", gzip.compress(b"a,b\n1,2\n3,4\n" * 99, mtime=0)[:40], FileFormatError, "gzip"),
    ("text.parquet", b"a,b\n1,2\n", FileFormatError, "not a Parquet file"),
    ("empty.parquet", b"", FileFormatError, "is empty"),
    ("sheet.xlsx", b"PK", ArgumentError, "give a file that ends in .csv"),
    ("ending", b"a,b\n1,2\n", ArgumentError, "give a file that ends in .csv"),
]


@pytest.mark.parametrize(("name", "content", "kind", "fragment"), FILES)
def test_unusable_files(
    tmp_path: Path, name: str, content: Any, kind: type[Exception], fragment: str
) -> None:
    (tmp_path / name).write_bytes(content)
    found, message = refusal(tmp_path / name)
    assert found is kind
    assert fragment in message


def test_files_that_are_none(tmp_path: Path) -> None:
    assert "there is no file" in refusal(str(tmp_path / "missing.csv"))[1]
    (tmp_path / "folder.csv").mkdir()
    assert "is a folder" in refusal(tmp_path / "folder.csv")[1]
    pl.DataFrame({"a": OK}).write_parquet(tmp_path / "a.parquet")
    assert "leave names out" in refusal(tmp_path / "a.parquet", names=["b"])[1]
    (tmp_path / "a.csv").write_text("1,2\n3,4\n")
    assert "2 columns" in refusal(tmp_path / "a.csv", names=["b"])[1]
