"""Posteriors of models with parent-only nodes, by going through all DAGs one by one.

A parent-only node has children and no parents. It has no place in an order: under the
order-modular prior a DAG counts once for each order of the *ordinary* nodes that puts parents
before children. A DAG is a tuple with, for each node, the ascending tuple of its parents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, product

import numpy as np
from numpy.typing import NDArray

from reference.dags import Parents, all_dags, linear_extensions

Weight = Callable[[int, tuple[int, ...]], float]
"""From an ordinary node and its parents to a log weight; minus infinity if not allowed."""


def subsets(nodes: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """Yield every subset."""
    items = sorted(nodes)
    yield from chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


@dataclass(frozen=True, eq=False)
class ConditionalPosterior:
    """The posterior over all DAGs in which parent-only nodes have no parents.

    Parameters
    ----------
    nodes
        The number of all nodes.
    parent_only
        Those that have children only.
    weight
        The log weight of each family of an ordinary node.
    order_modular
        Whether a DAG counts once for each order of the ordinary nodes.
    """

    nodes: int
    parent_only: frozenset[int]
    weight: Weight
    order_modular: bool

    @cached_property
    def ordinary(self) -> list[int]:
        return [node for node in range(self.nodes) if node not in self.parent_only]

    @cached_property
    def log_weights(self) -> dict[Parents, float]:
        """The log weight of every DAG that has one: the families, times the number of orders."""
        found = {}
        for between in all_dags(len(self.ordinary)):
            orders = sum(1 for _ in linear_extensions(between)) if self.order_modular else 1
            own = [tuple(self.ordinary[u] for u in parents) for parents in between]
            for added in product(*(list(subsets(self.parent_only)) for _ in own)):
                parents: list[tuple[int, ...]] = [()] * self.nodes
                total = math.log(orders)
                for v, node in enumerate(self.ordinary):
                    parents[node] = tuple(sorted((*own[v], *added[v])))
                    total += self.weight(node, parents[node])
                if total > -math.inf:
                    found[tuple(parents)] = total
        return found

    @cached_property
    def log_total(self) -> float:
        top = max(self.log_weights.values())
        return top + math.log(math.fsum(math.exp(w - top) for w in self.log_weights.values()))

    @cached_property
    def law(self) -> dict[Parents, float]:
        """The probability of every DAG."""
        return {dag: math.exp(weight - self.log_total) for dag, weight in self.log_weights.items()}

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """The probability of each edge, as [source, target]."""
        return self._matrix(lambda dag, v: dag[v])

    @cached_property
    def paths(self) -> NDArray[np.float64]:
        """The probability of a directed path, as [source, target]; 0 on the diagonal."""
        return self._matrix(ancestors)

    def best(self) -> tuple[Parents, float]:
        """Return a DAG of the largest weight, orders not counted, and that log weight."""

        def product_of_families(dag: Parents) -> float:
            return math.fsum(self.weight(node, dag[node]) for node in self.ordinary)

        dag = max(self.log_weights, key=product_of_families)
        return dag, product_of_families(dag)

    def _matrix(self, sources: Callable[[Parents, int], Iterable[int]]) -> NDArray[np.float64]:
        matrix = np.zeros((self.nodes, self.nodes))
        for dag, probability in self.law.items():
            for v in range(self.nodes):
                for u in sources(dag, v):
                    matrix[u, v] += probability
        return matrix


def ancestors(dag: Parents, node: int) -> set[int]:
    """Return the nodes from which a path leads to a node."""
    found: set[int] = set()
    left = set(dag[node])
    while left:
        found |= left
        left = {above for other in left for above in dag[other]} - found
    return found
