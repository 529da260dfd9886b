"""`compare`: true and false positives and negatives of an estimated graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.graphs.distance import aligned_matrices, structural_hamming_distance
from arcwise.graphs.shape import Graph
from arcwise.support.html import card, table


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

        More informative for sparse graphs than `false_positive_rate`, which is then small
        for any estimate.
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
