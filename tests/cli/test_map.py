"""`arcwise map`: what is printed and written, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import arcwise
from arcwise import Dag
from arcwise.cli import composition
from arcwise.graphs import Cpdag
from arcwise.networks import gaussian_network, random_dag
from support.clocks import past
from support.command_line import Captured, refusal, status

# Of few rows, several classes weigh the same: "asia" and "tub" are hardly ever 1.
ROWS = 2000


def run(table: Path, *options: object) -> int:
    return status("map", table, "--threads", 1, *options)


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.mark.parametrize("method", ["exact", "search", "auto"])
def test_files_are_written_and_agree(
    method: str, table: Path, tmp_path: Path, capsys: Captured
) -> None:
    out = tmp_path / "new" / "folder"
    told = ["--max-indegree", 3, "--score", "bdeu", "--prior", "fair"]
    assert run(table, *told, "--method", method, "--seed", 4, "--out", out) == 0
    printed = capsys.readouterr().out
    assert f"edges.csv, cpdag.csv and summary.json written to {out}" in printed
    assert {path.name for path in out.iterdir()} == {"edges.csv", "cpdag.csv", "summary.json"}

    model = arcwise.Model(arcwise.read(table), "bdeu", max_indegree=3, prior="fair")
    names = model.variables
    dag = Dag.from_edges(names, [(row["source"], row["target"]) for row in rows(out / "edges.csv")])
    summary = json.loads((out / "summary.json").read_text())
    assert abs(model.log_weight_of(dag) - summary["log_weight"]) < 1e-6
    assert summary["log_weight"] == pytest.approx(arcwise.map(model).log_weight, rel=1e-12)
    score = sum(model.scores.log_score(node, dag.parents(node)) for node in names)
    assert abs(score - summary["log_score"]) < 1e-6
    assert f"log score {summary['log_score']:.6f}" in printed
    edges = {
        kind: [
            (row["source"], row["target"]) for row in rows(out / "cpdag.csv") if row["kind"] == kind
        ]
        for kind in ("directed", "undirected")
    }
    assert Cpdag(names, edges["directed"], edges["undirected"]) == arcwise.graphs.cpdag(dag)
    assert summary["method"] == ("search" if method == "search" else "exact")
    assert ("8 of 8 restarts reached this optimum" in printed) == (method == "search")
    assert summary["agree"] is True


def test_candidates_restarts_and_seeds_of_a_larger_network(
    tmp_path: Path, capsys: Captured
) -> None:
    dag = random_dag(30, expected_degree=3.0, seed=2)
    gaussian_network(dag, seed=2).sample(300, seed=2).write_csv(tmp_path / "data.csv")
    files = []
    for name, threads in (("first", 1), ("again", 2)):
        options = ["--candidates", "greedy:5", "--restarts", 3, "--seed", 9, "--threads", threads]
        assert run(tmp_path / "data.csv", *options, "--out", tmp_path / name) == 0
        files.append((tmp_path / name / "edges.csv").read_bytes())
        summary = json.loads((tmp_path / name / "summary.json").read_text())
        assert summary["restarts"] == 3
        assert summary["settings"]["seed"] == 9
        assert len(summary["restart_log_weights"]) == 3
    assert files[0] == files[1]
    assert "Candidate parents were chosen by 'greedy:5'" in capsys.readouterr().err


def test_constraints_hold_and_edges_can_be_read_again(table: Path, tmp_path: Path) -> None:
    required = tmp_path / "required.csv"
    required.write_text("source,target\nxray,smoke\n")
    assert run(table, "--required-edges", required, "--max-indegree", 2, "--out", tmp_path) == 0
    assert {"source": "xray", "target": "smoke"} in rows(tmp_path / "edges.csv")
    again = tmp_path / "again"
    edges = tmp_path / "edges.csv"
    assert run(table, "--candidates", edges, "--required-edges", edges, "--out", again) == 0
    assert rows(again / "edges.csv") == rows(edges)


def test_a_time_budget(
    table: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["--method", "search", "--restarts", 2, "--seconds", 1000, "--out", tmp_path]
    assert run(table, *arguments) == 0
    assert json.loads((tmp_path / "summary.json").read_text())["settings"]["seconds"] == 1000.0
    monkeypatch.setattr(composition, "Deadline", lambda seconds, began: past(seconds))
    capsys.readouterr()
    assert "the 1000 seconds given are over" in refusal(capsys, "map", table, *arguments)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--method", "guess"], "guess"),
        (["--restarts", 0], "restarts is 0"),
        (["--seconds", 0], "seconds is 0"),
        (["--seed", -1], "seed is -1"),
        (["--candidates", "nearest:3"], "nearest:3"),
        (["--out", __file__], "is a file; give a folder for --out"),
    ],
)
def test_refusals_are_one_line(
    options: list[object], words: str, table: Path, capsys: Captured
) -> None:
    assert words in refusal(capsys, "map", table, "--max-indegree", 2, *options)
