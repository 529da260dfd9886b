"""`with_knowledge`: directs edges of an equivalence class of which one direction is impossible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.graphs.cpdags import Cpdag

Matrix = NDArray[np.bool_]


def with_knowledge(graph: Cpdag, forbidden: Matrix, *, follow: bool = True) -> Cpdag:
    """Return an equivalence class with the edges directed of which one direction is forbidden.

    Data of some kinds cannot tell these directions, but constraints do, or a score that has no
    families of discrete variables with continuous parents. Further edges whose other direction
    would then close a cycle or make a v-structure are directed, too (Meek 1995).

    Parameters
    ----------
    graph
        The class.
    forbidden
        The edges that are impossible, as [source, target].
    follow
        Whether to direct what follows; not for graphs that are no class of DAGs.

    Examples
    --------
    >>> chain = Cpdag(["a", "b", "c"], undirected=[("a", "b"), ("b", "c")])
    >>> forbidden = np.zeros((3, 3), dtype=bool)
    >>> forbidden[1, 0] = True
    >>> with_knowledge(chain, forbidden).directed
    (('a', 'b'), ('b', 'c'))
    """
    matrix = graph.matrix()
    turned = matrix & matrix.T & forbidden & ~forbidden.T
    if not turned.any():
        return graph
    matrix &= ~turned
    if follow:
        while (ways := _compelled(matrix)).any():
            matrix &= ~ways.T
    return Cpdag.from_matrix(graph.variables, matrix)


def _compelled(graph: Matrix) -> Matrix:
    """Return the undirected edges that one of Meek's rules directs, as [source, target]."""
    directed, undirected, apart = graph & ~graph.T, graph & graph.T, ~(graph | graph.T)
    np.fill_diagonal(apart, False)
    # 1: another direction would make a v-structure. 2: it would close a cycle.
    ways = undirected & (_product(directed.T, apart) | _product(directed, directed))
    if not ways.any():
        for source, target in np.argwhere(undirected).tolist():
            around = undirected[source] & directed[:, target]
            # 3: two neighbours that are not adjacent, both with an edge into the target.
            if apart[np.ix_(around, around)].any():
                ways[source, target] = True
            # 4: a neighbour of the source, not adjacent to the target, with an edge into one
            # that has an edge into the target and is adjacent to the source.
            begin = undirected[source] & apart[target]
            through = (graph[source] | graph[:, source]) & directed[:, target]
            if directed[np.ix_(begin, through)].any():
                ways[source, target] = True
    return ways & ~ways.T


def _product(one: Matrix, other: Matrix) -> Matrix:
    # As floats, of which products are fast.
    found: Matrix = one.astype(np.float32) @ other.astype(np.float32) > 0
    return found
