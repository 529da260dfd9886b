"""Runs of benchmarks are appended to a file, and those it has are not repeated."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from cases import options_of
from sweeps import Sweep, grouped

JOBS = [([["x", 1]],), ([["x", 2]],)]
RUN: Callable[..., Any] = partial(dict, kind="made")
FAIL: Callable[..., Any] = partial(dict, 1)


def test_runs_in_a_file_are_not_repeated(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    rows = Sweep("a case", out=file).rows(RUN, JOBS)
    assert rows == [{"x": 1, "kind": "made"}, {"x": 2, "kind": "made"}]
    assert Sweep("a case", out=file).rows(FAIL, JOBS) == rows
    assert Sweep("a case", report=[file]).rows(FAIL, []) == rows
    with pytest.raises(SystemExit, match="no rows"):
        Sweep("another case", report=[file]).rows(FAIL, JOBS)


def test_an_interrupted_line_is_removed_and_its_run_repeated(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    line = json.dumps({"case": "a case", "job": JOBS[0], "rows": [{"x": 1, "kind": "kept"}]})
    file.write_text(f'{line}\n{{"case": "a ca')
    rows = Sweep("a case", out=file).rows(RUN, JOBS)
    assert rows == [{"x": 1, "kind": "kept"}, {"x": 2, "kind": "made"}]
    assert [json.loads(each)["case"] for each in file.read_text().splitlines()] == ["a case"] * 2


def test_a_run_that_fails_leaves_no_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.jsonl"
    with pytest.raises(SystemExit, match="no rows"):
        Sweep("a case", out=file).rows(FAIL, JOBS[:1])
    assert "TypeError" in capsys.readouterr().err
    assert not file.exists()


def test_parameters_are_options() -> None:
    def case(
        sweep: Sweep,
        sizes: Annotated[Sequence[int], "numbers of variables"] = (3, 4),
        only: Literal["one", "two"] | None = None,
        large: bool = False,
    ) -> None:
        """Do nothing."""

    found = options_of(case)
    assert list(found) == ["out", "report", "processes", "within", "sizes", "only", "large"]
    assert found["sizes"]["nargs"] == "*"
    assert found["sizes"]["type"] is int
    assert found["sizes"]["help"] == "numbers of variables (default: 3 4)"
    assert found["only"]["choices"] == ("one", "two")
    assert found["out"]["type"] is Path
    assert found["large"]["type"] is bool


def test_rows_are_grouped_in_their_order() -> None:
    rows = [{"a": 2, "b": 1}, {"a": 1, "b": 1}, {"a": 2, "b": 3}]
    assert list(grouped(rows, "a")) == [2, 1]
    assert grouped(rows, "a", "b")[2, 3] == [{"a": 2, "b": 3}]
