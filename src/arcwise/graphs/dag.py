"""`Dag`: a directed acyclic graph over named variables, immutable and hashable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError
from arcwise.support.edges import (
    cycle_in_words,
    edges_between,
    edges_of_graph,
    find_cycle,
    is_graph,
    topological_order,
)
from arcwise.support.names import as_list, checked_variables, index_of, plural, positions, shown
from arcwise.support.optional import optional

_EDGES_SHOWN = 8


class Dag:
    """A directed acyclic graph over named variables.

    Two DAGs are equal if they have the same variables, in the same order, and the same
    edges.

    Parameters
    ----------
    variables
        The names of the nodes, in the order of every array.
    parents
        The parents of each node, by name. A node that is left out has none.

    Raises
    ------
    ArgumentError
        If a name is unknown or the edges have a cycle.

    Examples
    --------
    >>> dag = Dag(["rain", "sprinkler", "wet"], {"wet": ["sprinkler", "rain"]})
    >>> dag
    Dag(3 variables, 2 edges: rain -> wet, sprinkler -> wet)
    >>> dag.parents("wet")
    ('rain', 'sprinkler')
    >>> dag.topological_order()
    ('rain', 'sprinkler', 'wet')
    """

    __slots__ = ("_parent_indices", "_variables")

    _variables: tuple[str, ...]
    _parent_indices: tuple[tuple[int, ...], ...]

    def __init__(self, variables: Iterable[str], parents: Mapping[str, Iterable[str]]) -> None:
        names = checked_variables(variables)
        index = index_of(names)
        indices: list[tuple[int, ...]] = [()] * len(names)
        if not isinstance(parents, Mapping):
            raise ArgumentError(
                f"parents is {shown(parents)}; give a mapping from names to lists of names, or use "
                "Dag.from_edges for pairs (source, target), Dag.from_matrix for a matrix and "
                "Dag.from_networkx for a graph"
            )
        for node, name in zip(positions(parents, index, "parents"), parents, strict=True):
            of_node = parents[name]
            if isinstance(of_node, str):
                raise ArgumentError(
                    f"parents[{name!r}] is the single string {shown(of_node)}; "
                    "give a list of names instead"
                )
            indices[node] = tuple(sorted(set(positions(of_node, index, f"parents[{name!r}]"))))
        self._set(names, indices)

    def _set(self, variables: tuple[str, ...], parents: Sequence[tuple[int, ...]]) -> None:
        cycle = find_cycle(parents)
        if cycle is not None:
            raise ArgumentError(
                f"the edges have the cycle {cycle_in_words(cycle, variables)}; "
                "remove or reverse one of its edges"
            )
        self._variables = variables
        self._parent_indices = tuple(parents)

    @classmethod
    def _from_pairs(cls, variables: tuple[str, ...], pairs: Iterable[tuple[int, int]]) -> Dag:
        parents: list[set[int]] = [set() for _ in variables]
        for source, target in pairs:
            parents[target].add(source)
        dag = cls.__new__(cls)
        dag._set(variables, [tuple(sorted(of_node)) for of_node in parents])
        return dag

    @classmethod
    def from_edges(cls, variables: Iterable[str], edges: Iterable[tuple[str, str]]) -> Dag:
        """Build a DAG from pairs (source, target).

        Examples
        --------
        >>> Dag.from_edges(["a", "b", "c"], [("a", "b"), ("b", "c")]).edges
        (('a', 'b'), ('b', 'c'))
        """
        names = checked_variables(variables)
        index = index_of(names)
        pairs = []
        for edge in as_list(edges, "edges", "pairs (source, target) of names"):
            if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
                raise ArgumentError(
                    f"edges holds {shown(edge)}; give pairs (source, target) of names"
                )
            source, target = positions(edge, index, "edges")
            pairs.append((source, target))
        return cls._from_pairs(names, pairs)

    @classmethod
    def from_matrix(cls, variables: Iterable[str], matrix: ArrayLike) -> Dag:
        """Build a DAG from an adjacency matrix, with 1 in row i, column j for an edge i -> j.

        Examples
        --------
        >>> Dag.from_matrix(["a", "b"], [[0, 1], [0, 0]]).edges
        (('a', 'b'),)
        """
        names = checked_variables(variables)
        edges = edges_between(names, matrix)
        return cls._from_pairs(names, [(int(i), int(j)) for i, j in np.argwhere(edges)])

    @classmethod
    def from_networkx(cls, graph: Any) -> Dag:
        """Build a DAG from a networkx DiGraph or a pgmpy DAG whose nodes are strings.

        Parameters
        ----------
        graph
            Any object with ``nodes``, ``edges()`` and ``is_directed()`` as in networkx.
        """
        if not is_graph(graph):
            raise ArgumentError(
                f"graph is of type {type(graph).__name__}; give a networkx DiGraph, or use "
                "Dag.from_edges for pairs (source, target) and Dag.from_matrix for a matrix"
            )
        nodes = list(graph.nodes)
        wrong = [node for node in nodes if not isinstance(node, str)]
        if wrong:
            raise ArgumentError(
                f"graph has the node {wrong[0]!r}, which is not a string; "
                "rename the nodes with networkx.relabel_nodes(graph, str)"
            )
        return cls.from_edges(nodes, edges_of_graph(graph, "graph"))

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the nodes."""
        return self._variables

    @property
    def parent_indices(self) -> tuple[tuple[int, ...], ...]:
        """The positions of each node's parents, ascending."""
        return self._parent_indices

    def parents(self, name: str) -> tuple[str, ...]:
        """Return the parents of a node, in the order of the variables."""
        (node,) = positions([name], self._variables, "name")
        return tuple(self._variables[parent] for parent in self._parent_indices[node])

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The edges (source, target), sorted by target and then by source."""
        return tuple(
            (self._variables[parent], self._variables[node])
            for node, of_node in enumerate(self._parent_indices)
            for parent in of_node
        )

    @property
    def number_of_edges(self) -> int:
        """The number of edges."""
        return sum(map(len, self._parent_indices))

    def topological_order(self) -> tuple[str, ...]:
        """Return the names in a topological order: parents before their children.

        Ties are broken by the order of the variables.
        """
        return tuple(self._variables[node] for node in topological_order(self._parent_indices))

    def matrix(self) -> NDArray[np.bool_]:
        """Return a new adjacency matrix, with True in row i, column j for an edge i -> j.

        Examples
        --------
        >>> Dag(["a", "b"], {"b": ["a"]}).matrix()
        array([[False,  True],
               [False, False]])
        """
        matrix = np.zeros((len(self._variables),) * 2, dtype=np.bool_)
        for node, of_node in enumerate(self._parent_indices):
            matrix[list(of_node), node] = True
        return matrix

    def to_networkx(self) -> Any:
        """Return a networkx DiGraph with the same nodes and edges.

        Raises
        ------
        MissingDependencyError
            If networkx is not installed.
        """
        networkx = optional("networkx", "to_networkx")
        return with_edges_of(self, networkx.DiGraph())

    def to_pgmpy(self) -> Any:
        """Return a ``pgmpy.base.DAG`` with the same nodes and edges."""
        from arcwise.graphs.foreign import to_pgmpy

        return to_pgmpy(self)

    def to_causal_learn(self) -> Any:
        """Return a causal-learn ``GeneralGraph`` with the same nodes and edges."""
        from arcwise.graphs.foreign import to_causal_learn

        return to_causal_learn(self)

    def __eq__(self, other: object) -> bool:
        """Compare variables, in order, and edges."""
        if not isinstance(other, Dag):
            return NotImplemented
        return (self._variables, self._parent_indices) == (other._variables, other._parent_indices)

    def __hash__(self) -> int:
        """Hash what equality compares."""
        return hash((self._variables, self._parent_indices))

    def __repr__(self) -> str:
        """Show the counts and the first edges."""
        edges = self.edges
        shown = [f"{source} -> {target}" for source, target in edges[:_EDGES_SHOWN]]
        if len(edges) > _EDGES_SHOWN:
            shown.append("...")
        listed = f": {', '.join(shown)}" if shown else ""
        counts = f"{plural(len(self._variables), 'variable')}, {plural(len(edges), 'edge')}"
        return f"Dag({counts}{listed})"


def with_edges_of(dag: Dag, graph: Any) -> Any:
    """Return a graph of another package with the nodes and edges of a DAG added to it."""
    graph.add_nodes_from(list(dag.variables))
    graph.add_edges_from(list(dag.edges))
    return graph
