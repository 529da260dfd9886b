"""`Picture`: the part of a network that is drawn, and where; the same on the page and in plots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arcwise.layout.drawing import Drawing, layered_drawing
from arcwise.layout.links import Link
from arcwise.layout.modules import MOST_IN_MODULE, modules

MOST_TOGETHER = 60
"""The largest number of joined nodes that is drawn without modules."""

_USUAL_THRESHOLD, _HIGHEST_THRESHOLD, _STEP = 0.5, 0.95, 0.05
_LINKS_PER_NODE = 2.0


def starting_threshold(links: Sequence[Link], nodes: int) -> float:
    """Return the probability from which on pairs are joined to begin with.

    It is one half. In a network that is drawn in modules, it is higher if there would be more
    than two links for each node, which hide each other.
    """
    joined = {node for link in links if link.probability >= _USUAL_THRESHOLD
              for node in (link.source, link.target)}  # fmt: skip
    if len(joined) <= MOST_TOGETHER:
        return _USUAL_THRESHOLD
    probabilities = np.array([link.probability for link in links])
    threshold = _USUAL_THRESHOLD
    while threshold < _HIGHEST_THRESHOLD - 1e-9:
        if (probabilities >= threshold).sum() <= _LINKS_PER_NODE * nodes:
            break
        threshold = round(threshold + _STEP, 2)
    return threshold


def modules_of(links: Sequence[Link], nodes: int) -> list[list[int]]:
    """Return the modules of the nodes that links join; one if all can be seen together.

    The nodes that no link joins are in none.
    """
    joined = sorted({node for link in links for node in (link.source, link.target)})
    if not joined:
        return []
    if len(joined) <= MOST_TOGETHER:
        return [joined]
    return modules(joined, _weights(links), MOST_IN_MODULE)


@dataclass(frozen=True)
class Picture:
    """Nodes with their places, and the links between them.

    Parameters
    ----------
    variables
        The names of the nodes in the picture.
    links
        The links between them, the most probable first; their ends are positions among these.
    drawing
        The places.
    elsewhere
        For each node, how many links lead to nodes that are not in the picture.
    """

    variables: tuple[str, ...]
    links: tuple[Link, ...]
    drawing: Drawing
    elsewhere: tuple[int, ...]

    @classmethod
    def whole(cls, variables: Sequence[str], links: Sequence[Link]) -> Picture:
        """Return all nodes, those of a large network in modules."""
        parts = modules_of(links, len(variables))
        framed = parts if len(parts) > 1 else None
        drawing = layered_drawing(variables, _weights(links), framed)
        return cls(tuple(variables), tuple(links), drawing, (0,) * len(variables))

    @classmethod
    def part(cls, variables: Sequence[str], links: Sequence[Link], nodes: Sequence[int]) -> Picture:
        """Return some of the nodes, such as those of a module, and the links between them."""
        place = {node: number for number, node in enumerate(nodes)}
        inside = tuple(
            Link(place[link.source], place[link.target], link.forward, link.backward)
            for link in links
            if link.source in place and link.target in place
        )
        ends = ((link.source, link.target) for link in links)
        # Of a link that leads to another node, the end that is in the picture.
        outwards = Counter(u if u in place else v for u, v in ends if (u in place) != (v in place))
        names = tuple(variables[node] for node in nodes)
        drawing = layered_drawing(names, _weights(inside))
        return cls(names, inside, drawing, tuple(outwards[node] for node in nodes))


def _weights(links: Sequence[Link]) -> dict[tuple[int, int], float]:
    return {(link.source, link.target): link.probability for link in links}
