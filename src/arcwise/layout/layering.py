"""The first step of a layered drawing: each node gets a layer below those of its parents.

Edges that would close a cycle are reversed for the drawing (Eades, Lin and Smyth 1993, "A
fast and effective heuristic for the feedback arc set problem", with weights).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter
from math import ceil, sqrt

Pair = tuple[int, int]

_MIN_LAYER_SIZE = 8
_SWEEPS = 20


def acyclic_edges(nodes: Sequence[int], edges: Mapping[Pair, float]) -> dict[Pair, float]:
    """Return the edges made acyclic: those against a good order of the nodes are reversed.

    Parameters
    ----------
    nodes
        The nodes.
    edges
        The weight of each edge (source, target).
    """
    place = {node: position for position, node in enumerate(_order(nodes, edges))}
    result: dict[Pair, float] = {}
    for (source, target), weight in edges.items():
        pair = (source, target) if place[source] < place[target] else (target, source)
        result[pair] = result.get(pair, 0.0) + weight
    return result


def _order(nodes: Sequence[int], edges: Mapping[Pair, float]) -> list[int]:
    """Return an order of the nodes with little total weight of edges against it."""
    out_of: dict[int, dict[int, float]] = {node: {} for node in nodes}
    into: dict[int, dict[int, float]] = {node: {} for node in nodes}
    for (source, target), weight in edges.items():
        out_of[source][target] = into[target][source] = weight

    def surplus(node: int) -> float:
        return sum(out_of[node].values()) - sum(into[node].values())

    left = dict.fromkeys(nodes)
    first: list[int] = []
    last: list[int] = []
    while left:
        sink = next((node for node in left if not out_of[node]), None)
        top = next((node for node in left if not into[node]), None)
        if sink is not None:
            last.append(sink)
        else:
            first.append(max(left, key=surplus) if top is None else top)
        chosen = sink if sink is not None else first[-1]
        del left[chosen]
        for target in out_of[chosen]:
            del into[target][chosen]
        for parent in into[chosen]:
            del out_of[parent][chosen]
    return first + last[::-1]


def layers_of(nodes: Sequence[int], edges: Mapping[Pair, float]) -> dict[int, int]:
    """Return a layer for each node, larger than those of its parents.

    The number of nodes in a layer is limited so that the drawing is roughly square;
    subject to that, edges are short.

    Parameters
    ----------
    nodes
        The nodes.
    edges
        Acyclic edges, with weights.
    """
    parents: dict[int, dict[int, float]] = {node: {} for node in nodes}
    children: dict[int, dict[int, float]] = {node: {} for node in nodes}
    for (source, target), weight in edges.items():
        parents[target][source] = children[source][target] = weight
    room = max(_MIN_LAYER_SIZE, ceil(1.5 * sqrt(len(nodes))))
    layer = _scheduled(nodes, parents, children, room)
    _shorten_edges(layer, parents, children, room)
    used = {old: new for new, old in enumerate(sorted(set(layer.values())))}
    return {node: used[old] for node, old in layer.items()}


def _scheduled(
    nodes: Sequence[int],
    parents: Mapping[int, Mapping[int, float]],
    children: Mapping[int, Mapping[int, float]],
    room: int,
) -> dict[int, int]:
    """Fill layers from the top, the nodes with the longest path below them first."""
    below: dict[int, int] = {}
    for node in TopologicalSorter(children).static_order():  # children first
        below[node] = 1 + max((below[child] for child in children[node]), default=-1)
    layer: dict[int, int] = {}
    filled: Counter[int] = Counter()
    waiting = {node: len(parents[node]) for node in nodes}
    ready = [node for node in nodes if not waiting[node]]
    while ready:
        ready.sort(key=lambda node: -below[node])
        node = ready.pop(0)
        own = 1 + max((layer[parent] for parent in parents[node]), default=-1)
        while filled[own] >= room:
            own += 1
        layer[node] = own
        filled[own] += 1
        for child in children[node]:
            waiting[child] -= 1
            if not waiting[child]:
                ready.append(child)
    return layer


def _shorten_edges(
    layer: dict[int, int],
    parents: Mapping[int, Mapping[int, float]],
    children: Mapping[int, Mapping[int, float]],
    room: int,
) -> None:
    """Move nodes, where there is room, to the layer that makes their edges shortest."""
    filled = Counter(layer.values())
    bottom = max(layer.values())
    for _ in range(_SWEEPS):
        moved = False
        for node in layer:
            low = 1 + max((layer[parent] for parent in parents[node]), default=-1)
            high = min((layer[child] for child in children[node]), default=bottom + 1) - 1
            slope = sum(parents[node].values()) - sum(children[node].values())
            # Between its parents and children, the sum of lengths is linear in the layer.
            wanted = range(low, high + 1) if slope > 0 else range(high, low - 1, -1)
            if slope == 0:
                continue
            for own in wanted:
                if own == layer[node]:
                    break
                if filled[own] < room:
                    filled[layer[node]] -= 1
                    filled[own] += 1
                    layer[node] = own
                    moved = True
                    break
        if not moved:
            return
