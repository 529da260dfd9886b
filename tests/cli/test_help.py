"""Help and completion: what the shell shows before anything runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arcwise.cli import main
from arcwise.cli.app import EXIT_STATUSES, application
from support.command_line import Captured

COMMANDS = list(application().commands)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")


def said(capsys: Captured, *words: str) -> str:
    assert main(list(words)) == 0
    text = capsys.readouterr()
    assert text.err == ""
    return text.out


def test_without_arguments_the_help_is_shown(capsys: Captured) -> None:
    assert said(capsys) == said(capsys, "--help") == said(capsys, "-h")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_names_no_types(name: str, capsys: Captured) -> None:
    text = said(capsys, name, "-h")
    assert text == said(capsys, name, "--help")
    assert f"Usage: arcwise {name} [OPTIONS]" in text
    # What to give is a name in capitals or the choices, never a type of Python's.
    assert not re.search(r"<[a-z|]+>|\{[A-Z]", text)
    assert "Example" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_names_of_options_and_choices_are_whole_on_a_narrow_terminal(
    name: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = said(capsys, name, "-h")
    assert "…" not in text
    words = set(re.split(r"[\s│,;.()]+", text))
    for parameter in application().commands[name].params:
        assert set(parameter.opts) <= words or parameter.param_type_name == "argument"
    if "--score" in words:
        assert "conditional-gaussian" in words


def test_what_everybody_needs_comes_first_in_the_help_of_learn(capsys: Captured) -> None:
    text = said(capsys, "learn", "-h")
    places = [text.index(f"│ {option} ") for option in ("--out", "--seconds", "--seed", "--prior")]
    assert places == sorted(places)


def test_the_exit_statuses_are_documented(capsys: Captured) -> None:
    text = " ".join(said(capsys, "--help").split())
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    for status, meaning in EXIT_STATUSES.items():
        assert f"{status} - {meaning}" in text
        assert f"| {status} | " in page


def test_json_of_every_command_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    for name, command in application().commands.items():
        if any("--json" in parameter.opts for parameter in command.params):
            assert f"`{name}`" in page


def completed(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured, shell: str = "bash"
) -> list[str]:
    """Return what a shell is told when the key for completion is pressed at the end of a line."""
    words = line.split(" ")
    monkeypatch.setenv("_ARCWISE_COMPLETE", f"complete_{shell}")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
    return said(capsys).split("\n")


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("arcwise le", {"learn"}),
        ("arcwise compare", {"compare", "compare-models"}),
        ("arcwise learn --max", {"--max-indegree", "--max-candidates"}),
        ("arcwise learn --score bd", {"bdeu"}),
        ("arcwise sample --space bu", {"buckets:"}),
        ("arcwise sample --algorithm mc", {"mcmc", "mc3"}),
        ("arcwise learn data.csv --missing d", {"drop"}),
        # The shell completes files where nothing is suggested.
        ("arcwise learn da", set()),
        ("arcwise learn --out re", set()),
    ],
)
def test_completion_suggests(
    line: str, values: set[str], monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    assert {value for value in completed(line, monkeypatch, capsys) if value} == values


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_told_the_same(
    shell: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    text = "\n".join(completed("arcwise le", monkeypatch, capsys, shell))
    assert "learn" in text
    assert "exact" not in text


BASH = """
set -e
eval "$(_ARCWISE_COMPLETE=source_bash arcwise)"
complete -p arcwise
COMP_WORDS=(arcwise lea) COMP_CWORD=1
_arcwise_completion arcwise
echo "${COMPREPLY[@]}"
"""


def test_bash_completes(tmp_path: Path) -> None:
    program = tmp_path / "arcwise"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nfrom arcwise.cli import main\nsys.exit(main())\n"
    )
    program.chmod(0o755)
    paths = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "--norc", "-c", BASH],
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": paths},
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    installed, suggested = done.stdout.splitlines()
    assert "-o default" in installed  # files, where nothing is suggested
    assert suggested == "learn"


def test_the_algorithm_comes_before_the_options_of_samplers() -> None:
    for command in ("learn", "sample"):
        names = [parameter.name for parameter in application().commands[command].params]
        assert names.index("prior") + 1 == names.index("algorithm") < names.index("space")
