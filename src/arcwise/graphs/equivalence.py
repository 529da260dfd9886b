"""`cpdag`: which edges of a DAG all equivalent DAGs share (Chickering 1995)."""

from __future__ import annotations

import numpy as np

from arcwise.errors import ArgumentError
from arcwise.graphs.cpdags import Cpdag
from arcwise.graphs.dag import Dag
from arcwise.support.cycles import topological_order


def cpdag(dag: Dag) -> Cpdag:
    """Return the equivalence class of a DAG as a graph.

    Two DAGs are equivalent, which is to say that they allow the same
    distributions, if and only if they have the same `skeleton` and the same
    `v_structures`; and then they have the same CPDAG.

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
        raise ArgumentError(f"dag is of type {type(dag).__name__}; give a Dag")
    parents = [set(of_node) for of_node in dag.parent_indices]
    matrix = np.zeros((len(parents),) * 2, dtype=np.bool_)
    for node, fixed in enumerate(_compelled(parents)):
        of_node = list(parents[node])
        matrix[of_node, node] = True
        loose = list(parents[node] - fixed)
        matrix[node, loose] = True
    return Cpdag.from_matrix(dag.variables, matrix)


def _compelled(parents: list[set[int]]) -> list[set[int]]:
    """Return for each node the parents whose edge all equivalent DAGs have in this direction.

    Chickering's algorithm labels edges in the order of their targets, and those into
    one target from its latest parent on. Its first step for a target already labels all
    edges into it, so that one question is left. Let x be the latest parent of y. If y has
    a parent that is neither x nor a parent of x (a v-structure with x), or if a compelled
    parent of x is no parent of y, all edges into y are compelled. Otherwise the compelled
    parents of y are those of x, and the other edges into y can be turned.
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
