"""How long linear extensions take to count, and how well they are estimated.

(a) Random DAGs one by one; (b) many small DAGs in one call; (c) a plain Python
recursion over sets closed under parents, side by side; (d) estimates for DAGs
that are out of reach of a count.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from measuring import heading, line, side_by_side

import arcwise
from arcwise import Dag, _core
from arcwise.errors import CapacityError
from arcwise.graphs.linear_extensions import packed_parents

KINDS: dict[str, dict[str, Any]] = {
    "max_indegree 3": {"max_indegree": 3},
    "expected degree 3": {"expected_degree": 3.0},
}
DAGS = 20
BUDGET = 2_000_000


def random_dag(n: int, kind: str, seed: int) -> Dag:
    return arcwise.networks.random_dag(n, seed=seed, **KINDS[kind])


def plain_count(dag: Dag) -> int:
    """Count level by level: in how many orders can each set be filled?"""
    parents = [sum(1 << parent for parent in of_node) for of_node in dag.parent_indices]
    level = {0: 1}
    for _ in parents:
        following: dict[int, int] = {}
        for chosen, count in level.items():
            for node, needed in enumerate(parents):
                if not chosen >> node & 1 and not needed & ~chosen:
                    grown = chosen | 1 << node
                    following[grown] = following.get(grown, 0) + count
        level = following
    return level[(1 << len(parents)) - 1]


def one_by_one(sizes: list[int], repetitions: int) -> None:
    for kind in KINDS:
        heading(f"(a) {DAGS} random DAGs of {kind}, one thread: median and longest time")
        for n in sizes:
            seconds, refused = [], 0
            for seed in range(DAGS):
                packed = packed_parents(random_dag(n, kind, seed))

                def count(packed: np.ndarray = packed) -> None:
                    _core.log_linear_extensions(packed, BUDGET, 1, None)

                try:
                    # What takes seconds is timed once.
                    first = side_by_side({"count": count}, 1)["count"]
                    again = repetitions if first < 0.1 else 0
                    seconds.append(min(first, side_by_side({"count": count}, again)["count"]))
                except CapacityError:
                    seconds.append(float("inf"))
                    refused += 1
            line(f"n = {n}", f"{in_words(np.median(seconds))}, {in_words(max(seconds))}")
            if refused:
                line("  past the budget", f"{refused} of {DAGS}")


def in_words(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{1e6 * seconds:.0f} us"
    return f"{1e3 * seconds:.1f} ms" if seconds < 1.0 else f"{seconds:.1f} s"


def many(repetitions: int) -> None:
    heading("(b) 500 DAGs in one call, one thread: time for each, on average")
    for kind in KINDS:
        for n in (20, 30, 37):
            packed = np.concatenate([packed_parents(random_dag(n, kind, s)) for s in range(500)])

            def count(packed: np.ndarray = packed) -> None:
                _core.log_linear_extensions(packed, BUDGET, 1, None)

            seconds = side_by_side({"count": count}, min(repetitions, 2))["count"]
            line(f"{kind}, n = {n}", f"{1e6 * seconds / len(packed):.0f} us")


def against_plain(repetitions: int) -> None:
    heading("(c) a plain Python recursion against arcwise, ten DAGs of max_indegree 3, n = 20")
    dags = [random_dag(20, "max_indegree 3", seed) for seed in range(10)]
    packed = np.concatenate([packed_parents(dag) for dag in dags])
    assert [plain_count(dag) for dag in dags] == [
        arcwise.graphs.linear_extensions(dag) for dag in dags
    ]

    def plain() -> None:
        for dag in dags:
            plain_count(dag)

    def whole_numbers() -> None:
        for dag in dags:
            arcwise.graphs.linear_extensions(dag)

    best = side_by_side(
        {
            "plain": plain,
            "whole numbers": whole_numbers,
            "logarithms": lambda: _core.log_linear_extensions(packed, BUDGET, 1, None),
        },
        min(repetitions, 3),
    )
    line("plain, for each DAG", in_words(best["plain"] / len(dags)))
    line("  against logarithms", f"{best['plain'] / best['logarithms']:,.0f} times")
    line("  against whole numbers", f"{best['plain'] / best['whole numbers']:,.0f} times")


def estimates() -> None:
    heading("(d) estimates for n = 100, 100 sets of a size, 16 runs, one thread: medians")
    for kind in KINDS:
        seconds, errors = [], []
        for seed in range(DAGS):
            dag = random_dag(100, kind, seed)
            start = time.perf_counter()
            estimate = arcwise.graphs.linear_extensions(dag, estimate=True, seed=seed, threads=1)
            seconds.append(time.perf_counter() - start)
            errors.append(estimate.standard_error)
        line(f"{kind}: time", in_words(float(np.median(seconds))))
        line("  relative standard error", f"{100 * np.median(errors):.0f} %")
        to_ten = np.array(seconds) * (np.array(errors) / 0.1) ** 2
        line("  time for a standard error of 10 %", in_words(float(np.median(to_ten))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[20, 30, 37, 40, 50, 60])
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    against_plain(options.repetitions)
    many(options.repetitions)
    estimates()
    one_by_one(options.sizes, options.repetitions)


if __name__ == "__main__":
    main()
