"""Edges, adjacencies, parent sets and the number of edges as features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.features.feature import Feature, FeatureOfNodes
from arcwise.features.names import refuse_same, written, written_set
from arcwise.support.names import as_list
from arcwise.support.running import running
from arcwise.support.words import shown

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
        """Write it as `parse` reads it."""
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
        """False: it is a number."""
        return False

    def values(self, sample: DagSample) -> NDArray[Any]:
        """Return the number of edges of each DAG."""
        with running(None, None, "") as run:
            return _core.edge_counts(sample.parents, run.threads).astype(np.float64)

    def __str__(self) -> str:
        """Write it as `parse` reads it."""
        return "edges"


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
    """Return the names sorted, each once; a single string is refused."""
    if isinstance(names, str):
        raise ArgumentError(f"{what} is the single string {names!r}; give a list of names instead")
    given = as_list(names, what, "a list of names")
    wrong = [name for name in given if not isinstance(name, str)]
    if wrong:
        raise ArgumentError(f"{what} holds {shown(wrong[0])}; give names of variables as strings")
    return tuple(sorted(set(given)))
