"""`arcwise summary-graph`: graphs by name, in files, and against a known graph."""

from __future__ import annotations

import csv
from pathlib import Path

import networkx as nx
import pytest

import arcwise
from arcwise import Posterior
from arcwise.posterior.summary_graphs import SUMMARY_GRAPHS
from support.command_line import Captured, refusal, run

TRUTH = "source,target\nb,a\nb,c\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results")
    copies = {"a": [0, 0, 1, 1] * 10, "b": [0, 0, 1, 1] * 10, "c": [0, 1, 0, 1] * 10}
    model = arcwise.Model(copies, arcwise.scores.BDeu(1.0), prior="uniform")
    arcwise.exact(model, dags=500, seed=1).save(path / "posterior.npz")
    return path


@pytest.mark.parametrize("name", SUMMARY_GRAPHS)
def test_each_graph_is_printed_and_written(
    name: str, folder: Path, tmp_path: Path, capsys: Captured
) -> None:
    saved = Posterior.load(folder / "posterior.npz")
    graph = arcwise.summary_graph(saved, name)  # type: ignore[arg-type]
    said = run(capsys, "summary-graph", folder, name, "--out", tmp_path / "graph.csv")
    assert said.startswith(f"{name}: ")
    assert ("  a -- b" in said) == isinstance(graph, arcwise.graphs.Cpdag)
    assert "Computation: exact; data and model: " in said
    with (tmp_path / "graph.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == graph.number_of_edges == 1
    assert rows[0]["kind"] == ("undirected" if "--" in said else "directed")


def test_other_formats_and_thresholds(folder: Path, tmp_path: Path, capsys: Captured) -> None:
    run(capsys, "summary-graph", folder, "--out", tmp_path / "graph.gml")
    assert set(nx.read_gml(tmp_path / "graph.gml").edges) in ({("a", "b")}, {("b", "a")})
    run(capsys, "summary-graph", folder, "map-cpdag", "--out", tmp_path / "graph.dot")
    assert '"a" -> "b" [dir=none];' in (tmp_path / "graph.dot").read_text()
    said = run(capsys, "summary-graph", folder, "threshold", "--threshold", "0.0001")
    assert "a -- c" in said
    assert "give a file that ends in .csv, .dot or .gml" in refusal(
        capsys, "summary-graph", folder, "--out", "graph.png"
    )


def test_all_graphs_are_compared_with_a_known_one(
    folder: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    truth = tmp_path / "truth.csv"
    truth.write_text(TRUTH)
    said = run(capsys, "summary-graph", folder, "--truth", truth)
    rows = [line.split("│")[1:-1] for line in said.splitlines() if line.startswith("│")]
    found = {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows}
    assert list(found) == [name for name in SUMMARY_GRAPHS if name != "threshold"]
    for name, (adjacencies, directions, distance, arrows) in found.items():
        assert adjacencies == "1 + 0 of 2"
        assert (directions, distance) == ("0 + 0 of 0", "1")
        assert (arrows == "-") == ("cpdag" in name)
    one = run(capsys, "summary-graph", folder, "median", "--truth", truth)
    assert "│ median │" in one
    assert "│ map" not in one
    truth.write_text("source,target\na,q\n")
    assert "'q'" in refusal(capsys, "summary-graph", folder, "--truth", truth)
