"""Routes for edges that the layers were not made for: straight, or round the nodes in the way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

# Offsets of the middle of an edge from the straight line, in edge lengths, by increasing size.
_BENDS = (0.0, 0.09, -0.09, 0.18, -0.18, 0.3, -0.3)
_CLEARANCE = 0.3


def detours(points: Array, sources: Numbers, targets: Numbers) -> list[Array]:
    """Return the point through which each edge must bend, and no point for straight edges.

    Parameters
    ----------
    points
        The positions (x, y) of the nodes.
    sources, targets
        The ends of the edges, as positions among the nodes.
    """
    cost = np.full(len(sources), np.inf)
    chosen = np.zeros(len(sources))
    for bend in _BENDS:
        # The cost is at least the bend itself, so edges with a cost at or below it are done.
        rest = np.flatnonzero(cost > abs(bend))
        own = _nodes_met(points, sources[rest], targets[rest], bend) + abs(bend)
        better = own < cost[rest]
        chosen[rest[better]] = bend
        cost[rest[better]] = own[better]
    middle = _middle(points, sources, targets, chosen[:, np.newaxis])
    if len(points):  # keep inside the picture, whatever the bend
        middle = np.clip(middle, points.min(axis=0), points.max(axis=0))
    return [middle[i : i + 1] if bend else np.empty((0, 2)) for i, bend in enumerate(chosen)]


def _middle(points: Array, sources: Numbers, targets: Numbers, bend: float | Array) -> Array:
    start, end = points[sources], points[targets]
    across = (end - start) @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    result: Array = (start + end) / 2 + bend * across
    return result


def _nodes_met(points: Array, sources: Numbers, targets: Numbers, bend: float) -> Array:
    """Return the number of other nodes each edge would come too close to."""
    start, end = points[sources], points[targets]
    control = 2 * _middle(points, sources, targets, bend) - (start + end) / 2
    squares = (points**2).sum(axis=1)
    met = np.zeros((len(sources), len(points)), dtype=np.bool_)
    for t in np.linspace(0.08, 0.92, 9):
        point = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
        # Squared distances by scalar products, which avoid a three-dimensional array.
        distance = (point**2).sum(axis=1)[:, np.newaxis] - 2 * point @ points.T + squares
        met |= distance < _CLEARANCE**2
    rows = np.arange(len(sources))
    met[rows, sources] = met[rows, targets] = False
    counts: Array = met.sum(axis=1).astype(np.float64)
    return counts
