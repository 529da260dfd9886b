"""Text files are read as their authors meant them, and what is dropped is said."""

import contextlib
import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from arcwise.data import files, read
from arcwise.data.files import read_file
from arcwise.errors import DataError, DataWarning, FileFormatError
from support.columns import discrete

Writer = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Writer:
    def write(content: str | bytes, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


EXPECTED = {"a": [1, 3], "b": ["x", "y"]}


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("a,b\n1,x\n3,y\n", "plain.csv"),
        ("a,b\n1,x\n3,y", "no-end.CSV"),
        ("a,b\r\n1,x\r\n3,y\r\n", "windows.csv"),
        ("a,b\r1,x\r3,y\r", "macintosh.csv"),
        ("\ufeffa,b\n1,x\n3,y\n", "marked.csv"),
        ("\n\na,b\n\n1,x\n   \n3,y\n\n\n", "blank-lines.csv"),
        (" a , b\n1, x\n 3 ,y \n", "blanks.csv"),
        ('"a","b"\n"1","x"\n"3","y"\n', "quoted.csv"),
        ("a;b\n1;x\n3;y\n", "semicolon.csv"),
        ("a\tb\n1\tx\n3\ty\n", "tabs.csv"),
        ('"a";"b"\n1;x\n3;y\n', "quoted-semicolon.csv"),
        ("a\tb\n1\tx\n3\ty\n", "tabs.tsv"),
        ("a\tb\n1\tx\n3\ty\n", "tabs.tab"),
        ("a|b\n1|x\n3|y\n", "bars.csv"),
        ("a,b\n1,x\n3,y\n", "data[1]*.csv"),
        ("a\tb\r\n1\tx\r\n3\ty\r\n".encode("utf-16"), "unicode-text.csv"),
        (b"\xfe\xff" + "a,b\n1,x\n3,y\n".encode("utf-16-be"), "big-endian.csv"),
    ],
)
def test_dialects(written: Writer, content: str | bytes, name: str) -> None:
    assert read(written(content, name)).to_dict() == EXPECTED


def test_fields_with_separators_quotes_and_line_ends(written: Writer) -> None:
    data = read(written('a,b\n1,"x, ""q"""\n2,"two\nlines"\n'))
    assert data.to_dict()["b"] == ['x, "q"', "two\nlines"]


def test_a_quoted_separator_separates_nothing(written: Writer) -> None:
    data = read(written('"a;b, c\td"\n1\n2\n'))
    assert data.variables == ("a;b, c\td",)


def test_types_come_from_the_whole_file(written: Writer) -> None:
    rows = ["1,1,true,1"] * 3000 + ["2.5,x,FALSE,-7"]
    data = read(written("real,text,truth,whole\n" + "\n".join(rows) + "\n"))
    assert list(data.kinds.values()) == ["continuous", "discrete", "discrete", "discrete"]
    assert discrete(data, 1).levels == ("1", "x")
    assert discrete(data, 2).levels == (False, True)
    assert discrete(data, 3).levels == (-7, 1)


