"""Runs that `learn` begins: kept, stopped and resumed, with what was chosen told again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Data, Posterior
from arcwise.algorithms import growth
from arcwise.cli import main
from arcwise.errors import ArgumentError, FileFormatError, RunDirectoryError
from arcwise.records.account import Account
from support.stopped_runs import Stop, checkpoints_after, stopping_at

pytestmark = pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")

SAMPLERS: dict[str, dict[str, Any]] = {
    "mcmc": {"steps": 20_000, "chains": 2, "until": None},
    "mc3": {"steps": 4_000, "chains": 2, "temperatures": 4, "until": None},
    "ais": {"steps": 200, "particles": 200},
}


@pytest.fixture(scope="module")
def data() -> Data:
    return arcwise.simulate("asia", 200, seed=3)


def learn(data: Any, algorithm: Any, **options: Any) -> Posterior:
    usual: dict[str, Any] = {"seed": 1, "threads": 1, "progress": None, "max_indegree": 2}
    more = {} if algorithm is None else SAMPLERS[algorithm]
    return arcwise.learn(data, algorithm=algorithm, **(usual | more | options))


def account(posterior: Posterior) -> Account:
    assert posterior.account is not None
    # A run that was resumed has no data to score again.
    return replace(posterior.account, seconds=0.0, sensitivity=())


@pytest.mark.parametrize("algorithm", SAMPLERS)
def test_a_stopped_run_goes_on_and_knows_what_was_chosen(
    algorithm: str, data: Data, tmp_path: Path
) -> None:
    whole = learn(data, algorithm)
    kept: dict[str, Any] = {"directory": tmp_path / "run"}

    def stop(moment: float) -> None:
        # Scoring, which comes first, tells of its progress as well.
        if (tmp_path / "run" / "settings.json").exists():
            stopping_at(0.5)(moment)

    with checkpoints_after(100), pytest.raises(Stop):
        learn(data, algorithm, progress=stop, **kept)
    assert arcwise.status(tmp_path / "run").checkpoints > 0
    resumed = arcwise.resume(tmp_path / "run", threads=1)
    again = learn(data, algorithm, **kept)
    for found in (resumed, again):
        assert np.array_equal(found.edges, whole.edges)
        assert account(found) == account(whole)
        assert found.model is None
    assert whole.model is not None
    assert arcwise.status(tmp_path / "run").state == "finished"


def test_an_exact_computation_leaves_its_result(data: Data, tmp_path: Path) -> None:
    whole = learn(data, None, directory=tmp_path, dags=50)
    assert whole.algorithm == "exact"
    resumed = arcwise.resume(tmp_path)
    assert np.array_equal(resumed.edges, whole.edges)
    assert account(resumed) == account(whole)
    (tmp_path / "posterior.npz").unlink()
    with pytest.raises(ArgumentError, match=r"call arcwise.learn again"):
        arcwise.resume(tmp_path)
    assert account(learn(data, None, directory=tmp_path, dags=50)) == account(whole)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": 2}, "another seed"),
        ({"prior": "fair"}, "another prior"),
        ({"max_indegree": 1}, "another constraints"),
        ({"thinning": 3}, "another options"),
        ({"candidates": "greedy:3"}, "another candidates"),
    ],
)
def test_another_request_is_refused(
    changes: dict[str, Any], words: str, data: Data, tmp_path: Path
) -> None:
    learn(data, "mcmc", directory=tmp_path)
    with pytest.raises(RunDirectoryError, match=words) as caught:
        learn(data, "mcmc", directory=tmp_path, **changes)
    assert "continue it with arcwise.resume, or use another directory" in str(caught.value)
    with pytest.raises(RunDirectoryError, match="another data"):
        learn(arcwise.simulate("asia", 200, seed=4), "mcmc", directory=tmp_path)


def test_growth_goes_on_after_a_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dag = arcwise.networks.random_dag(12, expected_degree=2.0, seed=1)
    table = arcwise.networks.gaussian_network(dag, seed=1).sample(100, seed=1)
    options: dict[str, Any] = {"candidates": "grow", "steps": 400, "chains": 2, "until": None}
    whole = learn(table, "mcmc", **options)
    search, calls = growth._search, []

    def killed(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 3:
            raise Stop
        return search(*arguments)

    monkeypatch.setattr(growth, "_search", killed)
    folder = tmp_path / "run"
    with pytest.raises(Stop):
        learn(table, "mcmc", directory=folder, **options)
    with pytest.raises(ArgumentError, match=r"2 rounds of that are kept; .* arcwise.learn again"):
        arcwise.resume(folder)
    found = learn(table, "mcmc", directory=folder, **options)
    assert np.array_equal(found.edges, whole.edges)
    assert account(found) == account(whole)
    assert account(arcwise.resume(folder)) == account(whole)


def test_a_damaged_study_is_named(data: Data, tmp_path: Path) -> None:
    learn(data, "mcmc", directory=tmp_path)
    (tmp_path / "study.json").write_text("{")
    with pytest.raises(FileFormatError, match=r"study.json' is damaged"):
        arcwise.resume(tmp_path)


def test_the_shell_keeps_runs_of_learn(
    data: Data, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data.write_csv(tmp_path / "table.csv")
    options = ["--algorithm", "mcmc", "--steps", "2000", "--chains", "2", "--threads", "1"]
    folder = tmp_path / "run"
    assert main(["learn", str(tmp_path / "table.csv"), *options, "--run", str(folder)]) == 0
    first = capsys.readouterr().out
    assert f"written to {folder}" in first
    choices = json.loads((folder / "summary.json").read_text())["choices"]
    assert main(["resume", str(folder), "--out", str(tmp_path / "again")]) == 0
    said = capsys.readouterr().out
    for sentence in choices:
        assert sentence in first
        assert sentence in said
    for name in ("edges.csv", "report.html"):
        assert (tmp_path / "again" / name).exists()
    assert (tmp_path / "again" / "edges.csv").read_bytes() == (folder / "edges.csv").read_bytes()
