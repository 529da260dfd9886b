"""Posteriors and graphs as networkx graphs."""

from __future__ import annotations

from typing import Any

from arcwise.exchange.weighted_edges import Exchanged, checked_graph, edges_of
from arcwise.posterior.adjacencies import ThresholdOn
from arcwise.support.optional import optional


def to_networkx(graph: Exchanged, threshold: float = 0.5, *, on: ThresholdOn = "adjacency") -> Any:
    """Return a networkx DiGraph.

    Parameters
    ----------
    graph
        A posterior, whose edges get the attributes ``probability``, of that direction,
        ``adjacency``, of either direction, and, if available, ``standard_error`` and
        ``adjacency_error``; or a `Dag` or `Cpdag`. An undirected edge becomes two directed
        ones.
    threshold, on
        The smallest probability of the edges of a posterior to include, by default of an edge
        in either direction: a pair of variables that is probably adjacent has an edge in its
        more probable direction, and a second one back if that has a tenth of the probability
        or more. With ``on="direction"``, the directed edges that have at least that probability
        themselves. The result may have cycles.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> graph = to_networkx(arcwise.exact(model), threshold=0.9)
    >>> sorted(graph.edges)
    [('a', 'b'), ('b', 'a')]
    """
    checked_graph(graph)
    networkx = optional("networkx", "to_networkx")
    result = networkx.DiGraph()
    result.add_nodes_from(graph.variables)
    for edge in edges_of(graph, threshold, on):
        result.add_edge(edge.source, edge.target, **edge.numbers())
        if not edge.directed:
            result.add_edge(edge.target, edge.source)
    return result
