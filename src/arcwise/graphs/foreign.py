"""Conversion of graphs to pgmpy and causal-learn."""

from __future__ import annotations

from typing import Any

from arcwise.errors import ArgumentError
from arcwise.graphs import views
from arcwise.graphs.cpdags import Cpdag
from arcwise.graphs.dag import Dag
from arcwise.support.optional import optional


@views.to_pgmpy.fill
def to_pgmpy(dag: Dag) -> Any:
    """Return a DAG as a ``pgmpy.base.DAG``.

    Parameters
    ----------
    dag
        The DAG, such as ``posterior.map_dag``.

    Examples
    --------
    >>> to_pgmpy(Dag(["a", "b"], {"b": ["a"]})).edges()  # doctest: +SKIP
    OutEdgeView([('a', 'b')])
    """
    if not isinstance(dag, Dag):
        raise ArgumentError(f"dag is of type {type(dag).__name__}; give a Dag")
    result = optional("pgmpy.base", "to_pgmpy").DAG()
    result.add_nodes_from(list(dag.variables))
    result.add_edges_from(list(dag.edges))
    return result


@views.to_causal_learn.fill
def to_causal_learn(graph: Dag | Cpdag) -> Any:
    """Return a graph as a causal-learn ``GeneralGraph``.

    Parameters
    ----------
    graph
        A `Dag`, or a `Cpdag` with its undirected edges.

    Examples
    --------
    >>> to_causal_learn(Dag(["a", "b"], {"b": ["a"]})).get_num_edges()  # doctest: +SKIP
    1
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
    directed, undirected = (
        (graph.edges, ()) if isinstance(graph, Dag) else (graph.directed, graph.undirected)
    )
    for pairs, end in ((directed, ends.ARROW), (undirected, ends.TAIL)):
        for source, target in pairs:
            result.add_edge(kinds["Edge"](nodes[source], nodes[target], ends.TAIL, end))
    return result