@pytest.mark.parametrize(
    "marker", ["", "NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "NAN", "null", "NULL", "?", '" NA "']
)
def test_missing_markers(written: Writer, marker: str) -> None:
    path = written(f"a,b\n1,x\n2,y\n{marker},x\n")
    data = read(path, missing="level")
    assert data.to_dict()["a"] == [1, 2, None]
    with pytest.raises(DataError, match=r"'a' \(1\)"):
        read(path)


def test_none_is_a_label_and_an_empty_quoted_field_is_not(written: Writer) -> None:
    data = read(written('a\nNone\n""\nnone\n'), missing="level")
    assert data.to_dict() == {"a": ["None", None, "none"]}


@pytest.mark.parametrize("header", ['"","a","b"', ",a,b"])
def test_row_names_are_left_out_with_a_warning(written: Writer, header: str) -> None:
    path = written(f'{header}\n"1",1,x\n"2",3,y\n')
    with pytest.warns(DataWarning, match="left out the first column of .* as row names") as caught:
        assert read(path).to_dict() == EXPECTED
    assert caught[0].filename == __file__


def test_an_unnamed_column_with_repeated_values_is_no_row_name(written: Writer) -> None:
    with pytest.raises(DataError, match="column 1 has no name"):
        read(written(",a\n1,2\n1,3\n"))


def test_names_are_for_files_without_a_header(written: Writer) -> None:
    path = written("1,x\n3,y\n")
    assert read(path, names=["a", "b"]).to_dict() == EXPECTED


def test_a_first_line_of_data_is_noticed(written: Writer) -> None:
    for content in ("1,0,1\n0,1,0\n1,1,1\n", "1.5,2\n3.5,4\n0.5,6\n"):
        with pytest.raises(DataError, match=r"names=\[...\]"):
            read(written(content))
    # pandas writes such names for a frame without any.
    assert read(written("0,1\n1,0\n0,1\n")).variables == ("0", "1")


def test_the_index_of_pandas_in_a_parquet_file_is_left_out(tmp_path: Path) -> None:
    pd.DataFrame(EXPECTED, index=["r", "s"]).to_parquet(tmp_path / "indexed.parquet")
    with pytest.warns(DataWarning, match="index of a pandas frame"):
        assert read(tmp_path / "indexed.parquet").to_dict() == EXPECTED


@pytest.mark.parametrize("keep", [4, 20, 100, 300])
def test_a_truncated_parquet_file_is_damaged(tmp_path: Path, keep: int) -> None:
    whole = tmp_path / "whole.parquet"
    pl.DataFrame(EXPECTED).write_parquet(whole)
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(whole.read_bytes()[:keep])
    with pytest.raises(FileFormatError, match=r"damaged\.parquet"):
        read(damaged)


@pytest.mark.parametrize("byte", range(0, 60, 3))
def test_no_damaged_text_file_raises_an_error_of_the_library(written: Writer, byte: int) -> None:
    content = bytearray(b'a,b\n1,"x"\n3,y\n4,"x, y"\n5,z\n6,"w"\n7,x\n8,y\n')
    for value in b'",\n\r\x00\xff;':
        content[byte % len(content)] = value
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            # Any other exception, above all one of the library that parses, fails the test.
            with contextlib.suppress(DataError, FileFormatError):
                read(written(bytes(content)))


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        ("x;y\n0,5;1\n1;0\n2,25;1\n", [0.5, 1.0, 2.25]),
        ("x;y\n-1.250,5;1\n NA ;1\n3,125;0\n12,5e3;1\n", [-1250.5, 3.125, 12500.0]),
        ('x,y\n"0,451",1\n"-0,120",0\n"1,125",1\n', [0.451, -0.12, 1.125]),
    ],
)
def test_decimal_commas_are_read(written: Writer, content: str, numbers: list[float]) -> None:
    with pytest.warns(DataWarning, match="read the comma as the decimal mark in 'x' of"):
        columns = read_file(written(content), None)
    assert columns[0][1].drop_nulls().to_list() == numbers


def test_commas_that_may_mark_thousands_are_refused(written: Writer) -> None:
    with pytest.raises(DataError, match=r"'x' of .* such as '1,250', which may mark decimals or"):
        read(written("x;y\n1,250;1\n12;0\n22,500;1\n"))
    # Labels with commas are labels.
    assert read(written('x,y\n"a,b",1\n"c,d",0\n')).variables == ("x", "y")


@pytest.mark.parametrize("content", ["3,0\n0,1\n3,1\n0,0\n", "yes,no\nno,no\nyes,yes\nno,yes\n"])
def test_a_missing_header_is_noticed(content: str, written: Writer) -> None:
    with pytest.warns(DataWarning, match="took the first line of .* as names"):
        read(written(content))


def test_nul_bytes_are_found_wherever_they_are(written: Writer) -> None:
    content = "a,b\n" + "0,1\n1,0\n" * 40_000 + "1,\0\n"
    with pytest.raises(FileFormatError, match="not UTF-8 text"):
        read(written(content))


@pytest.mark.parametrize("content", [".", "nan", "\r\n", "1,,\n,,2\n", ",\n\n,\n", "a,b\n1,2\n3\n"])
def test_even_lines_are_told_as_one_by_one(content: str) -> None:
    text = f"x,y\n1,2\n{content}"
    with contextlib.suppress(FileFormatError):
        one_by_one = files._shape_by_lines("table.csv", text, ",")
        assert files._even_shape(text, ",") in (None, one_by_one)
    even = "x , y\r\n1,2\r\n,3\r\n 4,"
    assert files._even_shape(even, ",") == files._shape_by_lines("", even, ",")


def test_nan_among_integers_is_a_missing_one_whatever_other_columns_hold(written: Writer) -> None:
    with pytest.warns(DataWarning, match="dropped 1 of 4 rows"):
        data = read(written("a,b,c\n1,0.5, 7\nnan,1,8\n3,2,9\n3,2,7\n"), missing="drop")
    assert data.kinds == {"a": "discrete", "b": "continuous", "c": "discrete"}
    assert data.to_dict() == {"a": [1, 3, 3], "b": [0.5, 2.0, 2.0], "c": [7, 9, 7]}


@pytest.mark.parametrize("name", ["folder", "folder.csv"])
def test_a_folder_is_called_one(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(DataError, match=f"{name}' is a folder; give a file"):
        read(tmp_path / name)
