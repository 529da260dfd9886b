"""Point summaries of a posterior: threshold graph, median DAG, credible sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.graphs import Cpdag
from arcwise.graphs.dag import Dag
from arcwise.posterior.matrices import relation_rows, unpacked
from arcwise.support.checks import real_number, true_or_false
from arcwise.support.cycles import cycle_in_words, find_cycle
from arcwise.support.words import shown

if TYPE_CHECKING:
    from arcwise.posterior.dag_sample import DagSample


@dataclass(frozen=True)
class ThresholdGraph:
    """The edges that are more probable than a threshold, which may contain a cycle.

    Parameters
    ----------
    variables
        The names of the nodes.
    threshold
        The threshold the probabilities exceed.
    edges
        Triples (source, target, probability), the most probable first.
    cycle
        The nodes along a cycle, the first not repeated; None if there is none.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 2000, seed=1), max_indegree=2)
    >>> graph = arcwise.exact(model).threshold_graph(0.5)
    >>> graph.is_acyclic, graph.dag().number_of_edges == len(graph.edges)
    (True, True)
    """

    variables: tuple[str, ...]
    threshold: float
    edges: tuple[tuple[str, str, float], ...]
    cycle: tuple[str, ...] | None

    @property
    def is_acyclic(self) -> bool:
        """Whether it is a DAG."""
        return self.cycle is None

    def dag(self) -> Dag:
        """Return it as a `Dag`, or refuse if it has a cycle."""
        if self.cycle is not None:
            words = cycle_in_words(range(len(self.cycle)), self.cycle)
            raise ArgumentError(
                f"the edges with a probability above {self.threshold} contain the cycle {words}; "
                "raise the threshold, or use median_dag"
            )
        return Dag.from_edges(self.variables, [edge[:2] for edge in self.edges])


def threshold_graph(
    variables: tuple[str, ...], edges: NDArray[np.float64], threshold: float
) -> ThresholdGraph:
    """Return the edges above a threshold; see `Posterior.threshold_graph`."""
    if not 0.0 <= threshold < 1.0:
        raise ArgumentError(
            f"threshold is {shown(threshold)}; give a number of at least 0 and below 1"
        )
    pairs = _above(edges, threshold)
    parents: list[list[int]] = [[] for _ in variables]
    for source, target in pairs:
        parents[target].append(source)
    cycle = find_cycle([tuple(sorted(of_node)) for of_node in parents])
    return ThresholdGraph(
        variables,
        float(threshold),
        tuple((variables[u], variables[v], float(edges[u, v])) for u, v in pairs),
        None if cycle is None else tuple(variables[node] for node in cycle),
    )


def median_dag(variables: tuple[str, ...], edges: NDArray[np.float64]) -> Dag:
    """Return a DAG of the edges above one half; see `Posterior.median_dag`."""
    n = len(variables)
    reaches = np.eye(n, dtype=np.bool_)  # [u, v]: a path leads from u to v
    chosen = []
    for source, target in _above(edges, 0.5):
        if reaches[target, source]:
            continue
        chosen.append((variables[source], variables[target]))
        reaches |= np.outer(reaches[:, source], reaches[target])
    return Dag.from_edges(variables, chosen)


def _above(edges: NDArray[np.float64], threshold: float) -> list[tuple[int, int]]:
    """Return the edges above a threshold by decreasing probability, ties in matrix order."""
    off = edges.copy()
    np.fill_diagonal(off, -1.0)
    order = np.argsort(-off, axis=None, kind="stable")
    return [divmod(int(place), len(edges)) for place in order[: int((off > threshold).sum())]]


class PackedGraphs(Sequence[Any]):
    """Graphs packed as bits, each unpacked when it is accessed."""

    def __init__(
        self,
        variables: tuple[str, ...],
        packed: NDArray[np.uint64],
        kind: type[Dag] | type[Cpdag],
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
    """Return the smallest set of sampled graphs with at least a given total probability.

    Parameters
    ----------
    dags
        The DAGs.
    level, classes
        As for `DagSample.credible_set`.
    total
        The total probability of the DAGs, if known.
    """
    level = real_number(
        level, "level", lambda x: 0.0 < x <= 1.0, "a probability above 0, at most 1"
    )
    true_or_false(classes, "classes")
    patterns = relation_rows(dags, "cpdag") if classes else dags.parents
    first, place = _core.distinct_patterns(patterns.reshape(len(dags), -1))
    probabilities = np.asarray(
        total * np.bincount(place, weights=dags.shares, minlength=len(first)), dtype=np.float64
    )
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
        graphs,
        probabilities[chosen],
        float(level),
        reached,
        len(first),
        len(first) / len(dags),
    )
