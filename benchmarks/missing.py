"""Missing values: imputed, dropped with their rows, or never missing; and what imputing costs.

Tables are drawn from random networks, and values taken away at random. The edge probabilities of
`learn` from what is left are compared with the network (log loss, and how often edges of a
probability are there) and with those from the complete table, beside those from complete rows.
"""

from __future__ import annotations

import argparse
import time
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
from measuring import heading, line
from numpy.typing import NDArray

import arcwise
from arcwise.errors import ArcwiseError, ArcwiseWarning
from arcwise.networks import discrete_network, gaussian_network, random_dag

Array = NDArray[np.float64]
BINS = (0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0)
SIZES = (5, 7, 10)


def table_of(kind: str, n: int, rows: int, seed: int) -> tuple[arcwise.Dag, arcwise.Data]:
    """Return a random network's DAG, and a table drawn from it."""
    dag = random_dag(n, expected_degree=2.4, seed=seed)
    if kind == "gaussian":
        network: Any = gaussian_network(dag, weights=(0.2, 0.8), signs="random", seed=seed)
    else:
        network = discrete_network(dag, levels=(2, 3), seed=seed)
    return dag, network.sample(rows, seed=seed)


def with_gaps(data: arcwise.Data, share: float, seed: int) -> dict[str, list[object]]:
    """Return the table without a share of its values, chosen completely at random."""
    random = np.random.default_rng(seed)
    return {
        name: [None if random.random() < share else value for value in column]
        for name, column in data.to_dict().items()
    }


def adjacency(edges: Array) -> Array:
    """Return the probability of an edge in either direction, of each pair."""
    upper = np.triu_indices(len(edges), 1)
    return np.asarray(np.minimum(edges + edges.T, 1.0)[upper])


def log_loss(said: Array, truth: Array) -> float:
    """Return the mean negative log probability of what is true; no probability is quite 0 or 1."""
    clipped = np.clip(said, 1e-3, 1.0 - 1e-3)
    return float(-np.mean(truth * np.log(clipped) + (1 - truth) * np.log(1 - clipped)))


def compare(kind: str, share: float, rows: int, tables: int, completions: int) -> None:
    """Print how good edge probabilities are with a share of the values missing."""
    found: dict[str, list[Array]] = {"imputed": [], "rows dropped": [], "complete": []}
    truths, seconds, too_few = [], [], 0
    for seed in range(tables):
        n = SIZES[seed % len(SIZES)]
        dag, data = table_of(kind, n, rows, seed)
        gappy = with_gaps(data, share, seed)
        options: dict[str, Any] = {"seed": seed, "progress": None, "identifiers": "keep"}
        start = time.perf_counter()
        imputed = arcwise.learn(gappy, completions=completions, constant="keep", **options)
        seconds.append(time.perf_counter() - start)
        complete = arcwise.learn(data, constant="keep", **options)
        try:
            dropped = adjacency(
                arcwise.learn(gappy, missing="drop", constant="keep", **options).edges
            )
        except ArcwiseError:  # hardly a row is left: the prior alone
            too_few += 1
            dropped = np.full(n * (n - 1) // 2, float(adjacency(complete.edges).mean()))
        matrix = np.zeros((n, n))
        for source, target in dag.edges:
            matrix[dag.variables.index(source), dag.variables.index(target)] = 1.0
        truths.append(adjacency(matrix))
        found["imputed"].append(adjacency(imputed.edges))
        found["rows dropped"].append(dropped)
        found["complete"].append(adjacency(complete.edges))
    truth = np.concatenate(truths)
    whole = np.concatenate(found["complete"])
    heading(f"{kind}, {share:.0%} missing, {rows} rows, {tables} tables, {len(truth)} pairs")
    for name, parts in found.items():
        said = np.concatenate(parts)
        line(
            name,
            f"log loss {log_loss(said, truth):.3f}, mean distance to the complete table "
            f"{np.abs(said - whole).mean():.3f}",
        )
    said = np.concatenate(found["imputed"])
    for low, high in pairwise(BINS):
        inside = (said >= low) & ((said < high) | (high == 1.0))
        if inside.any():
            line(
                f"said {low:g} to {high:g}",
                f"mean {said[inside].mean():.2f}, true {truth[inside].mean():.2f} of "
                f"{int(inside.sum())}",
            )
    line("seconds to impute", f"{np.median(seconds):.1f} (median)")
    if too_few:
        line("tables with hardly a complete row", str(too_few))


def cost(kind: str, n: int, rows: int) -> None:
    """Print how long a table with 15 % of its values missing takes."""
    _, data = table_of(kind, n, rows, 1)
    gappy = with_gaps(data, 0.15, 1)
    start = time.perf_counter()
    found = arcwise.learn(gappy, seed=1, progress=None, completions=40, constant="keep")
    assert found.edge_errors is not None
    line(
        f"{kind}, n = {n}, {rows} rows",
        f"{time.perf_counter() - start:.1f} s for 40 tables, largest standard error "
        f"{np.nanmax(found.edge_errors):.3f}, {found.diagnose().verdict}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=30)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--completions", type=int, default=40)
    parser.add_argument("--shares", type=float, nargs="*", default=[0.05, 0.2, 0.4])
    parser.add_argument("--kinds", nargs="*", default=["discrete", "gaussian"])
    parser.add_argument("--sizes", type=int, nargs="*", default=[10, 20, 37])
    options = parser.parse_args()
    warnings.simplefilter("ignore", ArcwiseWarning)
    for kind in options.kinds:
        for share in options.shares:
            compare(kind, share, options.rows, options.tables, options.completions)
    if options.sizes:
        heading("cost, 15 % missing")
        for kind in options.kinds:
            for n in options.sizes:
                cost(kind, n, 1000)


if __name__ == "__main__":
    main()
