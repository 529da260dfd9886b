"""How sampling scales over threads and worker processes, and how much work a driver can hand out.

(a) Annealing runs and chains on one and two threads, and on one and two worker processes
of a Dask cluster on this machine. Besides the time, the processor time for the same work:
if it does not grow with the threads, they do not stand in each other's way, whatever else
the machine does. (b) A thousand simulated workers, which sleep instead of sampling, behind a
real scheduler: the share of their time that they were at work; what scheduler and driver can
do at most, with tasks that take no time; and how long a message a task and its result are.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cloudpickle
from distributed import Client, LocalCluster
from measuring import heading, line
from sampling import best_candidates, small_table

import arcwise
from arcwise import Model, _core
from arcwise.cluster import DaskEngine
from arcwise.cluster.connection import Cluster, Spread
from arcwise.cluster.host_files import HostFile
from arcwise.cluster.work import (
    AnnealingWork,
    Done,
    SamplingJob,
    Versions,
    Work,
    as_short_ladder,
    perform,
    values_of,
)
from arcwise.model.score_sums import ScoreSums
from arcwise.records.ladders import linear
from arcwise.records.settings import Recording, filled

CANDIDATES = 10


def processes(count: int) -> LocalCluster:
    return LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, dashboard_address=":0"
    )


def scaling(model: Model, sums: ScoreSums, repetitions: int) -> None:
    jobs: dict[str, Callable[..., object]] = {
        "annealing runs": lambda **where: arcwise.ais(
            model, "partitions", particles=64, steps=6_000, seed=1, sums=sums, **where
        ),
        "chains": lambda **where: arcwise.mcmc(
            model, "partitions", steps=60_000, chains=4, seed=1, sums=sums, **where
        ),
    }
    for name, job in jobs.items():
        heading(f"(a) {name} of {len(model.variables)} variables")
        with (
            processes(1) as one,
            processes(2) as two,
            Client(one, set_as_default=False) as with_one,
            Client(two, set_as_default=False) as with_two,
        ):
            ways: dict[str, dict[str, Any]] = {
                "1 thread": {"threads": 1},
                "2 threads": {"threads": 2},
                "1 worker process": {"threads": 1, "engine": DaskEngine(with_one)},
                "2 worker processes": {"threads": 1, "engine": DaskEngine(with_two)},
            }
            best = dict.fromkeys(ways, (float("inf"), float("inf")))
            for _ in range(repetitions):
                for way, where in ways.items():
                    start, used = time.perf_counter(), processor_time(where)
                    job(**where)
                    times = time.perf_counter() - start, processor_time(where) - used
                    best[way] = min(best[way][0], times[0]), min(best[way][1], times[1])
        alone = best["1 thread"]
        for way, (seconds, used) in best.items():
            figures = f"{seconds:.2f} s, {alone[0] / seconds:.2f} x"
            line(way, f"{figures}, processor {used / alone[1]:.2f} x")


def processor_time(where: dict[str, Any]) -> float:
    """Return the processor time of this process and of the workers, as far as they live."""
    engine = where.get("engine")
    if engine is None:
        return time.process_time()
    elsewhere: dict[str, float] = engine.cluster.client.run(time.process_time)
    return time.process_time() + sum(elsewhere.values())


@dataclass(frozen=True)
class Sleep(Work):
    """Units that take a while and nothing else."""

    seconds: float
    count: int

    def do(self) -> list[int]:
        time.sleep(self.seconds * self.count)
        return [0] * self.count


def many_workers(workers: int, rounds: int) -> None:
    heading(f"(b) {workers} simulated workers")
    per_process = 50
    with (
        LocalCluster(
            n_workers=workers // per_process,
            threads_per_worker=per_process,
            processes=False,
            dashboard_address=":0",
        ) as local,
        Client(local, set_as_default=False) as client,
    ):
        cluster = Cluster(client)
        tasks = 0
        busy = 0.0

        def collect(first: int, count: int, done: Done) -> None:
            nonlocal tasks, busy
            tasks += 1
            busy += done.seconds

        def spread(units: int, seconds: float, where: Any = None) -> tuple[float, float]:
            nonlocal tasks, busy
            tasks, busy = 0, 0.0
            start, used = time.perf_counter(), time.process_time()

            def work(first: int, count: int) -> Work:
                return Sleep(seconds, count)

            Spread(cluster, units, work, collect, where).run()
            return time.perf_counter() - start, time.process_time() - used

        seconds, used = spread(3_000, 0.0, lambda unit: None)  # one by one
        line("tasks that take no time", f"{tasks / seconds:.0f} a second")
        line("processor time for one", f"{1e3 * used / tasks:.2f} ms")
        unit = 0.5
        units = int(workers * rounds * workers / 50 / unit)
        seconds, used = spread(units, unit)
        line(f"units of {unit} s each", f"{units:,} in {seconds:.0f} s")
        line("tasks they were sent as", f"{tasks:,}, {busy / tasks:.1f} s each")
        line("workers at work", f"{busy / (seconds * workers):.0%} of the time")
        line("driver and scheduler at work", f"{used / seconds:.0%} of one core")


def message_sizes(model: Model, sums: ScoreSums) -> None:
    heading(f"(b) messages, annealing runs of {len(model.variables)} variables")
    record = Recording("partitions").record_options(edge_batches=2)
    options = filled(_core.AnnealingOptions(), stretch=5_000, thinning=500, record=record)
    file = HostFile("arcwise scores", "0" * 64, 1 << 30, "/scratch/" + "0" * 64)
    job = SamplingJob(
        file, arcwise.spaces.Partitions(), as_short_ladder(linear(20_000)), values_of(options), 1
    )
    task = cloudpickle.dumps((perform, AnnealingWork(job, 0, 10), Versions.own()))
    line("a task, whatever its length", f"{len(task):,} bytes")
    space = arcwise.spaces.Partitions().build(sums)
    options = filled(options, path=linear(200), stretch=50, thinning=5)
    runs = _core.AnnealedRuns(space, options, 1)
    runs.run(0, 1, 1, None)
    result = cloudpickle.dumps((float(runs.log_weights()[0]), runs.record(0), runs.moves()))
    line("the result of a run", f"{len(result):,} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", nargs="?", help="a table of discrete data")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3, help="tasks of each simulated worker")
    options = parser.parse_args()
    data = small_table(options.table)
    single = Model(data, "bdeu", max_indegree=1)
    model = Model(data, "bdeu", candidates=best_candidates(single, CANDIDATES))
    sums = ScoreSums(model, tabulate="sums")
    message_sizes(model, sums)
    many_workers(options.workers, options.rounds)
    if options.repetitions > 0:
        scaling(model, sums, options.repetitions)


if __name__ == "__main__":
    main()
