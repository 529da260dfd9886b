"""Runs what README.md and CONTRIBUTING.md show, and holds claims of theirs against it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

import arcwise
from arcwise.algorithms.exact_computation import MOST_VARIABLES
from arcwise.algorithms.map import MOST_VARIABLES as map_limit
from arcwise.cli import main
from support.registers import names_taken_back

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[str, str]]:
    """Return the kind and the text of each fenced block, in order."""
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


@pytest.fixture
def _names_forgotten() -> Iterator[None]:
    """Take back the names under which the pages enter scores and priors of their own."""
    with names_taken_back():
        yield


@pytest.mark.usefixtures("_names_forgotten")
@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_python_blocks_run_and_print_what_the_page_says(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = blocks(page)
    ran = 0
    names = {"__name__": "shown"}  # the blocks of a page are one program
    for place, (kind, text) in enumerate(shown):
        if kind != "python":
            continue
        exec(compile(text, page, "exec", dont_inherit=True), names)
        ran += 1
        printed = capsys.readouterr().out
        if place + 1 < len(shown) and shown[place + 1][0] == "text":
            assert printed == shown[place + 1][1]
    assert ran > 0


def test_shell_blocks_of_the_readme_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    commands = [
        line.removeprefix("$ ")
        for kind, text in blocks("README.md")
        if kind == "console"
        for line in text.splitlines()
        if line.startswith("$ arcwise ")
    ]
    assert len(commands) == 7
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    assert (tmp_path / "learned" / "report.html").exists()


def test_the_table_of_the_readme_is_what_the_demo_finds() -> None:
    demo = re.search(r"^demo:.*?\n\n", (ROOT / "Makefile").read_text(), re.MULTILINE | re.DOTALL)
    assert demo is not None
    assert "simulate asia --rows 2000 --seed 1" in demo[0]
    assert "learn build/demo/asia.csv --max-indegree 3 --seed 1" in demo[0]
    data = arcwise.simulate("asia", 2000, seed=1)
    model = arcwise.Model(data, "bdeu", max_indegree=3)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"all {len(model.scores)} families" in readme
    figures = r" \| ".join([r"([01]\.\d{4})"] * 3)
    rows = re.findall(rf"^\| (\w+) \| (\w+) \| {figures} \|$", readme, re.MULTILINE)
    pairs = arcwise.learn(data, max_indegree=3, progress=None).adjacencies(most=len(rows))
    assert len(rows) == 8
    assert rows == [
        (
            pair.source,
            pair.target,
            *(f"{p:.4f}" for p in (pair.probability, pair.forward, pair.backward)),
        )
        for pair in pairs
    ]


def test_the_limits_of_exact_computation_are_told_as_they_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    modular, order_modular = MOST_VARIABLES["modular"], MOST_VARIABLES["order-modular"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in (readme, index):
        assert f"up to {modular} variables (modular prior) or {order_modular} (order" in page
    assert f"exact for up to {map_limit} variables" in readme
    assert main(["exact", "--help"]) == 0
    said = capsys.readouterr().out
    assert f"for up to {modular} variables (3^n operations), or {order_modular} with" in said
