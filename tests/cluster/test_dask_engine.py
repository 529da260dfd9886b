"""Engines: the same bits from a cluster as from threads, and what is refused."""

from __future__ import annotations

import gc
import importlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed import Client

import arcwise
from arcwise import Model
from arcwise.cli import main
from arcwise.cluster import DaskEngine, host_files
from arcwise.cluster.work import Versions
from arcwise.engines import opened_engine
from arcwise.errors import (
    ArgumentError,
    CapacityError,
    EngineError,
    InterruptedWarning,
    MissingDependencyError,
)
from arcwise.scores import LocalScore
from support.clocks import steps_take
from support.local_clusters import closed_port
from support.same_posteriors import assert_same_posterior

ONE_SENTENCE = r"^[^;]*; [^;]*$"


SAMPLERS: dict[str, Any] = {
    "ais": lambda model, **more: arcwise.ais(model, particles=60, steps=400, seed=5, **more),
    "ais on partitions": lambda model, **more: arcwise.ais(
        model, "partitions", particles=40, steps=300, seed=5, **more
    ),
    "ais by effect": lambda model, **more: arcwise.ais(
        model, modularity="order-modular", effective_samples=50, steps=300, seed=5, **more
    ),
    "ais with its own schedule": lambda model, **more: arcwise.ais(
        model, particles=60, schedule=(np.linspace(0, 1, 301) ** 2).tolist(), seed=5, **more
    ),
    "mcmc": lambda model, **more: arcwise.mcmc(model, steps=6000, chains=3, seed=5, **more),
    "mcmc by effect": lambda model, **more: arcwise.mcmc(
        model, "partitions", effective_samples=300, chains=3, seed=5, **more
    ),
    "mcmc, adapted": lambda model, **more: arcwise.mcmc(
        model, "dags", steps=6000, chains=3, seed=5, adapt_moves=True, **more
    ),
    "mc3": lambda model, **more: arcwise.mc3(
        model, temperatures=5, steps=6000, chains=3, seed=5, **more
    ),
    "mc3, adapted": lambda model, **more: arcwise.mc3(
        model, temperatures=5, ladder="adapted", steps=6000, chains=2, seed=5, **more
    ),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_cluster_samples_the_same_bits_as_threads(name: str, client: Any, model: Model) -> None:
    sample = SAMPLERS[name]
    assert_same_posterior(sample(model, engine=client), sample(model))


@pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")  # a second may not be enough
def test_a_budget_in_seconds_ends_a_run(client: Any, model: Model) -> None:
    for sample in (arcwise.mcmc, arcwise.ais):
        with steps_take(1e-3 if sample is arcwise.mcmc else 0.01) as clock:
            posterior = sample(model, "partitions", seconds=clock.deadline(1.0), engine=client)
        assert 0.9 < clock.now < 1.2
        assert posterior.run.dags > 0
        assert not posterior.run.interrupted
        assert (posterior.edges >= 0.0).all()
        assert (posterior.edges + posterior.edges.T <= 1.0 + 1e-9).all()


def test_how_units_are_grouped_changes_nothing(
    client: Any, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = SAMPLERS["ais"]
    expected = sample(model)
    for tasks_per_second in (1e-3, 1e9):
        monkeypatch.setattr("arcwise.cluster.connection._TASKS_PER_SECOND", tasks_per_second)
        monkeypatch.setattr("arcwise.cluster.connection._SHORTEST_TASK", 1.0 / tasks_per_second)
        assert_same_posterior(sample(model, engine=client), expected)


class Penalty(LocalScore):
    def fill(self, data: Any, table: Any, run: Any) -> None:
        for node in range(len(data.variables)):
            _, offsets = table.parent_sets(node)
            table.values(node)[:] = -2.0 * np.diff(offsets.astype(float)) - node


RULES: dict[str, dict[str, Any]] = {
    "all": {},
    "max_indegree": {"max_indegree": 3},
    "candidates": {"candidates": {"xray": ["either", "lung"], "dysp": ["bronc", "either"]}},
    "plus one": {
        "candidates": {"xray": ["either", "lung"], "dysp": ["bronc", "either"]},
        "plus_one": True,
    },
    "required": {"max_indegree": 2, "required_edges": [("smoke", "lung")]},
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("score", ["bdeu", "bic", Penalty()])
def test_a_cluster_scores_the_same_bits_as_threads(rule: str, score: Any, client: Any) -> None:
    data = arcwise.simulate("asia", 300, seed=2)
    near, far = (arcwise.score(data, score, engine=e, **RULES[rule]) for e in (None, client))
    for node in range(8):
        assert near.table.values(node).tobytes() == far.table.values(node).tobytes()


def test_models_of_gaussian_data_interventions_and_functions(client: Any) -> None:
    random = np.random.default_rng(3)
    numbers = random.normal(size=(80, 6)) @ random.normal(size=(6, 6))
    modularity = np.where(random.random(80) < 0.2, "c", "")
    table = {name: numbers[:, i] for i, name in enumerate("abcdef")} | {"set": modularity}
    data = arcwise.read(table, interventions="set")
    for bound in (2, 5):
        near, far = (Model(data, "bge", max_indegree=bound, engine=e) for e in (None, client))
        for node in range(6):
            assert near.weights.table.values(node).tobytes() == (
                far.weights.table.values(node).tobytes()
            )
    far = Model(list("abcd"), lambda node, parents: -1.5 * len(parents), engine=client)
    assert far.log_weight("a", ["b", "c"]) == -3.0


def test_a_batch_of_data_sets_comes_back_in_order(client: Any) -> None:
    def evidence(data: arcwise.Data) -> float:
        return float(arcwise.exact(Model(data, max_indegree=2, threads=1)).log_evidence)

    sets = [arcwise.networks.asia().sample(50 + 10 * i, seed=i) for i in range(7)]
    shares: list[float] = []
    far = arcwise.engines.batch(evidence, sets, engine=client, progress=shares.append)
    assert far == arcwise.engines.batch(evidence, sets) == [evidence(data) for data in sets]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_errors_of_the_work_come_back_as_they_are(client: Any, model: Model) -> None:
    with pytest.raises(CapacityError) as near:
        arcwise.ais(model, particles=5, steps=50, extension_budget=1)
    with pytest.raises(CapacityError) as far:
        arcwise.ais(model, particles=5, steps=50, extension_budget=1, engine=client)
    assert str(far.value) == str(near.value)
    with pytest.raises(ZeroDivisionError):
        arcwise.engines.batch(lambda data: 1 / 0, [1, 2], engine=client)


def test_files_are_sent_where_they_cannot_be_seen(
    client: Any, model: Model, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    expected = SAMPLERS["ais"](model)
    engine = DaskEngine(client, folder=tmp_path, shared=False)
    monkeypatch.setattr("arcwise.cluster.connection._CHUNK", 1000)
    engine.cluster._chunk = 1000
    monkeypatch.setenv("ARCWISE_CACHE", str(tmp_path / "cache"))
    host_files.OPENED.clear()
    assert_same_posterior(SAMPLERS["ais"](model, engine=engine), expected)
    names = {path.name for path in (tmp_path / "cache").iterdir()}
    (stored,) = (name for name in names if "." not in name)
    assert (tmp_path / "cache" / stored).read_bytes() == (tmp_path / stored).read_bytes()
    # Damage on the worker's side is found and the file sent anew.
    damaged = bytearray((tmp_path / stored).read_bytes())
    damaged[-5] ^= 4
    (tmp_path / "cache" / stored).write_bytes(damaged)
    host_files.OPENED.clear()
    assert_same_posterior(SAMPLERS["ais"](model, engine=engine), expected)
    assert (tmp_path / "cache" / stored).read_bytes() == (tmp_path / stored).read_bytes()


def test_progress_rises_to_the_end(client: Any, model: Model) -> None:
    for name in ("ais", "mcmc"):
        shares: list[float] = []
        SAMPLERS[name](model, engine=client, progress=shares.append)
        assert shares == sorted(shares)
        assert shares[-1] == 1.0


@pytest.mark.parametrize("sample", [arcwise.ais, arcwise.mcmc])
def test_ctrl_c_returns_what_there_is(sample: Any, client: Any, model: Model) -> None:
    def interrupt(share: float) -> None:
        if share > 0.6:
            raise KeyboardInterrupt

    size = {"particles": 60} if sample is arcwise.ais else {"burn_in": 0.1, "chains": 2}
    with pytest.warns(InterruptedWarning, match="the run was interrupted"):
        posterior = sample(
            model, "partitions", steps=3000, seed=1, engine=client, progress=interrupt, **size
        )
    assert posterior.run.interrupted
    assert abs(posterior.edges - arcwise.exact(model).edges).max() < 0.2


def refuse(error: type[Exception], value: Any) -> str:
    with pytest.raises(error, match=ONE_SENTENCE) as refused, opened_engine(value):
        pass
    return str(refused.value)


def test_what_nobody_uses_is_removed_though_others_remove_it_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = [tmp_path / name for name in ("0" * 64, "1" * 64 + ".lock", ".writing-a", ".arcwise-b")]
    for path in [*old, tmp_path / "mine"]:
        path.touch()
        os.utime(path, (0, 0))
    gone = tmp_path / ("2" * 64)
    there = [gone, *tmp_path.iterdir()]
    monkeypatch.setattr(Path, "iterdir", lambda _: iter(there))
    host_files.publish_payload(1, tmp_path, shared=True)
    monkeypatch.undo()
    left = {path.name for path in tmp_path.iterdir()}
    assert "mine" in left
    assert len(left) == 2


def test_what_is_no_cluster_is_refused_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("arcwise.cluster.connection._CONNECT", 1.0)
    with closed_port() as port:
        closed = f"127.0.0.1:{port}"
        for address in (f"dask://{closed}", f"tcp://{closed}", closed, "nonsense://x"):
            assert f"no Dask scheduler responds at '{address}'" in refuse(EngineError, address)
    known = set(Client._instances)
    for address in ("nonsense", "tcp://", "127.0.0.1", "tls://127.0.0.1:1", "inproc://x"):
        assert f"no Dask scheduler responds at '{address}'" in refuse(EngineError, address)
    gc.collect()
    assert {each.status for each in set(Client._instances) - known} <= {"closed"}  # none lingers
    assert "there is no scheduler file" in refuse(EngineError, tmp_path / "none.json")
    assert "cluster is of type int" in refuse(EngineError, 5)
    refuse(ArgumentError, "")


def test_the_command_line_refuses_a_bad_address(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("arcwise.cluster.connection._CONNECT", 1.0)
    table = tmp_path / "data.csv"
    arcwise.simulate("asia", 50, seed=3).write_csv(table)
    with closed_port() as port:
        assert main(["sample", str(table), "--cluster", f"127.0.0.1:{port}", "--quiet"]) == 2
    assert capsys.readouterr().err.startswith("arcwise: no Dask scheduler responds at")


def test_the_command_line_samples_the_same_on_a_cluster(
    client: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "data.csv"
    arcwise.simulate("asia", 300, seed=3).write_csv(table)
    usual = ["sample", str(table), "--max-indegree", "2", "--algorithm", "ais"]
    usual += ["--particles", "30"]
    usual += ["--steps", "300"]
    address = client.scheduler.address
    assert main([*usual, "--out", str(tmp_path / "near")]) == 0
    assert main([*usual, "--out", str(tmp_path / "far"), "--cluster", address]) == 0
    near, far = ((tmp_path / each / "edges.csv").read_bytes() for each in ("near", "far"))
    assert near == far
    capsys.readouterr()


def test_without_the_package_the_way_to_get_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def without(name: str, package: str | None = None) -> Any:
        if name.startswith("distributed"):
            raise ModuleNotFoundError(name)
        return real(name, package)

    monkeypatch.setattr("arcwise.cluster.connection.import_module", without)
    assert "pip install 'arcwise[cluster]'" in refuse(MissingDependencyError, "127.0.0.1:8786")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"arcwise": "9.9.9"}, "version .* of arcwise, but this process has 9.9.9"),
        ({"python": "9.9"}, "of Python, but this process has 9.9"),
        ({"score_table": 99}, "of the format of score tables, but this process has 99"),
        ({"byte_order": "middle"}, "this machine has middle"),
    ],
)
def test_workers_of_other_versions_are_refused(
    change: dict[str, Any], words: str, client: Any, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = DaskEngine(client)
    own = Versions.own()
    driver = replace(own, **change)
    engine.cluster._versions = driver
    # Workers are threads of this process here: what they answer must stay as it is.
    monkeypatch.setattr("arcwise.cluster.connection.own_versions", lambda: driver)
    with pytest.raises(EngineError, match=words):
        SAMPLERS["ais"](model, engine=engine)


def test_a_worker_of_another_version_that_comes_late_is_refused(
    client: Any, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = DaskEngine(client)
    monkeypatch.setattr(type(engine.cluster), "send_files", lambda self, workers: None)
    engine.cluster._versions = replace(Versions.own(), arcwise="9.9.9")
    monkeypatch.setattr("arcwise.cluster.connection.own_versions", lambda: engine.cluster._versions)
    with pytest.raises(EngineError, match="of arcwise, but this process has"):
        SAMPLERS["ais"](model, engine=engine)


def test_importing_arcwise_imports_no_dask() -> None:
    code = "import sys, arcwise; print([m for m in ('dask', 'distributed') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
