"""`skeleton` and `v_structures`: what all DAGs of an equivalence class have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.graphs.cpdags import Cpdag
from arcwise.graphs.dag import Dag

Graph = Dag | Cpdag


def checked_graph(graph: object, name: str) -> Graph:
    """Return the graph, or refuse anything else."""
    if not isinstance(graph, Dag | Cpdag):
        raise ArgumentError(
            f"{name} is of type {type(graph).__name__}; give a Dag or a Cpdag; Dag.from_edges and "
            "Dag.from_networkx make DAGs"
        )
    return graph


def skeleton_matrix(graph: Graph) -> NDArray[np.bool_]:
    """Return a symmetric matrix with True for adjacent nodes."""
    matrix = graph.matrix()
    return matrix | matrix.T


def skeleton(graph: Graph) -> tuple[tuple[str, str], ...]:
    """Return the skeleton: the pairs of adjacent nodes.

    Parameters
    ----------
    graph
        A `Dag` or a `Cpdag`.

    Returns
    -------
    tuple
        The pairs, sorted in the order of the variables.

    Examples
    --------
    >>> skeleton(Dag(["a", "b", "c"], {"a": ["c"], "b": ["c"]}))
    (('a', 'c'), ('b', 'c'))
    """
    names = checked_graph(graph, "graph").variables
    upper = np.triu(skeleton_matrix(graph))
    return tuple((names[i], names[j]) for i, j in np.argwhere(upper))


def v_structures(graph: Graph) -> tuple[tuple[str, str, str], ...]:
    """Return the v-structures: nodes with two parents that are not adjacent.

    Parameters
    ----------
    graph
        A `Dag` or a `Cpdag`; in the latter, only directed edges make parents.

    Returns
    -------
    tuple
        Triples (first parent, node, second parent), sorted by node and then by parents,
        in the order of the variables.

    Examples
    --------
    >>> v_structures(Dag(["a", "b", "c"], {"b": ["a", "c"]}))
    (('a', 'b', 'c'),)
    >>> v_structures(Dag(["a", "b", "c"], {"b": ["a", "c"], "c": ["a"]}))
    ()
    """
    names = checked_graph(graph, "graph").variables
    matrix = graph.matrix()
    apart = ~(matrix | matrix.T)
    one_way = matrix & ~matrix.T
    found = []
    for node in range(len(names)):
        parents = np.flatnonzero(one_way[:, node])
        pairs = np.argwhere(np.triu(apart[np.ix_(parents, parents)], 1))
        found += [(names[parents[i]], names[node], names[parents[j]]) for i, j in pairs]
    return tuple(found)
