"""Pictures of time series: slices side by side, the present on the right; and the process graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.data.table import Slices
from arcwise.dynamics.lagged_edges import ProcessEdge
from arcwise.layout.drawing import Drawing, layered_drawing
from arcwise.layout.picture import Link, Picture

_ACROSS, _DOWN = 2.0, 0.7  # between slices, and between the variables of a slice
_BULGE = 0.5  # of an edge within a slice, so that it avoids the variables between
_APART = 0.12  # between two edges of the same variables, as a share of their length


def slices_picture(slices: Slices, links: Sequence[Link]) -> Picture:
    """Return the slices from left to right, static variables first, and the links between them.

    Examples
    --------
    >>> from arcwise.data.table import Place
    >>> slices = Slices((Place("x", 0), Place("y", 0), Place("x", 1), Place("y", 1)))
    >>> slices_picture(slices, []).drawing.positions
    {'x(t)': (2.0, 0.0), 'y(t)': (2.0, 0.7), 'x(t-1)': (0.0, 0.0), 'y(t-1)': (0.0, 0.7)}
    """
    columns: list[int | None] = [*([None] if slices.static else []), *slices.lags[::-1], 0]
    rows = {name: row for row, name in enumerate(slices.variables)}
    # Static variables are vertically centred.
    middle = max(0.0, (len(rows) - len(slices.static)) / 2)
    rows_of_static = {name: row + middle for row, name in enumerate(slices.static)}
    place = {
        of.name: (
            _ACROSS * columns.index(of.lag),
            _DOWN * (rows_of_static[of.variable] if of.lag is None else rows[of.variable]),
        )
        for of in slices.places
    }
    names = tuple(of.name for of in slices.places)
    routes: dict[tuple[str, str], list[tuple[float, float]]] = {}
    around = detours(
        np.array([place[name] for name in names]),
        np.array([link.source for link in links], dtype=np.intp),
        np.array([link.target for link in links], dtype=np.intp),
    )
    for link, bend in zip(links, around, strict=True):
        source, target = names[link.source], names[link.target]
        (x, one), (other_x, other) = place[source], place[target]
        routes[source, target] = [(float(a), float(b)) for a, b in bend]
        if x == other_x and abs(one - other) > 1.5 * _DOWN:
            far = min(1.0, abs(one - other) / (4 * _DOWN))
            routes[source, target] = [(x + _BULGE * far, (one + other) / 2)]
    drawing = Drawing(place, routes)
    return Picture(names, tuple(links), drawing, (0,) * len(names))


def process_picture(
    variables: Sequence[str], edges: Sequence[ProcessEdge], threshold: float
) -> Picture:
    """Return the process graph; a variable that depends on its own past is marked by ↺."""
    shown = [edge for edge in edges if edge.probability >= threshold]
    own = {edge.source: edge.probability for edge in shown if edge.source == edge.target}
    labels = {name: f"{name} ↺ {own[name]:.2f}" if name in own else name for name in variables}
    number = {name: place for place, name in enumerate(variables)}
    between = [edge for edge in shown if edge.source != edge.target]
    names = [labels[name] for name in variables]
    links = [
        Link(number[edge.source], number[edge.target], edge.probability, 0.0) for edge in between
    ]
    weights = {(link.source, link.target): link.probability for link in links}
    # Layers are determined by the stronger of two edges between the same variables.
    stronger = {
        (u, v): weight for (u, v), weight in weights.items() if weight >= weights.get((v, u), 0.0)
    }
    drawing = layered_drawing(names, stronger)
    routes = dict(drawing.routes)
    for u, v in weights:
        one, other = names[u], names[v]
        routes.setdefault((one, other), [])
        if (v, u) in weights:
            routes[one, other] = [_beside(drawing.positions[one], drawing.positions[other])]
    placed = Drawing(drawing.positions, routes, drawing.alone)
    return Picture(tuple(names), tuple(links), placed, (0,) * len(names))


def _beside(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Return a point to the left of the middle, so that the edges in both directions are apart."""
    (x, y), (u, v) = one, other
    return (x + u) / 2 + _APART * (v - y), (y + v) / 2 - _APART * (u - x)


Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
# Offsets of the middle of an edge from the straight line, in edge lengths, by increasing size.
_BENDS = (0.0, 0.09, -0.09, 0.18, -0.18, 0.3, -0.3)
_CLEARANCE = 0.3


def detours(points: Array, sources: Numbers, targets: Numbers) -> list[Array]:
    """Return the point through which each edge avoids nodes; none for straight edges."""
    cost = np.full(len(sources), np.inf)
    chosen = np.zeros(len(sources))
    for bend in _BENDS:
        # The cost is at least the bend itself, so edges of lower cost are settled.
        rest = np.flatnonzero(cost > abs(bend))
        own = _nodes_met(points, sources[rest], targets[rest], bend) + abs(bend)
        better = own < cost[rest]
        chosen[rest[better]] = bend
        cost[rest[better]] = own[better]
    middle = _middle(points, sources, targets, chosen[:, np.newaxis])
    if len(points):  # bends stay inside the picture
        middle = np.clip(middle, points.min(axis=0), points.max(axis=0))
    return [middle[i : i + 1] if bend else np.empty((0, 2)) for i, bend in enumerate(chosen)]


def _middle(points: Array, sources: Numbers, targets: Numbers, bend: float | Array) -> Array:
    start, end = points[sources], points[targets]
    across = (end - start) @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    result: Array = (start + end) / 2 + bend * across
    return result


def _nodes_met(points: Array, sources: Numbers, targets: Numbers, bend: float) -> Array:
    """Return the number of other nodes that each edge would be too close to."""
    start, end = points[sources], points[targets]
    control = 2 * _middle(points, sources, targets, bend) - (start + end) / 2
    squares = (points**2).sum(axis=1)
    met = np.zeros((len(sources), len(points)), dtype=np.bool_)
    for t in np.linspace(0.08, 0.92, 9):
        point = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
        # Scalar products give squared distances without a three-dimensional array.
        distance = (point**2).sum(axis=1)[:, np.newaxis] - 2 * point @ points.T + squares
        met |= distance < _CLEARANCE**2
    rows = np.arange(len(sources))
    met[rows, sources] = met[rows, targets] = False
    counts: Array = met.sum(axis=1).astype(np.float64)
    return counts
