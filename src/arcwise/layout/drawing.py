"""`layered_layout` and `layered_drawing`: connected components in layers, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np

from arcwise.errors import ArgumentError
from arcwise.layout.coordinates import across
from arcwise.layout.layering import acyclic_edges, layers_of
from arcwise.layout.ordering import Layers
from arcwise.support.edges import is_matrix, square_matrix
from arcwise.support.names import checked_variables, positions
from arcwise.support.words import shown

Pair = tuple[int, int]
Point = tuple[float, float]

_WIDTH_OVER_HEIGHT = 1.6


@dataclass(frozen=True)
class Drawing:
    """The positions of nodes, and the points through which edges are routed.

    Parameters
    ----------
    positions
        The position (x, y) of each node, y downwards as on a page. Nodes of one layer
        share y and are at least 1 apart, and so are layers.
    routes
        For each edge (source, target), the points it should pass through so as to avoid
        the nodes of the layers it crosses; often none.

    Examples
    --------
    >>> drawing = layered_drawing(["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")])
    >>> len(drawing.routes["a", "c"])
    1
    """

    positions: dict[str, Point]
    routes: dict[tuple[str, str], list[Point]]


def layered_layout(variables: Iterable[str], edges: Any) -> dict[str, Point]:
    """Return a position (x, y) for each node, y downwards, parents above their children.

    The layout is deterministic. Cycles are allowed; some of their edges then point
    upwards. Nodes without edges are placed in a grid beside the others.

    Parameters
    ----------
    variables
        The names of the nodes.
    edges
        Pairs (source, target) of names, or an n x n array indexed [source, target]
        with a positive weight, such as a probability, for each edge and 0 for none.
        Edges of large weight are made shorter and straighter.

    Examples
    --------
    >>> layered_layout(["a", "b", "c"], [("a", "b"), ("b", "c")])
    {'a': (0.0, 0.0), 'b': (0.0, 1.0), 'c': (0.0, 2.0)}
    """
    return layered_drawing(variables, edges).positions


def layered_drawing(variables: Iterable[str], edges: Any) -> Drawing:
    """Return the positions of nodes and routes of edges; see `layered_layout` for parameters."""
    names = checked_variables(variables)
    weights = _weights(names, edges)
    parts = _connected(len(names), weights)
    boxes = [_Box.of(part, weights) for part in parts if len(part) > 1]
    alone = [part[0] for part in parts if len(part) == 1]
    place: dict[int, Point] = {}
    routes: dict[Pair, list[Point]] = {}
    width, height = _pack(boxes, place, routes)
    _grid(alone, width, height, place)
    drawn: dict[tuple[str, str], list[Point]] = {}
    for source, target in weights:
        points = routes.get((source, target))
        if points is None:
            points = routes.get((target, source), [])[::-1]
        drawn[names[source], names[target]] = points
    return Drawing({name: place[node] for node, name in enumerate(names)}, drawn)


def _weights(names: Sequence[str], edges: Any) -> dict[Pair, float]:
    if is_matrix(edges):
        matrix = square_matrix(edges, "edges")
        if len(matrix) != len(names):
            raise ArgumentError(
                f"edges has the shape {matrix.shape}; give one row and one column for each "
                f"of the {len(names)} variables"
            )
        if not (np.isfinite(matrix) & (matrix >= 0.0)).all():
            raise ArgumentError(
                "edges holds a number that is negative or not finite; give weights of 0 or more"
            )
        pairs = [(int(i), int(j)) for i, j in np.argwhere(matrix)]
        return {(i, j): float(matrix[i, j]) for i, j in pairs if i != j}
    result = {}
    for edge in edges:
        if isinstance(edge, str) or len(edge) != 2:
            raise ArgumentError(f"edges holds {shown(edge)}; give pairs (source, target) of names")
        source, target = positions(edge, names, "edges")
        if source != target:
            result[source, target] = 1.0
    return result


def _connected(count: int, edges: Iterable[Pair]) -> list[list[int]]:
    """Return the nodes of each connected component, the largest component first."""
    near: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        near[source].append(target)
        near[target].append(source)
    seen: set[int] = set()
    parts = []
    for first in range(count):
        if first in seen:
            continue
        part, stack = [], [first]
        seen.add(first)
        while stack:
            node = stack.pop()
            part.append(node)
            for other in near[node]:
                if other not in seen:
                    seen.add(other)
                    stack.append(other)
        parts.append(sorted(part))
    return sorted(parts, key=len, reverse=True)


@dataclass(frozen=True)
class _Box:
    """The drawing of one connected component, its upper left corner at (0, 0)."""

    place: dict[int, Point]
    routes: dict[Pair, list[Point]]
    width: float
    height: float

    @classmethod
    def of(cls, part: Sequence[int], weights: dict[Pair, float]) -> _Box:
        inside = set(part)
        own = {pair: weight for pair, weight in weights.items() if pair[0] in inside}
        acyclic = acyclic_edges(part, own)
        layers = Layers.of(layers_of(part, acyclic), acyclic)
        layers.reduce_crossings()
        x = across(layers)
        row = {node: float(number) for number, row in enumerate(layers.rows) for node in row}
        return cls(
            {node: (x[node], row[node]) for node in part},
            {edge: [(x[b], row[b]) for b in bends] for edge, bends in layers.bends.items()},
            max(x.values()),
            float(len(layers.rows) - 1),
        )


def _pack(
    boxes: Sequence[_Box], place: dict[int, Point], routes: dict[Pair, list[Point]]
) -> tuple[float, float]:
    """Pack boxes into rows, like words into lines; return the total width and height."""
    area = sum((box.width + 1) * (box.height + 1) for box in boxes)
    widest = max((box.width + 1 for box in boxes), default=0.0)
    line = max(widest, sqrt(area * _WIDTH_OVER_HEIGHT))
    left = top = width = tallest = 0.0
    for box in sorted(boxes, key=lambda box: (-box.height, -box.width)):
        if left > 0.0 and left + box.width + 1 > line + 1e-9:
            left, top, tallest = 0.0, top + tallest, 0.0
        for node, (x, y) in box.place.items():
            place[node] = (x + left, y + top)
        for edge, points in box.routes.items():
            routes[edge] = [(x + left, y + top) for x, y in points]
        left += box.width + 1
        width, tallest = max(width, left), max(tallest, box.height + 1)
    return width, top + tallest


def _grid(nodes: Sequence[int], left: float, height: float, place: dict[int, Point]) -> None:
    """Place nodes without edges in a grid to the right, a little apart from the rest."""
    if not nodes:
        return
    # As tall as the rest, unless that would make it a narrow strip.
    least = ceil(sqrt(len(nodes) / _WIDTH_OVER_HEIGHT))
    rows = min(len(nodes), max(least, round(height)))
    columns = ceil(len(nodes) / rows)
    start = left + 0.5 if left else 0.0
    for number, node in enumerate(nodes):
        row, column = divmod(number, columns)
        place[node] = (start + column, float(row))
