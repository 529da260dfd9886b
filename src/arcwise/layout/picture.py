"""`Picture`: the part of a network that is drawn, and its layout, for the report page and plots.

A `Link` is a line between two nodes, with the probability of each direction. A large network is
drawn in modules, which can each be viewed as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from arcwise.exchange.graphs import Exchanged, checked_graph
from arcwise.layout.drawing import Drawing, layered_drawing
from arcwise.posterior import Posterior
from arcwise.posterior.matrices import OPEN_SHARE


@dataclass(frozen=True)
class Link:
    """Two nodes that may be adjacent."""

    # The positions of the nodes, in the order of the more probable direction.
    source: int
    target: int
    # The probabilities of source → target and of target → source, which exclude each other in a
    # DAG, so that their sum is the probability of the adjacency.
    forward: float
    backward: float

    @property
    def probability(self) -> float:
        """The probability of an edge in either direction."""
        return min(1.0, self.forward + self.backward)

    @property
    def is_open(self) -> bool:
        """Whether each direction has at least a tenth of the probability of the adjacency."""
        return 0.0 < self.probability * OPEN_SHARE <= self.backward


def links_of(graph: Exchanged) -> list[Link]:
    """Return all adjacent pairs of a posterior or a graph, the most probable first.

    The pairs of a graph have the probability 1, which undirected edges divide equally.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> (link,) = links_of(arcwise.exact(model))
    >>> link.is_open, round(link.probability, 3)
    (True, 1.0)
    """
    return links_of_matrix(_edges(graph))


def links_of_matrix(edges: NDArray[np.float64], least: float = 0.0) -> list[Link]:
    """Return the pairs whose adjacency is more probable than `least`, given [source, target]."""
    either = edges + edges.T
    u, v = np.nonzero(np.triu(either > least, 1))
    turned = edges[v, u] > edges[u, v]
    u, v = np.where(turned, v, u), np.where(turned, u, v)
    order = np.argsort(-either[u, v], kind="stable")
    u, v = u[order], v[order]
    rows = zip(*(each.tolist() for each in (u, v, edges[u, v], edges[v, u])), strict=True)
    return [Link(*row) for row in rows]


def _edges(graph: Exchanged) -> NDArray[np.float64]:
    checked = checked_graph(graph)
    if isinstance(checked, Posterior):
        return checked.edges
    edges = checked.matrix()
    return np.where(edges & edges.T, 0.5, edges)


MOST_TOGETHER = 60
"""The largest number of joined nodes that is drawn without modules."""
_USUAL_THRESHOLD, _HIGHEST_THRESHOLD, _STEP = 0.5, 0.95, 0.05
_LINKS_PER_NODE = 2.0


def starting_threshold(links: Sequence[Link], nodes: int) -> float:
    """Return the initial threshold for the probability of a link.

    It is one half. In a network that is drawn in modules, it is higher if there would be more than
    two links for each node, which would hide each other.
    """
    joined = {node for link in links if link.probability >= _USUAL_THRESHOLD
              for node in (link.source, link.target)}  # fmt: skip
    if len(joined) <= MOST_TOGETHER:
        return _USUAL_THRESHOLD
    probabilities = np.array([link.probability for link in links])
    threshold = _USUAL_THRESHOLD
    while threshold < _HIGHEST_THRESHOLD - 1e-9:
        if (probabilities >= threshold).sum() <= _LINKS_PER_NODE * nodes:
            break
        threshold = round(threshold + _STEP, 2)
    return threshold


def modules_of(links: Sequence[Link], nodes: int) -> list[list[int]]:
    """Return the modules of the nodes with links; a single one if all can be drawn together."""
    joined = sorted({node for link in links for node in (link.source, link.target)})
    if not joined:
        return []
    if len(joined) <= MOST_TOGETHER:
        return [joined]
    return modules(joined, _weights(links), MOST_IN_MODULE)


@dataclass(frozen=True)
class Picture:
    """Nodes with their places, and the links between them."""

    variables: tuple[str, ...]  # the names of the nodes in the picture
    links: tuple[Link, ...]  # the most probable first; their ends are positions among these nodes
    drawing: Drawing
    elsewhere: tuple[int, ...]  # for each node, the number of links to nodes not in the picture

    @classmethod
    def whole(cls, variables: Sequence[str], links: Sequence[Link]) -> Picture:
        """Return all nodes, those of a large network in modules."""
        parts = modules_of(links, len(variables))
        framed = parts if len(parts) > 1 else None
        drawing = layered_drawing(variables, _weights(links), framed)
        return cls(tuple(variables), tuple(links), drawing, (0,) * len(variables))

    @classmethod
    def part(cls, variables: Sequence[str], links: Sequence[Link], nodes: Sequence[int]) -> Picture:
        """Return some of the nodes, such as those of a module, and the links between them."""
        place = {node: number for number, node in enumerate(nodes)}
        inside = tuple(
            Link(place[link.source], place[link.target], link.forward, link.backward)
            for link in links
            if link.source in place and link.target in place
        )
        ends = ((link.source, link.target) for link in links)
        # These are the ends in the picture of links that leave it.
        outwards = Counter(u if u in place else v for u, v in ends if (u in place) != (v in place))
        names = tuple(variables[node] for node in nodes)
        drawing = layered_drawing(names, _weights(inside))
        return cls(names, inside, drawing, tuple(outwards[node] for node in nodes))


def _weights(links: Sequence[Link]) -> dict[tuple[int, int], float]:
    return {(link.source, link.target): link.probability for link in links}


Pair = tuple[int, int]
MOST_IN_MODULE = 40
"""The largest module: 40 nodes, with their names, can be viewed at a glance."""


def modules(
    nodes: Sequence[int], weights: Mapping[Pair, float], most: int = MOST_IN_MODULE
) -> list[list[int]]:
    """Return a partition of the nodes with much weight inside its parts, the largest part first.

    Pairs of parts are merged in order of the gain in modularity (Clauset, Newman and Moore 2004,
    "Finding community structure in very large networks"), as long as the result has at most a given
    number of nodes. Remaining parts of at most half the maximum size are then put together.

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
        """Return a possible merger with its gain, for a heap, and the weight it is based on."""
        weight = near[one][other]
        gain = weight - strength[one] * strength[other] / total
        return -gain, min(one, other), max(one, other), weight

    waiting = [entry(one, other) for one in nodes for other in near[one] if one < other]
    heapify(waiting)
    while waiting:
        _, one, other, weight = heappop(waiting)
        # If a part has grown since, there are newer entries.
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
    """Put small parts together, by first fit."""
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
