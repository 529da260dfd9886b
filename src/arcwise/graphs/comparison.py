"""Comparison of graphs: skeletons, v-structures, distances, and true and false positives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.graphs.cpdags import Cpdag
from arcwise.graphs.dag import Dag
from arcwise.support.html import card, table
from arcwise.support.names import positions, refuse_other_names

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
    nonadjacent = ~(matrix | matrix.T)
    one_way = matrix & ~matrix.T
    found = []
    for node in range(len(names)):
        parents = np.flatnonzero(one_way[:, node])
        pairs = np.argwhere(np.triu(nonadjacent[np.ix_(parents, parents)], 1))
        found += [(names[parents[i]], names[node], names[parents[j]]) for i, j in pairs]
    return tuple(found)


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
    """Return the matrices of two graphs of one type, in the order of the second's variables."""
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


@dataclass(frozen=True)
class EdgeCounts:
    """The numbers of true and false positives and negatives among the edges of a graph.

    A rate whose denominator is 0 is NaN.

    Parameters
    ----------
    true_positives
        Edges in both graphs.
    false_positives
        Edges in the estimate only.
    false_negatives
        Edges in the truth only.
    true_negatives
        Possible edges that are in neither graph.

    Examples
    --------
    >>> counts = EdgeCounts(3, 1, 1, 5)
    >>> counts.precision, counts.recall
    (0.75, 0.75)
    >>> round(counts.false_positive_rate, 4), counts.false_positives_per_edge
    (0.1667, 0.25)
    """

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @property
    def true_positive_rate(self) -> float:
        """The share of true edges that were found; the same as `recall`."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def recall(self) -> float:
        """The share of true edges that were found; the same as `true_positive_rate`."""
        return self.true_positive_rate

    @property
    def false_positive_rate(self) -> float:
        """The share of absent edges that were found nonetheless."""
        return _share(self.false_positives, self.false_positives + self.true_negatives)

    @property
    def false_positives_per_edge(self) -> float:
        """The number of false positives divided by the number of true edges.

        It is more informative than `false_positive_rate` for sparse graphs, in which the latter
        is small for any estimate.
        """
        return _share(self.false_positives, self.true_positives + self.false_negatives)

    @property
    def precision(self) -> float:
        """The share of edges found that are true."""
        return _share(self.true_positives, self.true_positives + self.false_positives)


@dataclass(frozen=True)
class GraphComparison:
    """The result of `compare`.

    Parameters
    ----------
    skeleton
        Counts of edges regardless of direction, out of n (n - 1) / 2 possible ones.
    directed
        Counts of directed edges, out of n (n - 1) possible ones. The undirected edges
        of a `Cpdag` are not counted.
    structural_hamming_distance
        See the function `structural_hamming_distance`.

    Examples
    --------
    >>> from arcwise import Dag
    >>> compare(Dag(["a", "b"], {"a": ["b"]}), Dag(["a", "b"], {"b": ["a"]}))
    GraphComparison(skeleton=EdgeCounts(true_positives=1, false_positives=0, false_negatives=0,
    true_negatives=0), directed=EdgeCounts(true_positives=0, false_positives=1, false_negatives=1,
    true_negatives=0), structural_hamming_distance=1)
    """

    skeleton: EdgeCounts
    directed: EdgeCounts
    structural_hamming_distance: int

    def _repr_html_(self) -> str:
        """Return the counts as a table, for notebooks."""
        kinds = {"adjacencies": self.skeleton, "directed edges": self.directed}
        counts = list(kinds.values())
        columns: dict[str, list[object]] = {
            "of": list(kinds),
            "true": [each.true_positives for each in counts],
            "false": [each.false_positives for each in counts],
            "missed": [each.false_negatives for each in counts],
            "precision": [each.precision for each in counts],
            "recall": [each.recall for each in counts],
        }
        distance = f"structural Hamming distance {self.structural_hamming_distance}"
        return card(f"Estimated and true graph, {distance}", table(columns))


def compare(estimated: Graph, truth: Graph) -> GraphComparison:
    """Compare an estimated graph with the true one.

    Parameters
    ----------
    estimated, truth
        Two `Dag` or two `Cpdag` over the same variables, in any order.

    Examples
    --------
    >>> from arcwise import Dag
    >>> truth = Dag(["a", "b", "c"], {"b": ["a"], "c": ["b"]})
    >>> found = compare(Dag(["a", "b", "c"], {"a": ["b"], "c": ["a", "b"]}), truth)
    >>> found.skeleton
    EdgeCounts(true_positives=2, false_positives=1, false_negatives=0, true_negatives=0)
    >>> found.directed.recall
    0.5
    >>> found.structural_hamming_distance
    2
    """
    one, other = aligned_matrices(estimated, truth, ("estimated", "truth"))
    upper = np.triu(np.ones_like(one), 1)
    off_diagonal = ~np.eye(len(one), dtype=np.bool_)
    return GraphComparison(
        _counts(one | one.T, other | other.T, upper),
        _counts(one & ~one.T, other & ~other.T, off_diagonal),
        structural_hamming_distance(estimated, truth),
    )


def _counts(
    found: NDArray[np.bool_], true: NDArray[np.bool_], places: NDArray[np.bool_]
) -> EdgeCounts:
    return EdgeCounts(
        int((found & true & places).sum()),
        int((found & ~true & places).sum()),
        int((~found & true & places).sum()),
        int((~found & ~true & places).sum()),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
