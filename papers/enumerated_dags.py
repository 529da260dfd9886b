"""All DAGs of a few nodes, and probabilities of edges, paths and combined paths over them."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from dag_matrices import edge_matrices
from numpy.typing import NDArray

from arcwise import Model
from arcwise.posterior import DagSample

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

PAIRS = ("x → y", "x ~> y", "x ~> y, at most 2 edges")
TRIPLES = ("x ~> y ~> z", "x ~> y, x ~> z", "x ~> y, not x ~> z")
FEATURES = PAIRS + TRIPLES


def all_dags(n: int) -> NDArray[np.uint64]:
    """Return all DAGs over n nodes as bits of parents, [DAG, node], each once.

    Every DAG has one partition into parts such that each node has a parent in the part before
    and none in its own or a later one (its root-partition).
    """
    found: list[NDArray[np.uint64]] = []

    def extend(parents: NDArray[np.uint64], before: int, last: int, rest: tuple[int, ...]) -> None:
        if not rest:
            found.append(parents)
            return
        for size in range(1, len(rest) + 1):
            for part in combinations(rest, size):
                grown = parents
                for node in part:
                    sets = np.array(
                        [s for s in range(2**n) if not s & ~before and (not last or s & last)],
                        dtype=np.uint64,
                    )
                    count = len(grown)
                    grown = np.repeat(grown, len(sets), axis=0)
                    grown[:, node] = np.tile(sets, count)
                bits = sum(1 << node for node in part)
                extend(grown, before | bits, bits, tuple(v for v in rest if v not in part))

    extend(np.zeros((1, n), dtype=np.uint64), 0, 0, tuple(range(n)))
    return np.concatenate(found)


def feature_probabilities(
    dags: DagSample, shares: Numbers, piece: int = 200_000
) -> dict[str, Numbers]:
    """Return the probabilities of edges, paths and combined paths, for all pairs or triples."""
    n = len(dags.variables)
    total = {name: np.zeros((n, n)) for name in PAIRS}
    total |= {name: np.zeros((n, n, n)) for name in TRIPLES}
    for start in range(0, len(dags), piece):
        edges = edge_matrices(dags.at(np.arange(start, min(start + piece, len(dags)))))
        two = edges | _composed(edges, edges)
        reach = two
        for _ in range(max(0, math.ceil(math.log2(n)) - 1)):
            reach = reach | _composed(reach, reach)
        weight = shares[start : start + piece]
        for name, flags in zip(PAIRS, (edges, reach, two), strict=True):
            total[name] += np.tensordot(weight, flags, axes=1)
        along, both, apart = (total[name] for name in TRIPLES)
        for y in range(n):
            arrives = reach[:, :, y, np.newaxis]
            along[:, y] += np.tensordot(weight, arrives & reach[:, y, np.newaxis, :], axes=1)
            both[:, y] += np.tensordot(weight, arrives & reach, axes=1)
            apart[:, y] += np.tensordot(weight, arrives & ~reach, axes=1)
    return total


def _composed(first: Flags, second: Flags) -> Flags:
    """Return where there is a step of the first and then one of the second."""
    found = np.zeros_like(first)
    for middle in range(first.shape[1]):
        found |= first[:, :, middle, None] & second[:, middle, None, :]
    return found


def enumerated(model: Model, max_indegree: int) -> tuple[dict[str, Numbers], int]:
    """Return the exact probabilities of all features over all DAGs, and the number of DAGs."""
    n = len(model.variables)
    dags = DagSample(model.variables, all_dags(n))
    log_weights = _all_log_weights(model, dags, max_indegree)
    shares = np.exp(log_weights - log_weights.max())
    return feature_probabilities(dags, shares / shares.sum()), len(dags)


def _all_log_weights(model: Model, dags: DagSample, max_indegree: int) -> Numbers:
    """Return log weights, minus infinity beyond the largest number of parents.

    By a table of all parent sets of a node, as millions of DAGs share a few hundred families.
    """
    names, n = model.variables, len(model.variables)
    total = np.zeros(len(dags))
    for node, name in enumerate(names):
        table = np.full(2**n, -np.inf)
        for bits in range(2**n):
            parents = [names[u] for u in range(n) if bits >> u & 1]
            if name not in parents and len(parents) <= max_indegree:
                table[bits] = model.weights.log_score(name, parents)
        total += table[dags.parents[:, node, 0]]
    return total
