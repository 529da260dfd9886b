"""Mistakes on the command line are told in sentences with what came and what to do."""

from __future__ import annotations

import pytest

from support.command_line import Captured, refusal


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--max-parents 3", "No such option: --max-parents (did you mean --max-indegree?); see"),
        ("--blacklist a.csv", "(did you mean --forbidden-edges?); see arcwise learn -h"),
        ("-o out", "No such option: -o (did you mean --out?)"),
        ("--iterations 500", "(did you mean --steps?)"),
        ("--seconds long", "--seconds is 'long'; give a number"),
        ("--max-indegree=2.5", "--max-indegree is '2.5'; give a whole number"),
        ("--missing no", "--missing is 'no'; give one of 'error', 'drop', 'level', 'impute'"),
    ],
)
def test_a_mistake_names_what_came_and_what_to_do(
    words: str, sentence: str, capsys: Captured
) -> None:
    assert sentence in refusal(capsys, "learn", "table.csv", *words.split())
