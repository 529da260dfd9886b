"""The edges of a posterior, a DAG or a CPDAG, and their export: networkx, DOT, GML, data frames."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.errors import ArgumentError
from arcwise.graphs import Cpdag
from arcwise.graphs.dag import Dag
from arcwise.posterior import Posterior, checked_posterior
from arcwise.posterior.matrices import (
    Adjacency,
    ThresholdOn,
    adjacencies,
    checked_threshold_on,
    direction_columns,
    edge_columns,
)
from arcwise.support.optional import optional

Exchanged = Posterior | Dag | Cpdag

_NUMBERS = ("probability", "standard_error", "adjacency", "adjacency_error")


@dataclass(frozen=True)
class WeightedEdge:
    """An edge, with its probability if it is known."""

    source: str
    target: str
    # The probability of this direction, and its Monte Carlo standard error.
    probability: float | None = None
    standard_error: float | None = None
    # The probability of an edge in either direction, and its error.
    adjacency: float | None = None
    adjacency_error: float | None = None
    directed: bool = True

    def numbers(self) -> dict[str, float]:
        """Return the known numbers by name."""
        known = {name: getattr(self, name) for name in _NUMBERS}
        return {name: x for name, x in known.items() if x is not None and not math.isnan(x)}


def checked_graph(graph: Any) -> Exchanged:
    """Return a posterior, a DAG or a CPDAG, or refuse anything else."""
    if not isinstance(graph, Posterior | Dag | Cpdag):
        raise ArgumentError(
            f"graph is of type {type(graph).__name__}; give a Posterior, a Dag or a Cpdag"
        )
    return graph


def edges_of(
    graph: Exchanged, threshold: float, on: ThresholdOn = "adjacency"
) -> list[WeightedEdge]:
    """Return the edges in the order of the variables, by target and then by source."""
    by_pair = checked_threshold_on(on) == "adjacency"
    if isinstance(graph, Dag):
        return [WeightedEdge(source, target) for source, target in graph.edges]
    if isinstance(graph, Cpdag):
        return [WeightedEdge(source, target) for source, target in graph.directed] + [
            WeightedEdge(first, second, directed=False) for first, second in graph.undirected
        ]
    checked_graph(graph)
    if by_pair:
        pairs = adjacencies(graph, threshold)
        found = [edge for pair in pairs if pair.probability > 0.0 for edge in _directions(pair)]
    else:
        columns = direction_columns(graph, threshold)
        errors = columns.pop("standard_error", np.full(len(columns["source"]), np.nan))
        rows = zip(*columns.values(), errors, strict=True)
        found = [WeightedEdge(u, v, float(p), float(e)) for u, v, p, e in rows if p > 0.0]
    place = {name: number for number, name in enumerate(graph.variables)}
    return sorted(found, key=lambda edge: (place[edge.target], place[edge.source]))


def _directions(pair: Adjacency) -> list[WeightedEdge]:
    """Return the directions of an adjacency that are probable enough to be shown."""
    either, forward, backward = pair.errors or (None, None, None)
    of_both = (pair.probability, either)
    found = [WeightedEdge(pair.source, pair.target, pair.forward, forward, *of_both)]
    if pair.is_open:
        found.append(WeightedEdge(pair.target, pair.source, pair.backward, backward, *of_both))
    return found


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
        The smallest probability of the edges of a posterior to include, by default of an edge in
        either direction: a pair of variables that is probably adjacent has an edge in its more
        probable direction, and a second one back if that has at least a tenth of the probability.
        With ``on="direction"``, the threshold applies to the probability of each directed edge.
        The result may have cycles.

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


_THINNEST, _THICKEST = 0.5, 3.0  # widths of lines


def to_dot(graph: Exchanged, threshold: float = 0.5, *, on: ThresholdOn = "adjacency") -> str:
    """Return a graph in Graphviz's DOT language.

    Edges of a posterior are labelled with their probability, and drawn wider the more probable they
    are. If the direction is open, both ends have an arrow head, and are labelled with the
    probability of that direction.

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
    """Return whether an edge is the less probable of two directions; ties are broken by name."""
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
        for name, value in back.numbers().items():
            if name in ("probability", "standard_error"):
                numbers[f"back_{name}"] = value
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


def to_pandas(
    posterior: Posterior, threshold: float = 0.0, *, on: ThresholdOn = "adjacency"
) -> Any:
    """Return the edges as a pandas DataFrame, the most probable first.

    There is a row for each pair of variables: ``source`` and ``target``, in the more probable
    direction; ``adjacency``, the probability of an edge in either direction; ``forward``, the
    probability of source → target; ``backward``, that of target → source; and, if available, their
    standard errors ``adjacency_error``, ``forward_error`` and ``backward_error``.

    Parameters
    ----------
    posterior
        The posterior.
    threshold
        The smallest probability of an edge in either direction to list.
    on
        ``"direction"`` for a row for each directed edge instead, with ``source``, ``target``,
        ``probability`` and, if available, ``standard_error``; the threshold then applies to
        that probability.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> to_pandas(arcwise.exact(model)).round(3)
      source target  adjacency  forward  backward
    0      a      b        1.0      0.5       0.5
    """
    pandas = optional("pandas", "to_pandas")
    return pandas.DataFrame(edge_columns(checked_posterior(posterior), threshold, on))


def to_polars(
    posterior: Posterior, threshold: float = 0.0, *, on: ThresholdOn = "adjacency"
) -> Any:
    """Return the edges as a polars DataFrame; see `to_pandas`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> to_polars(arcwise.exact(model)).columns
    ['source', 'target', 'adjacency', 'forward', 'backward']
    """
    polars = optional("polars", "to_polars")
    return polars.DataFrame(edge_columns(checked_posterior(posterior), threshold, on))
