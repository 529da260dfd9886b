"""`modules`: a large network in parts that can each be looked at as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

Pair = tuple[int, int]

MOST_IN_MODULE = 40
"""The largest module: so many nodes, with their names, can be taken in at a glance."""


def modules(
    nodes: Sequence[int], weights: Mapping[Pair, float], most: int = MOST_IN_MODULE
) -> list[list[int]]:
    """Return a partition of the nodes with much weight inside its parts, the largest part first.

    Parts are joined two by two, always those that gain most modularity (Clauset, Newman and
    Moore 2004, "Finding community structure in very large networks"), while the result has at
    most a given number of nodes. Parts that are not joined to any other part that has room for
    them, and are at most half as large as allowed, are then put together.

    Parameters
    ----------
    nodes
        The nodes.
    weights
        The weight of each link between two of them, given once for the two.
    most
        The largest number of nodes of a part.

    Examples
    --------
    >>> pairs = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)]
    >>> modules(range(6), dict.fromkeys(pairs, 1.0), most=4)
    [[0, 1, 2], [3, 4, 5]]
    """
    members = {node: [node] for node in nodes}
    near: dict[int, dict[int, float]] = {node: {} for node in nodes}
    for (one, other), weight in weights.items():
        near[one][other] = near[one].get(other, 0.0) + weight
        near[other][one] = near[other].get(one, 0.0) + weight
    strength = {node: sum(near[node].values()) for node in nodes}
    total = sum(strength.values())  # twice the weight of all links

    def entry(one: int, other: int) -> tuple[float, int, int, float]:
        """Return a joining with its gain, the largest first, and the weight it was reckoned by."""
        weight = near[one][other]
        gain = weight - strength[one] * strength[other] / total
        return -gain, min(one, other), max(one, other), weight

    waiting = [entry(one, other) for one in nodes for other in near[one] if one < other]
    heapify(waiting)
    while waiting:
        _, one, other, weight = heappop(waiting)
        # A part that has grown meanwhile has newer entries.
        if one not in members or near[one].get(other) != weight:
            continue
        if len(members[one]) + len(members[other]) > most:
            continue
        members[one] += members.pop(other)
        strength[one] += strength.pop(other)
        del near[one][other]
        for third, more in near.pop(other).items():
            if third != one:
                near[one][third] = near[one].get(third, 0.0) + more
                del near[third][other]
                near[third][one] = near[one][third]
        for third in near[one]:
            heappush(waiting, entry(one, third))
    return _packed(list(members.values()), most)


def _packed(parts: list[list[int]], most: int) -> list[list[int]]:
    """Put small parts together, each where it first fits."""
    ordered = sorted((sorted(part) for part in parts), key=lambda part: (-len(part), part))
    result = [part for part in ordered if 2 * len(part) > most]
    shared: list[list[int]] = []
    for part in ordered[len(result) :]:
        room = next((other for other in shared if len(other) + len(part) <= most), None)
        if room is None:
            shared.append(list(part))
        else:
            room += part
    return sorted(
        [*result, *(sorted(part) for part in shared)], key=lambda part: (-len(part), part)
    )
