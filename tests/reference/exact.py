"""The posterior of a model by going through all DAGs of up to five nodes, one by one.

A DAG is a row of masks: bit u of entry v says whether there is an edge u -> v.
Each DAG counts once, or once for each of its orders; sums are in extended
precision, so that what differs is the library's rounding.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations, product
from typing import Any

import numpy as np

from arcwise import Model
from arcwise.model.model import Modularity

Family = Callable[[str, tuple[str, ...]], float]
"""From a node and its parents to a log weight."""


@dataclass(frozen=True)
class AllDags:
    """Every DAG on n nodes and how many orders of the nodes put parents before children."""

    masks: np.ndarray[Any, Any]
    orders: np.ndarray[Any, Any]


@cache
def all_dags_with_orders(n: int) -> AllDags:
    """Return them from all pairs of an order and a DAG whose edges point forward in it."""
    found: Counter[tuple[int, ...]] = Counter()
    for order in permutations(range(n)):
        before = 0
        choices: list[list[int]] = [[] for _ in range(n)]
        for node in order:
            choices[node] = [mask for mask in range(before + 1) if mask & ~before == 0]
            before |= 1 << node
        found.update(product(*choices))
    masks = np.array(list(found), dtype=np.int64).reshape(-1, n)
    return AllDags(masks, np.array(list(found.values()), dtype=np.int64))


@cache
def members(mask: int) -> tuple[int, ...]:
    """Return the positions of the bits."""
    return tuple(u for u in range(mask.bit_length()) if mask >> u & 1)


@dataclass(frozen=True)
class EnumeratedPosterior:
    """What `exact` must find, by definition.

    Parameters
    ----------
    log_total
        The log of the summed weights of all DAGs.
    log_constant
        The same of the prior alone, over the DAGs whose families there are.
    best_weight
        The largest log weight of a DAG.
    masks, shares
        Every DAG and its probability.
    """

    log_total: float
    log_constant: float
    best_weight: float
    masks: np.ndarray[Any, Any]
    shares: np.ndarray[Any, Any]

    @cached_property
    def law(self) -> dict[tuple[int, ...], float]:
        """From a DAG to its probability, for those that have one."""
        possible = self.shares > 0
        rows = self.masks[possible].tolist()
        return dict(zip(map(tuple, rows), map(float, self.shares[possible]), strict=True))

    @cached_property
    def families(self) -> np.ndarray[Any, Any]:
        """The probability of each parent set, as [node, mask]."""
        n = self.masks.shape[1]
        table = np.zeros((n, 1 << n), dtype=np.longdouble)
        for node in range(n):
            np.add.at(table[node], self.masks[:, node], self.shares)
        return table

    @cached_property
    def edges(self) -> np.ndarray[Any, Any]:
        """The probability of each edge, as [source, target]."""
        n = self.masks.shape[1]
        has = [[u for u in range(1 << n) if u >> source & 1] for source in range(n)]
        return np.array(
            [[self.families[node, has[source]].sum() for node in range(n)] for source in range(n)]
        )

    def probability(self, feature: Callable[[tuple[int, ...]], bool]) -> float:
        """Return the probability of what a function says of the masks of a DAG."""
        return math.fsum(share for dag, share in self.law.items() if feature(dag))


def enumerate_posterior(model: Model, modularity: Modularity) -> EnumeratedPosterior:
    """Return the posterior from the weights of all DAGs."""
    dags = all_dags_with_orders(len(model.variables))
    copies = dags.orders if modularity == "order-modular" else np.ones_like(dags.orders)
    log_weights = _log_weights(model.variables, model.log_weight)
    log_total, shares = _normalised(log_weights, copies)
    log_constant, _ = _normalised(_log_weights(model.variables, _log_prior(model)), copies)
    return EnumeratedPosterior(
        log_total, log_constant, float(log_weights.max()), dags.masks, shares
    )


def order_law(model: Model) -> dict[tuple[str, ...], float]:
    """Return the probability of each order: the weights of the DAGs that it admits."""
    n = len(model.variables)
    masks = all_dags_with_orders(n).masks
    _, shares = _normalised(_log_weights(model.variables, model.log_weight), 1)
    law = {}
    for order in permutations(range(n)):
        before = np.array([sum(1 << u for u in order[: order.index(v)]) for v in range(n)])
        admitted = ((masks & ~before) == 0).all(axis=1)
        law[tuple(model.variables[v] for v in order)] = shares[admitted].sum()
    total = sum(law.values())
    return {order: float(weight / total) for order, weight in law.items() if weight > 0}


def _log_prior(model: Model) -> Family:
    there = {
        node: {parents for parents, _ in model.scores.families(node)} for node in model.variables
    }

    def log_prior(node: str, parents: tuple[str, ...]) -> float:
        if parents not in there[node]:
            return -math.inf
        return model.prior.log_weight(model.variables, node, parents)

    return log_prior


def _log_weights(variables: tuple[str, ...], family: Family) -> np.ndarray[Any, Any]:
    """Return the log weight of every DAG, from that of each family."""
    n = len(variables)
    masks = all_dags_with_orders(n).masks
    total = np.zeros(len(masks), dtype=np.longdouble)
    for v, node in enumerate(variables):
        table = np.full(1 << n, -np.inf, dtype=np.longdouble)
        for mask in range(1 << n):
            if not mask >> v & 1:
                table[mask] = family(node, tuple(variables[u] for u in members(mask)))
        total += table[masks[:, v]]
    return total


def _normalised(
    log_weights: np.ndarray[Any, Any], copies: Any
) -> tuple[float, np.ndarray[Any, Any]]:
    """Return the log of the sum, and the shares in it."""
    top = log_weights.max()
    weights = copies * np.exp(log_weights - top)
    return float(top + np.log(weights.sum())), weights / weights.sum()
