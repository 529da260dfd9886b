"""The network of the report page: the edges shown, their layout, and details of each node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.posterior import Posterior
from arcwise.posterior.matrices import relation_probabilities
from arcwise.report.placement import place_nodes
from arcwise.support.words import number, plural

SMALLEST_PROBABILITY = 0.001
MOST_EDGES = 4000
_MOST_IN_PANEL = 12
_SMALLEST_IN_PANEL = 0.005


def network(posterior: Posterior) -> dict[str, Any]:
    """Return the positions of the nodes, the edges, and what the page leaves out.

    An edge is [source, target, probability, standard error or None, route], with nodes
    given by index.
    """
    probabilities, errors = posterior.edges, posterior.edge_errors
    sources, targets = _edges_to_show(probabilities)
    places, ways = place_nodes(posterior.variables, probabilities, sources, targets)
    edges = [
        [
            int(u),
            int(v),
            round(float(probabilities[u, v]), 6),
            None if errors is None or np.isnan(errors[u, v]) else round(float(errors[u, v]), 6),
            way,
        ]
        for u, v, way in zip(sources, targets, ways, strict=True)
    ]
    return {
        "variables": list(posterior.variables),
        "places": places,
        "edges": edges,
        "has_errors": errors is not None,
        "threshold": 0.5,
        "left_out": _left_out(probabilities, len(edges)),
    }


def _edges_to_show(
    probabilities: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return sources and targets, the most probable first."""
    sources, targets = np.nonzero(probabilities > SMALLEST_PROBABILITY)
    order = np.argsort(-probabilities[sources, targets], kind="stable")[:MOST_EDGES]
    return sources[order], targets[order]


def _left_out(probabilities: NDArray[np.float64], shown: int) -> str:
    n = len(probabilities)
    rest = n * (n - 1) - shown
    if rest == 0:
        return f"All {plural(shown, 'possible edge')} are on this page."
    off_diagonal = np.sort(probabilities[~np.eye(n, dtype=np.bool_)])[::-1]
    return (
        f"This page holds {plural(shown, 'edge', zero='no')} out of "
        f"{number(n * (n - 1))} possible ones; "
        f"the others have a probability of at most "
        f"{number(float(off_diagonal[shown]), 2)}."
    )


def nodes(posterior: Posterior) -> dict[str, Any]:
    """Return the most probable parent sets and the Markov blanket of each node.

    If the posterior does not provide one of the two, a sentence explains why.
    """
    knows_sets = posterior.family_probabilities is not None or posterior.dags is not None
    blankets = None if posterior.dags is None else relation_probabilities(posterior.dags, "blanket")
    place = {name: index for index, name in enumerate(posterior.variables)}
    return {
        "parent_sets": [
            [
                [[place[parent] for parent in parents], round(probability, 4)]
                for parents, probability in posterior.parent_sets(name, _MOST_IN_PANEL)
                if probability >= _SMALLEST_IN_PANEL
            ]
            for name in posterior.variables
        ]
        if knows_sets
        else None,
        "blankets": None if blankets is None else [_largest(row) for row in blankets],
        "why_no_parent_sets": None
        if knows_sets
        else "This posterior has neither sampled DAGs nor probabilities of parent sets.",
        "why_no_blankets": None
        if blankets is not None
        else "Markov blankets, which depend on a node's children and their other parents, are "
        "estimated from sampled DAGs, and this posterior has none.",
    }


def _largest(row: NDArray[np.float64]) -> list[list[Any]]:
    order = np.argsort(-row, kind="stable")
    return [
        [int(index), round(float(row[index]), 4)]
        for index in order
        if row[index] >= _SMALLEST_IN_PANEL
    ][: 2 * _MOST_IN_PANEL]
