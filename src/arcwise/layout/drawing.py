"""`layered_drawing`: connected components in layers, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, sqrt

from arcwise.layout.coordinates import across
from arcwise.layout.layering import acyclic_edges, layers_of
from arcwise.layout.ordering import Layers

Pair = tuple[int, int]
Point = tuple[float, float]

_WIDTH_OVER_HEIGHT = 1.6
# Around the nodes of a module, up to its frame.
_MARGIN = 0.6
# Rows of nodes without edges are closer than layers, as no edges run between them.
_ROW = 0.6


Frame = tuple[float, float, float, float]
"""The left, top, right and bottom of a part of a drawing."""


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
    alone
        The nodes without edges, which stand in rows beneath the others.
    frames
        The outlines of modules, if the drawing has any.

    Examples
    --------
    >>> drawing = layered_drawing(["a", "b", "c"], {(0, 1): 1.0, (1, 2): 1.0, (0, 2): 1.0})
    >>> len(drawing.routes["a", "c"])
    1
    """

    positions: dict[str, Point]
    routes: dict[tuple[str, str], list[Point]]
    alone: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()


def layered_drawing(
    names: Sequence[str],
    weights: Mapping[Pair, float],
    modules: Sequence[Sequence[int]] | None = None,
) -> Drawing:
    """Return a position (x, y) for each node, y downwards, parents above their children.

    The drawing is deterministic. Cycles are allowed; some of their edges then point upwards. Nodes
    without edges stand in rows beneath the others.

    Parameters
    ----------
    names
        The names of the nodes.
    weights
        The weight of each edge (source, target), with nodes by position. Edges of large weight, as
        of a large probability, are made shorter and straighter.
    modules
        The nodes of modules, each of which has a frame of its own; those without edges may be
        missing, and edges between modules have no routes. None to draw all nodes together.

    Examples
    --------
    >>> layered_drawing(["a", "b", "c"], {(0, 1): 1.0, (1, 2): 1.0}).positions
    {'a': (0.0, 0.0), 'b': (0.0, 1.0), 'c': (0.0, 2.0)}
    """
    framed = modules is not None
    weights = dict(sorted(weights.items()))
    joined = {node for pair in weights for node in pair}
    boxes = []
    for module in [range(len(names))] if modules is None else modules:
        inside = joined.intersection(module)
        own = {pair: weight for pair, weight in weights.items() if inside.issuperset(pair)}
        parts = _connected(sorted(inside), own)
        if parts:
            boxes.append(_Box.packed([_Box.of(part, own) for part in parts]))
    frames: list[Frame] = []
    whole = _Box.packed([box.with_margin(_MARGIN) for box in boxes] if framed else boxes, frames)
    alone = [node for node in range(len(names)) if node not in joined]
    place = whole.place | _in_rows(alone, whole)
    turned = {(target, source): route[::-1] for (source, target), route in whole.routes.items()}
    routes = turned | whole.routes
    return Drawing(
        {name: place[node] for node, name in enumerate(names)},
        {(names[u], names[v]): routes.get((u, v), []) for u, v in weights},
        tuple(names[node] for node in alone),
        tuple(frames) if framed else (),
    )


def _connected(nodes: Sequence[int], edges: Iterable[Pair]) -> list[list[int]]:
    """Return the nodes of each connected component, the largest component first."""
    near: dict[int, set[int]] = {node: set() for node in nodes}
    for source, target in edges:
        near[source].add(target)
        near[target].add(source)
    seen: set[int] = set()
    parts = []
    for first in nodes:
        if first not in seen:
            part = [first]
            seen.add(first)
            for node in part:  # which grows meanwhile
                new = near[node] - seen
                part += new
                seen |= new
            parts.append(sorted(part))
    return sorted(parts, key=len, reverse=True)


@dataclass(frozen=True)
class _Box:
    """The drawing of a part of the graph, its upper left corner at (0, 0)."""

    place: dict[int, Point]
    routes: dict[Pair, list[Point]]
    width: float
    height: float

    @classmethod
    def of(cls, part: Sequence[int], weights: dict[Pair, float]) -> _Box:
        """Return the drawing of one connected component."""
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

    @classmethod
    def packed(cls, boxes: Sequence[_Box], frames: list[Frame] | None = None) -> _Box:
        """Return boxes in rows, like words in lines, and add the frame of each to a list."""
        area = sum((box.width + 1) * (box.height + 1) for box in boxes)
        widest = max((box.width + 1 for box in boxes), default=0.0)
        line = max(widest, sqrt(area * _WIDTH_OVER_HEIGHT))
        place: dict[int, Point] = {}
        routes: dict[Pair, list[Point]] = {}
        left = top = width = tallest = 0.0
        for box in sorted(boxes, key=lambda box: (-box.height, -box.width)):
            if left > 0.0 and left + box.width + 1 > line + 1e-9:
                left, top, tallest = 0.0, top + tallest, 0.0
            moved = box.moved(left, top)
            place |= moved.place
            routes |= moved.routes
            if frames is not None:
                frames.append((left, top, left + box.width, top + box.height))
            left += box.width + 1
            width, tallest = max(width, left), max(tallest, box.height + 1)
        return cls(place, routes, max(0.0, width - 1), max(0.0, top + tallest - 1))

    def moved(self, right: float, down: float) -> _Box:
        """Return the same drawing elsewhere."""
        return _Box(
            {node: (x + right, y + down) for node, (x, y) in self.place.items()},
            {edge: [(x + right, y + down) for x, y in p] for edge, p in self.routes.items()},
            self.width,
            self.height,
        )

    def with_margin(self, margin: float) -> _Box:
        """Return the same drawing with a margin on all sides."""
        box = self.moved(margin, margin)
        return _Box(box.place, box.routes, self.width + 2 * margin, self.height + 2 * margin)


def _in_rows(nodes: Sequence[int], above: _Box) -> dict[int, Point]:
    """Return places in rows beneath a drawing, as wide as this or a fair shape."""
    columns = max(ceil(sqrt(len(nodes) * _WIDTH_OVER_HEIGHT * _ROW)), floor(above.width) + 1)
    top = above.height + 1.0 if above.place else 0.0
    return {
        node: (float(number % columns), top + _ROW * (number // columns))
        for number, node in enumerate(nodes)
    }
