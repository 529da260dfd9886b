"""Pictures of time series: slices side by side, the present on the right; and the process graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcwise.data.slices import Slices
from arcwise.dynamics.lagged_edges import ProcessEdge
from arcwise.layout.detours import detours
from arcwise.layout.drawing import Drawing, layered_drawing
from arcwise.layout.links import Link
from arcwise.layout.picture import Picture

_ACROSS, _DOWN = 2.0, 0.7  # between slices, and between the variables of a slice
_BULGE = 0.5  # of an edge within a slice, so that it does not cross what is between
_APART = 0.12  # of two edges between the same variables, as a share of their length


def slices_picture(slices: Slices, links: Sequence[Link]) -> Picture:
    """Return the slices from left to right, static variables first, and the links between them.

    Parameters
    ----------
    slices
        Which column is of which time.
    links
        The links; their ends are positions of columns.

    Examples
    --------
    >>> from arcwise.data.slices import Place
    >>> slices = Slices((Place("x", 0), Place("y", 0), Place("x", 1), Place("y", 1)))
    >>> slices_picture(slices, []).drawing.positions
    {'x(t)': (2.0, 0.0), 'y(t)': (2.0, 0.7), 'x(t-1)': (0.0, 0.0), 'y(t-1)': (0.0, 0.7)}
    """
    columns: list[int | None] = [*([None] if slices.static else []), *slices.lags[::-1], 0]
    rows = {name: row for row, name in enumerate(slices.variables)}
    # What is static stands in the middle of the height.
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
    """Return the process graph; a variable that depends on its own past is marked by ↺.

    Parameters
    ----------
    variables
        The variables, static ones included.
    edges
        The edges of the process graph.
    threshold
        The smallest probability at which an edge is drawn.
    """
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
    # Of two edges between the same variables, the layers need to know the stronger alone.
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
    """Return a point to the left of the middle of the way, so that the way back has its own."""
    (x, y), (u, v) = one, other
    return (x + u) / 2 + _APART * (v - y), (y + v) / 2 - _APART * (u - x)
