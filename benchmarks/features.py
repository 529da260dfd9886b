"""What a million DAGs take: probabilities of edges, paths, blankets and classes, and memory.

Each line is the best of several turns, in a process of its own that holds the packed
DAGs; memory is what it held at most beyond them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable

import numpy as np
from measuring import heading, held_bytes, in_own_process, line, most_held_bytes

import arcwise

WORK: dict[str, tuple[str, Callable[[arcwise.results.DagSample], object]]] = {
    "edges": ("all edge probabilities", lambda dags: dags.edge_probabilities()),
    "ancestors": (
        "all path probabilities",
        lambda dags: arcwise.posterior.matrices.relation_probabilities(dags, "ancestor"),
    ),
    "short paths": (
        "all paths of up to three edges",
        lambda dags: arcwise.posterior.matrices.relation_probabilities(dags, "ancestor", 3),
    ),
    "blankets": (
        "all Markov blankets",
        lambda dags: arcwise.posterior.matrices.relation_probabilities(dags, "blanket"),
    ),
    "classes": (
        "all edges of equivalence classes",
        lambda dags: arcwise.posterior.matrices.relation_probabilities(dags, "cpdag"),
    ),
    "errors": ("standard errors of all paths", lambda dags: dags.matrix("ancestor")),
    "edge": ("one edge, with its interval", lambda dags: dags.estimate("x0 -> x1")),
    "path": ("one path, with its interval", lambda dags: dags.estimate("x0 ~> x9")),
    "given": (
        "a path given an edge",
        lambda dags: dags.estimate("x0 ~> x9 and not x0 -> x9 given x1 -- x2"),
    ),
    "distinct": ("different DAGs", lambda dags: dags.unique()),
    "credible": ("credible set of classes", lambda dags: dags.credible_set(0.5, classes=True)),
}


def draw(n: int, count: int) -> arcwise.results.DagSample:
    """Return DAGs with up to two parents a node, as chains drift through them."""
    random = np.random.default_rng(1)
    parents = np.zeros((count, n, (n + 63) // 64), dtype=np.uint64)
    for node in range(1, n):
        for _ in range(2):
            # A parent stays for ten draws on average.
            changes = np.flatnonzero(random.random(count) < 0.1)
            lengths = np.diff(np.concatenate([[0], changes, [count]]))
            chosen = random.integers(0, node, len(lengths)).repeat(lengths).astype(np.uint64)
            for word in range(parents.shape[2]):
                here = chosen // np.uint64(64) == word
                parents[here, node, word] |= np.uint64(1) << chosen[here] % np.uint64(64)
    weights = random.random(count)
    names = [f"x{node}" for node in range(n)]
    return arcwise.results.DagSample(
        names, parents, weights, chains=np.arange(count) // (count // 4)
    )


def measure(name: str, n: int, count: int, repetitions: int) -> dict[str, float]:
    dags = draw(n, count)
    _ = dags.shares
    before, peak = held_bytes(), most_held_bytes()
    best = float("inf")
    for _ in range(repetitions):
        dags.__dict__.pop("effective_draws", None)
        start = time.perf_counter()
        WORK[name][1](dags)
        best = min(best, time.perf_counter() - start)
    # What drawing took at its height cannot be told apart from what the work took below it.
    extra = max(0, most_held_bytes() - max(before, peak))
    return {"seconds": best, "bytes": float(extra), "packed": float(dags.parents.nbytes)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variables", type=int, default=20)
    parser.add_argument("--dags", type=int, default=1_000_000)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--one", choices=sorted(WORK))
    options = parser.parse_args()
    if options.one is not None:
        found = measure(options.one, options.variables, options.dags, options.repetitions)
        json.dump(found, sys.stdout)
        return
    heading(f"{options.dags:,} weighted DAGs of {options.variables} variables, four chains")
    for name, (what, _) in WORK.items():
        arguments = ["--one", name]
        for option in ("variables", "dags", "repetitions"):
            arguments += [f"--{option}", str(getattr(options, option))]
        found = in_own_process(__file__, arguments)
        share = found["bytes"] / found["packed"]
        line(what, f"{found['seconds']:.2f} s, {share:+.2f} x packed")


if __name__ == "__main__":
    main()
