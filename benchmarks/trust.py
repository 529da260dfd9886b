"""How often the verdict on a run is wrong: runs by default settings, against exact posteriors.

Tables of 8 to 20 variables of many kinds (`trust_tables.py`; `--folder` adds files), each
sampled by every algorithm and space a user can pick, with whatever `arcwise learn` does by
default once the algorithm is named. A run is *falsely assured* if it is called reliable
and the probability of some edge is off by more than 0.1; a run whose edges are all within
0.03 should be called reliable. Of runs called reliable, 95 % of the intervals of edges and
paths should hold the exact probability. One row per run, `--out FILE.csv` keeps them, and what
the file already has is not run again; at the end a line per method and the worst cases.

The default of `learn` is run most often; methods that take long are run less often and on smaller
tables (`METHODS`). Runs of all methods take turns, cheap ones ahead, so that whatever the clock
cuts off is balanced. No run is governed by the clock: a busy machine changes nothing but how
many there are.

    python benchmarks/trust.py --processes 16 --folder data --out trust.csv
    python benchmarks/trust.py --folder data --hard 50 --out hard.csv
    python benchmarks/trust.py --report trust.csv hard.csv
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import multiprocessing
import random
import sys
import tempfile
import time
import warnings
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal

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


@dataclass(frozen=True)
class Method:
    """What is sampled by what, how often, and on tables of how many variables at most.

    Tables that are run again with other seeds have at most `again` variables.
    """

    algorithm: Literal["mcmc", "mc3", "ais", "smc"]
    space: str
    runs: int
    variables: int = 20
    again: int = 11

    @property
    def name(self) -> str:
        """Both, as rows name them."""
        return f"{self.algorithm} {self.space}"


# The first is what `learn` does where it cannot compute exactly.
METHODS = (
    Method("mcmc", "dags", 300),
    *(Method("mcmc", space, 42) for space in ("linear", "buckets:3")),
    *(Method("mcmc", space, 42, 12) for space in ("partitions", "canonical")),
    Method("mcmc", "layerings:3", 8, 8),
    *(Method("mc3", space, 12, 10) for space in ("linear", "dags", "canonical")),
    Method("mc3", "partitions", 8, 10),
    Method("mc3", "layerings:3", 4, 8),
    *(Method("ais", space, 42, 12) for space in ("linear", "partitions", "dags", "canonical")),
    Method("smc", "linear", 42),
    *(Method("smc", space, 12, 10) for space in ("partitions", "canonical")),
    Method("smc", "dags", 8, 10),
)
# Tables on which earlier versions were falsely called reliable, or nearly so; cheap ones first.
HARD = ("mod3", "xor50", "two_ways(8, 40.0, 0.0)", "boston10", "vehicle12, max_indegree=3")
_CHEAP = 40  # runs from which on a method is a cheap one
_AHEAD = 0.6  # of all turns, those in which cheap methods have theirs

Job = tuple[Case, Method, int]


@dataclass(frozen=True)
class Row:
    """A run, what was said of it, and how far it was off."""

    table: str
    variables: int
    method: str
    seed: int
    seconds: float  # of the processor
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


def measured(case: Case, method: Method, seed: int) -> Row:
    """Run a method on a table and compare it with the exact posterior."""
    warnings.simplefilter("ignore")
    model = case.model()
    exact = answer(case, model)
    start = time.process_time()
    found = arcwise.learn(
        model,
        algorithm=method.algorithm,
        space=method.space,
        seed=seed,
        threads=1,
        progress=None,
    )
    seconds = time.process_time() - start
    off = np.abs(found.edges - exact.edges)
    source, target = np.unravel_index(np.argmax(off), off.shape)
    figures = found.run.convergence
    assert found.account is not None
    return Row(
        table=case.name,
        variables=len(model.variables),
        method=method.name,
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


def jobs(arguments: argparse.Namespace) -> list[Job]:
    """Return the runs to make, in turns, so that what is cut off is like the rest."""
    tables = [
        case
        for case in cases(arguments.folder)
        if not arguments.tables or any(name in case.name for name in arguments.tables)
    ]
    if arguments.hard:
        return _hard(tables, range(arguments.first_seed, arguments.first_seed + arguments.hard))
    sizes = {case.name: case.size() for case in tables}
    turns: list[tuple[float, int, Job]] = []
    for place, method in enumerate(METHODS):
        if arguments.methods and method.name not in arguments.methods:
            continue
        own = [case for case in tables if sizes[case.name] <= method.variables]
        count = round(method.runs * arguments.scale)
        draw = random.Random(f"{method.name} {arguments.first_seed}")
        chosen: list[Job] = []
        seed = arguments.first_seed
        while len(chosen) < count and own:
            chosen += ((case, method, seed) for case in draw.sample(own, len(own)))
            own = [case for case in own if sizes[case.name] <= method.again]
            seed += 1
        share = _AHEAD if method.runs >= _CHEAP else 1.0
        turns += (
            (share * (number + 0.5) / count, place, job)
            for number, job in enumerate(chosen[:count])
        )
    if arguments.smallest_first:
        turns = [(float(sizes[job[0].name]), place, job) for _, place, job in turns]
    return [job for _, _, job in sorted(turns, key=lambda turn: turn[:2])]


def _hard(tables: list[Case], seeds: range) -> list[Job]:
    named = [case for case in tables if case.name in HARD]
    if len(named) < len(HARD):
        missing = ", ".join(sorted({*HARD} - {case.name for case in named}))
        raise SystemExit(f"--hard needs a --folder with the tables of {missing}")
    named.sort(key=lambda case: HARD.index(case.name))
    return [(case, METHODS[0], seed) for case in named for seed in seeds]


def _run(job: Job) -> Row | str:
    case, method, seed = job
    try:
        return measured(case, method, seed)
    except Exception as error:  # one run that fails must not end all others
        return f"{case.name}, {method.name}, seed {seed}: {error!r}"


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
    parser.add_argument("--scale", type=float, default=1.0, help="of the number of runs")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--smallest-first", action="store_true", help="instead of in turns")
    parser.add_argument("--hard", type=int, help="seeds of the default on the hard tables alone")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--answers", help="folder that keeps exact posteriors for the next call")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--report", type=Path, nargs="*", help="files of rows to report on")
    arguments = parser.parse_args()
    if arguments.report:
        report([row for path in arguments.report for row in read_rows(path, Row)])
        return
    rows: list[Row] = []
    resumed = arguments.out is not None and arguments.out.exists()
    if resumed:
        rows = read_rows(arguments.out, Row)
    made = {(row.table, row.method, row.seed) for row in rows}
    todo = [
        (case, method, seed)
        for case, method, seed in jobs(arguments)
        if (case.name, method.name, seed) not in made
    ]
    out = sys.stdout if arguments.out is None else arguments.out.open("a", newline="")
    writer = csv.writer(out)
    if not resumed:
        writer.writerow([each.name for each in fields(Row)])
    with (
        tempfile.TemporaryDirectory() as temporary,
        multiprocessing.get_context("spawn").Pool(
            arguments.processes, _keep_answers, (arguments.answers or temporary,)
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
