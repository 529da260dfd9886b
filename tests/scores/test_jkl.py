"""Score files: exact round trips, the white space of other programs, and damage told by line."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise
from arcwise import Model
from arcwise.errors import ArgumentError, FileFormatError
from arcwise.scores import FamilyScores, read_scores
from support.strategies import discrete_case

SCORES: dict[str, dict[Iterable[str], float]] = {
    "a": {(): -1.5, ("b",): -0.1, ("b", "c\u00e9"): -1e-300},
    "b": {(): 123456789.123456789},
    "c\u00e9": {("a",): -7.0, ("a", "b"): 5e-324},
}


def written(scores: FamilyScores, path: Path) -> FamilyScores:
    scores.write_jkl(path)
    return read_scores(path)


def assert_identical(first: FamilyScores, second: FamilyScores) -> None:
    assert first.variables == second.variables
    for name in first.variables:
        assert dict(first.families(name)) == dict(second.families(name))


def test_a_round_trip_changes_no_bit_and_no_name(tmp_path: Path) -> None:
    scores = FamilyScores.from_mapping(SCORES)
    assert_identical(scores, written(scores, tmp_path / "scores.jkl"))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_every_number_comes_back(tmp_path_factory: Any, values: list[float]) -> None:
    path = tmp_path_factory.getbasetemp() / "numbers.jkl"
    names = [f"x{i}" for i in range(len(values))]
    scores = FamilyScores.from_mapping(
        {name: {(): value} for name, value in zip(names, values, strict=True)}
    )
    again = written(scores, path)
    for name, value in zip(names, values, strict=True):
        back = again.log_score(name, [])
        assert math.copysign(1, back) == math.copysign(1, value)
        assert back == value


def test_scores_of_data_come_back(tmp_path: Path) -> None:
    case = discrete_case(np.random.default_rng(1).integers(0, 2, (40, 5)), [2] * 5)
    scores = arcwise.score(case.data, "bdeu", required_edges=[("a", "c")], max_indegree=3)
    assert_identical(scores, written(scores, tmp_path / "scores.jkl"))


def test_the_file_is_what_other_programs_read(tmp_path: Path) -> None:
    path = tmp_path / "scores.jkl"
    FamilyScores.from_mapping({"a": {(): -3.0}, "b": {(): -5.25, ("a",): -4.0}}).write_jkl(path)
    assert path.read_text() == "2\na 1\n-3 0\nb 2\n-5.25 0\n-4 1 a\n"


def test_a_family_of_weight_zero_is_not_written(tmp_path: Path) -> None:
    model = Model(["a", "b"], lambda node, parents: -math.inf if parents else -1.0)
    again = written(model.weights, tmp_path / "scores.jkl")
    assert len(again) == 2


@pytest.mark.parametrize(
    "text",
    [
        "2\na 1\n-3.0 0\nb 2\n-5 0\n-4.0 1 a\n",
        "2\na 1\n-3.0 0\nb 2\n-5 0\n-4.0 1 a",
        "2 \na 1 \n-3.0 0  \nb 2 \n-5.0 0  \n-4.0 1 a \n",
        "\n 2\n\n\ta\t1\n  -3.0   0\n\n\nb 2\n-5.0 0\n -4.0  1   a\n\n\n",
        "2\r\na 1\r\n-3.0 0\r\nb 2\r\n-5.0 0\r\n-4.0 1 a\r\n",
        "2\na 1\n-3.0e0 0\nb 2\n-0.5E+1 0\n-4 1 a\n",
        "2\nb 2\n-5.0 0\n-4.0 1 a\na 1\n-3.0 0\n",
    ],
    ids=["plain", "no end", "GOBNILP", "blank", "windows", "exponents", "forward names"],
)
def test_white_space_and_numbers_of_other_programs(text: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.jkl"
    path.write_bytes(text.encode())
    scores = read_scores(path)
    assert sorted(scores.variables) == ["a", "b"]
    assert scores.log_score("a", []) == -3.0
    assert scores.families("b") == [((), -5.0), (("a",), -4.0)]


def test_plus_signs_are_numbers_too(tmp_path: Path) -> None:
    path = tmp_path / "scores.jkl"
    path.write_text("1\na 1\n+2.5 0\n")
    assert read_scores(path).log_score("a", []) == 2.5


def test_every_cut_is_noticed_or_harmless(tmp_path: Path) -> None:
    text = "3\nab 2\n-3.25 0\n-2.5 1 bcd\nbcd 1\n-5.125 0\ncé 2\n-4.5 1 ab\n-7.75 2 bcd ab\n"
    whole = text.encode()
    path = tmp_path / "cut.jkl"
    read = 0
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        try:
            scores = read_scores(path)
        except FileFormatError as error:
            message = str(error)
            assert str(path) in message
            assert "\n" not in message
            assert re.search(r"line \d+", message) or "not a variable of the file" in message
            line = re.search(r"line (\d+)", message)
            if line:
                assert 1 <= int(line[1]) <= whole[:length].count(b"\n") + 2
        else:
            read += 1
            assert len(scores) == 5
    assert read == 1  # only the last line break may be missing


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1 is missing where the number of variables"),
        ("x\n", "line 1 has 'x' where the number of variables"),
        ("0\n", "line 1 says there are no variables"),
        ("-1\n", "line 1 has '-1'"),
        ("1 2\n", "line 1 should hold only the number of variables"),
        ("99999999999\n", "line 1 has '99999999999'"),
        ("4294967295\n", "line 2 is missing"),
        ("1\na\n", "line 2 should hold a variable's name and its number"),
        ("1\na 0\n", "line 2 gives variable 'a' no parent set"),
        ("1\na 18446744073709551615\n-1 0\n", "line 4 is missing where a family"),
        ("1\na 1\n-1\n", "line 3 should hold a score and a number of parents"),
        ("1\na 1\nnan 0\n", "line 3 has a score that is not finite"),
        ("1\na 1\n-inf 0\n", "line 3 has a score that is not finite"),
        ("1\na 1\n-1e999 0\n", "line 3"),
        ("1\na 1\n1,5 0\n", "line 3 has '1,5' where a score"),
        ("1\na 1\n0x10 0\n", "line 3 has '0x10'"),
        ("1\na 1\n-1 1\n", "line 3 announces 1 parents and lists 0"),
        ("1\na 1\n-1 0 b\n", "line 3 announces 0 parents and lists 1"),
        ("1\na 1\n-1 0\nb 1\n", "line 4 comes after the last family"),
        ("2\na 1\n-1 0\na 1\n-1 0\n", "line 4 repeats the variable 'a'"),
        ("1\na 1\n-1 1 b\n", "gives variable 'a' the parent 'b', which is not a variable"),
        ("1\na 1\n-1 1 a\n", "gives variable 'a' the parent 'a', which is itself"),
        ("2\na 1\n-1 2 b b\nb 1\n-1 0\n", "names a parent twice in a family of variable 'a'"),
        ("1\na 2\n-1 0\n-2 0\n", "lists a parent set of variable 'a' twice"),
        ("2\na 1\n-1 0\nb 2\n-1 0\n-2 1 a\n\x00", "line 7"),
    ],
)
def test_damage_is_told(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "damaged.jkl"
    path.write_text(text)
    with pytest.raises(FileFormatError) as refusal:
        read_scores(path)
    assert message in str(refusal.value)
    assert str(path) in str(refusal.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_scores(tmp_path / "absent.jkl")
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_scores(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (bytes(range(256)), r"line 1 has '\?{9}' where the number of variables should be"),
        (b"1\n\xe9 1\n-1 0\n", "names that are not valid UTF-8"),
        (b"2\na 1\n-1 1 \xe9\nb 1\n-1 0\n", "gives variable 'a' the parent '\ufffd', which is not"),
        (b"1\na 1\n\xff 0\n", r"line 3 has '\?' where a score"),
        ("1\na 1\n{} 0\n".format(39 * "x" + "\u00e9").encode(), "line 3 has 'x+[?]' where"),
    ],
)
def test_files_that_are_no_text(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "binary.jkl"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=message):
        read_scores(path)


@pytest.mark.parametrize("name", ["two words", "tab\tbed", "line\nbreak", " lead", "trail "])
def test_names_with_white_space_are_refused_and_nothing_is_written(
    name: str, tmp_path: Path
) -> None:
    scores = FamilyScores.from_mapping({"a": {(): 0.0}, name: {(): 0.0}})
    with pytest.raises(ArgumentError, match="separates names by white space") as refusal:
        scores.write_jkl(tmp_path / "scores.jkl")
    assert name in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    scores = FamilyScores.from_mapping({"a": {(): 0.0}})
    with pytest.raises(ArgumentError, match="there is no folder"):
        scores.write_jkl(tmp_path / "no folder" / "scores.jkl")
    folder = tmp_path / "folder.jkl"
    folder.mkdir()
    with pytest.raises(ArgumentError, match="is a folder; give the name of a file in it"):
        scores.write_jkl(folder)
    assert list(tmp_path.iterdir()) == [folder]
    assert list(folder.iterdir()) == []


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    # A limit on the size of files stands in for the end of the disk.
    code = """
import resource, sys
from arcwise.scores import FamilyScores
from arcwise.errors import FileFormatError
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
scores = FamilyScores.from_mapping({f"x{i}": {(): -i / 7} for i in range(500)})
try:
    scores.write_jkl(sys.argv[1])
except FileFormatError as error:
    print(error)
"""
    command = [sys.executable, "-c", code, str(tmp_path / "scores.jkl")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    assert "could not be written in full" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "scores.jkl"
    path.write_text("something longer than what comes" * 10)
    scores = FamilyScores.from_mapping({"a": {(): -1.0}})
    assert_identical(scores, written(scores, path))
    assert list(tmp_path.iterdir()) == [path]
