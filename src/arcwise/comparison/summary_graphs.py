"""`compare_summary_graphs`: the summary graphs of a posterior against a known graph, fairly.

Data alone cannot tell the DAGs of an equivalence class apart. So all graphs are compared by their
adjacencies and as CPDAGs; arrows as they stand are compared only between DAGs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from arcwise.errors import ArgumentError
from arcwise.graphs import Cpdag, EdgeCounts, cpdag
from arcwise.graphs import compare as compare_graphs
from arcwise.graphs.dag import Dag
from arcwise.posterior import Posterior
from arcwise.posterior.summary_graphs import SummaryGraph, as_data_tell, available


@dataclass(frozen=True)
class SummaryGraphComparison:
    """A summary graph compared with a known one.

    Parameters
    ----------
    name, graph
        The name of the summary graph, and the graph.
    skeleton
        Counts of adjacencies, whatever their direction.
    directions
        Counts of the directed edges of the two CPDAGs: those whose direction data can tell.
    cpdag_distance
        The structural Hamming distance between the two CPDAGs.
    arrows
        Counts of directed edges as they stand, if both graphs are DAGs; None otherwise. Which way
        an arrow points that data cannot tell counts as well.

    Examples
    --------
    >>> import arcwise
    >>> truth = arcwise.Dag(["a", "b"], {"a": ["b"]})
    >>> posterior = arcwise.exact(arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5}))
    >>> [found.cpdag_distance for found in compare_summary_graphs(posterior, truth)]
    [0, 0, 0]
    """

    name: str
    graph: Dag | Cpdag
    skeleton: EdgeCounts
    directions: EdgeCounts
    cpdag_distance: int
    arrows: EdgeCounts | None


def compare_summary_graphs(
    posterior: Posterior,
    truth: Dag | Cpdag,
    names: Iterable[SummaryGraph] | None = None,
    *,
    threshold: float = 0.5,
) -> tuple[SummaryGraphComparison, ...]:
    """Compare summary graphs of a posterior with a known graph.

    Parameters
    ----------
    posterior
        The posterior.
    truth
        The known graph, over the same variables in any order.
    names, threshold
        The summary graphs, see `summary_graph`; None for all the posterior has.

    Examples
    --------
    >>> import arcwise
    >>> truth = arcwise.Dag(["a", "b"], {"a": ["b"]})
    >>> posterior = arcwise.exact(arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5}))
    >>> (median,) = compare_summary_graphs(posterior, truth, ["median"])
    >>> median.skeleton.recall, median.cpdag_distance, median.arrows.recall
    (1.0, 0, 0.0)
    """
    if not isinstance(truth, Dag | Cpdag):
        raise ArgumentError(f"truth is of type {type(truth).__name__}; give a Dag or a Cpdag")
    if names is None:
        graphs = available(posterior)
    else:
        graphs = {name: as_data_tell(posterior, name, threshold=threshold) for name in names}
    return tuple(_compared(name, graph, truth) for name, graph in graphs.items())


def _compared(name: str, graph: Dag | Cpdag, truth: Dag | Cpdag) -> SummaryGraphComparison:
    classes = compare_graphs(_as_class(graph), _as_class(truth))
    dags = isinstance(graph, Dag) and isinstance(truth, Dag)
    return SummaryGraphComparison(
        name,
        graph,
        classes.skeleton,
        classes.directed,
        classes.structural_hamming_distance,
        compare_graphs(graph, truth).directed if dags else None,
    )


def _as_class(graph: Dag | Cpdag) -> Cpdag:
    return cpdag(graph) if isinstance(graph, Dag) else graph
