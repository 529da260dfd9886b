"""Whether the evidence is right: its intervals against exact values, and runs against each other.

Models of 8 to 20 variables, discrete and Gaussian, free and constrained, are drawn at random, and
their evidence is estimated by every method with budgets from far too short to ample. A row is one
estimate: what was said, the exact value, the interval and the verdict. The report tells for each
method and budget how many estimates state an error at all, and how many of the intervals hold the
exact value; they should be 95 %, whatever the budget. Rows are written as they come, and what was
written can be reported on, or continued by another first model, later.

With ``--large``, tables of the user's are too large for exact values: several runs, each with a
seed of its own, should be close to each other.
"""

from __future__ import annotations

import argparse
import csv
import math
import multiprocessing
import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rows import read_rows

import arcwise
from arcwise import Model
from arcwise.algorithms.evidence import combination
from arcwise.results import Evidence

SIZES = (8, 9, 10, 12, 8, 11, 10, 14, 9, 12, 16, 8, 10, 13, 18, 9, 11, 12, 15, 20)
BUDGETS = ("far too short", "short", "ample")


@dataclass(frozen=True)
class Row:
    """One estimate."""

    model: int
    variables: int
    score: str
    rule: str
    method: str
    budget: str
    seconds: float  # of the processor
    exact: float
    said: float
    standard_error: float | None
    low: float | None
    high: float | None
    effective_runs: float | None
    verdict: str
    lower_bound: float | None

    @property
    def stated(self) -> bool:
        """Whether an interval was stated."""
        return self.low is not None

    @property
    def covered(self) -> bool:
        """Whether the interval holds the exact value."""
        return (
            self.low is not None and self.high is not None and self.low <= self.exact <= self.high
        )


def model_of(number: int) -> tuple[Model, str, str]:
    """Return the model of a number, with its score and its constraints in words."""
    n = SIZES[number % len(SIZES)]
    draw = np.random.default_rng(number)
    rows = int(draw.choice([40, 100, 300, 1000]))
    degree = float(draw.choice([1.0, 2.0, 3.0]))
    dag = arcwise.networks.random_dag(n, expected_degree=degree, seed=number)
    discrete = bool(draw.random() < 0.5)
    network: Any
    if discrete:
        network = arcwise.networks.discrete_network(dag, levels=(2, 3), seed=number)
    else:
        network = arcwise.networks.gaussian_network(dag, seed=number)
    data = network.sample(rows, seed=number)
    options: dict[str, Any] = {"max_indegree": int(draw.choice([2, 3]))}
    rule = f"max_indegree={options['max_indegree']}"
    kind = draw.random()
    names = data.variables
    if kind < 0.2:
        options["prior"] = "fair"
        rule += ", fair"
    elif kind < 0.4:
        options["required_edges"] = [(names[0], names[1])]
        options["forbidden_edges"] = [(names[2], names[3]), (names[4], names[0])]
        rule += ", constrained"
    model = Model(data, "bdeu" if discrete else "bge", threads=1, **options)
    return model, "BDeu" if discrete else "BGe", rule


Estimate = Callable[[Model, int, int], Evidence]


def _estimates() -> dict[str, Estimate]:
    """Return the methods: each estimates the evidence with a budget, the first the shortest."""

    def ais(space: str) -> Estimate:
        return lambda model, budget, seed: arcwise.evidence(
            model,
            "ais",
            space=space,
            steps=(10, 50, 400)[budget] * len(model.variables),
            particles=100,
            estimate_extensions=True,
            seed=seed,
            threads=1,
        )

    def smc(model: Model, budget: int, seed: int) -> Evidence:
        particles = (8, 32, 128)[budget]
        return arcwise.evidence(model, "smc", particles=particles, runs=8, seed=seed, threads=1)

    def mc3(model: Model, budget: int, seed: int) -> Evidence:
        steps = (400, 3_000, 30_000)[budget]
        return arcwise.evidence(model, "mc3", steps=steps, seed=seed, threads=1)

    def bridge(model: Model, budget: int, seed: int) -> Evidence:
        steps = (5, 40, 200)[budget] * len(model.variables)
        return arcwise.evidence(model, "bridge", steps=steps, seed=seed, threads=1)

    def bennett(model: Model, budget: int, seed: int) -> Evidence:
        return arcwise.evidence(
            model,
            "bennett",
            particles=(8, 32, 128)[budget],
            runs=8,
            steps=(500, 4_000, 30_000)[budget],
            draws=(200, 1_000, 4_000)[budget],
            seed=seed,
            threads=1,
        )

    return {
        "ais partitions": ais("partitions"),
        "ais linear": ais("linear"),
        "smc": smc,
        "mc3": mc3,
        "bridge": bridge,
        "bennett": bennett,
    }


