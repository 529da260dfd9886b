"""The posterior given a partial order, by going through its linear extensions one by one.

A partial order is a set of pairs (u, v) of node numbers, u before v; a DAG is a
row of masks as in `reference.exact`. Weights are added up in extended precision.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import Any

import numpy as np

from arcwise import Model
from reference.exact import members
from reference.sums import log_sum_exp

Pairs = Iterable[tuple[int, int]]


def linear_extensions(n: int, pairs: Pairs) -> list[tuple[int, ...]]:
    """Return the orders of 0 .. n-1 that put the first of every pair before the second."""
    pairs = list(pairs)
    return [
        order
        for order in permutations(range(n))
        if all(order.index(first) < order.index(second) for first, second in pairs)
    ]


def pairs_of_buckets(buckets: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return the pairs of nodes in different buckets."""
    return [
        (first, second)
        for place, bucket in enumerate(buckets)
        for later in buckets[place + 1 :]
        for first in bucket
        for second in later
    ]


@dataclass(frozen=True)
class PosteriorGivenOrder:
    """What `GivenOrder` must find, by definition.

    Parameters
    ----------
    log_weights
        The log weight of every DAG that some extension admits, once for each.
    """

    n: int
    log_weights: dict[tuple[int, ...], float]

    @property
    def log_weight(self) -> float:
        """The log of the sum."""
        return log_sum_exp(self.log_weights.values())

    @cached_property
    def law(self) -> dict[tuple[int, ...], float]:
        """From a DAG to its probability, for those that have one."""
        total = self.log_weight
        return {dag: math.exp(w - total) for dag, w in self.log_weights.items() if w > -math.inf}

    @cached_property
    def edges(self) -> np.ndarray[Any, Any]:
        """The probability of each edge, as [source, target]."""
        result = np.zeros((self.n, self.n))
        for dag, probability in self.law.items():
            for node, mask in enumerate(dag):
                result[list(members(mask)), node] += probability
        return result


def posterior_given_order(model: Model, pairs: Pairs) -> PosteriorGivenOrder:
    """Return it from all pairs of a linear extension and a DAG whose edges point forward in it."""
    names = model.variables
    n = len(names)
    admitted: Counter[tuple[int, ...]] = Counter()
    for order in linear_extensions(n, pairs):
        before = 0
        choices: list[list[int]] = [[] for _ in range(n)]
        for node in order:
            choices[node] = [mask for mask in range(before + 1) if mask & ~before == 0]
            before |= 1 << node
        admitted.update(product(*choices))
    family = [
        {
            mask: model.log_weight(names[node], [names[u] for u in members(mask)])
            for mask in range(1 << n)
            if not mask >> node & 1
        }
        for node in range(n)
    ]
    return PosteriorGivenOrder(
        n,
        {
            dag: math.log(orders) + sum(family[node][mask] for node, mask in enumerate(dag))
            for dag, orders in admitted.items()
        },
    )
