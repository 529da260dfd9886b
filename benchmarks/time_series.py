"""Time series: time and accuracy of `learn` on slices, beside the static method on lagged columns.

Simulated processes of n variables and T times: vector autoregressions with normal noise, and
binary networks. Each variable depends on its own past, on that of one other variable on average
and, one in two, on another in the same slice. `time` is `learn(time_series(table))`, for which
lagged columns are parents only; `static` is `learn` on the same lagged columns as ordinary
variables, with all edges into earlier slices forbidden: the same posterior, over twice as many
variables. Pairs are all lagged edges and all pairs within the slice.

    python benchmarks/time_series.py --out time_series.csv
    python benchmarks/time_series.py --report time_series.csv
    python benchmarks/time_series.py --exact 4 6 8 10
    python benchmarks/time_series.py --public 50 500 5000 --seeds 5
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import arcwise
from arcwise.results import Posterior, TimeSeries

Matrix = NDArray[np.float64]

KINDS = ("gaussian", "binary")
SIZES = (10, 20, 50)
LENGTHS = (50, 500)
METHODS = ("time", "static")


@dataclass(frozen=True)
class Row:
    """How one method does on one table."""

    kind: str
    n: int
    length: int
    seed: int
    method: str
    seconds: float
    algorithm: str
    verdict: str
    auc: float
    precision: float
    recall: float
    expected: float
    true: int
    log_loss: float


@dataclass(frozen=True)
class Process:
    """The coefficients of a process, as [source, target], at lag 1 and within the slice."""

    lagged: Matrix
    within: Matrix


def random_process(n: int, random: np.random.Generator) -> Process:
    """Return a stable process with a sparse network."""
    lagged = np.where(random.random((n, n)) < 1 / n, random.uniform(0.3, 0.6, (n, n)), 0.0)
    lagged *= random.choice([-1.0, 1.0], (n, n))
    np.fill_diagonal(lagged, 0.5)
    # One edge within the slice into every second variable, from an earlier one in an order.
    within = np.zeros((n, n))
    order = random.permutation(n)
    for place in range(1, n):
        if random.random() < 0.5:
            source = order[random.integers(place)]
            within[source, order[place]] = random.choice([-0.6, 0.6])
    through = np.linalg.inv(np.eye(n) - within)
    radius = np.abs(np.linalg.eigvals(lagged @ through)).max()
    return Process(lagged * min(1.0, 0.9 / radius), within)


def simulated(process: Process, kind: str, length: int, random: np.random.Generator) -> Matrix:
    """Return rows in time, after some that are not kept."""
    n = len(process.lagged)
    order = topological_order(process.within)
    state = np.zeros(n)
    rows = np.empty((length, n))
    for t in range(-50, length):
        drive = state @ process.lagged
        following = np.zeros(n)
        for node in order:
            pull = drive[node] + following @ process.within[:, node]
            if kind == "gaussian":
                following[node] = pull + random.standard_normal()
            else:  # a logistic response to parents of -1 and 1
                following[node] = 1.0 if random.random() < 1 / (1 + np.exp(-4 * pull)) else -1.0
        state = following
        if t >= 0:
            rows[t] = state
    return rows


def topological_order(within: Matrix) -> list[int]:
    """Return the variables, each after its parents in the slice."""
    left, order = set(range(len(within))), []
    while left:
        free = next(v for v in sorted(left) if not any(within[u, v] for u in left))
        order.append(free)
        left.remove(free)
    return order


def learned(series: TimeSeries, method: str, seconds: float, seed: int) -> Posterior:
    """Return the posterior of one of the methods."""
    if method == "time":
        return arcwise.learn(series, seconds=seconds, seed=seed, threads=1, progress=None)
    assert series.slices is not None
    past = series.slices.parent_only
    forbidden = [(one, late) for late in past for one in series.variables if one != late]
    return arcwise.learn(
        arcwise.Data(series.columns),
        forbidden_edges=forbidden,
        seconds=seconds,
        seed=seed,
        threads=1,
        progress=None,
    )


def measured(kind: str, n: int, length: int, seed: int, method: str, seconds: float) -> Row:
    """Return how a method does on one table."""
    random = np.random.default_rng([seed, n, length, KINDS.index(kind)])
    process = random_process(n, random)
    rows = simulated(process, kind, length, random)
    names = [f"x{place}" for place in range(n)]
    if kind == "binary":
        series = arcwise.time_series((rows > 0).astype(np.int64), names=names, constant="keep")
    else:
        series = arcwise.time_series(rows, names=names)
    began = time.perf_counter()
    found = learned(series, method, seconds, seed)
    taken = time.perf_counter() - began
    above = np.triu_indices(n, 1)
    edges = found.edges
    within = (edges[:n, :n] + edges[:n, :n].T)[above]
    said = np.clip(np.concatenate([edges[n : 2 * n, :n].ravel(), within]), 0.0, 1.0)
    adjacent = (process.within != 0) | (process.within.T != 0)
    truth = np.concatenate([(process.lagged != 0).ravel(), adjacent[above]])
    inside = np.clip(said, 1e-6, 1 - 1e-6)
    assert found.account is not None
    chosen = said > 0.5
    return Row(
        kind,
        n,
        length,
        seed,
        method,
        taken,
        found.algorithm,
        str(found.account.verdict),
        area_under_curve(said, truth),
        float(truth[chosen].mean()) if chosen.any() else float("nan"),
        float(chosen[truth].mean()),
        float(said.sum()),
        int(truth.sum()),
        float(-np.where(truth, np.log(inside), np.log1p(-inside)).mean()),
    )


def area_under_curve(said: Matrix, truth: NDArray[np.bool_]) -> float:
    """Return the probability that a true pair is said to be more probable than another."""
    order = np.argsort(said, kind="stable")
    ranks = np.empty(len(said))
    ranks[order] = np.arange(1, len(said) + 1)
    for value in np.unique(said):  # equal values share their ranks
        same = said == value
        ranks[same] = ranks[same].mean()
    positives = int(truth.sum())
    excess = ranks[truth].sum() - positives * (positives + 1) / 2
    return float(excess / (positives * (len(truth) - positives)))


def compare_exact(sizes: list[int], length: int) -> None:
    """Print what the exact posterior costs by both methods, and how much they differ."""
    print("| n | families | time | static | ratio | largest difference of an edge |")
    print("|---:|---:|---:|---:|---:|---:|")
    for n in sizes:
        random = np.random.default_rng(n)
        rows = simulated(random_process(n, random), "gaussian", length, random)
        series = arcwise.time_series(rows, names=[f"x{place}" for place in range(n)])
        assert series.slices is not None
        past = series.slices.parent_only
        forbidden = [(one, late) for late in past for one in series.variables if one != late]
        prior = arcwise.priors.EdgePenalty(2.0)
        models = (
            arcwise.Model(series, prior=prior, max_indegree=4),
            arcwise.Model(
                arcwise.Data(series.columns),
                prior=prior,
                max_indegree=4,
                forbidden_edges=forbidden,
            ),
        )
        taken, edges = [], []
        for model in models:
            began = time.process_time()
            edges.append(arcwise.exact(model, threads=1).edges[:, :n])
            taken.append(time.process_time() - began)
        families = len(models[0].scores)
        apart = np.abs(edges[0] - edges[1]).max()
        print(
            f"| {n} | {families:,} | {taken[0]:.3f} s | {taken[1]:.3f} s | "
            f"{taken[1] / taken[0]:,.0f} × | {apart:.1g} |",
            flush=True,
        )


def rolled_out(length: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return the chest-clinic network in time: each variable follows its parents one step before.

    A variable without parents keeps its value with probability one half, and is drawn anew
    otherwise.
    """
    network = arcwise.networks.asia()
    names = network.dag.variables
    parents = [[names.index(name) for name in network.dag.parents(each)] for each in names]
    state = np.zeros(len(names), dtype=np.int64)
    rows = np.empty((length, len(names)), dtype=np.int64)
    for t in range(-50, length):
        following = state.copy()
        for node, own in enumerate(parents):
            if own or random.random() < 0.5:
                shares = network.tables[names[node]][tuple(state[own])]
                following[node] = random.random() < shares[1]
        state = following
        if t >= 0:
            rows[t] = state
    return rows


