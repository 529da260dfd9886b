"""Graphs as networkx, pgmpy and causal-learn know them."""

from __future__ import annotations

from typing import Any

from arcwise._optional import optional
from arcwise.dag import Dag
from arcwise.errors import ArgumentError
from arcwise.exchange.weighted_edges import Exchanged, edges_of
from arcwise.graphs import Cpdag


def to_networkx(graph: Exchanged, threshold: float = 0.5) -> Any:
    """Return a networkx DiGraph.

    Parameters
    ----------
    graph
        A posterior, whose edges get the attributes ``probability`` and, where it is
        known, ``standard_error``; or a `Dag` or `Cpdag`, whose undirected edges
        become two.
    threshold
        The smallest probability of an edge of a posterior that is taken over. The
        graph may have cycles.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate.asia().sample(2000, seed=1), max_indegree=2)
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


def to_pgmpy(dag: Dag) -> Any:
    """Return a DAG as a ``pgmpy.base.DAG``.

    Parameters
    ----------
    dag
        The DAG, such as ``posterior.map_dag``.
    """
    if not isinstance(dag, Dag):
        raise ArgumentError(f"dag is of type {type(dag).__name__}; give a Dag")
    result = optional("pgmpy.base", "to_pgmpy").DAG()
    result.add_nodes_from(list(dag.variables))
    result.add_edges_from(list(dag.edges))
    return result


def to_causal_learn(graph: Dag | Cpdag) -> Any:
    """Return a graph as a causal-learn ``GeneralGraph``.

    Parameters
    ----------
    graph
        A `Dag`, or a `Cpdag` with its undirected edges.
    """
    if not isinstance(graph, Dag | Cpdag):
        raise ArgumentError(f"graph is of type {type(graph).__name__}; give a Dag or a Cpdag")
    kinds = {
        name: getattr(
            optional(f"causallearn.graph.{name}", "to_causal_learn", "causal-learn"), name
        )
        for name in ("GraphNode", "GeneralGraph", "Edge", "Endpoint")
    }
    ends = kinds["Endpoint"]
    nodes = {name: kinds["GraphNode"](name) for name in graph.variables}
    result = kinds["GeneralGraph"](list(nodes.values()))
    for edge in edges_of(graph, 0.0):
        end = ends.ARROW if edge.directed else ends.TAIL
        source, target = nodes[edge.source], nodes[edge.target]
        result.add_edge(kinds["Edge"](source, target, ends.TAIL, end))
    return result
