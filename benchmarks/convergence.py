"""How long it takes until four independent runs of the modular posterior agree, by method.

Four chains, or four populations, from independent and overdispersed starts agree when every
edge probability of all four is within 0.05, R-hat of the log posterior is below 1.01, and
that of every uncertain edge below 1.05. Where the exact posterior is known, the largest
error against it is what counts. One row per table, method and seed, with the time, and
the figures at the end: `--out FILE.csv` keeps them, and `--figure FILE.svg` draws them.

    python benchmarks/convergence.py --tables alarm-1000.csv hailfinder-1000.csv --seconds 60
    python benchmarks/convergence.py --networks gaussian:100:2 discrete:200:4 --seconds 300

The methods are those of `arcwise sample` on the candidates that `arcwise learn` grows
(`partitions`, `dags`, `canonical`, `bridge`, `smc`), and `learn` itself, with its own
choices and from reading the table on.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import arcwise
from arcwise import Model, Posterior
from arcwise.data import Data

warnings.simplefilter("ignore", arcwise.errors.ArcwiseWarning)

AGREE = "rhat<1.01, edge_rhat<1.05, difference<0.05"
RUNS = 4


@dataclass(frozen=True)
class Row:
    """One run: how long it took, and how it ended."""

    table: str
    variables: int
    method: str
    seed: int
    seconds: float
    agree: bool
    rhat: float | None
    edge_rhat: float | None
    difference: float | None
    apart: int  # edges that differ by more than 0.1
    error: float | None  # against the exact posterior


def network(text: str, seed: int) -> Data:
    """Return 1,000 rows of a random network, given as kind:variables:degree."""
    kind, variables, degree = text.split(":")
    dag = arcwise.networks.random_dag(int(variables), expected_degree=float(degree), seed=seed)
    if kind == "gaussian":
        return arcwise.networks.gaussian_network(dag, seed=seed).sample(1_000, seed=seed)
    return arcwise.networks.discrete_network(dag, seed=seed).sample(1_000, seed=seed)


def chains(space: str, **options: object) -> Callable[[Model, float, int], Posterior]:
    """Return a method that runs chains until they agree, at most so many seconds."""

    def run(model: Model, seconds: float, seed: int) -> Posterior:
        coupled = bool(options)
        sampler: Callable[..., Posterior] = arcwise.mc3 if coupled else arcwise.mcmc
        return sampler(
            model, space, seconds=seconds, until=AGREE, chains=RUNS, seed=seed, threads=2, **options
        )

    return run


def populations(model: Model, seconds: float, seed: int) -> Posterior:
    """Run four populations of more and more particles until they agree."""
    end = time.perf_counter() + seconds
    particles = 128
    while True:
        start = time.perf_counter()
        found = arcwise.smc(
            model, "canonical", particles=particles, runs=RUNS, seed=seed, threads=2,
            stretch=len(model.variables) * 200, thinning=len(model.variables) * 2,
        )  # fmt: skip
        took = time.perf_counter() - start
        if spread(found).max() < 0.05 or time.perf_counter() + 2 * took > end:
            return found
        particles *= 2


METHODS: dict[str, Callable[[Model, float, int], Posterior]] = {
    "partitions": chains("partitions"),
    "dags": chains("dags"),
    "canonical": chains("canonical"),
    "bridge": chains("canonical", ladder="bridge"),
    "smc": populations,
}


def spread(posterior: Posterior) -> NDArray[np.float64]:
    """Return by how much the runs differ in each edge: chains as averaged, others by their DAGs."""
    edges = posterior.chain_edges
    if edges is None:
        assert posterior.dags is not None
        assert posterior.dags.chains is not None
        parents, chains = posterior.dags.parents, posterior.dags.chains
        edges = np.array(
            [
                arcwise.results.DagSample(posterior.variables, parents[chains == run])
                .matrix("edge")
                .probabilities
                for run in np.unique(chains)
            ]
        )
    return np.asarray(edges.max(0) - edges.min(0))


def row(
    table: str,
    method: str,
    seed: int,
    posterior: Posterior,
    seconds: float,
    exact: NDArray[np.float64] | None,
) -> Row:
    found = posterior.run.convergence
    sampled = posterior.algorithm != "exact"
    apart = spread(posterior) if sampled else np.zeros((1, 1))
    difference = float(apart.max())
    agree = not sampled or (
        difference < 0.05
        and (found.rhat is None or found.rhat < 1.01)
        and (found.edge_rhat is None or found.edge_rhat < 1.05)
    )
    return Row(
        table, len(posterior.variables), method, seed, round(seconds, 2), agree,
        found.rhat, found.edge_rhat, difference, int((apart > 0.1).sum()),
        None if exact is None else float(np.abs(posterior.edges - exact).max()),
    )  # fmt: skip


def exact_edges(model: Model, data: Data, options: dict[str, int]) -> NDArray[np.float64] | None:
    """Return the exact edges where all parent sets are scored and there are at most 20."""
    if len(data.variables) > 20:
        return None
    return arcwise.exact(model if options else Model(data), threads=2).edges


def main() -> None:
    """Run every method on every table with every seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", nargs="*", type=Path, default=[])
    parser.add_argument("--networks", nargs="*", default=[])
    parser.add_argument("--methods", nargs="*", default=[*METHODS, "learn"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--max-indegree", type=int)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    bound = {} if options.max_indegree is None else {"max_indegree": options.max_indegree}
    rows: list[Row] = []
    writer = csv.writer(sys.stdout)
    writer.writerow([each.name for each in fields(Row)])
    for name in [*options.tables, *options.networks]:
        data = arcwise.read(name) if isinstance(name, Path) else network(name, 1)
        table = name.stem if isinstance(name, Path) else name
        model = Model(data, **bound) if bound else arcwise.grow(data, seed=1, threads=2).model
        exact = exact_edges(model, data, bound)
        for method in options.methods:
            for seed in range(options.seeds):
                start = time.perf_counter()
                if method == "learn":
                    found = arcwise.learn(
                        data, seconds=options.seconds, seed=seed, threads=2, progress=False, **bound
                    )
                else:
                    found = METHODS[method](model, options.seconds, seed)
                taken = time.perf_counter() - start
                rows.append(row(table, method, seed, found, taken, exact))
                writer.writerow(asdict(rows[-1]).values())
                sys.stdout.flush()
    if options.out is not None:
        with options.out.open("w", newline="") as file:
            kept = csv.writer(file)
            kept.writerow([each.name for each in fields(Row)])
            kept.writerows(asdict(each).values() for each in rows)
    if options.figure is not None:
        draw(rows, options.figure)


def draw(rows: list[Row], path: Path) -> None:
    """Draw the time each method took on each table; open marks did not agree."""
    import matplotlib.pyplot as plt

    tables = list(dict.fromkeys(each.table for each in rows))
    methods = list(dict.fromkeys(each.method for each in rows))
    figure, axes = plt.subplots(figsize=(7, 0.6 + 0.5 * len(tables)))
    for number, method in enumerate(methods):
        for agree in (True, False):
            chosen = [each for each in rows if each.method == method and each.agree == agree]
            axes.scatter(
                [each.seconds for each in chosen],
                [tables.index(each.table) + 0.12 * (number - len(methods) / 2) for each in chosen],
                facecolors=f"C{number}" if agree else "none",
                edgecolors=f"C{number}",
                label=method if agree else None,
                s=18,
            )
    axes.set_xscale("log")
    axes.set_xlabel("seconds until four runs agree (open: they did not)")
    axes.set_yticks(range(len(tables)), tables)
    axes.legend(fontsize="small", ncols=len(methods), loc="lower center", bbox_to_anchor=(0.5, 1))
    figure.savefig(path, bbox_inches="tight")


if __name__ == "__main__":
    main()
