"""How long it takes until four independent runs of the modular posterior agree, by method.

Four chains, or four populations, from independent and overdispersed starts agree when every
edge probability of all four is within 0.05, R-hat of the log posterior is below 1.01, and
that of every uncertain edge below 1.05. Of tables whose exact posterior is known, the largest
error against it after the same time is what counts. Every table has its time, the choice of
candidate parents included, which all methods but `learn` share; `learn` has its own choices,
from reading the table on.

Runs are made by several processes, each on cores of its own, and every row is written when it
is known, so that a run in slices can be put together:

    python benchmarks/convergence.py --folder data --processes 8 --out small.csv --tables alarm
    python benchmarks/convergence.py --processes 8 --out large.csv --tables :200: :400:
    python benchmarks/convergence.py --report small.csv large.csv --figure convergence.svg
"""

from __future__ import annotations

import argparse
import csv
import fcntl
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import lru_cache, partial
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

import numpy as np
from convergence_report import CASES, Case, Row, report
from numpy.typing import NDArray
from rows import read_rows

import arcwise
from arcwise import Model, Posterior
from arcwise.data import Data
from arcwise.results import DagSample
from arcwise.statistics.convergence import largest_chain_difference

AGREE = "rhat<1.01, edge_rhat<1.05, difference<0.05"
RUNS = 4
APART = 0.1
# What may be taken beyond the time given, for it to count as kept.
GRACE = 1.05
FIRST_PARTICLES = 128
# Of the time, for sampling even where growth takes nearly all of it.
LEAST_FOR_SAMPLING = 0.2


@dataclass(frozen=True)
class Settings:
    """What all runs have in common."""

    folder: Path | None  # of tables
    cache: Path  # of candidates and exact edges
    seconds_scale: float
    threads: int


@dataclass(frozen=True)
class Task:
    """What a method is to do: by when, and whether runs end once they agree."""

    model: Model
    seconds: float
    seed: int
    threads: int
    until_agreed: bool

    def sampled(self, sampler: Callable[..., Posterior], space: str, **options: Any) -> Posterior:
        rule = {"until": AGREE} if self.until_agreed else {}
        return sampler(
            self.model, space, seconds=self.seconds, chains=RUNS, seed=self.seed,
            threads=self.threads, **rule, **options,
        )  # fmt: skip


def chains(space: str) -> Callable[[Task], Posterior]:
    return lambda task: task.sampled(arcwise.mcmc, space)


def coupled(space: str, ladder: str) -> Callable[[Task], Posterior]:
    return lambda task: task.sampled(arcwise.mc3, space, ladder=ladder)


def populations(task: Task) -> Posterior:
    """Run four populations of more and more particles until they agree."""
    n = len(task.model.variables)
    common: dict[str, Any] = {
        "seed": task.seed,
        "threads": task.threads,
        "stretch": 200 * n,
        "thinning": 2 * n,
    }
    if not task.until_agreed:
        return arcwise.smc(task.model, "canonical", seconds=task.seconds, **common)
    end = time.perf_counter() + task.seconds
    particles = FIRST_PARTICLES
    while True:
        start = time.perf_counter()
        with interrupted_after(GRACE * (end - start)):
            found = arcwise.smc(task.model, "canonical", particles=particles, runs=RUNS, **common)
        taken = time.perf_counter() - start
        if spread(found).max() < 0.05 or time.perf_counter() + 2 * taken > end:
            return found
        particles *= 2


METHODS: dict[str, Callable[[Task], Posterior]] = {
    "partitions": chains("partitions"),
    "dags": chains("dags"),
    "canonical": chains("canonical"),
    "bridge": coupled("canonical", "bridge"),
    "coupled dags": coupled("dags", "adapted"),
    "smc": populations,
}


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Press Ctrl-C when the time is up."""

    def press(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, press)
    signal.setitimer(signal.ITIMER_REAL, max(1.0, seconds))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@lru_cache(maxsize=1)
def table_of(case: Case, folder: Path | None) -> Data:
    """Return the table of a file, or 1,000 rows of a random network."""
    if ":" not in case.name:
        if folder is None:
            raise SystemExit(f"give the --folder that holds {case.name}.csv")
        return arcwise.read(folder / f"{case.name}.csv")
    kind, variables, degree = case.name.split(":")
    dag = arcwise.networks.random_dag(int(variables), expected_degree=float(degree), seed=1)
    if kind == "gaussian":
        return arcwise.networks.gaussian_network(dag, seed=1).sample(1_000, seed=1)
    return arcwise.networks.discrete_network(dag, seed=1).sample(1_000, seed=1)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time make what others then read."""
    with path.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@lru_cache(maxsize=1)
