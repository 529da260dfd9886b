"""`--candidates` on the command line: methods, sizes and files, as in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import arcwise
from arcwise.cli import main
from support.command_line import Captured, status

ROWS = 1000


@pytest.mark.parametrize("method", ["pc", "greedy:2", "gains:3", "pc+greedy:2", "greedy"])
def test_score_with_chosen_candidates(
    method: str, table: Path, tmp_path: Path, capsys: Captured
) -> None:
    out = tmp_path / "scores.jkl"
    arguments = ["score", table, "--candidates", method, "--max-indegree", 2, "--out", out]
    assert status(*arguments) == 0
    chosen = arcwise.candidates(table, method, max_indegree=2)
    expected = arcwise.score(table, candidates=chosen, max_indegree=2)
    assert f"Candidate parents were chosen by '{method}', " in capsys.readouterr().err
    written = arcwise.scores.read_scores(out)
    for name in expected.variables:
        assert {parents for parents, _ in written.families(name)} == {
            parents for parents, _ in expected.families(name)
        }


@pytest.mark.parametrize(
    "command",
    [
        ["exact", "--modularity", "order-modular"],
        ["sample", "--steps", "200", "--chains", "2"],
        ["evidence", "--method", "exact"],
    ],
)
def test_every_command_takes_them(
    command: list[str], table: Path, tmp_path: Path, capsys: Captured
) -> None:
    edges = tmp_path / "edges.csv"
    edges.write_text("source,target\nxray,asia\n")
    arguments = [command[0], str(table), *command[1:], "--candidates", "greedy:2"]
    assert main([*arguments, "--required-edges", str(edges), "--prior", "fair"]) == 0
    assert "Candidate parents were chosen by 'greedy:2', 2 to 3" in capsys.readouterr().err


def test_a_file_of_candidates_is_still_a_file(
    table: Path, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "candidates.json"
    path.write_text(json.dumps({"either": ["tub", "lung"]}))
    assert main(["score", str(table), "--candidates", str(path)]) == 0
    assert "11 families" in capsys.readouterr().out


@pytest.mark.parametrize("word", ["greedy:x", "pcc", "greedy+", "pc+lasso:3"])
def test_a_word_that_is_no_method_is_refused(word: str, table: Path, capsys: Captured) -> None:
    assert main(["score", str(table), "--candidates", word]) == 2
    message = capsys.readouterr().err
    assert f"--candidates is '{word}', which is neither a file nor a method" in message
    assert message.count("\n") == 1


def test_one_more_parent_besides_the_candidates(
    table: Path, tmp_path: Path, capsys: Captured
) -> None:
    out = tmp_path / "scores.jkl"
    arguments = ["score", table, "--candidates", "greedy:2", "--plus-one", "--out", out]
    assert status(*arguments) == 0
    chosen = arcwise.candidates(table, "greedy:2")
    expected = arcwise.score(table, candidates=chosen, plus_one=True)
    written = arcwise.scores.read_scores(out)
    assert len(written) == len(expected) == 8 * (4 + 4 * 5)
    for parents, value in expected.families("dysp"):
        assert written.log_score("dysp", parents) == pytest.approx(value, rel=1e-9)
    assert main(["exact", str(table), "--plus-one"]) == 2
    assert "give --candidates too" in capsys.readouterr().err


def test_grown_candidates(table: Path, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "best"
    arguments = ["map", table, "--candidates", "greedy:1", "--grow", "--max-candidates", 5]
    assert main([*(str(part) for part in arguments), "--seed", "1", "--out", str(out)]) == 0
    said = capsys.readouterr().err
    assert "Growing candidate parents, up to 5 per node; a node with that many takes 2 KiB" in said
    assert "Candidate parents were grown from 'greedy:1' in " in said
    found = json.loads((out / "summary.json").read_text())
    exact = arcwise.map(arcwise.Model(table), method="exact")
    assert found["log_score"] == pytest.approx(exact.log_score, rel=1e-10)


def test_map_grows_candidates_where_all_parent_sets_are_too_many(
    tmp_path: Path, capsys: Captured
) -> None:
    dag = arcwise.networks.random_dag(30, expected_degree=2, seed=1)
    path = tmp_path / "wide.csv"
    arcwise.networks.gaussian_network(dag, seed=1).sample(300, seed=1).write_csv(path)
    assert main(["map", str(path), "--seed", "1", "--out", str(tmp_path / "best")]) == 0
    assert "too many parent sets to score them all" in capsys.readouterr().err
    found = json.loads((tmp_path / "best" / "summary.json").read_text())
    data = arcwise.read(path)
    truth = arcwise.Model(data, candidates=dag.matrix().astype(int)).log_weight_of(dag)
    assert found["log_weight"] >= truth - 1e-6
    assert found["agree"] is True
