"""`kill -9` at any moment, any number of times: the same edges.csv as without it."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import arcwise
from faults.run_processes import (
    finish,
    is_finished,
    kill_after,
    kill_under_way,
    start,
    write_data,
)
from support.local_clusters import of_processes

# Runs that take three to ten seconds of a processor, by its age, with dozens of checkpoints: steps
# of chains and of coupled chains, particles, and populations.
_SIZES: dict[str, tuple[int, int, int, int]] = {
    "linear": (11_000_000, 1_800_000, 18_000, 1_800),
    "canonical": (4_500_000, 680_000, 11_000, 320),
    "buckets:3": (11_000_000, 1_600_000, 11_000, 1_300),
    "partitions": (3_400_000, 340_000, 5_000, 270),
    "layerings:4": (340_000, 56_000, 810, 72),
    "dags": (4_500_000, 680_000, 9_900, 99),
}
_KILLS = 3


def _arguments(algorithm: str, space: str) -> list[object]:
    steps, coupled_steps, particles, populations = _SIZES[space]
    # From the order-modular posterior to the modular one, a ladder leads over the bridge.
    ladder = "bridge" if space == "canonical" else "adapted"
    return {
        "mcmc": ["--steps", steps, "--chains", 2],
        "mc3": [
            *("--steps", coupled_steps, "--chains", 2),
            *("--ladder", ladder, "--temperatures", 5),
        ],
        "ais": ["--steps", 1_000, "--particles", particles],
        "smc": ["--particles", 50, "--runs", populations],
    }[algorithm]


@pytest.mark.parametrize("space", _SIZES)
@pytest.mark.parametrize("algorithm", ["mcmc", "mc3", "ais", "smc"])
def test_killed_again_and_again(
    algorithm: str,
    space: str,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """Every kill hits a run that has made a checkpoint since it was started, and is not done."""
    data = write_data(tmp_path / "data.csv")
    arguments = ["sample", data, "--max-indegree", 2, "--seed", 5, "--space", space]
    arguments += ["--algorithm", algorithm, *_arguments(algorithm, space)]
    finish(*arguments, "--out", tmp_path / "whole")
    folder = tmp_path / "run"
    random = np.random.default_rng([len(algorithm), len(space)])
    # However many cores there are, the run takes more than half a second.
    begin = [*arguments, "--run", folder, "--checkpoint", 0.02, "--threads", 2]
    go_on = ["resume", folder, "--checkpoint", 0.02, "--threads", 1]
    for kill in range(_KILLS):
        # The same command begins a run and goes on with it.
        command = go_on if kill % 2 else begin
        more, seconds = int(random.integers(1, 3)), float(random.uniform(0.0, 0.03))
        what = f"{algorithm} on {space}"
        kill_under_way(more, seconds, command, folder / "ledger.sqlite", record_property, what)
    finish("status", folder)
    finish(*go_on)
    assert is_finished(folder / "ledger.sqlite")
    whole, resumed = (path / "edges.csv" for path in (tmp_path / "whole", folder))
    assert resumed.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_ended_cleanly(number: int, tmp_path: Path) -> None:
    """SIGTERM and Ctrl-C leave results of what there is, and the rest can be had."""
    data = write_data(tmp_path / "data.csv")
    arguments = ["sample", data, "--max-indegree", 2, "--space", "partitions", "--seed", 5]
    arguments += ["--steps", 5_000_000, "--chains", 2]
    finish(*arguments, "--out", tmp_path / "whole")
    folder = tmp_path / "run"
    begin = [*arguments, "--run", folder, "--checkpoint", 0.05]
    status = kill_after(6, 0.0, begin, number, folder / "ledger.sqlite")
    # Before the first draws, and while results are put together, there is nothing to leave.
    assert status in (0, 130)
    assert (folder / "edges.csv").exists() == (status == 0)
    finish("resume", folder)
    assert (folder / "edges.csv").read_bytes() == (tmp_path / "whole" / "edges.csv").read_bytes()


@pytest.fixture(scope="module")
def slow_to_score(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[object], bytes]:
    """Return a command that keeps scores as they are made, and the edges it ends with."""
    folder = tmp_path_factory.mktemp("undisturbed")
    random = np.random.default_rng(1)
    table = arcwise.read(random.integers(0, 4, size=(150_000, 16)), kinds="discrete")
    table.write_csv(folder / "data.csv")
    # One thread takes long enough; a score and a prior that are given are not chosen.
    command: list[object] = ["learn", folder / "data.csv", "--seed", 5, "--threads", 1]
    command += ["--score", "bdeu", "--prior", "fair"]
    finish(*command, "--out", folder)
    return command, (folder / "edges.csv").read_bytes()


@pytest.mark.parametrize("workers", [0, 2])
def test_killed_while_scoring(
    workers: int, slow_to_score: tuple[list[object], bytes], tmp_path: Path
) -> None:
    """Scores made so far, by workers of a cluster as well, are kept; the same command goes on."""
    command, undisturbed = slow_to_score
    folder = tmp_path / "run"
    scores = folder / "scores.partial"
    with of_processes(tmp_path, workers=workers) as cluster:
        far = ["--cluster", cluster.address] if workers else []
        with start(*command, "--run", folder, *far) as process:
            while process.poll() is None and not (
                scores.exists() and scores.stat().st_size > 10_000
            ):
                time.sleep(0.01)
            process.kill()
            process.communicate(timeout=600)
        assert process.returncode == -signal.SIGKILL
        kept = scores.stat().st_size
    assert kept > 10_000
    finish(*command, "--run", folder)
    assert not scores.exists()
    assert (folder / "edges.csv").read_bytes() == undisturbed
