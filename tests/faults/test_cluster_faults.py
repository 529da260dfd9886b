"""Workers killed in the middle of their work: the result is that of an undisturbed run."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from distributed import Client

import arcwise
from arcwise import Model
from arcwise.cluster import DaskEngine
from arcwise.errors import EngineError
from faults.run_processes import finish, kill_under_way, write_data
from support.local_clusters import Process, ProcessCluster, of_processes, wait_until
from support.same_posteriors import assert_same_posterior
from support.shared_pages import mapped_kibibytes


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(arcwise.simulate("asia", 500, seed=1), max_indegree=3)


@pytest.fixture(scope="module")
def annealed(model: Model) -> arcwise.Posterior:
    return anneal(model)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[ProcessCluster]:
    with of_processes(tmp_path, workers=0) as made:
        yield made


def anneal(model: Model, **more: Any) -> arcwise.Posterior:
    return arcwise.ais(model, "partitions", particles=100, steps=2500, seed=2, **more)


SAMPLERS: dict[str, Callable[..., arcwise.Posterior]] = {
    "ais": partial(arcwise.ais, particles=1_500, steps=2500, seed=2),
    "mcmc": partial(arcwise.mcmc, steps=4_000_000, chains=4, seed=2),
    "mc3": partial(arcwise.mc3, steps=500_000, chains=4, temperatures=4, seed=2),
}


class Once:
    """A progress function that does something when a share of the work is done."""

    def __init__(self, share: float, action: Callable[[], object]) -> None:
        self.share, self.action, self.done = share, action, False

    def __call__(self, share: float) -> None:
        if share >= self.share and not self.done:
            self.done = True
            self.action()


def busy_worker(cluster: ProcessCluster) -> Process:
    """Wait for a worker that is at a task, and return it."""
    with Client(cluster.address, set_as_default=False) as client:
        found: list[Process] = []

        def look() -> bool:
            busy = [worker for worker, tasks in client.processing().items() if tasks]
            found[:] = [worker for worker in cluster.workers if worker.address in busy]
            return bool(found)

        wait_until(look)
    return found[0]


@pytest.mark.parametrize("algorithm", SAMPLERS)
def test_workers_killed_in_the_middle(
    algorithm: str,
    cluster: ProcessCluster,
    model: Model,
    record_property: Callable[[str, object], None],
) -> None:
    """Four busy workers die one after another, each followed by a new one."""
    sample = SAMPLERS[algorithm]
    expected = sample(model, "partitions")
    for _ in range(2):
        cluster.add_worker()
    killed: list[Process] = []
    reached = [0.0]

    def kill_on_the_way() -> None:
        while len(killed) < 4:
            wait_until(lambda: reached[0] >= 0.15 * (len(killed) + 1), 120)
            killed.append(busy_worker(cluster))
            killed[-1].kill()
            cluster.add_worker()

    def follow(share: float) -> None:
        reached[0] = share

    killer = threading.Thread(target=kill_on_the_way)
    killer.start()
    found = sample(model, "partitions", engine=cluster.address, progress=follow)
    killer.join()
    assert_same_posterior(found, expected)
    assert len({worker.address for worker in killed}) == 4
    assert all(worker.process.wait(600) == -signal.SIGKILL for worker in killed)
    for _ in killed:
        record_property("kill", [f"workers of {algorithm}", None, None])


def test_all_workers_killed_and_another_started(
    cluster: ProcessCluster, model: Model, annealed: arcwise.Posterior
) -> None:
    for _ in range(2):
        cluster.add_worker()

    def replace_all() -> None:
        for worker in list(cluster.workers):
            worker.kill()
        cluster.add_worker()

    disturb = Once(0.3, replace_all)
    assert_same_posterior(anneal(model, engine=cluster.address, progress=disturb), annealed)
    assert disturb.done


@pytest.mark.parametrize(
    ("algorithm", "size"),
    [
        ("ais", ["--particles", "1500", "--steps", "2500"]),
        ("mcmc", ["--chains", "2", "--steps", "2500000"]),
        ("mc3", ["--chains", "2", "--steps", "400000", "--temperatures", "4"]),
    ],
)
def test_the_driver_killed_and_the_run_resumed(
    algorithm: str,
    size: list[str],
    cluster: ProcessCluster,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """Three times, each after a checkpoint made since it was started."""
    table = write_data(tmp_path / "data.csv")
    asked: list[object] = ["sample", table, "--max-indegree", 3, "--space", "partitions", *size]
    asked += ["--algorithm", algorithm]
    finish(*asked, "--out", tmp_path / "undisturbed")
    for _ in range(2):
        cluster.add_worker()
    far = ["--cluster", cluster.address, "--checkpoint", "0.2"]
    run = tmp_path / "run"
    ledger = run / "ledger.sqlite"
    for kill in range(3):
        command = ["resume", run, *far] if kill else [*asked, "--run", run, *far]
        kill_under_way(1, 0.05, command, ledger, record_property, f"drivers of {algorithm}")
    assert not (run / "edges.csv").exists()
    finish("resume", run, *far)
    undisturbed = (tmp_path / "undisturbed" / "edges.csv").read_bytes()
    assert (run / "edges.csv").read_bytes() == undisturbed


def separate_worker(cluster: ProcessCluster, folder: Path) -> Process:
    """Start a worker that has a folder for files to itself, as on a machine of its own."""
    return cluster.add_worker(ARCWISE_CACHE=str(folder))


def sending(client: Client, folder: Path) -> DaskEngine:
    """Return an engine whose workers do not see the files of this process, and get them slowly."""
    folder.mkdir()
    engine = DaskEngine(client, folder=folder, shared=False)
    engine.cluster._chunk = 2048
    return engine


def stored_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if "." not in path.name]


def test_a_worker_killed_while_it_is_sent_the_table(
    cluster: ProcessCluster, model: Model, annealed: arcwise.Posterior, tmp_path: Path
) -> None:
    folders = [tmp_path / "first", tmp_path / "second"]
    workers = [separate_worker(cluster, folder) for folder in folders]

    def kill_on_the_way() -> None:
        wait_until(lambda: folders[0].exists() and [*folders[0].glob("*.partial")], 60)
        workers[0].kill()

    killer = threading.Thread(target=kill_on_the_way)
    killer.start()
    with Client(cluster.address, set_as_default=False) as client:
        found = anneal(model, engine=sending(client, tmp_path / "driver"))
    killer.join()
    assert_same_posterior(found, annealed)
    assert stored_in(folders[0]) == []
    assert stored_in(folders[1]) == stored_in(tmp_path / "driver")


def test_a_worker_that_comes_late_is_sent_the_table(
    cluster: ProcessCluster, model: Model, annealed: arcwise.Posterior, tmp_path: Path
) -> None:
    early, late = tmp_path / "early", tmp_path / "late"
    separate_worker(cluster, early)
    join = Once(0.1, lambda: separate_worker(cluster, late))
    with Client(cluster.address, set_as_default=False) as client:
        engine = sending(client, tmp_path / "driver")
        assert_same_posterior(anneal(model, engine=engine, progress=join), annealed)
    assert stored_in(late) == stored_in(early) == stored_in(tmp_path / "driver")


def test_workers_of_one_machine_share_one_copy(
    cluster: ProcessCluster, model: Model, tmp_path: Path
) -> None:
    for _ in range(2):
        separate_worker(cluster, tmp_path / "machine")
    with Client(cluster.address, set_as_default=False) as client:
        anneal(model, engine=sending(client, tmp_path / "driver"))
    assert len(stored_in(tmp_path / "machine")) == 1
    for worker in cluster.workers:
        mapped = mapped_kibibytes(worker.process.pid, tmp_path / "machine")
        assert mapped["Private_Dirty"] == mapped["Private_Clean"] == 0
        # Dirty only as the disk has not got all of it yet.
        assert mapped["Shared_Clean"] + mapped["Shared_Dirty"] == mapped["Rss"] > 0


def test_a_worker_without_arcwise_is_refused(cluster: ProcessCluster, model: Model) -> None:
    cluster.add_worker("import sys; sys.modules['arcwise'] = None")
    with pytest.raises(EngineError, match=r"cannot import arcwise .*; install version"):
        anneal(model, engine=cluster.address)
