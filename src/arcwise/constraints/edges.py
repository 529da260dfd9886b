"""Reads edges in any accepted form, and converts them to a matrix or a DAG."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.constraints.foreign import directed_edges
from arcwise.errors import ArgumentError, ConstraintError, Wording
from arcwise.graphs.dag import Dag
from arcwise.graphs.foreign import is_general_graph
from arcwise.support.edges import (
    edges_of_graph,
    edges_of_list,
    edges_of_matrix,
    is_edge_list,
    is_frame,
    is_graph,
    is_matrix,
    labelled_matrix,
)
from arcwise.support.names import positions
from arcwise.support.words import listing, shown


@dataclass(frozen=True)
class Position:
    """A variable given by its position, as in a matrix without names."""

    index: int
    of: int
    """The number of variables."""


Endpoint: TypeAlias = str | re.Pattern[str] | Position
"""A name, a pattern that stands for every name it matches from the start, or a position."""

Edge: TypeAlias = tuple[Endpoint, Endpoint]

_ENDPOINT_TYPES = (str, re.Pattern, Position)


def read_edges(
    value: Any, source: str | Wording, *, diagonal_is_meant: bool = False
) -> tuple[Edge, ...]:
    """Return the edges, each once and in a fixed order, so that equal lists compare equal.

    Parameters
    ----------
    value
        Pairs of names or compiled patterns, a Dag, a networkx DiGraph, a
        causal-learn GeneralGraph of directed edges, a frame with the columns source
        and target (or from and to), an n x n matrix or frame of 0 and 1, or what
        this function returns.
    source
        The argument that holds the edges, for messages.
    diagonal_is_meant
        Whether a 1 on a matrix's diagonal asks for a self loop, and is
        refused, or is a by-product of how the matrix was made.
    """
    if value is None:
        return ()
    matrix: NDArray[np.bool_] | None = None
    names: Sequence[Endpoint] = ()
    listed = is_edge_list(value)
    if is_frame(value) and not listed:
        names, values = labelled_matrix(value, source, ConstraintError)
        matrix = edges_of_matrix(values, source, ConstraintError)
    elif is_matrix(value):
        matrix = edges_of_matrix(value, source, ConstraintError)
        names = [Position(index, len(matrix)) for index in range(len(matrix))]
    if matrix is not None:
        if not diagonal_is_meant:
            np.fill_diagonal(matrix, False)
        pairs: Iterable[Any] = [(names[i], names[j]) for i, j in np.argwhere(matrix)]
    elif isinstance(value, Dag):
        pairs = value.edges
    elif listed:
        pairs = edges_of_list(value)
    elif is_graph(value):
        pairs = edges_of_graph(value, source, ConstraintError)
    elif is_general_graph(value):
        pairs = directed_edges(value, source)
    else:
        pairs = _iterated(value, source)
    edges = {_checked(pair, source) for pair in _listed(pairs, source)}
    return tuple(sorted(edges, key=lambda edge: (_sort_key(edge[0]), _sort_key(edge[1]))))


def edge_matrix(
    edges: Sequence[Edge], variables: Sequence[str], source: str | Wording
) -> NDArray[np.bool_]:
    """Return the edges as a matrix [source, target] over the variables."""
    n = len(variables)
    names = dict.fromkeys(end for edge in edges for end in edge if isinstance(end, str))
    index = dict(zip(names, positions(names, variables, source, ConstraintError), strict=True))

    def places(end: Endpoint) -> list[int]:
        if isinstance(end, str):
            return [index[end]]
        if isinstance(end, Position):
            if end.of != n:
                raise ConstraintError(
                    source,
                    f" is a matrix for {end.of} variables and there are {n}; "
                    "give one row and one column for each variable",
                )
            return [end.index]
        matches = [place for place, name in enumerate(variables) if end.match(name)]
        if not matches:
            raise ConstraintError(
                source,
                f" holds the pattern {end.pattern!r}, which matches none of the "
                f"variables {listing(map(repr, variables))}; correct it or leave it out",
            )
        return matches

    matrix = np.zeros((n, n), dtype=np.bool_)
    for start, end in edges:
        for i, j in product(places(start), places(end)):
            # Only patterns can make i = j here, and they do not mean a self loop.
            if i != j:
                matrix[i, j] = True
    return matrix


def _listed(pairs: Iterable[Any], source: str | Wording) -> list[Any]:
    try:
        return list(pairs)
    except TypeError:  # as arrays without dimensions, which look like collections
        raise ConstraintError(
            source, f" is {shown(pairs)}; give pairs (source, target) of names"
        ) from None


def _iterated(value: Any, source: str | Wording) -> Iterable[Any]:
    if isinstance(value, str) and "->" in value:
        return _of_text(value, source)
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ConstraintError(
            source,
            f" is {shown(value)}; give pairs (source, target) of names, a directed graph, "
            "an n x n matrix of 0 and 1, or a text such as 'smoke -> lung, smoke -> bronc'",
        )
    return value


def _of_text(text: str, source: str | Wording) -> list[tuple[str, str]]:
    """Return the edges of a text, as the shell takes them."""
    edges = []
    for part in text.split(","):
        ends = [end.strip() for end in part.split("->")]
        if len(ends) != 2 or not all(ends):
            raise ConstraintError(
                source,
                f" holds {part.strip()!r}, which is no edge; give a text such as 'smoke -> lung, "
                "smoke -> bronc', or ",
                Wording("pairs (source, target)", "a file of edges"),
            )
        edges.append((ends[0], ends[1]))
    return edges


def _checked(pair: Any, source: str | Wording) -> Edge:
    try:
        ends = tuple(pair) if not isinstance(pair, str) else ()
    except TypeError:
        ends = ()
    if len(ends) != 2 or not all(isinstance(end, _ENDPOINT_TYPES) for end in ends):
        raise ConstraintError(
            source, f" contains {shown(pair)}; give each edge as a pair (source, target) of names"
        )
    start, end = ends
    if start == end and not isinstance(start, re.Pattern):
        where = start if isinstance(start, str) else f"number {start.index}"
        raise ConstraintError(
            source, f" contains an edge from {where!r} to itself, which no DAG has; leave it out"
        )
    return start, end


def _sort_key(end: Endpoint) -> tuple[int, str, int]:
    if isinstance(end, str):
        return 0, end, 0
    if isinstance(end, Position):
        return 1, "", end.index
    return 2, end.pattern, end.flags


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
