"""`Link`: a line between two nodes of a picture, with the probability of each direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.exchange.weighted_edges import Exchanged, checked_graph
from arcwise.posterior import Posterior
from arcwise.posterior.adjacencies import OPEN_SHARE


@dataclass(frozen=True)
class Link:
    """Two nodes that may be adjacent.

    Parameters
    ----------
    source, target
        The nodes, by position, in the order of the more probable direction.
    forward, backward
        The probabilities of source → target and of target → source. They exclude each other in
        a DAG, so their sum is the probability of the adjacency.
    """

    source: int
    target: int
    forward: float
    backward: float

    @property
    def probability(self) -> float:
        """The probability of an edge in either direction."""
        return min(1.0, self.forward + self.backward)

    @property
    def is_open(self) -> bool:
        """Whether each direction has at least a tenth of the probability of the adjacency."""
        return 0.0 < self.probability * OPEN_SHARE <= self.backward


def links_of(graph: Exchanged) -> list[Link]:
    """Return all adjacent pairs of a posterior or a graph, the most probable first.

    Those of a graph have the probability 1, and where it gives no direction each has one half.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> (link,) = links_of(arcwise.exact(model))
    >>> link.is_open, round(link.probability, 3)
    (True, 1.0)
    """
    return links_of_matrix(_edges(graph))


def links_of_matrix(edges: NDArray[np.float64], least: float = 0.0) -> list[Link]:
    """Return the pairs more probably adjacent than `least`, given [source, target]."""
    either = edges + edges.T
    u, v = np.nonzero(np.triu(either > least, 1))
    turned = edges[v, u] > edges[u, v]
    u, v = np.where(turned, v, u), np.where(turned, u, v)
    order = np.argsort(-either[u, v], kind="stable")
    u, v = u[order], v[order]
    rows = zip(*(each.tolist() for each in (u, v, edges[u, v], edges[v, u])), strict=True)
    return [Link(*row) for row in rows]


def _edges(graph: Exchanged) -> NDArray[np.float64]:
    checked = checked_graph(graph)
    if isinstance(checked, Posterior):
        return checked.edges
    edges = checked.matrix()
    return np.where(edges & edges.T, 0.5, edges)
