"""Clusters that cannot do the work: schedulers gone, TLS refused, workers that do not fit."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import arcwise
from arcwise import Model
from arcwise.cli import main
from arcwise.cluster import DaskEngine, SecureAddress
from arcwise.errors import EngineError
from support.local_clusters import ProcessCluster, of_processes, wait_until
from support.same_posteriors import assert_same_posterior

_CERTIFICATES = Path(__file__).parents[1] / "cluster" / "certificates"
_FILES = ("authority.pem", "certificate.pem", "key.pem")
_TLS = {
    "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "true",
    "DASK_DISTRIBUTED__COMM__DEFAULT_SCHEME": "tls",
    "DASK_DISTRIBUTED__COMM__TLS__CA_FILE": str(_CERTIFICATES / "authority.pem"),
    **{
        f"DASK_DISTRIBUTED__COMM__TLS__{role}__{what}": str(_CERTIFICATES / file)
        for role in ("SCHEDULER", "WORKER")
        for what, file in (("CERT", "certificate.pem"), ("KEY", "key.pem"))
    },
}


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(arcwise.simulate("asia", 500, seed=1), max_indegree=3)


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProcessCluster]:
    with of_processes(tmp_path_factory.mktemp("secured"), workers=1, **_TLS) as made:
        yield made


def anneal(model: Model, **more: Any) -> arcwise.Posterior:
    return arcwise.ais(model, "partitions", particles=20, steps=500, seed=2, **more)


def secure_address(cluster: ProcessCluster, *names: str) -> SecureAddress:
    authority, certificate, key = (_CERTIFICATES / name for name in names or _FILES)
    return SecureAddress(cluster.address.removeprefix("tls://"), authority, certificate, key)


def test_a_connection_by_tls(secured: ProcessCluster, model: Model) -> None:
    assert secured.address.startswith("tls://")
    expected = anneal(model)
    address = secure_address(secured)
    assert_same_posterior(anneal(model, engine=address), expected)
    with DaskEngine(secured.address, security=address.security()) as engine:
        assert_same_posterior(anneal(model, engine=engine), expected)


def test_a_connection_by_tls_from_the_shell(secured: ProcessCluster, tmp_path: Path) -> None:
    table = tmp_path / "data.csv"
    arcwise.simulate("asia", 500, seed=1).write_csv(table)
    asked = ["sample", str(table), "--max-indegree", "2", "--algorithm", "ais"]
    asked += ["--particles", "20", "--steps", "300", "--out"]
    flags = ("--tls-ca-file", "--tls-certificate", "--tls-key")
    secure = ["--cluster", secured.address]
    for flag, name in zip(flags, _FILES, strict=True):
        secure += [flag, str(_CERTIFICATES / name)]
    assert main([*asked, str(tmp_path / "here")]) == 0
    assert main([*asked, str(tmp_path / "there"), *secure]) == 0
    here, there = (tmp_path / place / "edges.csv" for place in ("here", "there"))
    assert here.read_bytes() == there.read_bytes()


def test_tls_is_all_or_nothing(
    secured: ProcessCluster, model: Model, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(EngineError, match="no Dask scheduler responds"):
        anneal(model, engine=secured.address)
    wrong = secure_address(secured, "other_authority.pem", "certificate.pem", "key.pem")
    with pytest.raises(EngineError, match="its certificates and these are of one authority"):
        anneal(model, engine=wrong)
    missing = secure_address(secured, "authority.pem", "none.pem", "key.pem")
    with pytest.raises(EngineError, match=r"tls_certificate is '.*', which cannot be read"):
        anneal(model, engine=missing)
    table = tmp_path / "data.csv"
    arcwise.simulate("asia", 500, seed=1).write_csv(table)
    assert main(["sample", str(table), "--tls-key", "key.pem"]) == 2
    assert "give all four" in capsys.readouterr().err


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
