"""Topological orders of directed graphs, or a cycle where there is none."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heapify, heappop, heappush


def topological_order(parents: Sequence[Collection[int]]) -> list[int]:
    """Return a topological order, the lexicographically smallest.

    It is shorter than the number of nodes if and only if there is a cycle; the nodes left
    out are those on a cycle or downstream of one.
    """
    waiting_for = [len(set(of_node)) for of_node in parents]
    children: list[list[int]] = [[] for _ in parents]
    for node, of_node in enumerate(parents):
        for parent in set(of_node):
            children[parent].append(node)
    ready = [node for node, count in enumerate(waiting_for) if count == 0]
    heapify(ready)
    order = []
    while ready:
        node = heappop(ready)
        order.append(node)
        for child in children[node]:
            waiting_for[child] -= 1
            if waiting_for[child] == 0:
                heappush(ready, child)
    return order


def find_cycle(parents: Sequence[Collection[int]]) -> list[int] | None:
    """Return the nodes of one cycle, each with an edge to the next and the last to the first.

    The cycle starts at its lowest node; None if there is no cycle.
    """
    left = set(range(len(parents))).difference(topological_order(parents))
    if not left:
        return None
    # Every node left out has a parent left out, so the walk to parents must repeat a node.
    walk = [min(left)]
    step_of = {walk[0]: 0}
    while True:
        upward = min(left.intersection(parents[walk[-1]]))
        if upward in step_of:
            break
        step_of[upward] = len(walk)
        walk.append(upward)
    cycle = walk[step_of[upward] :][::-1]
    start = cycle.index(min(cycle))
    return cycle[start:] + cycle[:start]


def cycle_in_words(cycle: Sequence[int], variables: Sequence[str]) -> str:
    """Return a cycle as ``a -> b -> c -> a``."""
    return " -> ".join(variables[node] for node in [*cycle, cycle[0]])
