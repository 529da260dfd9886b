"""Clusters that cannot do the work: schedulers gone, workers that do not fit."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import arcwise
from arcwise import Model
from arcwise.cli import main
from arcwise.cluster import DaskEngine
from arcwise.errors import EngineError
from support.local_clusters import of_processes, wait_until


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(arcwise.simulate("asia", 500, seed=1), max_indegree=3)


def anneal(model: Model, **more: Any) -> arcwise.Posterior:
    return arcwise.ais(model, "partitions", particles=20, steps=500, seed=2, **more)


def test_the_scheduler_killed_in_the_middle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "data.csv"
    arcwise.simulate("asia", 500, seed=1).write_csv(table)
    run = tmp_path / "run"
    asked = ["sample", str(table), "--max-indegree", "3", "--space", "partitions"]
    asked += ["--steps", "3000000", "--chains", "2"]
    with of_processes(tmp_path / "cluster", workers=2) as cluster:

        def kill_on_the_way() -> None:
            wait_until(lambda: run.exists() and _checkpoints(run) >= 2, 60)
            cluster.scheduler.kill()

        killer = threading.Thread(target=kill_on_the_way)
        killer.start()
        far = ["--run", str(run), "--cluster", cluster.address, "--checkpoint", "0.2"]
        assert main([*asked, *far]) == 2
        killer.join()
    sentence = capsys.readouterr().err.strip().splitlines()[-1]
    assert "no longer responds" in sentence
    assert sentence.endswith(f"then continue with arcwise resume {run}")
    assert main(["resume", str(run)]) == 0
    assert main([*asked, "--out", str(tmp_path / "whole")]) == 0
    assert (run / "edges.csv").read_bytes() == (tmp_path / "whole" / "edges.csv").read_bytes()


def _checkpoints(run: Path) -> int:
    try:
        return arcwise.status(run).checkpoints
    except arcwise.errors.ArcwiseError:
        return 0  # just being made


def test_a_worker_of_another_version_is_named(model: Model, tmp_path: Path) -> None:
    older = "import arcwise._core; arcwise._core.version = '0.0.1'\n"
    with of_processes(tmp_path, workers=0) as cluster:
        worker = cluster.add_worker(older)
        with pytest.raises(EngineError, match=r"has version 0\.0\.1 of arcwise") as caught:
            anneal(model, engine=cluster.address)
    assert worker.address in str(caught.value)


def test_a_worker_without_room_for_files_is_named(model: Model, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with of_processes(tmp_path, workers=0) as cluster:
        cluster.add_worker(ARCWISE_CACHE=str(tmp_path / "file" / "cache"))
        engine = DaskEngine(cluster.address, shared=False)
        with engine, pytest.raises(EngineError, match="set ARCWISE_CACHE"):
            anneal(model, engine=engine)


def test_a_worker_with_little_memory_is_given_up(tmp_path: Path) -> None:
    # Room for Python and Dask, but not for the score table of 18 variables, 54 MiB.
    limit = (
        "import resource, arcwise, distributed, numpy, psutil\n"
        "used = psutil.Process().memory_info().vms\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (24 << 20), used + (24 << 20)))\n"
    )
    model = Model({f"x{i}": [(row >> (i % 7)) & 1 for row in range(300)] for i in range(18)})
    with of_processes(tmp_path, workers=0) as cluster:
        cluster.add_worker(limit)
        with pytest.raises(EngineError, match=r"on a worker of .* MiB, .* more memory"):
            anneal(model, engine=cluster.address)
