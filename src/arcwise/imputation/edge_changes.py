"""Changes of edges between pairs of nodes, and whether the DAG that they lead to is allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from arcwise.families import Families

Parents: TypeAlias = Sequence[tuple[int, ...]]
"""The parents of each node."""


def other_edge(
    parents: Parents, u: int, v: int, random: np.random.Generator
) -> tuple[tuple[int, ...], ...]:
    """Return parents with another edge between two nodes: one of none, u -> v and v -> u.

    Each of the two others is as probable, so that the way back is.

    Parameters
    ----------
    parents
        The parents of each node.
    u, v
        The two nodes.
    random
        The source of random numbers.
    """
    now = 1 if u in parents[v] else 2 if v in parents[u] else 0
    then = (now + int(random.integers(1, 3))) % 3
    return with_edges(parents, {(u, v): then})


def with_edges(
    parents: Parents, edges: Mapping[tuple[int, int], int]
) -> tuple[tuple[int, ...], ...]:
    """Return parents with these edges between pairs of nodes.

    Parameters
    ----------
    parents
        The parents of each node.
    edges
        For pairs u, v: 0 for no edge, 1 for u -> v, 2 for v -> u.
    """
    new = list(parents)
    for (u, v), state in edges.items():
        new[v] = _with(new[v], u, present=state == 1)
        new[u] = _with(new[u], v, present=state == 2)
    return tuple(new)


def other_end(
    parents: Parents, node: int, one: int, other: int, random: np.random.Generator
) -> tuple[tuple[int, ...], ...] | None:
    """Return parents with an edge of a node leading to another one of two nodes, in any direction.

    None if the node has edges to both or to neither. The way back is as probable.

    Parameters
    ----------
    parents
        The parents of each node.
    node
        The node.
    one, other
        The two that it may have an edge to.
    random
        The source of random numbers.
    """
    adjacent = [u in parents[node] or node in parents[u] for u in (one, other)]
    forward = bool(random.integers(2))
    if adjacent[0] == adjacent[1]:
        return None
    old, end = (one, other) if adjacent[0] else (other, one)
    new = list(parents)
    new[node] = _with(_with(parents[node], old, present=False), end, present=not forward)
    new[old] = _with(parents[old], node, present=False)
    new[end] = _with(parents[end], node, present=forward)
    return tuple(new)


def turned_family(
    parents: Parents, random: np.random.Generator
) -> tuple[tuple[int, ...], ...] | None:
    """Return parents with a family turned round, or None if there is no edge.

    Of an edge u -> v, the node v gets the parents of u, and u what is left of the parents of v,
    with v in its own place: what several nodes do together may be said by any of them. The edge is
    drawn, each as probable as others. The DAG reached has as many edges, among them v -> u, which
    leads back, so that the way back is as probable. A covered edge is just reversed.

    Parameters
    ----------
    parents
        The parents of each node.
    random
        The source of random numbers.
    """
    edges = [(parent, node) for node, others in enumerate(parents) for parent in others]
    if not edges:
        return None
    u, v = edges[int(random.integers(len(edges)))]
    new = list(parents)
    new[u] = _with(_with(parents[v], u, present=False), v, present=True)
    new[v] = parents[u]
    return tuple(new)


def _with(parents: tuple[int, ...], other: int, *, present: bool) -> tuple[int, ...]:
    rest = {parent for parent in parents if parent != other}
    return tuple(sorted(rest | {other} if present else rest))


def same_adjacencies(one: Parents, other: Parents) -> bool:
    """Return whether two DAGs join the same pairs of nodes, in whatever direction."""
    return _adjacencies(one) == _adjacencies(other)


def _adjacencies(parents: Parents) -> set[tuple[int, int]]:
    return {
        (min(node, parent), max(node, parent))
        for node, others in enumerate(parents)
        for parent in others
    }


def allowed(families: Families, node: int, parents: tuple[int, ...]) -> bool:
    """Return whether a node may have these parents."""
    required = set(families.required[node])
    free = set(parents) - required
    outside = free - set(families.candidates[node])
    return (
        required <= set(parents)
        and len(free) <= families.max_free[node]
        and (not outside or (len(outside) == 1 and outside <= set(families.outside[node])))
    )


def reaches(parents: Parents, source: int, target: int) -> bool:
    """Return whether a directed path leads from one node to another."""
    above, waiting = {target}, [target]
    while waiting:
        for parent in parents[waiting.pop()]:
            if parent == source:
                return True
            if parent not in above:
                above.add(parent)
                waiting.append(parent)
    return False
