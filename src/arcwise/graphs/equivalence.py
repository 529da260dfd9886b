"""`cpdag`: the edges that all DAGs of an equivalence class share (Chickering 1995)."""

from __future__ import annotations

import numpy as np

from arcwise.errors import ArgumentError
from arcwise.graphs.cpdags import Cpdag
from arcwise.graphs.dag import Dag
from arcwise.support.cycles import topological_order


def cpdag(dag: Dag) -> Cpdag:
    """Return the CPDAG of a DAG, which represents its Markov equivalence class.

    Two DAGs are Markov equivalent, that is, they imply the same conditional
    independences, if and only if they have the same `skeleton` and the same
    `v_structures`, and so the same CPDAG.

    Parameters
    ----------
    dag
        The DAG.

    Examples
    --------
    >>> chain = Dag(["a", "b", "c"], {"b": ["a"], "c": ["b"]})
    >>> cpdag(chain)
    Cpdag(3 variables, 0 directed edges, 2 undirected edges)
    >>> collider = Dag(["a", "b", "c"], {"b": ["a", "c"]})
    >>> cpdag(collider).directed
    (('a', 'b'), ('c', 'b'))
    """
    if not isinstance(dag, Dag):
        raise ArgumentError(
            f"dag is of type {type(dag).__name__}; give a Dag, as Dag.from_edges and "
            "Dag.from_networkx make it"
        )
    parents = [set(of_node) for of_node in dag.parent_indices]
    matrix = np.zeros((len(parents),) * 2, dtype=np.bool_)
    for node, fixed in enumerate(_compelled(parents)):
        of_node = list(parents[node])
        matrix[of_node, node] = True
        reversible = list(parents[node] - fixed)
        matrix[node, reversible] = True
    return Cpdag.from_matrix(dag.variables, matrix)


def _compelled(parents: list[set[int]]) -> list[set[int]]:
    """Return each node's compelled parents: edges with this direction in all equivalent DAGs.

    Chickering's algorithm labels edges in the order of their targets, and those into
    one target from its latest parent on. Its first step for a target already labels all
    edges into it, so that one question remains. Let x be the latest parent of y. If y has
    a parent that is neither x nor a parent of x (a v-structure with x), or if a compelled
    parent of x is not a parent of y, all edges into y are compelled. Otherwise the
    compelled parents of y are those of x, and the other edges into y are reversible.
    """
    order = topological_order(parents)
    place = {node: position for position, node in enumerate(order)}
    compelled: list[set[int]] = [set() for _ in parents]
    for node in order:
        if not parents[node]:
            continue
        latest = max(parents[node], key=place.__getitem__)
        same = parents[node] <= parents[latest] | {latest} and compelled[latest] <= parents[node]
        compelled[node] = compelled[latest] if same else parents[node]
    return compelled
