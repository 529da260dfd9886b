"""How often the verdict on a run is wrong: runs by default settings, against exact posteriors.

Tables of 8 to 20 variables of many kinds (`trust_tables.py`; `--folder` adds files), each
sampled by every algorithm and space a user can pick, with whatever `arcwise learn` does by
default once the algorithm is named. A run is *falsely assured* if it is called reliable
and the probability of some edge is off by more than 0.1; a run whose edges are all within
0.03 should be called reliable. Of runs called reliable, 95 % of the intervals of edges and
paths should hold the exact probability. One row per run, `--out FILE.csv` keeps them; at the end a
line per method and the worst cases.

    python benchmarks/trust.py --processes 16 --folder data --seeds 2 --out trust.csv
    python benchmarks/trust.py --report trust.csv
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import itertools
import multiprocessing
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from interval_coverage import Coverage, coverage
from interval_coverage import report as report_coverage
from rows import read_rows
from trust_tables import Case, cases

import arcwise
from arcwise import Model

RELIABLE = ("reliable", "exact")
WRONG, RIGHT = 0.1, 0.03
_MOST_FOR_PATHS = 14  # variables for which exact paths take no longer than the run

# The first is what `learn` does where it cannot compute exactly.
METHODS = (
    ("mcmc", "dags"),
    *itertools.product(
        ("mcmc",),
        ("linear", "buckets:3", "partitions", "layerings:3", "canonical"),
    ),
    *itertools.product(("mc3",), ("linear", "partitions", "layerings:3", "dags", "canonical")),
    *itertools.product(("ais", "smc"), ("linear", "partitions", "dags", "canonical")),
)

Job = tuple[Case, tuple[str, str], int]
# These take half a minute or more a run, and get a quarter of the tables of others.
SLOW = {
    ("mcmc", "layerings:3"),
    ("mc3", "layerings:3"),
    ("mc3", "partitions"),
    ("smc", "partitions"),
    ("smc", "dags"),
}


@dataclass(frozen=True)
class Row:
    """A run, what was said of it, and how far it was off."""

    table: str
    variables: int
    method: str
    seed: int
    seconds: float
    verdict: str
    error: float
    edge: str
    said: float
    exact: float
    rule_met: bool | None
    rhat: float | None
    edge_rhat: float | None
    ess: float | None
    difference: float | None
    shortfall: float | None  # nats from the best DAG sampled to the best DAG there is
    edges_held: str  # as `Coverage` writes it
    paths_held: str


_answers = Path()


def _keep_answers(folder: str) -> None:
    global _answers  # one for each process
    _answers = Path(folder)


def answer(case: Case, model: Model) -> arcwise.Posterior:
    """Return the exact posterior, computed once for all processes of this benchmark."""
    path = _answers / f"{hashlib.sha256(case.name.encode()).hexdigest()}.npz"
    if path.exists():
        return arcwise.Posterior.load(path)
    exact = arcwise.exact(model, threads=1, paths=len(model.variables) <= _MOST_FOR_PATHS)
    exact.save(path)  # at once or not at all, so that no other process reads half of it
    return exact


def measured(case: Case, method: tuple[str, str], seed: int) -> Row:
    """Run a method on a table and compare it with the exact posterior."""
    warnings.simplefilter("ignore")
    algorithm, space = method
    model = case.model()
    exact = answer(case, model)
    sampler = {"algorithm": algorithm, "space": space}
    start = time.perf_counter()
    found = arcwise.learn(model, seed=seed, threads=1, progress=None, **sampler)  # type: ignore[arg-type]
    seconds = time.perf_counter() - start
    off = np.abs(found.edges - exact.edges)
    source, target = np.unravel_index(np.argmax(off), off.shape)
    figures = found.run.convergence
    assert found.account is not None
    return Row(
        table=case.name,
        variables=len(model.variables),
        method=f"{algorithm} {space}",
        seed=seed,
        seconds=round(seconds, 2),
        verdict=found.account.verdict,
        error=float(off.max()),
        edge=f"{model.variables[source]} -> {model.variables[target]}",
        said=float(found.edges[source, target]),
        exact=float(exact.edges[source, target]),
        rule_met=getattr(found.run, "rule_met", None),
        rhat=figures.rhat,
        edge_rhat=figures.edge_rhat,
        ess=figures.ess,
        difference=figures.difference,
        shortfall=None
        if found.map_log_weight is None or exact.map_log_weight is None
        else exact.map_log_weight - found.map_log_weight,
        edges_held=str(coverage(found, exact, "->", seed)),
        paths_held=str(Coverage() if exact.paths is None else coverage(found, exact, "~>", seed)),
    )


def jobs(arguments: argparse.Namespace) -> Iterator[Job]:
    """Give the runs to make: the default of `learn` on all tables, others on a share of them."""
    chosen = random.Random(arguments.first_seed)
    for case in cases(arguments.folder):
        if arguments.tables and not any(name in case.name for name in arguments.tables):
            continue
        for method in METHODS:
            name = " ".join(method)
            if arguments.methods and name not in arguments.methods:
                continue
            default = method == METHODS[0]
            share = arguments.share / 4 if method in SLOW else arguments.share
            for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
                if default or arguments.methods or chosen.random() < share:
                    yield case, method, seed


def _run(job: Job) -> Row | str:
    case, method, seed = job
    try:
        return measured(case, method, seed)
    except Exception as error:  # one run that fails must not end all others
        return f"{case.name}, {' '.join(method)}, seed {seed}: {error!r}"


def report(rows: list[Row]) -> None:
    """Print a line per method, and the worst cases."""
    print(f"\n{len(rows)} runs of {len({row.table for row in rows})} tables")
    print(
        f"{'method':<20}{'runs':>6}{'reliable':>10}{'falsely':>9}{'good':>7}"
        f"{'of these reliable':>19}"
    )
    for method in [*dict.fromkeys(row.method for row in rows), None]:
        own = [row for row in rows if method is None or row.method == method]
        said = [row for row in own if row.verdict in RELIABLE]
        wrong = [row for row in said if row.error > WRONG]
        good = [row for row in own if row.error < RIGHT]
        useful = sum(row.verdict in RELIABLE for row in good)
        print(
            f"{method or 'all':<20}{len(own):>6}{len(said):>10}{len(wrong):>9}{len(good):>7}"
            f"{useful / max(1, len(good)):>19.1%}"
        )
    print("\nThe worst called reliable:")
    for row in sorted(rows, key=lambda row: -row.error * (row.verdict in RELIABLE))[:10]:
        print(
            f"  {row.error:.3f}  {row.table}, {row.method}, seed {row.seed}: {row.edge} "
            f"{row.said:.3f}, exact {row.exact:.3f} ({row.verdict})"
        )
    for feature in ("edges", "paths"):
        print(f"\nIntervals for {feature} that hold the exact probability, of runs called reliable")
        report_coverage(
            (row.method, Coverage.read(getattr(row, f"{feature}_held")))
            for row in rows
            if row.verdict in RELIABLE
        )


def main() -> None:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="of further tables")
    parser.add_argument("--tables", nargs="*", help="parts of the names of tables")
    parser.add_argument("--methods", nargs="*", help="such as 'mcmc dags'")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=0.5, help="of tables, for other methods")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--report", type=Path, nargs="*", help="files of rows to report on")
    arguments = parser.parse_args()
    if arguments.report:
        report([row for path in arguments.report for row in read_rows(path, Row)])
        return
    todo = list(jobs(arguments))
    random.Random(1).shuffle(todo)  # so that what is cut off is like the rest
    rows: list[Row] = []
    out = sys.stdout if arguments.out is None else arguments.out.open("w", newline="")
    writer = csv.writer(out)
    writer.writerow([each.name for each in fields(Row)])
    with (
        tempfile.TemporaryDirectory() as folder,
        multiprocessing.get_context("spawn").Pool(
            arguments.processes, _keep_answers, (folder,)
        ) as pool,
    ):
        for found in pool.imap_unordered(_run, todo):
            if isinstance(found, str):
                print(found, file=sys.stderr)
                continue
            rows.append(found)
            writer.writerow(asdict(found).values())
            out.flush()
    report(rows)


if __name__ == "__main__":
    main()
