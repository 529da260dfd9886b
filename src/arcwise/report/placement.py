"""The layout of the report's network: positions of nodes and routes of edges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.layout import layered_drawing

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
Way = list[list[float]]

_JOINED = 0.5
# Offsets of the middle of an edge from the straight line, in edge lengths, by increasing size.
_BENDS = (0.0, 0.09, -0.09, 0.18, -0.18, 0.3, -0.3)
_WIDTH_BY_HEIGHT = 1.6


def place_nodes(
    variables: Sequence[str], probabilities: Array, sources: Numbers, targets: Numbers
) -> tuple[Way, list[Way]]:
    """Return the position of each node and the route of each edge, in the unit square.

    Pairs that are adjacent with probability one half or more determine the layers, by
    their more probable direction; the other edges are added, avoiding nodes if possible.
    """
    either = probabilities + probabilities.T
    likelier = probabilities > probabilities.T
    likelier |= np.triu(probabilities == probabilities.T, 1)
    drawing = layered_drawing(variables, np.where((either >= _JOINED) & likelier, either, 0.0))
    points = np.array([drawing.positions[name] for name in variables])
    ways = [drawing.routes.get((variables[u], variables[v])) for u, v in _pairs(sources, targets)]
    every = np.concatenate([points, *(np.array(way) for way in ways if way)])
    low, high = every.min(axis=0), every.max(axis=0)
    wide = np.where(high > low, high - low, 1.0)
    shift = np.where(high > low, 0.0, 0.5)
    places = (points - low) / wide + shift
    middles = _middles(places, sources, targets)
    return _rounded(places), [
        _rounded((np.array(way) - low) / wide + shift) if way else _rounded(middle)
        for way, middle in zip(ways, middles, strict=True)
    ]


def _pairs(sources: Numbers, targets: Numbers) -> list[tuple[int, int]]:
    return list(zip(sources.tolist(), targets.tolist(), strict=True))


def _rounded(points: Array) -> Way:
    rows: Way = np.round(points, 4).tolist()
    return rows


def _middles(places: Array, sources: Numbers, targets: Numbers) -> list[Array]:
    """Return the midpoint of each edge that must bend, and no point for straight edges.

    Edges in opposite directions between two nodes bend to different sides.
    """
    shape = np.array([_WIDTH_BY_HEIGHT, 1.0])
    points = places * shape
    both = set(_pairs(sources, targets))
    paired = np.array([(v, u) in both for u, v in _pairs(sources, targets)], dtype=np.bool_)
    clearance = 0.35 / np.sqrt(len(places) + 1)
    cost = np.full(len(sources), np.inf)
    chosen = np.zeros(len(sources))
    for bend in _BENDS:
        # The cost is at least the bend itself, so edges with a cost at or below it are done.
        rest = np.flatnonzero(cost > abs(bend))
        own = _nodes_met(points, sources[rest], targets[rest], bend, clearance) + abs(bend)
        own += np.where(paired[rest] & (bend <= 0), len(places), 0.0)
        better = own < cost[rest]
        chosen[rest[better]] = bend
        cost[rest[better]] = own[better]
    # Keep inside the picture, whatever the bend.
    middle = np.clip(_middle(points, sources, targets, chosen[:, np.newaxis]) / shape, 0.0, 1.0)
    return [middle[i : i + 1] if bend else np.empty((0, 2)) for i, bend in enumerate(chosen)]


def _middle(points: Array, sources: Numbers, targets: Numbers, bend: float | Array) -> Array:
    start, end = points[sources], points[targets]
    across = (end - start) @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    result: Array = (start + end) / 2 + bend * across
    return result


def _nodes_met(
    points: Array, sources: Numbers, targets: Numbers, bend: float, clearance: float
) -> Array:
    """Return the number of other nodes each edge would come too close to."""
    start, end = points[sources], points[targets]
    control = 2 * _middle(points, sources, targets, bend) - (start + end) / 2
    squares = (points**2).sum(axis=1)
    met = np.zeros((len(sources), len(points)), dtype=np.bool_)
    for t in np.linspace(0.08, 0.92, 9):
        point = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
        # Squared distances by scalar products, which avoid a three-dimensional array.
        distance = (point**2).sum(axis=1)[:, np.newaxis] - 2 * point @ points.T + squares
        met |= distance < clearance**2
    rows = np.arange(len(sources))
    met[rows, sources] = met[rows, targets] = False
    counts: Array = met.sum(axis=1).astype(np.float64)
    return counts
