"""How fast tables of score sums are filled, and how fast sums are answered.

(a) The transform that turns the weights of all subsets of K candidates into
sums, against passes over the same memory; (b) score sums of whole models,
filled and asked from Python, one call for each question; (c) sums for all sets
of the nodes in a bucket, one call for each node; (d) memory.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from measuring import heading, held_bytes, in_own_process, line, side_by_side
from numpy.typing import NDArray
from tables import continuous_table, discrete_table, nearest

import arcwise
from arcwise import _core, _core_testing
from arcwise.data import Data
from arcwise.model.score_sums import Method

ELEMENTS = 16
SPREADS = (100.0, 1000.0, 3000.0)
MAX_INDEGREE = 4
FEW = 20
BUCKETS = (5, 7, 10)


def transforms(repetitions: int) -> None:
    heading(f"(a) sums over all subsets of {ELEMENTS} candidates, {2**ELEMENTS:,} numbers")
    size = 2**ELEMENTS
    table = np.empty(size)
    weights = {spread: -spread * np.random.default_rng(1).random(size) for spread in SPREADS}

    def add(passes: int) -> Callable[[], None]:
        def run() -> None:
            for _ in range(passes):
                np.add(table, 1.0, out=table)

        return run

    # Only the transform is timed, not the copy of the weights before it.
    best = {f"{spread:g}": float("inf") for spread in SPREADS}
    best["one pass"] = best["passes"] = float("inf")
    for _ in range(repetitions):
        for spread in SPREADS:
            _refill(table, weights[spread])
            start = time.perf_counter()
            _core_testing.log_sum_over_subsets(table, ELEMENTS)
            elapsed = time.perf_counter() - start
            best[f"{spread:g}"] = min(best[f"{spread:g}"], elapsed)
        for name, passes in (("one pass", 1), ("passes", ELEMENTS)):
            best[name] = min(best[name], side_by_side({"add": add(passes)}, 1)["add"])
    line("one pass of np.add over the table", f"{1e6 * best['one pass']:.0f} us")
    line(f"{ELEMENTS} passes", f"{1e6 * best['passes']:.0f} us")
    for spread in SPREADS:
        seconds = best[f"{spread:g}"]
        line(f"sums, weights up to {spread:g} nats apart", f"{1e6 * seconds:.0f} us")
        line(f"  against {ELEMENTS} passes", f"{seconds / best['passes']:.2f} times")
        line("  against one pass", f"{seconds / best['one pass']:.1f} times")


def _refill(table: NDArray[np.float64], weights: NDArray[np.float64]) -> None:
    np.copyto(table, weights)


def whole_models(discrete: Data, continuous: Data, repetitions: int) -> None:
    many = arcwise.Model(discrete, "bdeu", max_indegree=MAX_INDEGREE)
    for method in ("scan", "walk"):
        heading(
            f"(b) {method}, {len(many.variables)} nodes, max_indegree {MAX_INDEGREE}, "
            f"{len(many.weights):,} families"
        )
        ask(many, method, repetitions)
    over_places(many, "walk", repetitions)
    # A look-up takes the same time whatever it finds.
    few = arcwise.Model(
        [f"x{i}" for i in range(FEW)], lambda node, parents: -1.0, max_indegree=MAX_INDEGREE
    )
    over_places(few, "table", repetitions)
    candidates = nearest(continuous, ELEMENTS)
    by_table = arcwise.Model(continuous, "bge", candidates=candidates)
    heading(f"(b) tables, {len(by_table.variables)} nodes with {ELEMENTS} candidates each")
    ask(by_table, "table", repetitions)


def ask(model: arcwise.Model, method: Method, repetitions: int) -> None:
    """Build the sums; then ask for those of every node in random orders."""
    kept: list[arcwise.model.ScoreSums] = []

    def build() -> None:
        kept[:] = [arcwise.model.ScoreSums(model, method=method, threads=1)]

    seconds = side_by_side({"build": build}, min(repetitions, 3))["build"]
    nodes = len(model.variables)
    line("built, one thread", f"{seconds:.2f} s")
    line("  for each node", f"{1e3 * seconds / nodes:.1f} ms")
    random = np.random.default_rng(2)
    questions = []
    for _ in range(20):
        order = random.permutation(nodes).tolist()
        questions += [(node, order[:place]) for place, node in enumerate(order)]
    core = kept[0].core

    def sums() -> None:
        for node, before in questions:
            core.log_sum(node, before, None)

    def sums_with_required() -> None:
        for node, before in questions:
            core.log_sum(node, before, before[-2:])

    def draws() -> None:
        for node, before in questions:
            core.draw(node, before, None, 1, 0, 0)

    best = side_by_side({"sums": sums, "required": sums_with_required, "draws": draws}, repetitions)
    line("sums(allowed) per second, calls included", f"{len(questions) / best['sums']:,.0f}")
    line("sums(allowed, required) per second", f"{len(questions) / best['required']:,.0f}")
    line("draws per second", f"{len(questions) / best['draws']:,.0f}")


def over_places(model: arcwise.Model, method: Method, repetitions: int) -> None:
    """Ask for the sums of every node of a bucket, for all sets of the others in it."""
    n = len(model.variables)
    heading(f"(c) sums for all sets of places, by {method}, {n} nodes; a bucket at a random place")
    core = arcwise.model.ScoreSums(model, method=method, threads=1).core
    if method == "walk":
        kept = sum(_core_testing.families_kept(core, node) for node in range(n)) / len(
            model.weights
        )
        line("families kept", f"{100 * kept:.0f} %")
    random = np.random.default_rng(3)
    for size in BUCKETS:
        for last in (False, True):
            questions = []
            for _ in range(20):
                order = random.permutation(n).tolist()
                first = n - size if last else int(random.integers(n - size + 1))
                bucket = order[first : first + size]
                questions += [
                    (node, order[:first], [other for other in bucket if other != node])
                    for node in bucket
                ]
            best = side_by_side({"ask": partial(_ask_all, core, questions, size)}, repetitions)
            where = "the last bucket" if last else "a bucket"
            line(f"{where} of {size}, calls included", f"{1e6 * best['ask'] / 20:.0f} us")
            line("  for each sum", f"{1e9 * best['ask'] / len(questions) / 2 ** (size - 1):.1f} ns")


def _ask_all(core: _core.ScoreSums, questions: list[Any], size: int) -> None:
    out = np.empty(2 ** (size - 1))
    for node, base, places in questions:
        _core_testing.log_sums_over(core, node, base, places, out)


def memory(path: str | None) -> None:
    heading(f"(d) memory for tables of {ELEMENTS} candidates")
    arguments = ["--measure-memory"] + ([] if path is None else ["--continuous-data", path])
    answer = in_own_process(__file__, arguments)
    line("bytes for each number: weight, sum and maximum", f"{answer['each'] / 3:.1f}")
    line("  against 8", f"{answer['each'] / 3 / 8:.2f} times")


def measure_memory(data: Data) -> None:
    """Print the bytes held for each entry of the tables, weights and their parents included."""
    model = arcwise.Model(data, "bge", candidates=nearest(data, ELEMENTS), threads=1)
    small = arcwise.Model(["a", "b"], lambda node, parents: 0.0)
    arcwise.model.ScoreSums(small, threads=1)
    before = held_bytes()
    sums = arcwise.model.ScoreSums(model, method="table", threads=1)
    each = (held_bytes() - before) / len(model.weights)
    assert {*sums.methods} == {"table"}
    print(json.dumps({"each": each}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="a discrete table in place of a simulated one")
    parser.add_argument("--continuous-data", help="a table of measurements, likewise")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--measure-memory", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure_memory:
        measure_memory(continuous_table(options.continuous_data))
        return
    transforms(40 * options.repetitions)
    whole_models(
        discrete_table(options.data),
        continuous_table(options.continuous_data),
        options.repetitions,
    )
    memory(options.continuous_data)


if __name__ == "__main__":
    main()
