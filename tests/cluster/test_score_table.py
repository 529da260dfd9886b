"""Score sums in a file: the same bits, shared by processes, and damage refused."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arcwise
from arcwise import Model
from arcwise.errors import FileFormatError
from arcwise.model.score_sums import KIND, VERSION, ScoreSums
from arcwise.spaces import as_space
from arcwise.support.files import seal
from support.same_posteriors import assert_same_posterior
from support.shared_pages import mapped_kibibytes

ONE_SENTENCE = r"^'[^']*' [^.;]*; [a-z ]+$"

RULES: dict[str, tuple[dict[str, Any], Any]] = {
    "table": ({"max_indegree": 3}, "table"),
    "walk": ({"max_indegree": 3, "required_edges": [("smoke", "lung")]}, "walk"),
    "scan": ({"max_indegree": 2, "forbidden_edges": [("xray", "asia")]}, "scan"),
    "rows": (
        {"candidates": {"dysp": ["bronc", "either"], "xray": ["either"]}, "plus_one": True},
        "rows",
    ),
    "parent-only": ({"max_indegree": 3, "parent_only": ["asia", "smoke"]}, "table"),
    "parent-only with one more": (
        {
            "candidates": {"dysp": ["bronc", "smoke"], "xray": ["either"]},
            "plus_one": True,
            "parent_only": ["smoke"],
        },
        "auto",
    ),
}


def model_of(**rule: Any) -> Model:
    return Model(arcwise.simulate("asia", 300, seed=1), **rule)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "scores"
    ScoreSums(model_of(max_indegree=3)).save(path)
    return path


@pytest.mark.parametrize("space", ["linear", "buckets:3", "partitions", "layerings:3", "dags"])
@pytest.mark.parametrize("kind", RULES)
def test_every_sampler_gives_the_same_bits_from_a_mapped_file(
    kind: str, space: str, tmp_path: Path
) -> None:
    rule, method = RULES[kind]
    model = model_of(**rule)
    sums = ScoreSums(model, method=method)
    sums.save(tmp_path / "scores")
    mapped = ScoreSums.open(tmp_path / "scores")
    assert repr(mapped) == repr(sums)
    assert mapped.variables == sums.variables
    asked: dict[str, Any] = {
        "modularity": as_space(space).modularity,
        "particles": 30,
        "steps": 200,
        "seed": 3,
    }
    posteriors = [arcwise.ais(model, space, sums=each, **asked) for each in (sums, mapped)]
    assert_same_posterior(*posteriors)


def test_the_same_sums_give_the_same_file(table: Path, tmp_path: Path) -> None:
    ScoreSums(model_of(max_indegree=3), threads=1).save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == table.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "scores"]


_READ_ALL = """
import sys
import arcwise
sums = arcwise.model.ScoreSums.open(sys.argv[1])
space = arcwise.spaces.LinearOrders().build(sums)
print("ready", flush=True)
sys.stdin.readline()
"""


def test_processes_share_the_pages_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "scores"
    names = [f"v{i}" for i in range(14)]
    ScoreSums(Model(names, lambda node, parents: -float(len(parents)), max_indegree=2)).save(path)
    kibibytes = path.stat().st_size / 1024
    assert kibibytes > 1000
    command = [sys.executable, "-c", _READ_ALL, str(path)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with (
        subprocess.Popen(command, **pipes) as first,
        subprocess.Popen(command, **pipes) as second,
    ):
        for process in (first, second):
            assert process.stdout.readline() == "ready\n"
        for process in (first, second):
            mapped = mapped_kibibytes(process.pid, path)
            assert mapped["Private_Dirty"] == mapped["Private_Clean"] == 0
            # Checking the file does not map it; building a space reads some of it.
            assert mapped["Shared_Clean"] + mapped["Shared_Dirty"] == mapped["Rss"] > 0
            assert mapped["Size"] >= kibibytes
        for process in (first, second):
            process.communicate("\n", timeout=600)


def refuse(path: Path) -> str:
    with pytest.raises(FileFormatError, match=ONE_SENTENCE) as refused:
        ScoreSums.open(path)
    return str(refused.value)


def test_every_flipped_bit_is_found(table: Path) -> None:
    whole = bytearray(table.read_bytes())
    for place in (0, 17, 21, 25, 40, 70, 200, len(whole) // 2, len(whole) - 1):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        table.write_bytes(damaged)
        refuse(table)


@pytest.mark.parametrize("length", [0, 10, 63, 64, 100, -64, -1])
def test_a_file_that_is_cut_off_is_refused(table: Path, length: int) -> None:
    table.write_bytes(table.read_bytes()[:length])
    refuse(table)


def test_other_files_are_refused(table: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("not a table\n" * 30)
    assert "is not a file of arcwise scores" in refuse(other)
    assert "cannot be read" in refuse(tmp_path / "missing")
    whole = bytearray(table.read_bytes())
    whole[16:20] = struct.pack("<I", VERSION + 1)
    table.write_bytes(whole)
    assert f"version {VERSION + 1} of the format" in refuse(table)


def test_a_table_of_another_byte_order_is_refused(table: Path, tmp_path: Path) -> None:
    whole = table.read_bytes()
    length = struct.unpack("<I", whole[20:24])[0]
    about = json.loads(whole[64 : 64 + length])
    about["byte_order"] = "big" if sys.byteorder == "little" else "little"
    foreign = tmp_path / "foreign"
    seal(foreign, KIND, VERSION, about, lambda path: None)
    assert re.search("byte order '(big|little)'", refuse(foreign))
