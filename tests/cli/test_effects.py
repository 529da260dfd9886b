"""`arcwise effects`, `predict` and `cross-validate` on folders that `learn` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.cli.composition import save_data
from support.command_line import Captured, refusal, run

ROWS = 200


@pytest.fixture(scope="module")
def learned(table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("learned")
    data = arcwise.read(table)
    posterior = arcwise.exact(arcwise.Model(data, max_indegree=2), dags=300, seed=1)
    posterior.save(folder / "posterior.npz")
    save_data(data, folder)
    return folder


def test_learn_keeps_the_table(capsys: Captured, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "kept"
    run(capsys, "learn", table, "--max-indegree", "1", "--dags", "50", "--out", out)
    assert "P(dysp = yes | do(bronc = yes))" in run(capsys, "effects", out, "bronc", "dysp")
    sampled = tmp_path / "sampled"
    run(capsys, "exact", table, "--max-indegree", "1", "--out", sampled)
    said = refusal(capsys, "effects", sampled, "bronc", "dysp")
    assert "no sampled DAGs; use a folder written by learn or sample" in said


def test_effects(capsys: Captured, learned: Path, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "effects.csv"
    said = run(capsys, "effects", learned, "bronc", "dysp", "--out", out, "--level", "0.9")
    posterior = arcwise.Posterior.load(learned / "posterior.npz")
    expected = arcwise.effects(posterior, "bronc", "dysp", model=arcwise.read(table))
    assert said.startswith(expected.describe(0.9))
    assert "90 % interval" in said
    assert len(out.read_text().splitlines()) == 1 + 4 + 2
    turned = run(capsys, "effects", learned, "bronc", "dysp", "--reference", "yes")
    assert "Differences from do(bronc = yes):" in turned


def test_predict(capsys: Captured, learned: Path, table: Path, tmp_path: Path) -> None:
    lines = table.read_text().splitlines()
    names = lines[0].split(",")
    new = tmp_path / "new.csv"
    new.write_text("bronc,dysp,smoke\nyes,yes,\nno,,yes\n,no,no\n")
    out = tmp_path / "predicted.csv"
    said = run(capsys, "predict", learned, new, "--target", "dysp", "--out", out)
    assert said.startswith("Predictions of dysp: 3 rows; log loss ")
    assert " on 2 of them" in said
    written = out.read_text().splitlines()
    assert written[0] == "row,P(dysp = no),P(dysp = yes),most_probable,observed,log_probability"
    assert len(written) == 4
    shown = run(capsys, "predict", learned, table, "--target", names[0])
    assert "... and 170 more rows" in shown


def test_cross_validate(capsys: Captured, table: Path, tmp_path: Path) -> None:
    out, edges = tmp_path / "folds.csv", tmp_path / "edges.csv"
    edges.write_text("from,to,probability\nbronc,dysp,0.001\n")
    said = run(
        capsys,
        *("cross-validate", table, "--target", "dysp", "--folds", "2", "--max-indegree", "1"),
        *("--edge-probabilities", edges, "--out", out),
    )
    options: dict[str, Any] = {"folds": 2, "max_indegree": 1}
    data = arcwise.read(table)
    expected = arcwise.cross_validate(data, "dysp", edge_probabilities=edges, **options)
    assert expected.describe() != arcwise.cross_validate(data, "dysp", **options).describe()
    assert expected.describe() in said
    assert len(out.read_text().splitlines()) == 3


def test_refusals(capsys: Captured, learned: Path, table: Path, tmp_path: Path) -> None:
    assert "'smoek'" in refusal(capsys, "effects", learned, "smoek", "dysp")
    assert "--reference is 'maybe'" in refusal(
        capsys, "effects", learned, "bronc", "dysp", "--reference", "maybe"
    )
    assert "give a number between 0 and 1" in refusal(
        capsys, "effects", learned, "bronc", "dysp", "--level", "1"
    )
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "posterior.npz").write_bytes((learned / "posterior.npz").read_bytes())
    assert "has no data.npz, the table it was learned from" in refusal(
        capsys, "effects", bare, "bronc", "dysp"
    )
    (bare / "data.npz").write_bytes(b"nothing")
    assert "is not a saved table, or is damaged" in refusal(
        capsys, "predict", bare, table, "--target", "dysp"
    )
    other = arcwise.read(table).take_rows(np.arange(100))
    save_data(other, bare)
    assert "computed from data other than the model's" in refusal(
        capsys, "effects", bare, "bronc", "dysp"
    )
    assert "--folds is 1" in refusal(
        capsys, "cross-validate", table, "--target", "dysp", "--folds", "1"
    )


def test_what_rests_on_chains_that_disagree_says_so(
    capsys: Captured, table: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "short"
    data = arcwise.read(table)
    model = arcwise.Model(data, max_indegree=2)
    with pytest.warns(arcwise.errors.ConvergenceWarning):
        posterior = arcwise.mcmc(model, "dags", steps=40, chains=2, start="random", seed=1)
    assert posterior.diagnose().verdict == "not converged"
    folder.mkdir()
    posterior.save(folder / "posterior.npz")
    save_data(data, folder)
    known = tmp_path / "known.csv"
    known.write_text("source,target\nsmoke,lung\n")
    for words in (
        ("effects", folder, "bronc", "dysp"),
        ("predict", folder, table, "--target", "dysp"),
        ("compare", folder, known),
    ):
        assert "Computation: not converged; data and model: " in run(capsys, *words)
    picture = tmp_path / "network.svg"
    run(capsys, "draw", folder, picture)
    assert arcwise.plots.network(posterior).get_title().endswith("\n(computation: not converged)")
