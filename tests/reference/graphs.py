"""Equivalence classes of DAGs by listing their members, straight from the definitions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from reference.dags import Parents

Edges = frozenset[tuple[int, int]]


def edges_of(dag: Parents) -> Edges:
    return frozenset((parent, node) for node, parents in enumerate(dag) for parent in parents)


def equivalence_class(dag: Parents) -> tuple[frozenset[frozenset[int]], frozenset[Any]]:
    """Return the skeleton and the v-structures, by which a class is known."""
    edges = edges_of(dag)
    skeleton = frozenset(frozenset(edge) for edge in edges)
    colliders = frozenset(
        (frozenset((left, right)), node)
        for node, parents in enumerate(dag)
        for left in parents
        for right in parents
        if left != right and frozenset((left, right)) not in skeleton
    )
    return skeleton, colliders


def cpdags(dags: Iterable[Parents]) -> dict[Parents, tuple[Edges, frozenset[frozenset[int]]]]:
    """Return directed and undirected edges for each DAG, all members of its class being there.

    An edge is directed if and only if every member has it in the same direction.
    """
    members: dict[Hashable, list[Parents]] = {}
    for dag in dags:
        members.setdefault(equivalence_class(dag), []).append(dag)
    result = {}
    for equivalent in members.values():
        directed = frozenset.intersection(*map(edges_of, equivalent))
        either = {frozenset(edge) for edge in edges_of(equivalent[0])}
        undirected = frozenset(either - {frozenset(edge) for edge in directed})
        result.update(dict.fromkeys(equivalent, (directed, undirected)))
    return result
