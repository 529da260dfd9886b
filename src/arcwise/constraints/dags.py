"""`as_dag`: a DAG from any form in which edges may be given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arcwise.constraints.edges import edge_matrix, read_edges
from arcwise.errors import ArgumentError, ConstraintError, Wording
from arcwise.graphs.dag import Dag
from arcwise.support.edges import is_edge_list, is_frame, is_graph, is_matrix


def as_dag(value: Any, variables: Sequence[str] | None, source: str | Wording) -> Dag:
    """Return a DAG over the variables.

    Parameters
    ----------
    value
        A `Dag`, which is returned as it is; or edges in any form `Constraints` takes: a
        networkx DiGraph, a causal-learn GeneralGraph, a frame of edges or of a matrix with
        names, an array [source, target], or pairs of names.
    variables
        The variables, those without an edge included; None if the graph names them all.
    source
        The argument that holds the graph, for messages.

    Examples
    --------
    >>> as_dag([("a", "b")], ["a", "b", "c"], "truth")
    Dag(3 variables, 1 edge: a -> b)
    """
    if isinstance(value, Dag):
        return value
    try:
        edges = read_edges(value, source, diagonal_is_meant=True)
        if variables is None:
            variables = _own_names(value, source)
        matrix = edge_matrix(edges, variables, source)
    except ConstraintError as error:
        raise ArgumentError(*error.args) from None
    try:
        return Dag.from_matrix(variables, matrix)
    except ArgumentError as error:
        raise ArgumentError(source, " is no DAG, as ", *error.args) from None


def _own_names(value: Any, source: str | Wording) -> list[str]:
    if is_matrix(value) or value is None:
        raise ArgumentError(
            source,
            " is a matrix without names; make a Dag of it with Dag.from_matrix(names, matrix)",
        )
    if is_graph(value):
        return [str(node) for node in value.nodes]
    if is_frame(value) and not is_edge_list(value):
        return list(value.columns)
    return list(dict.fromkeys(str(end) for edge in read_edges(value, source) for end in edge))
