"""Graphs as text for Graphviz, Gephi, Cytoscape and networkx: DOT and GML."""

from __future__ import annotations

from arcwise.exchange.weighted_edges import Exchanged, WeightedEdge, edges_of
from arcwise.posterior import views

_THINNEST, _THICKEST = 0.5, 3.0


@views.to_dot.fill
def to_dot(graph: Exchanged, threshold: float = 0.5) -> str:
    """Return a graph in Graphviz's DOT language.

    Edges of a posterior are labelled with their probability, and drawn wider the more
    probable they are.

    Parameters
    ----------
    graph
        A `Posterior`, a `Dag` or a `Cpdag`.
    threshold
        The smallest probability of the edges of a posterior to include.

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
    lines = [f"  {_dot_quoted(name)};" for name in graph.variables]
    for edge in edges_of(graph, threshold):
        ends = f"{_dot_quoted(edge.source)} -> {_dot_quoted(edge.target)}"
        settings = _dot_settings(edge)
        lines.append(f"  {ends} [{', '.join(settings)}];" if settings else f"  {ends};")
    return "\n".join(["digraph {", *lines, "}"])


def _dot_settings(edge: WeightedEdge) -> list[str]:
    settings = [] if edge.directed else ["dir=none"]
    if edge.probability is not None:
        width = _THINNEST + (_THICKEST - _THINNEST) * edge.probability
        settings += [f'label="{edge.probability:.2f}"', f"penwidth={width:.2f}"]
    settings += [f"{name}={value:.9g}" for name, value in edge.numbers().items()]
    return settings


def _dot_quoted(name: str) -> str:
    # Names become labels, in which a backslash starts an escape.
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


@views.to_gml.fill
def to_gml(graph: Exchanged, threshold: float = 0.5) -> str:
    """Return a graph as GML text, as read by ``networkx.parse_gml``.

    Parameters
    ----------
    graph
        A `Posterior`, whose edges get the attributes ``probability`` and, if available,
        ``standard_error``; a `Dag`; or a `Cpdag`. An undirected edge becomes two
        directed ones.
    threshold
        The smallest probability of the edges of a posterior to include.

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
    place = {name: number for number, name in enumerate(graph.variables)}
    lines = [f'  node [ id {i} label "{_gml_escaped(name)}" ]' for name, i in place.items()]
    for edge in edges_of(graph, threshold):
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
