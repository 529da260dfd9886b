"""Topological orders of directed graphs, or a cycle where there is none."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heapify, heappop, heappush
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArcwiseError, ArgumentError, Wording
from arcwise.support.checks import real_numbers


def topological_order(parents: Sequence[Collection[int]]) -> list[int]:
    """Return a topological order, the lexicographically smallest.

    It is shorter than the number of nodes if and only if there is a cycle; the nodes left
    out are those on a cycle or downstream of one.
    """
    waiting_for = [len(set(of_node)) for of_node in parents]
    children: list[list[int]] = [[] for _ in parents]
    for node, of_node in enumerate(parents):
        for parent in set(of_node):
            children[parent].append(node)
    ready = [node for node, count in enumerate(waiting_for) if count == 0]
    heapify(ready)
    order = []
    while ready:
        node = heappop(ready)
        order.append(node)
        for child in children[node]:
            waiting_for[child] -= 1
            if waiting_for[child] == 0:
                heappush(ready, child)
    return order


def find_cycle(parents: Sequence[Collection[int]]) -> list[int] | None:
    """Return the nodes of one cycle, each with an edge to the next and the last to the first.

    The cycle starts at its lowest node; None if there is no cycle.
    """
    left = set(range(len(parents))).difference(topological_order(parents))
    if not left:
        return None
    # Every node left out has a parent left out, so the walk to parents must repeat a node.
    walk = [min(left)]
    step_of = {walk[0]: 0}
    while True:
        upward = min(left.intersection(parents[walk[-1]]))
        if upward in step_of:
            break
        step_of[upward] = len(walk)
        walk.append(upward)
    cycle = walk[step_of[upward] :][::-1]
    start = cycle.index(min(cycle))
    return cycle[start:] + cycle[:start]


def cycle_in_words(cycle: Sequence[int], variables: Sequence[str]) -> str:
    """Return a cycle as ``a -> b -> c -> a``."""
    return " -> ".join(variables[node] for node in [*cycle, cycle[0]])


# --- Edges ----------------------------------------------------------------------------------------

# Reading of edges and edge values from matrices, labelled data frames and graph objects.


def is_frame(value: Any) -> bool:
    """Return whether this is a table with named columns, such as a pandas DataFrame."""
    return hasattr(value, "columns") and hasattr(value, "to_numpy")


def is_edge_list(value: Any) -> bool:
    """Return whether this is a table with a row for each edge, as networkx writes it."""
    return is_frame(value) and _end_columns(value) is not None


def _end_columns(frame: Any) -> tuple[str, str] | None:
    columns = list(frame.columns)
    pairs = (("source", "target"), ("from", "to"))
    # A matrix over variables with these names has them as row labels, too.
    labels = set(map(str, getattr(frame, "index", ())))
    found = [pair for pair in pairs if set(pair) <= set(columns) and not set(pair) <= labels]
    return found[0] if found else None


def edges_of_list(frame: Any) -> list[tuple[Any, Any]]:
    """Return the edges of a table with the columns source and target, or from and to."""
    ends = _end_columns(frame)
    assert ends is not None
    return list(zip(*(frame[name].to_list() for name in ends), strict=True))


def is_graph(value: Any) -> bool:
    """Return whether this is a graph object, such as a networkx DiGraph."""
    return hasattr(value, "nodes") and callable(getattr(value, "edges", None))


def is_matrix(value: Any) -> bool:
    """Return whether this is an array, or rows of numbers, rather than a list of name pairs."""
    if isinstance(value, np.ndarray):
        return value.ndim == 2 and value.dtype.kind in "biuf"
    if not isinstance(value, list | tuple) or not value:
        return False
    return all(
        isinstance(row, list | tuple | np.ndarray)
        and not (isinstance(row, np.ndarray) and row.ndim == 0)
        and len(row) > 0
        and all(isinstance(entry, Number | np.bool_) for entry in row)
        for row in value
    )


def square_matrix(
    value: Any, source: str | Wording, error: type[ArcwiseError] = ArgumentError
) -> NDArray[np.float64]:
    """Return the value as an n x n array of floats."""
    try:
        matrix = real_numbers(value, source).copy()
    except ArgumentError:
        raise error(
            source, " holds values that are not numbers; give an n x n array of numbers"
        ) from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise error(source, f" has the shape {matrix.shape}; give an n x n array")
    return matrix


def edges_of_matrix(
    value: Any, source: str | Wording, error: type[ArcwiseError] = ArgumentError
) -> NDArray[np.bool_]:
    """Return an n x n matrix of 0 and 1, [source, target], as Booleans."""
    matrix = square_matrix(value, source, error)
    other = np.unique(matrix[(matrix != 0) & (matrix != 1)])
    if other.size:
        raise error(
            source, f" holds {other[0]:g}; give 1 where there is an edge and 0 where there is none"
        )
    return matrix.astype(np.bool_)


def edges_between(names: tuple[str, ...], matrix: Any) -> NDArray[np.bool_]:
    """Return a matrix of 0 and 1 as Booleans, if it has a row for each of the names."""
    edges = edges_of_matrix(matrix, "matrix")
    if len(edges) != len(names):
        raise ArgumentError(
            f"matrix has {len(edges)} rows for {len(names)} variables; "
            "give one row and one column for each variable"
        )
    return edges


def labelled_matrix(
    frame: Any, source: str | Wording, error: type[ArcwiseError] = ArgumentError
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return the names and the n x n values of a data frame, with rows in column order.

    The rows of a data frame without row labels, such as that of polars, are assumed to be
    in the order of its columns.
    """
    columns = list(frame.columns)
    rows = list(frame.index) if hasattr(frame, "index") else columns
    wrong = [name for name in [*columns, *rows] if not isinstance(name, str)]
    if wrong or len(set(columns)) < len(columns) or sorted(rows) != sorted(columns):
        raise error(
            source,
            f" is a data frame with the rows {rows} and the columns {columns}; "
            "label both with the same variable names, each once",
        )
    matrix = square_matrix(frame.to_numpy(), source, error)
    return tuple(columns), matrix[[rows.index(name) for name in columns]]


def edges_of_graph(
    graph: Any, source: str | Wording, error: type[ArcwiseError] = ArgumentError
) -> list[tuple[Any, Any]]:
    """Return the edges of a directed graph object as pairs of its nodes."""
    if not graph.is_directed():
        raise error(source, " is an undirected graph; give a directed one")
    return [(edge[0], edge[1]) for edge in graph.edges()]
