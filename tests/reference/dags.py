"""All DAGs, parent sets and linear extensions of a few nodes, straight from the definitions.

A DAG is a tuple with, for each node, the ascending tuple of its parents.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations, product

Parents = tuple[tuple[int, ...], ...]


def is_acyclic(parents: Parents) -> bool:
    """Say whether taking away nodes without parents, again and again, takes all away."""
    left = set(range(len(parents)))
    while left:
        roots = {node for node in left if left.isdisjoint(parents[node])}
        if not roots:
            return False
        left -= roots
    return True


@cache
def all_dags(n: int) -> tuple[Parents, ...]:
    """Return every DAG over n nodes once."""
    return tuple(filter(is_acyclic, _all_graphs(n)))


def _all_graphs(n: int) -> Iterator[Parents]:
    """Yield all graphs in which each pair of nodes has no edge, or one of two."""
    pairs = list(combinations(range(n), 2))
    for kinds in product(("none", "forward", "backward"), repeat=len(pairs)):
        parents: list[list[int]] = [[] for _ in range(n)]
        for (first, second), kind in zip(pairs, kinds, strict=True):
            if kind == "forward":
                parents[second].append(first)
            elif kind == "backward":
                parents[first].append(second)
        yield tuple(tuple(sorted(of_node)) for of_node in parents)


def all_parent_sets(
    n: int, node: int, max_indegree: int | None = None
) -> Iterator[tuple[int, ...]]:
    """Yield every set of at most max_indegree other nodes, small ones first."""
    others = [other for other in range(n) if other != node]
    most = n - 1 if max_indegree is None else min(max_indegree, n - 1)
    for size in range(most + 1):
        yield from combinations(others, size)


def linear_extensions(dag: Parents) -> Iterator[tuple[int, ...]]:
    """Yield every order of the nodes in which parents come before children."""
    for order in permutations(range(len(dag))):
        place = {node: position for position, node in enumerate(order)}
        if all(place[parent] < place[node] for node in place for parent in dag[node]):
            yield order