METHODS = _estimates()
COMBINED = {
    "combined bridge + smc": ("bridge", "smc"),
    "combined smc + mc3": ("smc", "mc3"),
    "combined bennett + smc": ("bennett", "smc"),
}


def measured(
    number: int, methods: list[str] | None = None, budgets: Sequence[str] = BUDGETS
) -> list[Row]:
    """Return the rows of a model."""
    warnings.simplefilter("ignore")  # what they say is in the verdict
    model, score, rule = model_of(number)
    exact = arcwise.exact(model, threads=1).log_evidence
    assert exact is not None

    def row(method: str, budget: str, seconds: float, found: Evidence) -> Row:
        interval, bound = found.interval, found.lower_bound
        return Row(
            model=number,
            variables=len(model.variables),
            score=score,
            rule=rule,
            method=method,
            budget=budget,
            seconds=round(seconds, 3),
            exact=exact,
            said=found.log_evidence,
            standard_error=found.standard_error,
            low=None if interval is None else interval.low,
            high=None if interval is None else interval.high,
            effective_runs=found.effective_runs,
            verdict=found.verdict,
            lower_bound=None if bound is None else bound.value,
        )

    rows = []
    for place, budget in enumerate(BUDGETS):
        if budget not in budgets:
            continue
        found: dict[str, tuple[Evidence, float]] = {}
        for method, estimate in METHODS.items():
            if methods and method not in methods:
                continue
            start = time.process_time()
            try:
                evidence = estimate(model, place, 1000 * number + place)
            except arcwise.errors.ArcwiseError as error:
                print(f"model {number}, {method}, {budget}: {error}", file=sys.stderr)
                continue
            found[method] = evidence, time.process_time() - start
            rows.append(row(method, budget, found[method][1], evidence))
        for method, parts in COMBINED.items():
            if all(part in found for part in parts):
                together = combination([found[part][0] for part in parts])
                spent = sum(found[part][1] for part in parts)
                rows.append(row(method, budget, spent, together))
    return rows


def report(rows: list[Row]) -> None:
    """Print a line for each method and budget."""
    print(f"\n{len({row.model for row in rows})} models, {len(rows)} estimates\n")
    print(
        "| method | budget | estimates | state an error | cover | too low | too high | median "
        "standard error | off, no error stated | bounds that hold |"
    )
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for method in dict.fromkeys(row.method for row in rows):
        for budget in (*BUDGETS, None):
            _line(
                method,
                budget,
                [r for r in rows if r.method == method and budget in (None, r.budget)],
            )
    wrong = [row for row in rows if row.stated and not row.covered]
    print("\nThe ten worst, in nats:")
    for each in sorted(wrong, key=lambda row: -abs(row.said - row.exact))[:10]:
        print(
            f"  {each.said - each.exact:+.3f} ± {each.standard_error or 0.0:.3f}  model "
            f"{each.model}, {each.variables} variables, {each.score}, {each.rule}; {each.method}, "
            f"{each.budget}"
        )


def _line(method: str, budget: str | None, own: list[Row]) -> None:
    if not own:
        return
    stated = [row for row in own if row.stated]
    few = [abs(row.said - row.exact) for row in own if not row.stated]
    bounded = [row for row in own if row.lower_bound is not None]
    hold = sum(row.lower_bound <= row.exact for row in bounded if row.lower_bound is not None)
    share = max(1, len(stated))
    below = sum(row.high is not None and row.high < row.exact for row in stated)
    above = sum(row.low is not None and row.low > row.exact for row in stated)
    errors = [row.standard_error for row in stated if row.standard_error is not None]
    print(
        f"| {method} | {budget or 'all'} | {len(own)} | {len(stated) / len(own):.0%} | "
        f"{sum(row.covered for row in stated) / share:.1%} | {below / share:.1%} | "
        f"{above / share:.1%} | {np.median(errors) if errors else math.nan:.3f} | "
        f"{np.median(few) if few else math.nan:.2f} | {hold} of {len(bounded)} |"
    )


