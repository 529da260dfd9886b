"""Graphs as text for Graphviz, Gephi, Cytoscape and networkx: DOT and GML."""

from __future__ import annotations

from arcwise.exchange.weighted_edges import Exchanged, WeightedEdge, checked_graph, edges_of
from arcwise.posterior.adjacencies import ThresholdOn

_THINNEST, _THICKEST = 0.5, 3.0
_OF_DIRECTION = ("probability", "standard_error")


def to_dot(graph: Exchanged, threshold: float = 0.5, *, on: ThresholdOn = "adjacency") -> str:
    """Return a graph in Graphviz's DOT language.

    Edges of a posterior are labelled with their probability, and drawn wider the more
    probable they are. If the direction is open, both ends have an arrow head, and are labelled
    with the probability that it is the right one.

    Parameters
    ----------
    graph
        A `Posterior`, a `Dag` or a `Cpdag`.
    threshold, on
        The smallest probability of the edges of a posterior to include, see `to_networkx`.

    Examples
    --------
    >>> from arcwise import Dag
    >>> print(to_dot(Dag(["rain", "wet grass"], {"wet grass": ["rain"]})))
    digraph {
      "rain";
      "wet grass";
      "rain" -> "wet grass";
    }
    """
    lines = [f"  {_dot_quoted(name)};" for name in checked_graph(graph).variables]
    edges = edges_of(graph, threshold, on)
    known = {(edge.source, edge.target): edge for edge in edges}
    for edge in edges:
        back = None if edge.adjacency is None else known.get((edge.target, edge.source))
        if back is not None and _is_second(edge, back):
            continue
        ends = f"{_dot_quoted(edge.source)} -> {_dot_quoted(edge.target)}"
        settings = _dot_settings(edge, back)
        lines.append(f"  {ends} [{', '.join(settings)}];" if settings else f"  {ends};")
    return "\n".join(["digraph {", *lines, "}"])


def _is_second(edge: WeightedEdge, back: WeightedEdge) -> bool:
    """Return whether an edge is the less probable direction of two, or the later of equals."""
    one, other = edge.probability or 0.0, back.probability or 0.0
    return one < other or (one == other and edge.source > back.source)


def _dot_settings(edge: WeightedEdge, back: WeightedEdge | None) -> list[str]:
    settings = [] if edge.directed else ["dir=none"]
    numbers = edge.numbers()
    probability = edge.probability if edge.adjacency is None else edge.adjacency
    if probability is not None:
        width = _THINNEST + (_THICKEST - _THINNEST) * probability
        settings += [f'label="{probability:.2f}"', f"penwidth={width:.2f}"]
    if back is not None:
        assert edge.probability is not None
        assert back.probability is not None
        settings += [
            "dir=both",
            f'headlabel="{edge.probability:.2f}"',
            f'taillabel="{back.probability:.2f}"',
        ]
        of_back = back.numbers()
        numbers |= {f"back_{name}": of_back[name] for name in _OF_DIRECTION if name in of_back}
    return settings + [f"{name}={value:.9g}" for name, value in numbers.items()]


def _dot_quoted(name: str) -> str:
    # Names become labels, in which a backslash starts an escape.
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def to_gml(graph: Exchanged, threshold: float = 0.5, *, on: ThresholdOn = "adjacency") -> str:
    """Return a graph as GML text, as read by ``networkx.parse_gml``.

    Parameters
    ----------
    graph
        A `Posterior`, whose edges get the attributes ``probability``, ``adjacency`` and, if
        available, ``standard_error`` and ``adjacency_error``; a `Dag`; or a `Cpdag`. An
        undirected edge becomes two directed ones.
    threshold, on
        The smallest probability of the edges of a posterior to include, see `to_networkx`.

    Examples
    --------
    >>> from arcwise import Dag
    >>> print(to_gml(Dag(["a", "b"], {"b": ["a"]})))
    graph [
      directed 1
      node [ id 0 label "a" ]
      node [ id 1 label "b" ]
      edge [ source 0 target 1 ]
    ]
    """
    place = {name: number for number, name in enumerate(checked_graph(graph).variables)}
    lines = [f'  node [ id {i} label "{_gml_escaped(name)}" ]' for name, i in place.items()]
    for edge in edges_of(graph, threshold, on):
        numbers = "".join(f" {name} {_gml_real(value)}" for name, value in edge.numbers().items())
        ends = [(place[edge.source], place[edge.target])]
        ends += [] if edge.directed else [ends[0][::-1]]
        lines += [f"  edge [ source {u} target {v}{numbers} ]" for u, v in ends]
    return "\n".join(["graph [", "  directed 1", *lines, "]"])


def _gml_escaped(name: str) -> str:
    """Return text in ASCII without quotation marks, as GML requires."""
    known = {"&": "&amp;", '"': "&quot;"}
    return "".join(
        known.get(letter, letter if " " <= letter <= "~" else f"&#{ord(letter)};")
        for letter in name
    )


def _gml_real(value: float) -> str:
    """Return a number with a decimal point, without which GML reads it as an integer."""
    mantissa, letter, exponent = f"{value:.9g}".partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{letter}{exponent}"
