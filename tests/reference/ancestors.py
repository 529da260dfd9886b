"""Probabilities of directed paths by enumeration of all DAGs, straight from the definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import permutations, product

import numpy as np

from reference.dags import Parents, all_dags

Family = tuple[int, tuple[int, ...]]  # a node and its ascending parents
# The log weight of a family; minus infinity if there is none.
LogWeight = Callable[[int, tuple[int, ...]], float]


def ancestors(dag: Parents) -> tuple[frozenset[int], ...]:
    """Return, for each node, itself and all nodes from which a directed path leads to it."""
    found = [{node} for node in range(len(dag))]
    for _ in dag:  # no path is longer than this
        for node, parents in enumerate(dag):
            found[node] = found[node].union(*(found[parent] for parent in parents))
    return tuple(frozenset(of_node) for of_node in found)


def linear_extension_counts(n: int) -> Counter[Parents]:
    """Count, for each DAG, the orders of the nodes in which parents come before children.

    Goes through all orders, and the DAGs each admits: a node's parents are before it.
    """
    counts: Counter[Parents] = Counter()
    for order in permutations(range(n)):
        before = {node: sorted(order[:place]) for place, node in enumerate(order)}
        choices = [
            [
                tuple(parent for parent, taken in zip(before[node], bits, strict=True) if taken)
                for bits in product((False, True), repeat=len(before[node]))
            ]
            for node in range(n)
        ]
        counts.update(product(*choices))
    return counts


@cache
def _all_cases(n: int) -> tuple[list[Family], np.ndarray, np.ndarray, np.ndarray]:
    """Return all families, and for all DAGs their families, ancestors and counts.

    The families of a DAG are places in the list of all. The second array says as [DAG, u, v]
    whether u is v or an ancestor of it.
    """
    dags = list(all_dags(n))
    places: dict[Family, int] = {}
    families = [
        [places.setdefault(family, len(places)) for family in enumerate(dag)] for dag in dags
    ]
    is_ancestor = np.zeros((len(dags), n, n))
    for number, dag in enumerate(dags):
        for node, of_node in enumerate(ancestors(dag)):
            is_ancestor[number, list(of_node), node] = 1.0
    counts = linear_extension_counts(n)
    return (
        list(places),
        np.array(families).reshape(len(dags), n),
        is_ancestor,
        np.array([counts[dag] for dag in dags], dtype=float),
    )


def ancestor_probabilities(n: int, log_weight: LogWeight, *, order_modular: bool) -> np.ndarray:
    """Return [u, v], the probability that u is v or an ancestor of v.

    The weight of a DAG is the product of its families' weights, times the number of
    its linear extensions if order-modular.
    """
    families, of_dags, is_ancestor, counts = _all_cases(n)
    logs = np.array([log_weight(*family) for family in families])[of_dags].sum(axis=1)
    weights = np.exp(logs - logs.max())
    if order_modular:
        weights *= counts
    mean: np.ndarray = np.tensordot(weights, is_ancestor, axes=1) / weights.sum()
    return mean
