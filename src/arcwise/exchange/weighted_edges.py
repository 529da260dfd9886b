"""The edges of a posterior, a DAG or a CPDAG in one form, for all exporters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arcwise.errors import ArgumentError
from arcwise.graphs import Cpdag
from arcwise.graphs.dag import Dag
from arcwise.posterior import Posterior
from arcwise.support.checks import checked_probability

Exchanged = Posterior | Dag | Cpdag


@dataclass(frozen=True)
class WeightedEdge:
    """An edge, with its probability if it is known."""

    source: str
    target: str
    probability: float | None = None
    standard_error: float | None = None
    directed: bool = True

    def numbers(self) -> dict[str, float]:
        """Return the known numbers by name."""
        known = {"probability": self.probability, "standard_error": self.standard_error}
        return {name: value for name, value in known.items() if value is not None}


def edges_of(graph: Exchanged, threshold: float) -> list[WeightedEdge]:
    """Return the edges in the order of the variables, by target and then by source.

    Parameters
    ----------
    graph
        A posterior, whose edges at least as probable as the threshold are returned, or a
        graph, whose edges are all returned.
    threshold
        The smallest probability; edges of probability 0 are never returned.
    """
    if isinstance(graph, Dag):
        return [WeightedEdge(source, target) for source, target in graph.edges]
    if isinstance(graph, Cpdag):
        return [WeightedEdge(source, target) for source, target in graph.directed] + [
            WeightedEdge(first, second, directed=False) for first, second in graph.undirected
        ]
    if not isinstance(graph, Posterior):
        raise ArgumentError(
            f"graph is of type {type(graph).__name__}; give a Posterior, a Dag or a Cpdag"
        )
    taken = (graph.edges >= checked_probability(threshold, "threshold")) & (graph.edges > 0.0)
    np.fill_diagonal(taken, False)
    return [
        WeightedEdge(
            graph.variables[u],
            graph.variables[v],
            float(graph.edges[u, v]),
            _known(graph, int(u), int(v)),
        )
        for v, u in np.argwhere(taken.T)
    ]


def _known(posterior: Posterior, u: int, v: int) -> float | None:
    """Return the standard error of an edge, if known."""
    errors = posterior.edge_errors
    return None if errors is None or np.isnan(errors[u, v]) else float(errors[u, v])
