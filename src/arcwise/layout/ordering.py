"""The second step of a layered drawing: the order within layers, so that few edges cross.

An edge that spans several layers has a bend in each layer between; bends are ordered like
nodes. Layers are sorted by the mean position of their neighbours, in downward and upward
sweeps (Sugiyama, Tagawa and Toda 1981), and the order with the fewest crossings is kept.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

Pair = tuple[int, int]

_MAX_BENDS = 3000
_SWEEPS = 24


@dataclass
class Layers:
    """Nodes and bends by layer, and their neighbours in the adjacent layers.

    Parameters
    ----------
    rows
        The nodes and bends of each layer, from left to right; bends are negative numbers.
    above, below
        The neighbours of each node and bend one layer up and down, with weights.
    bends
        The bends of each edge that has any, from its upper to its lower end.
    """

    rows: list[list[int]]
    above: dict[int, dict[int, float]] = field(default_factory=dict)
    below: dict[int, dict[int, float]] = field(default_factory=dict)
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
        for sweep in range(_SWEEPS):
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
            if not joined:  # stays roughly where it is
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
