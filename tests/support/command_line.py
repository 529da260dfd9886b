"""Commands of `arcwise` as they are typed, and what they say."""

from __future__ import annotations

import pytest

from arcwise.cli import main

Captured = pytest.CaptureFixture[str]


def status(*arguments: object) -> int:
    """Run a command and return its exit status."""
    return main([str(argument) for argument in arguments])


def run(capsys: Captured, *arguments: object) -> str:
    """Run a command that must do well and, asked to be quiet, say nothing on standard error."""
    assert status(*arguments, "--quiet") == 0
    said = capsys.readouterr()
    assert said.err == ""
    return said.out


def refusal(capsys: Captured, *arguments: object) -> str:
    """Run a command that must fail, and return the one line it says why in."""
    assert status(*arguments, "--quiet") == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("arcwise: ")
    return lines[0]