def compare_public(lengths: list[int], seeds: int) -> None:
    """Print how well both methods find the edges of a public network in time, exactly."""
    print("| T | series | AUC | precision | recall | largest difference of an edge |")
    print("|---:|---:|---:|---:|---:|---:|")
    network = arcwise.networks.asia()
    names = network.dag.variables
    n = len(names)
    truth = np.array([[one in network.dag.parents(other) for other in names] for one in names])
    roots = [place for place, name in enumerate(names) if not network.dag.parents(name)]
    truth[roots, roots] = True
    for length in lengths:
        found: list[tuple[float, float, float, float]] = []
        for seed in range(seeds):
            random = np.random.default_rng([seed, length])
            rows = rolled_out(length, random)
            series = arcwise.time_series(rows, names=list(names), constant="keep")
            assert series.slices is not None
            past = series.slices.parent_only
            forbidden = [(one, late) for late in past for one in series.variables if one != late]
            options: dict[str, Any] = {"prior": arcwise.priors.Sparse(1.0), "max_indegree": 3}
            static = arcwise.Data(series.columns)
            models = (
                arcwise.Model(series, **options),
                arcwise.Model(static, forbidden_edges=forbidden, **options),
            )
            edges = [arcwise.exact(model, threads=1).edges[:, :n] for model in models]
            said = edges[0][n : 2 * n]
            chosen = said > 0.5
            found.append(
                (
                    area_under_curve(said.ravel(), truth.ravel()),
                    float(truth[chosen].mean()) if chosen.any() else float("nan"),
                    float(chosen[truth].mean()),
                    float(np.abs(edges[0] - edges[1]).max()),
                )
            )
        auc, precision, recall, _ = np.nanmean(found, axis=0)
        apart = max(each[3] for each in found)
        print(
            f"| {length} | {seeds} | {auc:.3f} | {precision:.2f} | {recall:.2f} | {apart:.1g} |",
            flush=True,
        )


