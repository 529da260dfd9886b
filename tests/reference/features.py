"""Features of single DAGs, slow and straight from their definitions.

A DAG is a tuple with, for each node, the ascending tuple of its parents.
"""

from __future__ import annotations

from reference.dags import Parents


def path_lengths(dag: Parents, source: int, target: int) -> set[int]:
    """Return the number of edges of every directed path from one node to another."""
    lengths = set()
    for parent in dag[target]:
        if parent == source:
            lengths.add(1)
        lengths |= {1 + length for length in path_lengths(dag, source, parent)}
    return lengths


def joined(dag: Parents, first: int, second: int) -> bool:
    return first in dag[second] or second in dag[first]


def blanket(dag: Parents, node: int) -> set[int]:
    """Return the parents, the children, and the other parents of the children."""
    children = [child for child, parents in enumerate(dag) if node in parents]
    return {*dag[node], *children, *(u for child in children for u in dag[child])} - {node}


def is_v_structure(dag: Parents, first: int, node: int, second: int) -> bool:
    return {first, second} <= set(dag[node]) and not joined(dag, first, second)


def number_of_edges(dag: Parents) -> int:
    return sum(len(parents) for parents in dag)
