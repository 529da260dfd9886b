"""`structural_hamming_distance`: the number of edges in which two graphs differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.graphs.shape import Graph, checked_graph
from arcwise.support.names import positions, refuse_other_names


def structural_hamming_distance(first: Graph, second: Graph) -> int:
    """Return the structural Hamming distance: the number of pairs of nodes that differ.

    An edge that is missing, extra, reversed, or directed in one graph and undirected
    in the other counts 1. Variables are matched by name, in any order.

    Parameters
    ----------
    first, second
        Two `Dag` or two `Cpdag` over the same variables. For the distance between
        equivalence classes, give ``cpdag(first)`` and ``cpdag(second)``.

    Examples
    --------
    >>> from arcwise import Dag
    >>> from arcwise.graphs import cpdag
    >>> forward = Dag(["a", "b", "c"], {"b": ["a"], "c": ["b"]})
    >>> backward = Dag(["a", "b", "c"], {"a": ["b"], "b": ["c"]})
    >>> structural_hamming_distance(forward, backward)
    2
    >>> structural_hamming_distance(cpdag(forward), cpdag(backward))
    0
    """
    one, other = aligned_matrices(first, second, ("first", "second"))
    differs = one != other
    return int(np.triu(differs | differs.T).sum())


def aligned_matrices(
    first: Graph, second: Graph, arguments: tuple[str, str]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the matrices of two graphs of the same type, in the order of the second's variables.

    Parameters
    ----------
    first, second
        The graphs.
    arguments
        The names of the arguments, for the messages.
    """
    checked_graph(first, arguments[0])
    checked_graph(second, arguments[1])
    if type(first) is not type(second):
        kinds = f"{type(first).__name__} and {arguments[1]} a {type(second).__name__}"
        raise ArgumentError(
            f"{arguments[0]} is a {kinds}; give two of one type, as "
            "arcwise.graphs.cpdag makes of a Dag"
        )
    refuse_other_names(first.variables, second.variables, f"{arguments[0]}.variables")
    order = positions(second.variables, first.variables, arguments[1])
    return first.matrix()[np.ix_(order, order)], second.matrix()
