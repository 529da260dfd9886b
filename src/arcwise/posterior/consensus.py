"""Point summaries of a posterior: threshold graph, median graphs, credible sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.graphs import Cpdag, cpdag
from arcwise.graphs.dag import Dag
from arcwise.posterior.matrices import (
    distinct_patterns,
    relation_probabilities,
    relation_rows,
    unpacked,
)
from arcwise.support.checks import real_number, true_or_false
from arcwise.support.edges import cycle_in_words, find_cycle

if TYPE_CHECKING:
    from arcwise.posterior.dag_sample import DagSample


@dataclass(frozen=True)
class ThresholdGraph:
    """The adjacencies with a probability above a threshold, directed if a direction exceeds it.

    Parameters
    ----------
    variables
        The names of the nodes.
    threshold
        The threshold that the probabilities exceed.
    edges
        Directed edges as triples (source, target, probability), the most probable first; they
        may contain a cycle.
    undirected
        The other adjacencies, for which neither direction exceeds the threshold: triples
        (one, other, probability of an edge in either direction), the most probable first.
    cycle
        The nodes along a cycle of directed edges, the first not repeated; None if they are
        acyclic.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> graph = arcwise.exact(model).threshold_graph(0.6)
    >>> graph.is_acyclic, graph.edges, [pair[:2] for pair in graph.undirected]
    (True, (), [('a', 'b')])
    """

    variables: tuple[str, ...]
    threshold: float
    edges: tuple[tuple[str, str, float], ...]
    undirected: tuple[tuple[str, str, float], ...]
    cycle: tuple[str, ...] | None

    @property
    def is_acyclic(self) -> bool:
        """Whether the directed edges have no cycle."""
        return self.cycle is None

    def dag(self) -> Dag:
        """Return the directed edges as a `Dag`, or refuse if they have a cycle."""
        if self.cycle is not None:
            words = cycle_in_words(range(len(self.cycle)), self.cycle)
            raise ArgumentError(
                f"the edges with a probability above {self.threshold} contain the cycle {words}; "
                "raise the threshold, or use median_dag"
            )
        return Dag.from_edges(self.variables, [edge[:2] for edge in self.edges])

    def graph(self) -> Cpdag:
        """Return all adjacencies as one graph; those with both directions are undirected."""
        matrix = np.zeros((len(self.variables),) * 2, dtype=np.bool_)
        place = {name: number for number, name in enumerate(self.variables)}
        for source, target, _ in self.edges:
            matrix[place[source], place[target]] = True
        for one, other, _ in self.undirected:
            matrix[place[one], place[other]] = matrix[place[other], place[one]] = True
        return Cpdag.from_matrix(self.variables, matrix)


def threshold_graph(
    variables: tuple[str, ...], edges: NDArray[np.float64], threshold: float
) -> ThresholdGraph:
    """Return the adjacencies above a threshold; see `Posterior.threshold_graph`."""
    wanted = "a number of at least 0 and below 1"
    threshold = real_number(threshold, "threshold", lambda x: 0.0 <= x < 1.0, wanted)
    pairs = _above(edges, threshold)
    parents: list[list[int]] = [[] for _ in variables]
    for source, target in pairs:
        parents[target].append(source)
    cycle = find_cycle([tuple(sorted(of_node)) for of_node in parents])
    either = np.triu(np.minimum(edges + edges.T, 1.0), 1)
    either[np.maximum(edges, edges.T) > threshold] = 0.0
    return ThresholdGraph(
        variables,
        float(threshold),
        tuple((variables[u], variables[v], float(edges[u, v])) for u, v in pairs),
        tuple(
            (variables[u], variables[v], float(either[u, v])) for u, v in _above(either, threshold)
        ),
        None if cycle is None else tuple(variables[node] for node in cycle),
    )


def median_dag(variables: tuple[str, ...], edges: NDArray[np.float64]) -> Dag:
    """Return a DAG of the adjacencies above one half; see `Posterior.median_dag`."""
    joined = edges + edges.T > 0.5
    n = len(variables)
    reaches = np.eye(n, dtype=np.bool_)  # [u, v]: a path leads from u to v
    chosen = []
    likelier = np.where(joined & (edges >= edges.T), edges, 0.0)
    likelier[np.tril(edges == edges.T)] = 0.0  # ties go to the first direction
    for source, target in _above(likelier, 0.0):
        # If one direction closes a cycle, the other one does not.
        u, v = (target, source) if reaches[target, source] else (source, target)
        chosen.append((variables[u], variables[v]))
        reaches |= np.outer(reaches[:, u], reaches[v])
    return Dag.from_edges(variables, chosen)


def median_cpdag(dags: DagSample) -> Cpdag:
    """Return the adjacencies above one half, each in its most probable form in the CPDAGs."""
    joined = np.triu(relation_probabilities(dags, "skeleton") > 0.5, 1)
    directed = relation_probabilities(dags, "compelled")
    undirected = relation_probabilities(dags, "reversible")
    matrix = np.zeros_like(joined)
    for u, v in np.argwhere(joined):
        likeliest = max(directed[u, v], directed[v, u], undirected[u, v])
        both = undirected[u, v] == likeliest
        matrix[u, v] = both or directed[u, v] == likeliest
        matrix[v, u] = both or not matrix[u, v]
    return Cpdag.from_matrix(dags.variables, matrix)


def most_probable_class(dags: DagSample, best: Dag | None) -> Cpdag:
    """Return the most frequent equivalence class of sampled DAGs; ties go to that of the best DAG.

    With many variables ties are common, because hardly any class is drawn twice.
    """
    patterns = relation_rows(dags, "cpdag")
    first, shares = distinct_patterns(dags, patterns)
    top = np.flatnonzero(shares >= shares.max() * (1.0 - 1e-9))
    graphs = PackedGraphs(dags.variables, patterns[first[top]], Cpdag)
    if best is not None and len(top) > 1:
        wanted = cpdag(best)
        if any(graph == wanted for graph in graphs):
            return wanted
    found: Cpdag = graphs[0]
    return found


def _above(edges: NDArray[np.float64], threshold: float) -> list[tuple[int, int]]:
    """Return the edges above a threshold by decreasing probability, ties in matrix order."""
    off = edges.copy()
    np.fill_diagonal(off, -1.0)
    order = np.argsort(-off, axis=None, kind="stable")
    return [divmod(int(place), len(edges)) for place in order[: int((off > threshold).sum())]]


class PackedGraphs(Sequence[Any]):
    """Graphs packed as bits, each unpacked when it is accessed."""

    def __init__(
        self, variables: tuple[str, ...], packed: NDArray[np.uint64], kind: type[Dag] | type[Cpdag]
    ) -> None:
        self._variables = variables
        self._packed = packed
        self._kind = kind

    def __len__(self) -> int:
        """Return the number of graphs."""
        return len(self._packed)

    def __getitem__(self, index: Any) -> Any:
        """Return one graph, or a slice of them."""
        if isinstance(index, slice):
            return PackedGraphs(self._variables, self._packed[index], self._kind)
        matrix = unpacked(self._packed[index], len(self._variables)).T
        return self._kind.from_matrix(self._variables, matrix)


@dataclass(frozen=True, eq=False)
class CredibleSet:
    """The smallest set of graphs with at least a given total probability.

    Parameters
    ----------
    graphs
        The DAGs, or the equivalence classes as `Cpdag`, the most probable first; each
        is unpacked when it is accessed.
    probabilities
        The probability of each.
    level
        The total probability requested.
    reached
        Their total probability; below `level` if even all sampled graphs together do not
        reach it.
    distinct
        The number of distinct graphs among the draws.
    distinct_share
        That number divided by the number of draws. If it is near 1, hardly any graph was
        drawn twice, and the probabilities of single graphs are unreliable.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 2000, seed=1), max_indegree=2)
    >>> dags = arcwise.algorithms.ExactSampler(model).dags(2000, seed=1)
    >>> classes = dags.credible_set(0.9, classes=True)
    >>> len(classes) < len(dags.credible_set(0.9)), classes.reached >= 0.9
    (True, True)
    """

    graphs: Sequence[Any]
    probabilities: NDArray[np.float64]
    level: float
    reached: float
    distinct: int
    distinct_share: float

    def __len__(self) -> int:
        """Return the number of graphs."""
        return len(self.graphs)

    def __repr__(self) -> str:
        """Show the number of graphs and their total probability."""
        return (
            f"<CredibleSet: {len(self)} graphs of probability {self.reached:.3f}; "
            f"{self.distinct_share:.1%} of the draws are distinct>"
        )


def credible_set(dags: DagSample, level: float, classes: bool, total: float = 1.0) -> CredibleSet:
    """Return the smallest set of sampled graphs with at least a given total probability."""
    level = real_number(
        level, "level", lambda x: 0.0 < x <= 1.0, "a probability above 0, at most 1"
    )
    true_or_false(classes, "classes")
    patterns = relation_rows(dags, "cpdag") if classes else dags.parents
    first, shares = distinct_patterns(dags, patterns)
    probabilities = total * shares
    order = np.argsort(-probabilities, kind="stable")
    summed = np.cumsum(probabilities[order])
    # Rounding must not add another graph.
    enough = int(np.searchsorted(summed, min(level, summed[-1]) * (1.0 - 1e-12))) + 1
    chosen = order[:enough]
    reached = float(summed[enough - 1])
    if level * (1.0 - 1e-12) <= reached < level:
        reached = float(level)
    graphs = PackedGraphs(dags.variables, patterns[first[chosen]], Cpdag if classes else Dag)
    return CredibleSet(
        graphs, probabilities[chosen], float(level), reached, len(first), len(first) / len(dags)
    )