def large(paths: list[Path], arguments: argparse.Namespace) -> None:
    """Print what several runs say of each table, one after the other, and how far apart they are.

    With seconds, runs are of the default; without, which a busy machine does not change, of
    Bennett's acceptance ratio as it is by default, on which the default spends most of its time.
    """
    warnings.simplefilter("ignore")
    seconds, threads = arguments.seconds, arguments.threads
    print("| table | seed | log evidence | standard error | verdict | processor seconds |")
    print("|---|---:|---:|---:|---|---:|")
    for path in paths:
        data = arcwise.read(path, constant="drop")
        model = arcwise.grow(data, seed=1, threads=threads).model
        values = []
        for seed in range(arguments.first, arguments.first + arguments.runs):
            start = time.process_time()
            found = arcwise.evidence(
                model,
                "bennett" if seconds is None else "combined",
                seconds=seconds,
                seed=seed,
                threads=threads,
            )
            values.append(found.log_evidence)
            error = found.standard_error
            print(
                f"| {path.stem} | {seed} | {found.log_evidence:.3f} | "
                f"{'-' if error is None else f'{error:.3f}'} | {found.verdict} | "
                f"{time.process_time() - start:.0f} |",
                flush=True,
            )
            for part in found.parts or (found,):
                print(
                    f"  {part.method} {part.log_evidence:.3f}, error {part.standard_error}, "
                    f"effective {part.effective_runs}, prior {part.log_prior_constant:.3f}, error "
                    f"{part.log_prior_constant_error:.3f} {' '.join(part.doubts)}",
                    file=sys.stderr,
                    flush=True,
                )
        print(f"{path.stem}: {len(model.variables)} variables, apart by {np.ptp(values):.3f}")


def main() -> None:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="the first model, or the first seed")
    parser.add_argument("--most-variables", type=int, default=20)
    parser.add_argument("--methods", nargs="*", choices=[*METHODS], help="only some of them")
    parser.add_argument("--budgets", nargs="*", choices=BUDGETS, default=BUDGETS)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="when to stop; of a run with --large")
    parser.add_argument("--out", type=Path, help="the .csv file to write")
    parser.add_argument("--report", type=Path, nargs="*", help="files of rows to report on")
    parser.add_argument("--large", type=Path, nargs="*", help="tables without exact values")
    parser.add_argument("--runs", type=int, default=4, help="of each large table")
    parser.add_argument("--threads", type=int, help="of runs on large tables")
    arguments = parser.parse_args()
    if arguments.large:
        large(arguments.large, arguments)
        return
    if arguments.report:
        report([row for path in arguments.report for row in read_rows(path, Row)])
        return
    numbers = [
        number
        for number in range(arguments.first, arguments.first + arguments.models)
        if SIZES[number % len(SIZES)] <= arguments.most_variables
    ]
    # The largest first, which take longest; a time limit then leaves out small ones.
    if arguments.seconds is None:
        numbers.sort(key=lambda number: -SIZES[number % len(SIZES)])
    start = time.monotonic()
    rows: list[Row] = []
    out = sys.stdout if arguments.out is None else arguments.out.open("w", newline="")
    writer = csv.writer(out)
    writer.writerow([each.name for each in fields(Row)])
    pool = multiprocessing.get_context("spawn").Pool(arguments.processes)
    results = pool.imap_unordered(
        partial(measured, methods=arguments.methods, budgets=arguments.budgets), numbers
    )
    for _ in numbers:
        left = None
        if arguments.seconds is not None:
            left = max(0.0, arguments.seconds - (time.monotonic() - start))
        try:
            found = results.next(left)
        except multiprocessing.TimeoutError:
            break
        rows += found
        for row in found:
            writer.writerow(["" if value is None else value for value in asdict(row).values()])
        out.flush()
    report(rows)
    sys.stdout.flush()
    # A run that is told to end returns what it has, and its process would go on with the next.
    for process in multiprocessing.active_children():
        process.kill()
    os._exit(0)


if __name__ == "__main__":
    main()
