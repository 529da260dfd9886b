"""`kill -9` at any moment, any number of times: the same edges.csv as without it."""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import pytest

from faults.run_processes import finish, kill_after, write_data

_RUNS: dict[str, list[object]] = {
    "orders": ["--space", "linear", "--steps", 6_000_000, "--chains", 2],
    "partitions": ["--space", "partitions", "--steps", 2_000_000, "--chains", 2],
    "layerings": ["--space", "layerings:4", "--steps", 60_000, "--chains", 2],
    "coupled chains": [
        *("--space", "buckets:3", "--algorithm", "mc3", "--ladder", "adapted"),
        *("--temperatures", 5, "--steps", 60_000, "--chains", 2),
    ],
    "annealing": ["--algorithm", "ais", "--particles", 1_000, "--steps", 3_000],
    "DAGs": ["--space", "dags", "--steps", 1_500_000, "--chains", 2],
}


@pytest.mark.parametrize("name", _RUNS)
def test_killed_again_and_again(name: str, tmp_path: Path) -> None:
    data = write_data(tmp_path / "data.csv")
    arguments = ["sample", data, "--max-indegree", 2, "--seed", 5, *_RUNS[name]]
    finish(*arguments, "--out", tmp_path / "whole")
    folder = tmp_path / "run"
    random = np.random.default_rng(len(name))
    begin = [*arguments, "--run", folder, "--checkpoint", 0.05]
    go_on = ["resume", folder, "--checkpoint", 0.05, "--threads", 1]
    kills = 0
    for _ in range(8):
        # The same command begins a run and goes on with it.
        command = go_on if (folder / "settings.json").exists() and kills % 2 else begin
        more, seconds = int(random.integers(4)), float(random.uniform(0.0, 0.06))
        status = kill_after(more, seconds, command, signal.SIGKILL, folder / "ledger.sqlite")
        kills += status == -signal.SIGKILL
    finish("status", folder)
    finish(*go_on)
    assert kills >= 2
    whole, resumed = (path / "edges.csv" for path in (tmp_path / "whole", folder))
    assert resumed.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_ended_cleanly(number: int, tmp_path: Path) -> None:
    """SIGTERM and Ctrl-C leave results of what there is, and the rest can be had."""
    data = write_data(tmp_path / "data.csv")
    arguments = ["sample", data, "--max-indegree", 2, "--space", "partitions", "--seed", 5]
    arguments += ["--steps", 2_000_000, "--chains", 2]
    finish(*arguments, "--out", tmp_path / "whole")
    folder = tmp_path / "run"
    begin = [*arguments, "--run", folder, "--checkpoint", 0.05]
    status = kill_after(6, 0.0, begin, number, folder / "ledger.sqlite")
    # Before the first draws, and while results are put together, there is nothing to leave.
    assert status in (0, 130)
    assert (folder / "edges.csv").exists() == (status == 0)
    finish("resume", folder)
    assert (folder / "edges.csv").read_bytes() == (tmp_path / "whole" / "edges.csv").read_bytes()
