"""`Cpdag`: a Markov equivalence class as a graph with directed and undirected edges."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError
from arcwise.support.edges import edges_between
from arcwise.support.names import as_list, checked_variables, index_of, positions
from arcwise.support.words import plural, shown

Pair = tuple[str, str]


class Cpdag:
    """A graph with directed and undirected edges, such as `cpdag` returns.

    An edge is directed if it has the same direction in all DAGs of the equivalence
    class, and undirected otherwise. Graphs from elsewhere can be compared by means of
    this class; whether they represent some DAG is not checked, since the results of
    independence tests need not.

    Two of them are equal if they have the same variables, in the same order, and the
    same edges.

    Parameters
    ----------
    variables
        The names of the nodes, in the order of every array.
    directed
        Pairs (source, target).
    undirected
        Pairs, in either order.

    Raises
    ------
    ArgumentError
        If a name is unknown, or two nodes have more than one kind of edge.

    Examples
    --------
    >>> graph = Cpdag(["a", "b", "c"], directed=[("a", "b")], undirected=[("c", "b")])
    >>> graph
    Cpdag(3 variables, 1 directed edge, 1 undirected edge)
    >>> graph.skeleton
    (('a', 'b'), ('b', 'c'))
    """

    __slots__ = ("_directed", "_undirected", "_variables")

    _variables: tuple[str, ...]
    _directed: tuple[tuple[int, int], ...]
    _undirected: tuple[tuple[int, int], ...]

    def __init__(
        self,
        variables: Iterable[str],
        directed: Iterable[Pair] = (),
        undirected: Iterable[Pair] = (),
    ) -> None:
        names = checked_variables(variables)
        index = index_of(names)
        matrix = np.zeros((len(names),) * 2, dtype=np.bool_)
        for source, target in _placed(directed, index, "directed"):
            if matrix[target, source]:
                raise ArgumentError(
                    f"directed holds the edge between {names[source]!r} and {names[target]!r} "
                    "in both directions; give one of them, or give the edge in undirected"
                )
            matrix[source, target] = True
        for first, second in _placed(undirected, index, "undirected"):
            if matrix[first, second] != matrix[second, first]:
                raise ArgumentError(
                    f"the edge between {names[first]!r} and {names[second]!r} is both directed "
                    "and undirected; give it in one of the two lists"
                )
            matrix[first, second] = matrix[second, first] = True
        self._set(names, matrix)

    def _set(self, variables: tuple[str, ...], matrix: NDArray[np.bool_]) -> None:
        one_way = matrix & ~matrix.T
        both_ways = np.triu(matrix & matrix.T)
        self._variables = variables
        self._directed = tuple((int(i), int(j)) for j, i in np.argwhere(one_way.T))
        self._undirected = tuple((int(i), int(j)) for i, j in np.argwhere(both_ways))

    @classmethod
    def from_matrix(cls, variables: Iterable[str], matrix: ArrayLike) -> Cpdag:
        """Build one from a matrix as `matrix` returns it: 1 both ways for an undirected edge.

        Examples
        --------
        >>> Cpdag.from_matrix(["a", "b"], [[0, 1], [1, 0]]).undirected
        (('a', 'b'),)
        """
        names = checked_variables(variables)
        edges = edges_between(names, matrix)
        loops = np.flatnonzero(edges.diagonal())
        if loops.size:
            raise ArgumentError(
                f"matrix has an edge from {names[loops[0]]!r} to itself; leave it out"
            )
        graph = cls.__new__(cls)
        graph._set(names, edges)
        return graph

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the nodes."""
        return self._variables

    @property
    def directed(self) -> tuple[Pair, ...]:
        """The directed edges (source, target), sorted by target and then by source."""
        return tuple((self._variables[i], self._variables[j]) for i, j in self._directed)

    @property
    def undirected(self) -> tuple[Pair, ...]:
        """The undirected edges, in the order of the variables."""
        return tuple((self._variables[i], self._variables[j]) for i, j in self._undirected)

    @property
    def skeleton(self) -> tuple[Pair, ...]:
        """All pairs of adjacent nodes, in the order of the variables."""
        either = {(min(edge), max(edge)) for edge in (*self._directed, *self._undirected)}
        return tuple((self._variables[i], self._variables[j]) for i, j in sorted(either))

    @property
    def number_of_edges(self) -> int:
        """The number of edges, directed and undirected."""
        return len(self._directed) + len(self._undirected)

    def matrix(self) -> NDArray[np.bool_]:
        """Return a new matrix: True at [i, j] for i -> j, at both places for an undirected edge.

        Examples
        --------
        >>> Cpdag(["a", "b", "c"], [("a", "b")], [("b", "c")]).matrix().astype(int)
        array([[0, 1, 0],
               [0, 0, 1],
               [0, 1, 0]])
        """
        matrix = np.zeros((len(self._variables),) * 2, dtype=np.bool_)
        for i, j in self._directed:
            matrix[i, j] = True
        for i, j in self._undirected:
            matrix[i, j] = matrix[j, i] = True
        return matrix

    def __eq__(self, other: object) -> bool:
        """Compare variables, in order, and edges."""
        if not isinstance(other, Cpdag):
            return NotImplemented
        return self._compared() == other._compared()

    def __hash__(self) -> int:
        """Hash what equality compares."""
        return hash(self._compared())

    def _compared(self) -> tuple[object, ...]:
        return self._variables, self._directed, self._undirected

    def __repr__(self) -> str:
        """Show the counts."""
        counts = (
            plural(len(self._variables), "variable"),
            plural(len(self._directed), "directed edge"),
            plural(len(self._undirected), "undirected edge"),
        )
        return f"Cpdag({', '.join(counts)})"


def _placed(pairs: Iterable[Pair], index: dict[str, int], source: str) -> list[tuple[int, int]]:
    placed = []
    for pair in as_list(pairs, source, "a list of pairs of names"):
        ends = as_list(pair, f"an edge in {source}", "pairs of names")
        if len(ends) != 2:
            raise ArgumentError(f"{source} holds {shown(pair)}; give pairs of names")
        first, second = positions(ends, index, source)
        if first == second:
            raise ArgumentError(f"{source} has an edge from {ends[0]!r} to itself; leave it out")
        placed.append((first, second))
    return placed
