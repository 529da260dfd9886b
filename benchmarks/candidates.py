"""How much of the exact posterior candidate parents cover, by method and size, and their time.

The share covered is the summed weight of all DAGs within the candidates over
that of all DAGs: exact sums over the same families, with and without the
restriction. Beside it stands the share of the expected number of edges whose
parent is a candidate. No choice of as many candidates is likely to cover much more than
the most probable parents of each node do, which are known only from the exact
posterior.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from measuring import heading, line

import arcwise
from arcwise import _core
from arcwise.model.model import Modularity

SIZES = (4, 6, 8)
METHODS: dict[str, dict[str, Any]] = {
    "greedy": {"method": "greedy"},
    "greedy, by the best family": {"method": "greedy", "by": "best"},
    "gains": {"method": "gains"},
    "pc, alpha 0.05": {"method": "pc", "alpha": 0.05},
    "pc, alpha 0.2": {"method": "pc", "alpha": 0.2},
    "pc + greedy": {"method": "pc+greedy", "alpha": 0.05},
}

BEST = "most probable parents"


def data_sets(count: int) -> Iterator[tuple[str, arcwise.Data]]:
    """Yield random discrete and Gaussian tables of 12 to 16 variables, dense and sparse ones."""
    for seed in range(count):
        n = 12 + 2 * (seed % 3)
        rows = (100, 500, 2000)[(seed // 3) % 3]
        dag = arcwise.networks.random_dag(n, expected_degree=(2.0, 4.0)[seed % 2], seed=seed)
        network = arcwise.networks.discrete_network(
            dag, levels=(2, 3), concentration=0.7, seed=seed
        )
        discrete = network.sample(rows, seed=seed)
        yield "discrete", arcwise.read(discrete, constant="keep")
        yield "Gaussian", arcwise.networks.gaussian_network(dag, seed=seed).sample(rows, seed=seed)


def log_mass(model: arcwise.Model, modularity: Modularity) -> float:
    """Return the log of the summed weights of all DAGs."""
    computation = _core.ExactComputation(model.weights.table, modularity == "order-modular", 1e-8)
    return computation.log_weight(_core.Processors(1), None)


def most_probable(
    edges: np.ndarray, variables: tuple[str, ...], size: int
) -> arcwise.results.Candidates:
    """Return the most probable parents of each node."""
    matrix = np.zeros(edges.shape, dtype=bool)
    for node in range(len(edges)):
        matrix[np.argsort(-edges[:, node])[:size], node] = True
    np.fill_diagonal(matrix, False)
    return arcwise.results.Candidates.from_matrix(variables, matrix)


Shares = tuple[float, float, float]


def shares(
    data: arcwise.Data, modularity: Modularity, max_indegree: int
) -> dict[tuple[str, int], Shares]:
    """Return the shares of mass and of edges, and the mean size, for each method and size."""
    full = arcwise.Model(data, max_indegree=max_indegree)
    whole = log_mass(full, modularity)
    edges = arcwise.exact(full, modularity, threads=1).edges
    result = {}
    for name, keywords in {**METHODS, BEST: {}}.items():
        for size in SIZES:
            if name == BEST:
                chosen = most_probable(edges, full.variables, size)
            else:
                chosen = arcwise.candidates(full, size=size, threads=1, **keywords)
            part = arcwise.Model(full.scores, candidates=chosen)
            mass = math.exp(min(0.0, log_mass(part, modularity) - whole))
            covered = edges[chosen.matrix()].sum() / edges.sum()
            result[name, size] = mass, covered, float(np.mean(list(chosen.sizes().values())))
    return result


def coverage(count: int, modularity: Modularity, max_indegree: int) -> None:
    found: dict[tuple[str, str, int], list[Shares]] = {}
    for kind, data in data_sets(count):
        for (name, size), result in shares(data, modularity, max_indegree).items():
            found.setdefault((kind, name, size), []).append(result)
    for kind in ("discrete", "Gaussian"):
        heading(f"{kind}, {count} sets, {modularity}: mass (median, mean), expected edges (mean)")
        for name in (*METHODS, BEST):
            for size in SIZES:
                mass, covered, sizes = np.array(found[kind, name, size]).T
                line(
                    f"{name}, K = {size} ({sizes.mean():.1f} candidates)",
                    f"{np.median(mass):.3f} {mass.mean():.3f} {covered.mean():.4f}",
                )


def times() -> None:
    for n in (50, 200):
        heading(f"Time, n = {n}, expected degree 4, 1,000 rows, K = 8, one thread")
        dag = arcwise.networks.random_dag(n, expected_degree=4.0, seed=1)
        network = arcwise.networks.discrete_network(dag, levels=(2, 3), concentration=0.7, seed=1)
        tables = {
            "discrete": arcwise.read(network.sample(1000, seed=1), constant="keep"),
            "Gaussian": arcwise.networks.gaussian_network(dag, seed=1).sample(1000, seed=1),
        }
        for kind, data in tables.items():
            for method in ("pc", "gains", "greedy"):
                start = time.perf_counter()
                arcwise.candidates(data, method, size=8, threads=1)
                line(f"{kind}, {method}", f"{time.perf_counter() - start:.2f} s")
            start = time.perf_counter()
            arcwise.candidates(data, "greedy", size=8, max_indegree=4, threads=1)
            line(f"{kind}, greedy, max_indegree 4", f"{time.perf_counter() - start:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=18, help="number of data sets of each kind")
    parser.add_argument("--max-indegree", type=int, default=5)
    parser.add_argument(
        "--modularity", default="order-modular", choices=["modular", "order-modular"]
    )
    parser.add_argument("--no-times", action="store_true", help="shares only")
    options = parser.parse_args()
    coverage(options.sets, options.modularity, options.max_indegree)
    if not options.no_times:
        times()


if __name__ == "__main__":
    main()
