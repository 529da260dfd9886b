"""`layered_drawing`: connected components in layers, side by side.

First, each node gets a layer below those of its parents. Edges that would close a cycle are
reversed for the drawing (Eades, Lin and Smyth 1993, "A fast and effective heuristic for the
feedback arc set problem", with weights).

Second, the nodes within layers are ordered such that few edges cross. An edge that spans several
layers has a bend in each layer between; bends are ordered like nodes. Layers are sorted by the mean
position of their neighbours, in downward and upward sweeps (Sugiyama, Tagawa and Toda 1981), and
the order with the fewest crossings is kept.

Third, positions within layers are chosen such that edges are straight. Each layer in turn moves as
close as possible to the mean position of its neighbours while its order and the gaps within it are
kept: a least-squares problem that the pool-adjacent-violators algorithm solves exactly.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from itertools import pairwise
from math import ceil, floor, sqrt

Pair = tuple[int, int]
Point = tuple[float, float]
_WIDTH_OVER_HEIGHT = 1.6
_MARGIN = 0.6  # between the nodes of a module and its frame
_ROW = 0.6  # between rows of nodes without edges, which are closer than layers
Frame = tuple[float, float, float, float]
"""The left, top, right and bottom of a part of a drawing."""


@dataclass(frozen=True)
class Drawing:
    """The positions of nodes, and the points through which edges are routed.

    Examples
    --------
    >>> drawing = layered_drawing(["a", "b", "c"], {(0, 1): 1.0, (1, 2): 1.0, (0, 2): 1.0})
    >>> len(drawing.routes["a", "c"])
    1
    """

    # The position (x, y) of each node, y downwards as on a page. Nodes of one layer share y and are
    # at least 1 apart, and so are layers.
    positions: dict[str, Point]
    # For each edge (source, target), the points through which it avoids the nodes of the layers it
    # crosses; often none.
    routes: dict[tuple[str, str], list[Point]]
    alone: tuple[str, ...] = ()  # the nodes without edges, in rows below the others
    frames: tuple[Frame, ...] = ()  # the outlines of modules, if the drawing has any


def layered_drawing(
    names: Sequence[str],
    weights: Mapping[Pair, float],
    modules: Sequence[Sequence[int]] | None = None,
) -> Drawing:
    """Return a position (x, y) for each node, y downwards, parents above their children.

    The drawing is deterministic. Cycles are allowed; some of their edges then point upwards. Nodes
    without edges are in rows below the others.

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
            for node in part:  # the list grows during the loop
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
        """Return boxes arranged in rows, like words in lines, and add their frames to a list."""
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
        """Return the same drawing, moved."""
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
    """Return places in rows below a drawing, as wide as this or more for a good shape."""
    columns = max(ceil(sqrt(len(nodes) * _WIDTH_OVER_HEIGHT * _ROW)), floor(above.width) + 1)
    top = above.height + 1.0 if above.place else 0.0
    return {
        node: (float(number % columns), top + _ROW * (number // columns))
        for number, node in enumerate(nodes)
    }


_MIN_LAYER_SIZE = 8
_LAYERING_SWEEPS = 20


def acyclic_edges(nodes: Sequence[int], edges: Mapping[Pair, float]) -> dict[Pair, float]:
    """Return acyclic edges: those against a good order of the nodes are reversed."""
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

    The number of nodes in a layer is limited so that the drawing is roughly square; subject to
    that, edges are short.
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
    """Fill layers from the top, with the nodes of the longest paths below them first."""
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
    """Move nodes to the layers, among those with room, that make their edges shortest."""
    filled = Counter(layer.values())
    bottom = max(layer.values())
    for _ in range(_LAYERING_SWEEPS):
        moved = False
        for node in layer:
            low = 1 + max((layer[parent] for parent in parents[node]), default=-1)
            high = min((layer[child] for child in children[node]), default=bottom + 1) - 1
            slope = sum(parents[node].values()) - sum(children[node].values())
            # Between parents and children, the sum of lengths is linear in the layer.
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


_MAX_BENDS = 3000
_ORDERING_SWEEPS = 24


@dataclass
class Layers:
    """Nodes and bends by layer, and their neighbours in the adjacent layers."""

    rows: list[list[int]]  # nodes, and bends as negative numbers, from left to right
    # The neighbours of each node and bend one layer up and down, with weights.
    above: dict[int, dict[int, float]] = field(default_factory=dict)
    below: dict[int, dict[int, float]] = field(default_factory=dict)
    # The bends of each edge that has any, from its upper to its lower end.
    bends: dict[Pair, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, layer: Mapping[int, int], edges: Mapping[Pair, float]) -> Layers:
        """Create rows of nodes with given layers, and bends for edges that span layers.

        If there would be thousands of bends, the edges of smallest weight get none.
        """
        rows: list[list[int]] = [[] for _ in range(1 + max(layer.values()))]
        for node, own in layer.items():
            rows[own].append(node)
        result = cls(rows)
        for node in layer:
            result.above[node], result.below[node] = {}, {}
        used = 0
        for (source, target), weight in sorted(edges.items(), key=lambda item: -item[1]):
            between = range(layer[source] + 1, layer[target])
            if used + len(between) > _MAX_BENDS:
                continue
            chain = [source]
            for own in between:
                used += 1
                rows[own].append(-used)
                result.above[-used], result.below[-used] = {}, {}
                chain.append(-used)
            if between:
                result.bends[source, target] = chain[1:]
            for upper, lower in zip(chain, [*chain[1:], target], strict=True):
                result.below[upper][lower] = result.above[lower][upper] = weight
        return result

    def reduce_crossings(self) -> None:
        """Order each layer so that few edges cross."""
        self._begin()
        best, fewest = [list(row) for row in self.rows], self.crossings()
        for sweep in range(_ORDERING_SWEEPS):
            if fewest == 0:
                break
            downwards = sweep % 2 == 0
            near = self.above if downwards else self.below
            order = range(1, len(self.rows)) if downwards else range(len(self.rows) - 2, -1, -1)
            for number in order:
                self._sort(number, number - 1 if downwards else number + 1, near)
            crossings = self.crossings()
            if crossings < fewest:
                best, fewest = [list(row) for row in self.rows], crossings
        self.rows = best

    def _begin(self) -> None:
        """Start with nodes in depth-first order."""
        seen: dict[int, None] = {}
        for first in (node for row in self.rows for node in row):
            stack = [first]
            while stack:
                node = stack.pop()
                if node not in seen:
                    seen[node] = None
                    stack += [*reversed(self.above[node]), *reversed(self.below[node])]
        place = {node: position for position, node in enumerate(seen)}
        for row in self.rows:
            row.sort(key=place.__getitem__)

    def _sort(self, number: int, fixed: int, near: Mapping[int, Mapping[int, float]]) -> None:
        place = {node: position for position, node in enumerate(self.rows[fixed])}
        row = self.rows[number]
        scale = len(place) / max(1, len(row))

        def centre(node: int, own: int) -> float:
            joined = near[node]
            if not joined:  # it stays roughly in place
                return own * scale
            return sum(place[other] * w for other, w in joined.items()) / sum(joined.values())

        centres = {node: centre(node, own) for own, node in enumerate(row)}
        row.sort(key=centres.__getitem__)

    def crossings(self) -> int:
        """Return the number of pairs of edges that cross."""
        total = 0
        for upper, lower in pairwise(self.rows):
            place = {node: position for position, node in enumerate(lower)}
            passed: list[int] = []
            for node in upper:
                ends = sorted(place[other] for other in self.below[node])
                total += sum(len(passed) - bisect_right(passed, end) for end in ends)
                for end in ends:
                    insort(passed, end)
        return total


_COORDINATE_SWEEPS = 16
_GAP_BETWEEN_BENDS = 0.2
_GAP_BESIDE_BEND = 0.6
# Edges between two bends should be the straightest, as nothing else determines the positions.
_PULL_OF_BENDS = 4.0


def across(layers: Layers) -> dict[int, float]:
    """Return the horizontal position of each node and bend; the leftmost is at 0.

    Neighbours in a layer are at least 1 apart, or less where one is a bend.
    """
    place: dict[int, float] = {}
    for row in layers.rows:
        offsets = _offsets(row)
        for node, offset in zip(row, offsets, strict=True):
            place[node] = offset - offsets[-1] / 2
    count = len(layers.rows)
    for sweep in range(_COORDINATE_SWEEPS):
        for number in range(count) if sweep % 2 == 0 else range(count - 1, -1, -1):
            row = layers.rows[number]
            wanted, pulls = [], []
            for node in row:
                joined = [
                    (place[other], _pull(node, other, weight))
                    for near in (layers.above[node], layers.below[node])
                    for other, weight in near.items()
                ]
                pull = sum(weight for _, weight in joined)
                wanted.append(sum(x * w for x, w in joined) / pull if pull else place[node])
                pulls.append(pull or 1e-3)
            place.update(zip(row, _nearest(wanted, pulls, _offsets(row)), strict=True))
    left = min(place.values())
    return {node: x - left for node, x in place.items()}


def _pull(node: int, other: int, weight: float) -> float:
    return weight * (_PULL_OF_BENDS if node < 0 and other < 0 else 1.0)


def _offsets(row: Sequence[int]) -> list[float]:
    """Return the positions of a row packed as closely as the gaps allow."""
    offsets = [0.0]
    for left, right in pairwise(row):
        bends = (left < 0) + (right < 0)
        gap = (1.0, _GAP_BESIDE_BEND, _GAP_BETWEEN_BENDS)[bends]
        offsets.append(offsets[-1] + gap)
    return offsets


def _nearest(
    wanted: Sequence[float], pulls: Sequence[float], offsets: Sequence[float]
) -> list[float]:
    """Return the positions nearest to those wanted that keep the gaps between neighbours."""
    blocks: list[tuple[float, float, int]] = []  # mean, pull and number of positions
    for target, pull, offset in zip(wanted, pulls, offsets, strict=True):
        mean, total, count = target - offset, pull, 1
        while blocks and blocks[-1][0] > mean:
            before, weight, number = blocks.pop()
            mean = (mean * total + before * weight) / (total + weight)
            total, count = total + weight, count + number
        blocks.append((mean, total, count))
    means = [mean for mean, _, count in blocks for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]
