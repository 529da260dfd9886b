"""How the program ends: every error in one sentence, and a status a script can act on."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

import arcwise
from arcwise.cli import main
from arcwise.cli.composition import began


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (BrokenPipeError(), 1, ""),
        (
            OSError(28, "No space left on device", "edges.csv"),
            2,
            "arcwise: edges.csv: No space left on device\n",
        ),
        (OSError("the device is gone"), 2, "arcwise: a file: the device is gone\n"),
        (
            MemoryError(),
            2,
            "arcwise: there is not enough memory; lower --max-indegree or give --candidates\n",
        ),
        (KeyboardInterrupt(), 130, "arcwise: interrupted\n"),
    ],
)
def test_errors_of_the_system(
    error: BaseException,
    status: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(words: list[str]) -> Any:
        raise error

    monkeypatch.setattr("arcwise.cli.application", fail)
    monkeypatch.setattr(sys, "stdout", io.StringIO())  # which a broken pipe takes away
    assert main(["learn", "data.csv"]) == status
    sys.stdout.close()
    assert capsys.readouterr().err == words


def test_the_words_of_the_shell_are_taken_where_none_are_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["arcwise", "--version"])
    assert main() == 0
    assert capsys.readouterr().out.startswith("arcwise ")
    assert began.get() is None  # the seconds of later calls count from their own beginning


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["exact", "--memory-limit", "0"], "--memory-limit is 0; give a positive number of GiB"),
        (["score", "--best", "-1"], "--best is -1; give 0 or more"),
    ],
)
def test_numbers_that_cannot_be(
    words: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "data.csv"
    arcwise.simulate("asia", 300, seed=1).write_csv(table)
    assert main([words[0], str(table), *words[1:]]) == 2
    assert sentence in capsys.readouterr().err
