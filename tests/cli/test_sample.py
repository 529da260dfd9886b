"""`arcwise sample`: what is written for each algorithm, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from arcwise import Posterior
from support.command_line import Captured, refusal, status

ALGORITHMS = {
    "mcmc": ["--steps", "4000", "--chains", "2"],
    "mc3": ["--steps", "4000", "--chains", "2", "--temperatures", "5", "--ladder", "adapted"],
    "ais": ["--steps", "300", "--particles", "40"],
}


def sample(table: Path, *options: object) -> int:
    return status("sample", table, "--max-indegree", 2, "--threads", 1, *options)


@pytest.mark.parametrize("space", ["linear", "buckets:3"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_files_are_written_and_agree(
    algorithm: str, space: str, table: Path, tmp_path: Path, capsys: Captured
) -> None:
    options = ["--algorithm", algorithm, "--space", space, *ALGORITHMS[algorithm], "--seed", 7]
    for modularity in ("modular", "order-modular"):
        out = tmp_path / modularity
        assert sample(table, *options, "--modularity", modularity, "--out", out) == 0
        printed = capsys.readouterr().out
        assert f"written to {out}" in printed
        assert ("log evidence" in printed) == (algorithm != "mcmc")
        assert ("5 temperatures, exchanges accepted: " in printed) == (algorithm == "mc3")
        assert ("round trips of each chain: " in printed) == (algorithm == "mc3")
        expected = {"data.npz", "edges.csv", "summary.json", "posterior.npz"}
        assert {path.name for path in out.iterdir()} == expected | (
            {"evidence.json"} if algorithm != "mcmc" else set()
        )
        saved = Posterior.load(out / "posterior.npz")
        assert (saved.algorithm, saved.modularity) == (algorithm, modularity)
        with (out / "edges.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        names = saved.variables
        for row in rows:
            place = names.index(row["source"]), names.index(row["target"])
            assert np.isclose(float(row["forward"]), saved.edges[place], atol=1e-6)
            assert np.isclose(float(row["backward"]), saved.edges.T[place], atol=1e-6)
            assert float(row["adjacency_error"]) >= 0.0
        summary = json.loads((out / "summary.json").read_text())
        assert "acceptance" in json.dumps(summary)
        if algorithm != "mcmc":
            evidence = json.loads((out / "evidence.json").read_text())
            assert saved.evidence is not None
            assert evidence["log_evidence"] == saved.evidence.log_evidence
            assert bool(evidence["lower_bounds"]) == (algorithm == "ais")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_same_seed_writes_the_same_edges(algorithm: str, table: Path, tmp_path: Path) -> None:
    options = ["--algorithm", algorithm, *ALGORITHMS[algorithm]]
    files = {}
    for name, seed in (("first", 1), ("again", 1), ("other", 2)):
        assert sample(table, *options, "--seed", seed, "--out", tmp_path / name) == 0
        files[name] = (tmp_path / name / "edges.csv").read_bytes()
    assert files["first"] == files["again"]
    assert files["first"] != files["other"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--space", "trees"], "space is 'trees'"),
        (["--space", "buckets:0"], "size is 0"),
        (["--algorithm", "gibbs"], "gibbs"),
        (["--modularity", "both"], "both"),
        (["--steps", 1], "steps is 1"),
        (["--steps", 10, "--seconds", 1], "both --steps and --seconds were given"),
        (["--chains", 0], "chains is 0"),
        (["--space", "linear", "--dags-per-state", 0], "--dags-per-state is 0"),
        (["--seed", -1], "seed is -1"),
        (["--algorithm", "mc3", "--temperatures", 1], "temperatures is 1"),
        (["--algorithm", "mc3", "--ladder", "steep"], "steep"),
        (
            ["--algorithm", "ais", "--chains", 5],
            "--chains is an option of --algorithm mcmc or mc3 only",
        ),
        (
            ["--algorithm", "ais", "--particles", 5, "--seconds", 1],
            "both --particles and --seconds were given",
        ),
        (["--particles", 5], "--particles is an option of --algorithm ais or smc only"),
        (["--algorithm", "ais", "--particles", 0], "particles is 0"),
    ],
)
def test_refusals_are_one_line(
    options: list[object], words: str, table: Path, capsys: Captured
) -> None:
    assert words in refusal(capsys, "sample", table, "--max-indegree", 2, *options)


@pytest.mark.parametrize(("word", "size"), [("layerings", 4), ("layerings:2", 2)])
def test_layerings_are_sampled_and_their_size_told(
    word: str, size: int, table: Path, tmp_path: Path, capsys: Captured
) -> None:
    options = ["--space", word, "--steps", 4000, "--chains", 2, "--seed", 7, "--out", tmp_path]
    assert sample(table, *options) == 0
    assert f" on layerings (max size {size}" in capsys.readouterr().out
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert f"Layerings(max_size={size}, " in json.dumps(summary)


@pytest.mark.parametrize("command", ["sample", "learn"])
def test_the_thinning_is_an_option(command: str, table: Path, tmp_path: Path) -> None:
    options = ["--algorithm", "mcmc", "--steps", 4000, "--chains", 2, "--thinning", 25]
    assert status(command, table, "--max-indegree", 2, *options, "--out", tmp_path) == 0
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["thinning"] == 25