def model_of(case: Case, settings: Settings) -> tuple[Model, float]:
    """Return the model that all methods but `learn` sample, and how long growth took."""
    data = table_of(case, settings.folder)
    if case.max_indegree is not None:
        start = time.perf_counter()
        model = Model(data, max_indegree=case.max_indegree, threads=settings.threads)
        return model, time.perf_counter() - start
    path = settings.cache / f"{case.name.replace(':', '-')}.json"
    with locked(path):
        if not path.exists():
            start = time.perf_counter()
            grown = arcwise.grow(data, seed=1, threads=settings.threads)
            kept = {
                "seconds": time.perf_counter() - start,
                "candidates": dict(grown.candidates),
                "plus_one": grown.model.question.plus_one,
            }
            path.write_text(json.dumps(kept))
    found = json.loads(path.read_text())
    model = Model(
        data,
        candidates=found["candidates"],
        plus_one=found["plus_one"],
        threads=settings.threads,
    )
    return model, found["seconds"]


def exact_edges(case: Case, settings: Settings) -> NDArray[np.float64] | None:
    """Return the exact edges of a table whose error counts."""
    if case.most_error is None:
        return None
    path = settings.cache / f"{case.name}.npy"
    with locked(path):
        if not path.exists():
            model, _ = model_of(case, settings)
            np.save(path, arcwise.exact(model, dags=0, threads=settings.threads).edges)
    edges: NDArray[np.float64] = np.load(path)
    return edges


def spread(posterior: Posterior) -> NDArray[np.float64]:
    """Return by how much the runs differ in each edge: chains as averaged, others by their DAGs."""
    edges = posterior.chain_edges
    if edges is None:
        assert posterior.dags is not None
        assert posterior.dags.chains is not None
        parents, numbers = posterior.dags.parents, posterior.dags.chains
        each = [
            DagSample(posterior.variables, parents[numbers == run]).matrix("edge").probabilities
            for run in np.unique(numbers)
        ]
        edges = np.array(each)
    return np.nan_to_num(largest_chain_difference(edges))


def measured(job: tuple[Case, str, int], settings: Settings) -> Row:
    """Run a method on a table with a seed; a run that comes to nothing says why."""
    case, method, seed = job
    warnings.simplefilter("ignore")
    threads = min(case.threads, settings.threads)
    seconds = case.seconds * settings.seconds_scale
    data = table_of(case, settings.folder)
    exact = exact_edges(case, settings)
    row = partial(Row, case.name, len(data.variables), method, seed, seconds)
    growth = 0.0
    found = None
    note = ""
    start = time.perf_counter()
    try:
        if method == "learn":
            bound: Any = {} if case.max_indegree is None else {"max_indegree": case.max_indegree}
            found = arcwise.learn(
                data, seconds=seconds, seed=seed, threads=threads, progress=None, **bound
            )
        else:
            model, growth = model_of(case, settings)
            left = max(seconds - growth, LEAST_FOR_SAMPLING * seconds)
            start = time.perf_counter()
            found = METHODS[method](Task(model, left, seed, threads, case.most_error is None))
    except arcwise.errors.ArcwiseError as error:
        note = str(error)
    except KeyboardInterrupt:
        note = "nothing was finished in time"
    taken = round(growth + time.perf_counter() - start, 2)
    if found is None:
        return row(taken, round(growth, 2), reached=False, note=note)
    if exact is not None and method == "learn":
        # Its prior is its own.
        exact = found.edges
        if found.algorithm != "exact":
            assert found.model is not None
            exact = arcwise.exact(found.model, dags=0, threads=threads).edges
    return judged(row, found, case, taken, growth, exact)


