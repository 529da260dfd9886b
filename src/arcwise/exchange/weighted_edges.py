"""The edges of a posterior, a DAG or a CPDAG in one form, for all exporters and drawings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from arcwise.errors import ArgumentError
from arcwise.graphs import Cpdag
from arcwise.graphs.dag import Dag
from arcwise.posterior import Posterior
from arcwise.posterior.adjacencies import (
    Adjacency,
    ThresholdOn,
    adjacencies,
    checked_threshold_on,
    direction_columns,
)

_NUMBERS = ("probability", "standard_error", "adjacency", "adjacency_error")

Exchanged = Posterior | Dag | Cpdag


@dataclass(frozen=True)
class WeightedEdge:
    """An edge, with its probability if it is known.

    Parameters
    ----------
    source, target
        Its nodes.
    probability, standard_error
        The probability of this direction, and its Monte Carlo standard error.
    adjacency, adjacency_error
        The probability of an edge in either direction, and its error.
    directed
        Whether it has a direction.
    """

    source: str
    target: str
    probability: float | None = None
    standard_error: float | None = None
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
    """Return the edges in the order of the variables, by target and then by source.

    Parameters
    ----------
    graph
        A posterior, or a graph, whose edges are all returned.
    threshold
        The smallest probability; edges of probability 0 are never returned.
    on
        ``"adjacency"``: the edges between pairs of nodes that are adjacent with at least that
        probability: the more probable direction, and the other one, too, if it has a tenth of
        the probability of the adjacency or more. ``"direction"``: the directed edges of at least
        that probability themselves.
    """
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
    """Return the directions of an adjacency that are worth showing."""
    either, forward, backward = pair.errors or (None, None, None)
    of_both = (pair.probability, either)
    found = [WeightedEdge(pair.source, pair.target, pair.forward, forward, *of_both)]
    if pair.is_open:
        found.append(WeightedEdge(pair.target, pair.source, pair.backward, backward, *of_both))
    return found
