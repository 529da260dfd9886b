"""Conversion of graphs to pgmpy, and to and from causal-learn."""

from __future__ import annotations

from typing import Any

from arcwise.errors import ArgumentError
from arcwise.graphs.cpdags import Cpdag
from arcwise.graphs.dag import Dag, with_edges_of
from arcwise.support.optional import optional


def to_pgmpy(dag: Dag) -> Any:
    """Return a DAG as a ``pgmpy.base.DAG``.

    Parameters
    ----------
    dag
        The DAG, such as ``posterior.map_dag``.

    Examples
    --------
    >>> dag = Dag(["a", "b"], {"b": ["a"]})
    >>> to_pgmpy(dag).edges()  # doctest: +SKIP
    OutEdgeView([('a', 'b')])
    """
    if not isinstance(dag, Dag):
        raise ArgumentError(f"dag is of type {type(dag).__name__}; give a Dag")
    return with_edges_of(dag, optional("pgmpy.base", "to_pgmpy").DAG())


def to_causal_learn(graph: Dag | Cpdag) -> Any:
    """Return a graph as a causal-learn ``GeneralGraph``.

    Parameters
    ----------
    graph
        A `Dag`, or a `Cpdag` with its undirected edges.

    Examples
    --------
    >>> dag = Dag(["a", "b"], {"b": ["a"]})
    >>> to_causal_learn(dag).get_num_edges()  # doctest: +SKIP
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


def is_general_graph(value: Any) -> bool:
    """Return whether a value looks like causal-learn's GeneralGraph."""
    return hasattr(value, "get_graph_edges") and hasattr(value, "get_node_names")


def edges_of_general_graph(value: Any) -> list[tuple[str, str, bool | None]]:
    """Return the edges of a GeneralGraph: source, target, and whether they are directed.

    None marks the edges of graphs with hidden causes, which have circles or two arrow heads.
    """
    edges: list[tuple[str, str, bool | None]] = []
    for edge in value.get_graph_edges():
        ends = (edge.get_endpoint1().name, edge.get_endpoint2().name)
        first, second = edge.get_node1().get_name(), edge.get_node2().get_name()
        if ends == ("ARROW", "TAIL"):
            first, second = second, first
        directed = {"ARROW": True, "TAIL": False} if "TAIL" in ends else {}
        other = ends[1] if ends[0] == "TAIL" else ends[0]
        edges.append((first, second, directed.get(other)))
    return edges


def from_causal_learn(graph: Any) -> Dag | Cpdag:
    """Return a graph of causal-learn as a `Dag`, or as a `Cpdag` if it has undirected edges.

    Parameters
    ----------
    graph
        A ``GeneralGraph``, such as ``ges(X)["G"]`` or ``grasp(X)``, or what ``pc`` returns. Graphs
        with circles or two arrow heads, such as those of ``fci``, are refused.

    Examples
    --------
    >>> dag = Dag(["a", "b"], {"b": ["a"]})
    >>> from_causal_learn(to_causal_learn(dag)) == dag  # doctest: +SKIP
    True
    """
    inner = getattr(graph, "G", graph)
    if not is_general_graph(inner):
        raise ArgumentError(
            f"graph is of type {type(graph).__name__}; give a GeneralGraph of causal-learn"
        )
    edges = edges_of_general_graph(inner)
    for first, second, directed in edges:
        if directed is None:
            raise ArgumentError(
                f"graph has an edge between {first!r} and {second!r} with a circle or two arrow "
                "heads, which stands for hidden causes; give a DAG or a CPDAG"
            )
    names = inner.get_node_names()
    arrows = [(first, second) for first, second, directed in edges if directed]
    if len(arrows) == len(edges):
        return Dag.from_edges(names, arrows)
    lines = [(first, second) for first, second, directed in edges if not directed]
    return Cpdag(names, arrows, lines)
