"""`compare`: compare two posteriors, a posterior with a known graph, or two graphs."""

from __future__ import annotations

from typing import Any, overload

from arcwise.comparison.known_graph import PosteriorComparison, compare_with_graph
from arcwise.comparison.runs import RunComparison, compare_posteriors
from arcwise.constraints.edges import as_dag
from arcwise.errors import ArgumentError
from arcwise.graphs import Cpdag, GraphComparison
from arcwise.graphs import compare as compare_graphs
from arcwise.graphs.dag import Dag
from arcwise.posterior import Posterior


@overload
def compare(one: Posterior, other: Posterior) -> RunComparison: ...


@overload
def compare(one: Posterior, other: Any, *, dags: int = 1000) -> PosteriorComparison: ...


@overload
def compare(one: Dag, other: Any) -> GraphComparison: ...


@overload
def compare(one: Cpdag, other: Cpdag) -> GraphComparison: ...


def compare(
    one: Any, other: Any, *, dags: int = 1000
) -> RunComparison | PosteriorComparison | GraphComparison:
    """Compare two posteriors, a posterior with a known DAG, or two graphs.

    Parameters
    ----------
    one
        The `Posterior`, `Dag` or `Cpdag` to compare.
    other
        What to compare it with, over the same variables in any order: another posterior, or
        the known DAG or CPDAG. A DAG may be given in any form of a graph: a `Dag`, a networkx
        DiGraph, an adjacency matrix as an array or a frame, or pairs (source, target) of names.
    dags
        For a posterior and a DAG: the maximum number of sampled DAGs, evenly spaced, whose
        equivalence classes are compared, which takes about a millisecond each.

    Returns
    -------
    RunComparison
        For two posteriors: whether they differ by more than Monte Carlo error, and where.
    PosteriorComparison
        For a posterior and a DAG: expected distances, and true and false positives by
        threshold.
    GraphComparison
        For two graphs: true positive, false positive and false negative edges.

    Examples
    --------
    >>> import arcwise
    >>> truth = arcwise.Dag(["a", "b"], {"b": ["a"]})
    >>> posterior = arcwise.exact(arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5}))
    >>> arcwise.compare(posterior, posterior).agree
    True
    >>> print(arcwise.compare(posterior, truth).structural_hamming_distance)
    0.5
    >>> arcwise.compare(posterior.map_dag, truth).skeleton.recall
    1.0
    """
    if isinstance(one, Posterior) and isinstance(other, Posterior):
        return compare_posteriors(one, other)
    if isinstance(one, Dag | Cpdag) and type(one) is type(other):
        return compare_graphs(one, other)
    if isinstance(one, Posterior) and not isinstance(other, _RESULTS):
        return compare_with_graph(one, other, dags=dags)
    if isinstance(one, Dag) and not isinstance(other, _RESULTS):
        return compare_graphs(one, as_dag(other, one.variables, "other"))
    if isinstance(other, Dag) and not isinstance(one, _RESULTS):
        return compare_graphs(as_dag(one, other.variables, "one"), other)
    raise ArgumentError(
        f"a {type(one).__name__} and a {type(other).__name__} cannot be compared; give two "
        "posteriors, a posterior and a DAG, two DAGs or two Cpdags; Dag.from_edges and "
        "Dag.from_networkx make DAGs"
    )


_RESULTS = (Posterior, Cpdag)
