"""How long exact posteriors and exact draws take, and how much memory.

Each size runs in a process of its own, so that its memory can be read. Ratios
are to a plain NumPy recursion of the same recurrences, at the sizes it can do.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np
from measuring import heading, held_bytes, in_own_process, line, most_held_bytes, side_by_side
from plain_exact import plain_modular_log_weight, plain_order_modular_log_weight

import arcwise
from arcwise import _core

MAX_INDEGREE = 4


def model_of(variables: int, path: str | None = None) -> arcwise.Model:
    """Return a model of the file, or of 1,000 rows of a random discrete network."""
    if path is not None:
        return arcwise.Model(arcwise.read(path, constant="drop"), max_indegree=MAX_INDEGREE)
    dag = arcwise.networks.random_dag(variables, expected_degree=3, max_indegree=3, seed=variables)
    network = arcwise.networks.discrete_network(dag, levels=(2, 3), concentration=0.5, seed=1)
    data = network.sample(1000, seed=1)
    return arcwise.Model(arcwise.read(data, constant="keep"), max_indegree=MAX_INDEGREE)


def measure(modularity: str, variables: int, threads: int, path: str | None) -> dict[str, float]:
    """Run one size; scoring is not part of the time, nor is the model part of the memory."""
    model = model_of(variables, path)
    before = held_bytes()
    start = time.perf_counter()
    computation = _core.ExactComputation(model.weights.table, modularity == "order-modular", 1e-8)
    error = computation.posterior(_core.Processors(threads), None)[-1]
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "memory": most_held_bytes() - before,
        "error": error,
        "variables": len(model.variables),
    }


def report(modularity: str, sizes: list[tuple[int, int]], path: str | None) -> None:
    heading(f"{modularity}: edge and parent-set probabilities, max_indegree {MAX_INDEGREE}")
    for variables, threads in sizes:
        arguments = ["--measure", modularity, str(variables), str(threads)]
        found = in_own_process(__file__, arguments + (["--data", path] if path else []))
        line(
            f"n = {found['variables']:.0f}, {threads} thread(s), error {found['error']:.0e}",
            f"{found['seconds']:.2f} s, {found['memory'] / 2**30:.2f} GiB",
        )


def draws(path: str | None) -> None:
    model = model_of(20, path)
    n = len(model.variables)
    heading(f"100,000 independent DAGs, n = {n}, one thread")
    start = time.perf_counter()
    sampler = arcwise.algorithms.ExactSampler(model, "order-modular", threads=1)
    setting_up = time.perf_counter() - start
    times = side_by_side({"draw": lambda: sampler.dags(100_000, seed=1)}, 3)
    line("setting up (order-modular)", f"{setting_up:.2f} s")
    line("drawing (order-modular)", f"{times['draw']:.2f} s, {times['draw'] * 10:.1f} us each")


def log_weight(table: _core.FamilyTable, order_modular: bool) -> float:
    """Return the log of the summed weights of all DAGs, on one thread."""
    computation = _core.ExactComputation(table, order_modular, 1e-8)
    return computation.log_weight(_core.Processors(1), None)


def ratios() -> None:
    heading("Ratio to a plain NumPy recursion (log of the summed weights)")
    model = model_of(14)
    table = model.weights.table
    weights = [np.asarray(_dense(model, node)) for node in range(len(model.variables))]
    times = side_by_side(
        {
            "plain": lambda: plain_order_modular_log_weight(weights),
            "ours": lambda: log_weight(table, True),
        },
        3,
    )
    line("order-modular, n = 14", f"{times['plain'] / times['ours']:,.0f} times faster")
    model = model_of(10)
    table = model.weights.table
    weights = [np.asarray(_dense(model, node)) for node in range(len(model.variables))]
    times = side_by_side(
        {
            "plain": lambda: plain_modular_log_weight(weights),
            "ours": lambda: log_weight(table, False),
        },
        3,
    )
    line("modular, n = 10", f"{times['plain'] / times['ours']:,.0f} times faster")


def _dense(model: arcwise.Model, node: int) -> np.ndarray:
    """Return the log weights of a node by the bits of the parent set."""
    table = model.weights.table
    flat, offsets = table.parent_sets(node)
    dense = np.full(1 << len(model.variables), -np.inf)
    for family, value in enumerate(table.values(node)):
        dense[sum(1 << int(u) for u in flat[offsets[family] : offsets[family + 1]])] = value
    return dense


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="a table of up to 25 discrete variables to run instead")
    parser.add_argument("--large", action="store_true", help="also n = 28 and modular n = 20")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        modularity, variables, threads = options.measure
        print(json.dumps(measure(modularity, int(variables), int(threads), options.data)))
        return
    if options.data:
        report("order-modular", [(0, 1), (0, 2)], options.data)
        report("modular", [(0, 1), (0, 2)], options.data)
        draws(options.data)
        return
    report("order-modular", [(20, 1), (24, 1)] + ([(28, 2)] if options.large else []), None)
    report("modular", [(14, 1), (17, 1)] + ([(20, 2)] if options.large else []), None)
    draws(None)
    ratios()


if __name__ == "__main__":
    main()
