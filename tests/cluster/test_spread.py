"""The driver's loop on simulated clusters: a thousand workers, losses, nothing counted twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import _core
from arcwise.cluster import connection
from arcwise.cluster.connection import Spread
from arcwise.cluster.host_files import HostFile
from arcwise.cluster.work import (
    AnnealingWork,
    Done,
    Failed,
    Missing,
    SamplingJob,
    Work,
    as_short_ladder,
    values_of,
)
from arcwise.errors import CapacityError, EngineError
from arcwise.records.settings import Recording, filled, linear
from support.simulated_cluster import Future, Lost, SimulatedCluster


@dataclass(frozen=True)
class Units(Work):
    first: int
    count: int
    seconds: float

    def do(self) -> list[int]:
        return list(range(self.first, self.first + self.count))


class Landing(Spread):
    """A spread that lets simulated tasks come down when it waits for them."""

    def _wait(self) -> list[Any]:
        self.cluster.land()  # type: ignore[attr-defined]
        return [] if self._landed.empty() else super()._wait()


def spread(cluster: SimulatedCluster, units: int, seconds: Any = 1.0, **more: Any) -> list[int]:
    """Hand out units and return their numbers in the order in which they were counted."""
    counted: list[int] = []
    durations = np.broadcast_to(np.asarray(seconds, dtype=float), (units,))

    def work(first: int, count: int) -> Work:
        return Units(first, count, float(durations[first : first + count].sum()))

    def collect(first: int, count: int, done: Done) -> None:
        counted.extend(done.value)

    Landing(cluster, units, work, collect, **more).run()  # type: ignore[arg-type]
    return counted


@pytest.mark.parametrize("seconds", [0.001, 0.1, 3.0, 100.0])
def test_a_thousand_workers_are_kept_busy_by_few_tasks(seconds: float) -> None:
    workers = 1000
    random = np.random.default_rng(1)
    units = int(min(200_000, workers * max(20, 60 / seconds)))
    # Units of very different lengths, as annealing runs are not.
    durations = seconds * random.gamma(2.0, 0.5, units)
    cluster = SimulatedCluster(workers)
    assert sorted(spread(cluster, units, durations)) == list(range(units))
    whole = durations.sum()
    longest = workers / connection._TASKS_PER_SECOND
    # All workers are at work but for the last tasks.
    assert cluster.now < whole / workers + 1.5 * longest + durations.max()
    # Fewer tasks a second than a driver and a scheduler can take, several hundred; at first there
    # are short ones, to find out how long the units are.
    assert cluster.tasks < 8 * workers + 150 * cluster.now


def test_a_task_is_a_short_message_however_long_the_work() -> None:
    record = Recording().record_options(edge_batches=2)
    options = filled(_core.AnnealingOptions(), stretch=250, thinning=25, record=record)
    file = HostFile("arcwise scores", "0" * 64, 1 << 30, "/scratch/somewhere/" + "0" * 64)
    sizes = []
    for steps in (10, 1_000_000):
        ladder = as_short_ladder(linear(steps))
        job = SamplingJob(file, arcwise.spaces.LinearOrders(), ladder, values_of(options), seed=1)
        cluster = SimulatedCluster(1)
        work = AnnealingWork(job, 0, 1)
        object.__setattr__(work, "seconds", 1.0)
        cluster.submit([work], None)
        sizes += cluster.bytes
    assert max(sizes) < 1500
    assert sizes[1] - sizes[0] < 10


def test_lost_tasks_are_done_again_and_nothing_counts_twice() -> None:
    random = np.random.default_rng(2)
    lost = random.random(20_000) < 0.03
    cluster = SimulatedCluster(7, lambda number: Lost() if lost[number] else None)
    assert sorted(spread(cluster, 5000, 0.2)) == list(range(5000))
    assert lost[: cluster.tasks].sum() > 3


def test_results_that_come_twice_count_once() -> None:
    counted: list[int] = []

    def collect(first: int, count: int, done: Done) -> None:
        counted.extend(done.value)

    cluster = SimulatedCluster(3)
    twice = Landing(cluster, 50, lambda f, c: Units(f, c, 1.0), collect)  # type: ignore[arg-type]
    take = twice._take

    def take_twice(block: Any, result: Done) -> None:
        take(block, result)
        take(block, result)

    twice._take = take_twice  # type: ignore[method-assign]
    twice.run()
    assert sorted(counted) == list(range(50))


def test_a_task_that_kills_every_worker_is_given_up() -> None:
    cluster = SimulatedCluster(5, lambda number: Lost())
    with pytest.raises(EngineError, match="several workers died while running the same task"):
        spread(cluster, 50)
    assert cluster.cancelled


def test_files_go_to_workers_that_miss_them() -> None:
    cluster = SimulatedCluster(3, lambda number: Missing(f"late {number}") if number < 4 else None)
    assert sorted(spread(cluster, 40)) == list(range(40))
    assert cluster.sent_files_to == [f"late {number}" for number in range(4)]


def test_errors_of_the_work_end_the_run() -> None:
    for fate, error in ((Failed(CapacityError, "too much"), CapacityError), (KeyError(), KeyError)):
        cluster = SimulatedCluster(3, lambda number, fate=fate: fate if number == 5 else None)
        with pytest.raises(error):
            spread(cluster, 40)


def test_units_that_go_on_stay_where_they_are() -> None:
    left = {unit: unit % 4 for unit in range(12)}
    workers: list[str | None] = []

    class Pinning(SimulatedCluster):
        def submit(self, works: Any, worker: str | None) -> Any:
            workers.append(worker)
            return super().submit(works, worker)

    def collect(unit: int, count: int, done: Done) -> bool:
        left[unit] -= 1
        return left[unit] < 0

    cluster = Pinning(4)
    made = Landing(cluster, 12, lambda f, c: Units(f, c, 1.0), collect, lambda unit: None)  # type: ignore[arg-type]
    made.run()
    assert set(left.values()) == {-1}
    assert workers.count("worker 0") == sum(unit % 4 for unit in range(12))


def test_a_cluster_without_workers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_NO_WORKERS", -1.0)
    monkeypatch.setattr(connection, "_LOOK_AROUND", 0.0)
    cluster = SimulatedCluster(1, lambda number: Lost())
    cluster.workers = []
    with pytest.raises(EngineError, match="has had no workers for"):
        spread(cluster, 5)


class Gone(SimulatedCluster):
    """A cluster whose scheduler no longer responds."""

    def is_reachable(self) -> bool:
        return False

    def submit(self, works: Any, worker: str | None) -> Any:
        raise OSError("connection reset by peer")


def test_a_scheduler_that_is_gone_is_named() -> None:
    with pytest.raises(EngineError, match=r"the scheduler of .* no longer responds \(OSError\)"):
        spread(Gone(2), 5)


def test_an_error_of_another_kind_is_told_as_it_is_while_the_scheduler_responds() -> None:
    def fail(first: int, count: int) -> Work:
        raise RuntimeError("a mistake of our own")

    with pytest.raises(RuntimeError, match="a mistake of our own"):
        Landing(SimulatedCluster(2), 5, fail, lambda *_: None).run()  # type: ignore[arg-type]


def test_work_that_waits_for_a_worker_that_is_gone_is_done_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "_LOOK_AROUND", 0.0)
    cluster = SimulatedCluster(2)
    honest = cluster.submit
    stranded: list[Any] = []

    def submit(works: Any, worker: str | None) -> list[Any]:
        if worker != "worker 1":
            return honest(works, worker)
        # The worker has left, and what is bound to it stays where it is.
        cluster.workers = ["worker 0"]
        futures = [Future(work, worker) for work in works]
        stranded.extend(futures)
        return futures

    monkeypatch.setattr(cluster, "submit", submit)
    counted = spread(cluster, 6, where=lambda unit: "worker 1" if unit == 3 else None)
    assert sorted(counted) == list(range(6))
    assert cluster.cancelled == stranded
    assert len(stranded) == 1