def judged(
    row: Callable[..., Row],
    found: Posterior,
    case: Case,
    taken: float,
    growth: float,
    exact: NDArray[np.float64] | None,
) -> Row:
    """Return the row of a run that came to its end."""
    figures = found.run.convergence
    sampled = found.algorithm != "exact"
    apart = spread(found) if sampled else np.zeros((1, 1))
    difference = float(apart.max())
    error = None if exact is None else float(np.abs(found.edges - exact).max())
    if error is not None and case.most_error is not None:
        reached = error < case.most_error
    else:
        reached = not sampled or (
            difference < 0.05
            and (figures.rhat is None or figures.rhat < 1.01)
            and (figures.edge_rhat is None or figures.edge_rhat < 1.05)
        )
    names = found.variables
    worst = [divmod(int(each), len(names)) for each in np.argsort(-apart, axis=None)[:3]]
    made = row(
        taken, round(growth, 2), reached, figures.rhat, figures.edge_rhat, difference,
        int((apart > APART).sum()), error,
        ", ".join(f"{names[a]} -> {names[b]} {apart[a, b]:.2f}" for a, b in worst if sampled),
        str(found.algorithm),
    )  # fmt: skip
    late = taken > GRACE * made.budget + 0.5
    return Row(**(asdict(made) | {"reached": reached and not late}))


def take_cores(slots: Queue[tuple[int, ...]]) -> None:
    """Keep this process to cores that no other has."""
    os.sched_setaffinity(0, slots.get())


def jobs(arguments: argparse.Namespace) -> list[tuple[Case, str, int]]:
    """Return the runs asked for, in an order in which what is cut off is like the rest."""
    cases = [
        case
        for case in CASES
        if not arguments.tables or any(part in case.name for part in arguments.tables)
    ]
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    chosen = [(case, way, seed) for case in cases for way in arguments.methods for seed in seeds]
    random.Random(1).shuffle(chosen)
    # Large ones first: otherwise the last run of all may be the longest. Tables stay together, so
    # that a process has the model it needs.
    return sorted(chosen, key=lambda job: (-job[0].seconds, CASES.index(job[0])))


def main() -> None:
    """Make the runs asked for, or report on those that were kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="of the tables that are files")
    parser.add_argument("--tables", nargs="*", help="parts of the names of tables; all")
    parser.add_argument("--methods", nargs="*", default=[*METHODS, "learn"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seconds-scale", type=float, default=1.0, help="of all times")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--cores-per-run", type=int, default=2)
    parser.add_argument("--cache", type=Path, help="of candidates and exact edges, to keep")
    parser.add_argument("--out", type=Path, help="a .csv file of rows, added to")
    parser.add_argument("--report", type=Path, nargs="*", help="files of rows to report on")
    parser.add_argument("--figure", type=Path, help="an .svg file for the figure")
    arguments = parser.parse_args()
    if arguments.report:
        report([row for path in arguments.report for row in read_rows(path, Row)], arguments.figure)
        return
    unknown = set(arguments.methods) - {*METHODS, "learn"}
    if unknown:
        parser.error(f"no methods: {', '.join(sorted(unknown))}")
    free, each = sorted(os.sched_getaffinity(0)), arguments.cores_per_run
    if arguments.processes * each > len(free):
        parser.error(f"there are {len(free)} cores for {arguments.processes} x {each}")
    todo = jobs(arguments)
    print(f"{len(todo)} runs, at most {_hours(todo, arguments):.1f} hours", file=sys.stderr)
    with tempfile.TemporaryDirectory() as temporary:
        cache = arguments.cache or Path(temporary)
        cache.mkdir(parents=True, exist_ok=True)
        settings = Settings(arguments.folder, cache, arguments.seconds_scale, each)
        rows = list(_run(todo, settings, free, arguments))
    report(rows, arguments.figure)


def _hours(todo: list[tuple[Case, str, int]], arguments: argparse.Namespace) -> float:
    seconds = sum(case.seconds for case, _, _ in todo) * arguments.seconds_scale
    return float(seconds / arguments.processes / 3600)


def _run(
    todo: list[tuple[Case, str, int]],
    settings: Settings,
    free: list[int],
    arguments: argparse.Namespace,
) -> Iterator[Row]:
    new = arguments.out is None or not arguments.out.exists()
    out = sys.stdout if arguments.out is None else arguments.out.open("a", newline="")
    writer = csv.writer(out)
    if new:
        writer.writerow([each.name for each in fields(Row)])
    context = multiprocessing.get_context("spawn")
    slots: Queue[tuple[int, ...]] = context.Queue()
    for i in range(arguments.processes):
        slots.put(tuple(free[i * settings.threads : (i + 1) * settings.threads]))
    with context.Pool(arguments.processes, take_cores, (slots,)) as pool:
        for row in pool.imap_unordered(partial(measured, settings=settings), todo):
            writer.writerow(asdict(row).values())
            out.flush()
            yield row


if __name__ == "__main__":
    main()
