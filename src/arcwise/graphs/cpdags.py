"""Markov equivalence classes of DAGs, as graphs with directed and undirected edges.

An edge of `cpdag` is directed if all DAGs of the class share its direction (Chickering 1995);
`with_knowledge` directs further edges by constraints (Meek 1995).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError
from arcwise.graphs.dag import Dag
from arcwise.support.edges import edges_between, topological_order
from arcwise.support.names import as_list, checked_variables, index_of, plural, positions, shown

Pair = tuple[str, str]
Matrix = NDArray[np.bool_]


class Cpdag:
    """A graph with directed and undirected edges, such as `cpdag` returns.

    An edge is directed if it has the same direction in all DAGs of the equivalence
    class, and undirected otherwise. Graphs from other programs can be compared by means of
    this class; it does not check that a graph represents some DAG, because the results of
    independence tests need not.

    Two CPDAGs are equal if they have the same variables, in the same order, and the
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

    Chickering's algorithm labels edges in the order of their targets, and the edges into one
    target beginning with its latest parent. Its first step for a target already labels all
    edges into it, so that one condition decides. Let x be the latest parent of y. If y has
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


def with_knowledge(graph: Cpdag, forbidden: Matrix, *, follow: bool = True) -> Cpdag:
    """Return an equivalence class with edges directed whose other direction is forbidden.

    Data alone do not identify these directions; constraints do, or a score without families of
    discrete variables with continuous parents. Further edges whose other direction would then
    close a cycle or make a v-structure are directed, too (Meek 1995).

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
        while (ways := _directed_by_meek(matrix)).any():
            matrix &= ~ways.T
    return Cpdag.from_matrix(graph.variables, matrix)


def _directed_by_meek(graph: Matrix) -> Matrix:
    """Return the undirected edges that one of Meek's rules directs, as [source, target]."""
    directed, undirected, nonadjacent = graph & ~graph.T, graph & graph.T, ~(graph | graph.T)
    np.fill_diagonal(nonadjacent, False)
    # Rule 1: the other direction would make a v-structure. Rule 2: it would close a cycle.
    ways = undirected & (_product(directed.T, nonadjacent) | _product(directed, directed))
    if not ways.any():
        for source, target in np.argwhere(undirected).tolist():
            around = undirected[source] & directed[:, target]
            # Rule 3: two non-adjacent neighbours of the source both have an edge into the target.
            if nonadjacent[np.ix_(around, around)].any():
                ways[source, target] = True
            # Rule 4: a neighbour of the source that is not adjacent to the target has an edge into
            # a node that is adjacent to the source and has an edge into the target.
            begin = undirected[source] & nonadjacent[target]
            through = (graph[source] | graph[:, source]) & directed[:, target]
            if directed[np.ix_(begin, through)].any():
                ways[source, target] = True
    return ways & ~ways.T


def _product(one: Matrix, other: Matrix) -> Matrix:
    # Products of floats are fast.
    found: Matrix = one.astype(np.float32) @ other.astype(np.float32) > 0
    return found
