"""The PC algorithm after its skeleton: v-structures by majority of separating sets, Meek's rules.

The skeleton is that of `arcwise.candidates(data, "pc")`. Two nodes without an edge and
with a common neighbour make it a collider if it is in fewer than half of the sets of
neighbours that separate them (Colombo and Maathuis 2014, "Order-independent
constraint-based causal structure learning"), which does not depend on the order of the
variables. An edge that v-structures direct both ways stays undirected.
"""

from __future__ import annotations

import math
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

import arcwise
from arcwise.data import Data

Matrix = NDArray[np.bool_]


def pc_cpdag(data: Data, alpha: float) -> arcwise.graphs.Cpdag:
    """Return the graph the PC algorithm finds, with directed and undirected edges."""
    joined = arcwise.candidates(data, "pc", alpha=alpha, threads=1).matrix()
    correlation = np.atleast_2d(np.corrcoef(data.continuous_values("fisher-z"), rowvar=False))
    graph = joined.copy()
    arrows = _arrows(joined, correlation, data.rows, alpha)
    for source, target in arrows:
        if (target, source) not in arrows:
            graph[target, source] = False
    while (edge := _compelled(graph)) is not None:
        graph[edge[1], edge[0]] = False
    return arcwise.graphs.Cpdag.from_matrix(data.variables, graph)


def _arrows(
    joined: Matrix, correlation: NDArray[np.float64], rows: int, alpha: float
) -> set[tuple[int, int]]:
    arrows: set[tuple[int, int]] = set()
    for first, last in np.argwhere(np.triu(~joined, 1)).tolist():
        between = np.flatnonzero(joined[first] & joined[last]).tolist()
        if not between:
            continue
        sets = {
            chosen
            for end in (first, last)
            for chosen in _subsets(np.flatnonzero(joined[end]).tolist())
        }
        separating = [
            chosen for chosen in sets if _p_value(correlation, rows, first, last, chosen) > alpha
        ]
        for middle in between:
            share = sum(middle in chosen for chosen in separating)
            if separating and 2 * share < len(separating):
                arrows |= {(first, middle), (last, middle)}
    return arrows


def _subsets(nodes: list[int]) -> chain[tuple[int, ...]]:
    return chain.from_iterable(combinations(nodes, size) for size in range(len(nodes) + 1))


def _p_value(
    correlation: NDArray[np.float64], rows: int, first: int, last: int, given: tuple[int, ...]
) -> float:
    """Return the p-value of Fisher's z of a partial correlation."""
    freedom = rows - len(given) - 3
    if freedom < 1:
        return 1.0
    chosen = [first, last, *given]
    inverse = np.linalg.inv(correlation[np.ix_(chosen, chosen)])
    partial = -inverse[0, 1] / math.sqrt(inverse[0, 0] * inverse[1, 1])
    bounded = min(max(partial, -1 + 1e-15), 1 - 1e-15)
    return math.erfc(math.sqrt(freedom / 2) * abs(math.atanh(bounded)))


def _compelled(graph: Matrix) -> tuple[int, int] | None:
    """Return an undirected edge that one of Meek's first three rules directs, or None."""
    directed, undirected, apart = graph & ~graph.T, graph & graph.T, ~(graph | graph.T)
    # Else there would be a new v-structure, or a cycle.
    ways = undirected & ((directed.T @ apart) | (directed @ directed))
    if ways.any():
        source, target = np.argwhere(ways)[0].tolist()
        return source, target
    for source, target in np.argwhere(undirected).tolist():
        middle = np.flatnonzero(undirected[source] & directed[:, target])
        if np.triu(apart[np.ix_(middle, middle)], 1).any():
            return source, target
    return None
