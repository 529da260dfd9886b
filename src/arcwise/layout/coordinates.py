"""The third step of a layered drawing: positions within layers, so that edges are straight.

Each layer in turn moves as close as possible to the mean position of its neighbours while
its order and the gaps within it are kept: a least-squares problem that the
pool-adjacent-violators algorithm solves exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from arcwise.layout.ordering import Layers

_SWEEPS = 16
_GAP_BETWEEN_BENDS = 0.2
_GAP_BESIDE_BEND = 0.6
# Edges between two bends should be the straightest, since nothing else determines their position.
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
    for sweep in range(_SWEEPS):
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
