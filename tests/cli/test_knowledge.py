"""Tables as they come and prior knowledge, in the shell: what Python does, by options."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import arcwise
from arcwise.cli import main
from arcwise.errors import DataWarning
from support.command_line import Captured, refusal, run


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    random = np.random.default_rng(1)
    path = tmp_path / "messy.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "sex", "age", "fare", "ship"])
        for place in range(60):
            age = "" if place % 7 == 0 else random.integers(1, 80)
            rows.writerow([place, "mf"[place % 2], age, round(random.gamma(2, 9), 2), "T"])
    return path


def test_all_problems_in_words_of_the_shell(messy: Path, capsys: Captured) -> None:
    assert main(["learn", str(messy), "--missing", "error", "--constant", "error"]) == 2
    lines = [
        line
        for line in capsys.readouterr().err.splitlines()
        if not line.startswith("arcwise: warning: ")
    ]
    assert lines[0] == "arcwise: the table cannot be used as it is:"
    problems = "\n".join(lines[1:])
    assert "--missing drop to drop the rows concerned, 9 of 60, or --missing level" in problems
    assert "--constant drop" in problems
    assert len(lines) == 3


def test_options_combine(messy: Path, tmp_path: Path, capsys: Captured) -> None:
    options = ["--missing", "level", "--discretize", "quantile:3", "--discretize", "fare=uniform:2"]
    out = tmp_path / "scores.jkl"
    arguments = [*options, "--drop", "id", "--best", "0", "--out", str(out)]
    assert main(["score", str(messy), *arguments]) == 0
    assert "left out the constant column 'ship'" in capsys.readouterr().err
    cuts = {None: "quantile:3", "fare": "uniform:2"}
    with pytest.warns(DataWarning):
        data = arcwise.read(messy, missing="level", discretize=cuts, drop="id", constant="drop")
    assert data.level_counts().tolist() == [2, 4, 2]
    written = arcwise.scores.read_scores(out)
    assert written.variables == data.variables
    expected = arcwise.score(data)
    for name in expected.variables:
        assert dict(written.families(name)) == dict(expected.families(name))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--drop", "agee"], "--drop names 'agee', which is not a column (did you mean 'age'?)"),
        (["--discretize", "agee=2"], "the method of --discretize is '2'; give one of"),
        (["--discretize", "agee=quantile"], "--discretize names 'agee', which is not a variable"),
        (["--discretize", "quantile", "--discretize", "uniform"], "given twice for all columns"),
        (["--tiers", "sex, age"], "--tiers is 'sex, age'; give a file of tiers or a text such as"),
        (["--tiers", "sex < age < sex"], "--tiers has 'sex' in more than one tier"),
        (["--knowledge", "none.txt"], "there is no file 'none.txt'"),
        (["--edge-probabilities", "none.csv"], "there is no file 'none.csv'"),
    ],
)
def test_refusals(options: list[str], message: str, messy: Path, capsys: Captured) -> None:
    more = ["--drop", "id", "--drop", "ship", "--drop", "fare", "--missing", "level"]
    fixed = [*more, "--discrete", "age", *options]
    assert message in refusal(capsys, "score", messy, *fixed)


def test_knowledge_means_what_it_means_in_python(
    table: Path, tmp_path: Path, capsys: Captured
) -> None:
    edges = tmp_path / "edges.csv"
    edges.write_text("from,to,probability\nsmoke,lung,0.95\n")
    knowledge = tmp_path / "knowledge.txt"
    knowledge.write_text("/knowledge\nforbiddirect\ndysp xray\nrequiredirect\ntub either\n")
    tiers = "asia, smoke < tub, lung, bronc < either < xray, dysp"
    options = ["--max-indegree", 2, "--tiers", tiers, "--knowledge", knowledge]
    out = tmp_path / "results"
    said = run(
        capsys, "exact", table, *options, "--edge-probabilities", edges, "--prior", "fair",
        "--out", out,
    )  # fmt: skip
    assert "EdgeProbabilities('smoke' -> 'lung': 0.95; base Fair())" in said
    model = arcwise.Model(
        table,
        prior="fair",
        max_indegree=2,
        tiers=tiers,
        constraints=knowledge,
        edge_probabilities=edges,
    )
    expected = arcwise.exact(model).edges
    found = arcwise.Posterior.load(out / "posterior.npz")
    assert np.allclose(found.edges, expected, atol=1e-12)
    place = found.variables.index
    assert found.edges[place("tub"), place("either")] == pytest.approx(1.0)
    assert found.edges[place("lung"), place("smoke")] == 0.0


def test_edges_can_be_given_as_a_text(tmp_path: Path, capsys: Captured) -> None:
    table, edges = tmp_path / "asia.csv", tmp_path / "edges.csv"
    arcwise.simulate("asia", 1000, seed=1).write_csv(table)
    edges.write_text("source,target\nsmoke,lung\nasia,tub\n", encoding="utf-8")
    said = [
        run(capsys, "exact", table, "--required-edges", given, "--forbidden-edges", "xray -> dysp")
        for given in ("smoke -> lung, asia -> tub", edges)
    ]
    assert said[0] == said[1]
    assert "smoke -> lung" in said[0]
    words = refusal(capsys, "exact", table, "--required-edges", "smoke -> lung -> dysp")
    assert "--required-edges holds 'smoke -> lung -> dysp', which is no edge; give a text" in words
    assert words.rstrip().endswith("or a file of edges")
    words = refusal(capsys, "exact", table, "--forbidden-edges", "smok -> lung")
    assert "--forbidden-edges names 'smok' (did you mean 'smoke'?)" in words
