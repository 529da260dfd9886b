"""`Route`: the path of an edge from box to box through given points.

Labels have a fixed size in points whatever the scale of the axes, so the points where an
edge meets its boxes are known only when it is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.support.optional import optional

Points = NDArray[np.float64]

_PIECES = 12


@dataclass(frozen=True, eq=False)
class Route:
    """A connection style for matplotlib arrows.

    Parameters
    ----------
    axes
        The axes.
    bends
        The points to pass through, in data coordinates.
    source, target
        Half the width and height in points of the boxes at both ends.
    """

    axes: Any
    bends: Sequence[tuple[float, float]]
    source: tuple[float, float]
    target: tuple[float, float]

    def __call__(self, start: Any, end: Any, **_: Any) -> Any:
        """Return the path between two points in display coordinates, as matplotlib requires."""
        points = [np.asarray(start, dtype=np.float64)]
        if self.bends:
            points += list(self.axes.transData.transform(np.array(self.bends)))
        points.append(np.asarray(end, dtype=np.float64))
        scale = self.axes.figure.dpi / 72.0
        curve = smooth(np.array(points))
        curve = outside(curve, np.array(self.source) * scale)
        curve = outside(curve[::-1], np.array(self.target) * scale)[::-1]
        return optional("matplotlib.path", "plots").Path(curve)


def smooth(points: Points) -> Points:
    """Return closely spaced points on a smooth curve through the given ones.

    Each segment is a Catmull-Rom spline.
    """
    padded = np.concatenate([2 * points[:1] - points[1:2], points, 2 * points[-1:] - points[-2:-1]])
    steps = np.linspace(0.0, 1.0, _PIECES, endpoint=False)[:, np.newaxis]
    segments = []
    for a, b, c, d in zip(padded, padded[1:], padded[2:], padded[3:], strict=False):
        segments.append(
            b
            + 0.5 * steps * (c - a)
            + steps**2 * (a - 2.5 * b + 2 * c - 0.5 * d)
            + 0.5 * steps**3 * (3 * (b - c) + d - a)
        )
    return np.concatenate([*segments, points[-1:]])


def outside(curve: Points, half: Points) -> Points:
    """Return the curve from where it last leaves the box around its start, given half its size."""
    ratio = (np.abs(curve - curve[0]) / half).max(axis=1)
    within = np.flatnonzero(ratio <= 1.0)
    last = int(within[-1])
    if last + 1 >= len(curve):  # the boxes touch: there is nothing to draw, but a path needs ends
        return curve[-2:]
    share = (1.0 - ratio[last]) / (ratio[last + 1] - ratio[last])
    edge = curve[last] + share * (curve[last + 1] - curve[last])
    return np.concatenate([edge[np.newaxis], curve[last + 1 :]])
