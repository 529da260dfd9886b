"""Posteriors and graphs as networkx graphs."""

from __future__ import annotations

from typing import Any

from arcwise.exchange.weighted_edges import Exchanged, edges_of
from arcwise.posterior import views
from arcwise.support.optional import optional


@views.to_networkx.fill
def to_networkx(graph: Exchanged, threshold: float = 0.5) -> Any:
    """Return a networkx DiGraph.

    Parameters
    ----------
    graph
        A posterior, whose edges get the attributes ``probability`` and, if available,
        ``standard_error``; or a `Dag` or `Cpdag`. An undirected edge becomes two
        directed ones.
    threshold
        The smallest probability of the edges of a posterior to include. The result may
        have cycles.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 2000, seed=1), max_indegree=2)
    >>> graph = to_networkx(arcwise.exact(model), threshold=0.9)
    >>> sorted(graph.edges)
    [('bronc', 'dysp'), ('either', 'dysp'), ('either', 'xray')]
    """
    networkx = optional("networkx", "to_networkx", "'arcwise[graphs]'")
    result = networkx.DiGraph()
    result.add_nodes_from(graph.variables)
    for edge in edges_of(graph, threshold):
        result.add_edge(edge.source, edge.target, **edge.numbers())
        if not edge.directed:
            result.add_edge(edge.target, edge.source)
    return result