def report(path: Path) -> None:
    """Print the last table of benchmarks/results/time-series.md."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    headings = ("process", "method", "time", "algorithm", "AUC", "precision", "recall")
    print("|", " | ".join((*headings, "expected / true", "log loss")), "|")
    print("|---|---|---:|---|---:|---:|---:|---:|---:|")
    for kind, n, length, method in product(KINDS, SIZES, LENGTHS, METHODS):
        own = [
            row
            for row in rows
            if (row["kind"], int(row["n"]), int(row["length"]), row["method"])
            == (kind, n, length, method)
        ]
        if not own:
            continue

        def mean(name: str, rows: list[dict[str, str]] = own) -> float:
            return float(np.nanmean([float(row[name]) for row in rows]))

        how = ", ".join(sorted({f"{row['algorithm']} ({row['verdict']})" for row in own}))
        print(
            f"| {kind}, n = {n}, T = {length} | {method} | {mean('seconds'):.1f} s | {how} | "
            f"{mean('auc'):.3f} | {mean('precision'):.2f} | {mean('recall'):.2f} | "
            f"{mean('expected'):.1f} / {mean('true'):.1f} | {mean('log_loss'):.4f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="+", default=KINDS)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--lengths", nargs="+", type=int, default=LENGTHS)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--out", type=Path, default=Path("time_series.csv"))
    parser.add_argument("--report", type=Path)
    parser.add_argument("--exact", nargs="+", type=int, metavar="N")
    parser.add_argument("--public", nargs="+", type=int, metavar="T")
    arguments = parser.parse_args()
    if arguments.report is not None:
        report(arguments.report)
        return
    if arguments.exact is not None:
        compare_exact(arguments.exact, max(arguments.lengths))
        return
    warnings.simplefilter("ignore")
    if arguments.public is not None:
        compare_public(arguments.public, arguments.seeds)
        return
    with open(arguments.out, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)])
        writer.writeheader()
        for kind, n, length, seed, method in product(
            arguments.kinds,
            arguments.sizes,
            arguments.lengths,
            range(arguments.seeds),
            arguments.methods,
        ):
            row = measured(kind, n, length, seed, method, arguments.seconds)
            print(row, flush=True)
            writer.writerow(asdict(row))
            file.flush()


if __name__ == "__main__":
    main()
