"""Edges, parent sets, paths, Markov blankets, v-structures and CPDAG edges as features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.features.feature import (
    Feature,
    FeatureOfNodes,
    all_of,
    refuse_same,
    written,
    written_set,
)
from arcwise.support.checks import MOST_INT, true_or_false, whole_number
from arcwise.support.names import as_list, shown
from arcwise.support.running import running

if TYPE_CHECKING:
    from arcwise.posterior.dag_sample import DagSample


@dataclass(frozen=True)
class Edge(FeatureOfNodes):
    """A directed edge.

    Parameters
    ----------
    source, target
        The names of the two nodes.

    Examples
    --------
    >>> str(Edge("smoke", "dysp"))
    'smoke -> dysp'
    """

    source: str
    target: str
    form: ClassVar[str] = "{} -> {}"

    @property
    def decided_by(self) -> str:
        """The target."""
        return self.target

    def values(self, sample: DagSample) -> NDArray[np.bool_]:
        """Return whether each DAG has the edge."""
        source, target = self.places(sample)
        return has_edge(sample, source, target)


@dataclass(frozen=True)
class SkeletonEdge(FeatureOfNodes):
    """An edge between two nodes, in either direction: an adjacency of the skeleton.

    Parameters
    ----------
    first, second
        The names of the two nodes.

    Examples
    --------
    >>> str(SkeletonEdge("smoke", "dysp"))
    'smoke -- dysp'
    """

    first: str
    second: str
    form: ClassVar[str] = "{} -- {}"

    def values(self, sample: DagSample) -> NDArray[np.bool_]:
        """Return whether the two are adjacent in each DAG."""
        first, second = self.places(sample)
        return has_edge(sample, first, second) | has_edge(sample, second, first)


@dataclass(frozen=True)
class ParentSet(Feature):
    """The event that a node has exactly these parents.

    Parameters
    ----------
    node
        The name of the node.
    parents
        The names of its parents; their order does not matter.

    Examples
    --------
    >>> str(ParentSet("dysp", ["either", "bronc"]))
    'parents(dysp) = {bronc, either}'
    """

    node: str
    parents: tuple[str, ...]

    def __init__(self, node: str, parents: Iterable[str]) -> None:
        object.__setattr__(self, "node", node)
        object.__setattr__(self, "parents", name_set(parents, "parents"))
        refuse_same(self.names, "a parent set")

    @property
    def names(self) -> tuple[str, ...]:
        """The node and its parents."""
        return self.node, *self.parents

    @property
    def decided_by(self) -> str:
        """The node."""
        return self.node

    def values(self, sample: DagSample) -> NDArray[np.bool_]:
        """Return whether each DAG has that parent set."""
        node, *parents = self.places(sample)
        wanted = packed_set(parents, sample.parents.shape[2])
        return np.asarray((sample.parents[:, node] == wanted).all(axis=1))

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return f"parents({written(self.node)}) = {written_set(self.parents)}"


@dataclass(frozen=True)
class NumberOfEdges(Feature):
    """The number of edges of a DAG.

    Examples
    --------
    >>> str(NumberOfEdges())
    'edges'
    """

    @property
    def is_event(self) -> bool:
        """False, because it is a number."""
        return False

    def values(self, sample: DagSample) -> NDArray[Any]:
        """Return the number of edges of each DAG."""
        with running(None, None, "") as run:
            return _core.edge_counts(sample.parents, run.threads).astype(np.float64)

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return "edges"


@dataclass(frozen=True)
class Path(FeatureOfNodes):
    """A directed path: the source is an ancestor of the target.

    Parameters
    ----------
    source, target
        The names of the two ends.
    max_length
        The maximum number of edges; None for no limit.

    Examples
    --------
    >>> str(Path("smoke", "dysp"))
    'smoke ~> dysp'
    >>> str(Path("smoke", "dysp", max_length=2))
    'smoke ~>{2} dysp'
    """

    source: str
    target: str
    max_length: int | None = None
    what: ClassVar[str] = "a path"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_length is not None:
            length = whole_number(self.max_length, "max_length", at_least=1, at_most=MOST_INT)
            object.__setattr__(self, "max_length", length)

    def values(self, sample: DagSample) -> NDArray[np.bool_]:
        """Return whether each DAG has such a path."""
        source, target = self.places(sample)
        return related(sample, "ancestor", source, target, self.max_length)

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        limit = "" if self.max_length is None else f"{{{self.max_length}}}"
        return f"{written(self.source)} ~>{limit} {written(self.target)}"


def path_through(*names: str) -> Feature:
    """Return the event that there are directed paths from each name to the next.

    Examples
    --------
    >>> str(path_through("x", "y", "z"))
    'x ~> y and y ~> z'
    """
    if len(names) < 2:
        raise ArgumentError(f"a path has the nodes {names!r}; give two or more")
    return all_of([Path(*pair) for pair in pairwise(names)])


@dataclass(frozen=True)
class InBlanket(FeatureOfNodes):
    """The event that a node is in the Markov blanket of another.

    The Markov blanket consists of the parents, the children, and the other parents of
    the children; membership is symmetric.

    Parameters
    ----------
    node
        The name of the node.
    member
        The name of the member of its Markov blanket.

    Examples
    --------
    >>> str(InBlanket("dysp", "smoke"))
    'blanket(dysp) has smoke'
    """

    node: str
    member: str
    what: ClassVar[str] = "a blanket"
    form: ClassVar[str] = "blanket({}) has {}"

    def values(self, sample: DagSample) -> NDArray[np.bool_]:
        """Return whether each DAG has the member in the blanket."""
        node, member = self.places(sample)
        return related(sample, "blanket", member, node)


@dataclass(frozen=True)
class Blanket(Feature):
    """The event that the Markov blanket of a node has exactly these members.

    Parameters
    ----------
    node
        The name of the node.
    members
        The names of the members; their order does not matter.

    Examples
    --------
    >>> str(Blanket("b", ["c", "a"]))
    'blanket(b) = {a, c}'
    """

    node: str
    members: tuple[str, ...]

    def __init__(self, node: str, members: Iterable[str]) -> None:
        object.__setattr__(self, "node", node)
        object.__setattr__(self, "members", name_set(members, "members"))
        refuse_same(self.names, "a blanket")

    @property
    def names(self) -> tuple[str, ...]:
        """The node and the members."""
        return self.node, *self.members

    def values(self, sample: DagSample) -> NDArray[np.bool_]:
        """Return whether each DAG has that blanket."""
        node, *members = self.places(sample)
        others = [u for u in range(len(sample.variables)) if u != node]
        wanted = np.isin(others, members)
        pairs = [(u, node) for u in others]
        with running(None, None, "") as run:
            found = _core.relation_values(sample.parents, "blanket", 0, pairs, run.threads)
        return np.asarray((found == wanted).all(axis=1))

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        return f"blanket({written(self.node)}) = {written_set(self.members)}"


@dataclass(frozen=True)
class VStructure(FeatureOfNodes):
    """A v-structure: two parents of a node that are not adjacent.

    Parameters
    ----------
    first, node, second
        The two parents, in either order, and their child between them.

    Examples
    --------
    >>> str(VStructure("rain", "wet", "sprinkler"))
    'rain -> wet <- sprinkler'
    """

    first: str
    node: str
    second: str
    what: ClassVar[str] = "a v-structure"
    form: ClassVar[str] = "{} -> {} <- {}"

    def values(self, sample: DagSample) -> NDArray[np.bool_]:
        """Return whether each DAG has the v-structure."""
        first, node, second = self.places(sample)
        joined = has_edge(sample, first, second) | has_edge(sample, second, first)
        return has_edge(sample, first, node) & has_edge(sample, second, node) & ~joined


@dataclass(frozen=True)
class CpdagEdge(FeatureOfNodes):
    """An edge of the CPDAG, which represents the equivalence class of a DAG.

    Parameters
    ----------
    source, target
        The names of the two nodes.
    directed
        True: the edge has this direction in all equivalent DAGs (compelled). False: both
        directions occur among them (reversible).

    Examples
    --------
    >>> str(CpdagEdge("a", "b")), str(CpdagEdge("a", "b", directed=False))
    ('cpdag: a -> b', 'cpdag: a -- b')
    """

    source: str
    target: str
    directed: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        true_or_false(self.directed, "directed")

    def values(self, sample: DagSample) -> NDArray[np.bool_]:
        """Return whether the CPDAG of each DAG has the edge."""
        source, target = self.places(sample)
        return related(sample, "compelled" if self.directed else "reversible", source, target)

    def __str__(self) -> str:
        """Return the text that `parse` reads."""
        arrow = "->" if self.directed else "--"
        return f"cpdag: {written(self.source)} {arrow} {written(self.target)}"


def related(
    sample: DagSample, relation: str, source: int, target: int, longest: int | None = None
) -> NDArray[np.bool_]:
    """Return whether a relation holds between the nodes at two positions in each DAG."""
    with running(None, None, "") as run:
        values = _core.relation_values(
            sample.parents, relation, longest or 0, [(source, target)], run.threads
        )
    return values[:, 0].astype(np.bool_)


def has_edge(sample: DagSample, source: int, target: int) -> NDArray[np.bool_]:
    """Return whether each DAG has the edge between the nodes at two positions."""
    words = sample.parents[:, target, source // 64]
    return np.asarray(words >> np.uint64(source % 64) & np.uint64(1), dtype=np.bool_)


def packed_set(nodes: Iterable[int], words: int) -> NDArray[np.uint64]:
    """Return a set of positions as bits."""
    packed = np.zeros(words, dtype=np.uint64)
    for node in nodes:
        packed[node // 64] |= np.uint64(1) << np.uint64(node % 64)
    return packed


def name_set(names: Iterable[str], what: str) -> tuple[str, ...]:
    """Return the distinct names, sorted, or refuse a single string."""
    if isinstance(names, str):
        raise ArgumentError(f"{what} is the single string {names!r}; give a list of names instead")
    given = as_list(names, what, "a list of names")
    wrong = [name for name in given if not isinstance(name, str)]
    if wrong:
        raise ArgumentError(f"{what} holds {shown(wrong[0])}; give names of variables as strings")
    return tuple(sorted(set(given)))
