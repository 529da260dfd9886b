"""Exact posteriors by sums without a minus sign, for up to nine nodes or so.

Modular: a DAG is told apart by its layers, the nodes without parents, then
those whose parents are all in layers so far and not all in layers before the
last, and so on. With tau_v(U, T) the summed weights of the parent sets of v
within U that meet T, and G(U, T) the weights of all that can come after the
layers U, the last of them T, ::

    G(V, T) = 1,  G(U, T) = sum over nonempty W outside U of G(U + W, W) prod_W tau_v(U, T),

and G before the first layer, where tau_v is the weight of no parents, is the
sum over all DAGs: the layering recursion with M = n. Order-modular: one node
after the other, in all orders.

Decimal numbers have as many digits and as large exponents as it takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import cache
from typing import Any

import numpy as np

from arcwise import Model

_CONTEXT = Context(prec=25, Emax=10**12, Emin=-(10**12))
_ZERO = Decimal(0)

Weights = list[dict[int, Decimal]]
"""For each node, from parent sets as bits to their weights."""


@dataclass(frozen=True)
class PositivePosterior:
    """The log of the summed weights, and the edges' probabilities as [source, target]."""

    log_total: float
    edges: np.ndarray[Any, Any]


def modular_by_layers(model: Model) -> PositivePosterior:
    """Return the modular posterior by the layering recursion."""
    with localcontext(_CONTEXT):
        return _Layers(_weights(model)).posterior()


def _weights(model: Model) -> Weights:
    place = {name: 1 << position for position, name in enumerate(model.variables)}
    return [
        {
            sum(place[parent] for parent in parents): Decimal(value).exp()
            for parents, value in model.weights.families(node)
            if value > -np.inf
        }
        for node in model.variables
    ]


def _edges_of(families: list[dict[int, Decimal]], total: Decimal) -> np.ndarray[Any, Any]:
    """Return edge probabilities from the summed weights of all DAGs with each family."""
    n = len(families)
    return np.array(
        [
            [float(sum(w for s, w in families[v].items() if s >> u & 1) / total) for v in range(n)]
            for u in range(n)
        ]
    )


def _nonempty_subsets(mask: int) -> Iterator[int]:
    part = mask & -mask
    while part:
        yield part
        part = (part - mask) & mask


class _Layers:
    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes = range(len(weights))
        self.everything = (1 << len(weights)) - 1
        # What is placed and its last layer, in rising order of what is placed.
        self.states = [(0, 0)] + [
            (placed, last)
            for placed in range(1, self.everything + 1)
            for last in _nonempty_subsets(placed)
        ]
        self.meeting = cache(self._meeting)
        self.containing = cache(self._containing)
        self.next_layers = cache(self._next_layers)

    def _containing(self, v: int, u: int, placed: int) -> Decimal:
        """Return the summed weights of the parent sets of v within `placed` that have u."""
        return sum((w for s, w in self.weights[v].items() if not s & ~placed and s >> u & 1), _ZERO)

    def _meeting(self, v: int, placed: int, last: int) -> Decimal:
        """Return tau_v, by whether the lowest member of `last` is in the parent set."""
        if placed == 0:
            return self.weights[v].get(0, _ZERO)
        if last == 0:
            return _ZERO
        lowest = last & -last
        with_lowest = self.containing(v, lowest.bit_length() - 1, placed)
        if last == lowest:
            return with_lowest
        return self.meeting(v, placed ^ lowest, last ^ lowest) + with_lowest

    def _next_layers(self, placed: int, last: int) -> list[tuple[int, Decimal]]:
        """Return each possible next layer and its product of tau."""
        result = [(0, Decimal(1))]
        for v in self.nodes:
            if not placed >> v & 1 and (tau := self.meeting(v, placed, last)):
                result += [(layer | 1 << v, weight * tau) for layer, weight in result]
        return result[1:]

    def posterior(self) -> PositivePosterior:
        after: dict[tuple[int, int], Decimal] = {}
        for placed, last in reversed(self.states):
            after[placed, last] = (
                sum((w * after[placed | t, t] for t, w in self.next_layers(placed, last)), _ZERO)
                if placed != self.everything
                else Decimal(1)
            )
        total = after[0, 0]
        return PositivePosterior(float(total.ln()), _edges_of(self._families(after), total))

    def _families(self, after: dict[tuple[int, int], Decimal]) -> list[dict[int, Decimal]]:
        """Return the weights of all DAGs with each family, from what is before and after."""
        before = dict.fromkeys(after, _ZERO)
        before[0, 0] = Decimal(1)
        # For each family, divided by its own weight.
        around = [dict.fromkeys(families, _ZERO) for families in self.weights]
        for placed, last in self.states:
            if placed == self.everything or not before[placed, last]:
                continue
            layer_of = dict.fromkeys(self.nodes, _ZERO)
            for layer, weight in self.next_layers(placed, last):
                so_far = before[placed, last] * weight
                before[placed | layer, layer] += so_far
                whole = so_far * after[placed | layer, layer]
                for v in self.nodes:
                    if layer >> v & 1:
                        layer_of[v] += whole
            for v, whole in layer_of.items():
                if whole:
                    share = whole / self.meeting(v, placed, last)
                    for parents in around[v]:
                        if not parents & ~placed and (parents & last or not placed):
                            around[v][parents] += share
        return [
            {parents: weight * self.weights[v][parents] for parents, weight in around[v].items()}
            for v in self.nodes
        ]


def order_modular_by_orders(model: Model) -> PositivePosterior:
    """Return the order-modular posterior; each edge by the weights of the DAGs that have it."""
    with localcontext(_CONTEXT):
        weights = _weights(model)
        n = len(weights)
        within = [_sums_within(families, n) for families in weights]
        total = _over_orders(within)
        edges = np.zeros((n, n))
        for u in range(n):
            for v in range(n):
                having = {s: w for s, w in weights[v].items() if s >> u & 1}
                if having:
                    changed = [*within[:v], _sums_within(having, n), *within[v + 1 :]]
                    edges[u, v] = float(_over_orders(changed) / total)
        return PositivePosterior(float(total.ln()), edges)


def _sums_within(families: dict[int, Decimal], n: int) -> list[Decimal]:
    """Return, for every set of nodes, the summed weights of the parent sets within it."""
    sums = [families.get(mask, _ZERO) for mask in range(1 << n)]
    for u in range(n):
        for mask in range(1 << n):
            if mask >> u & 1:
                sums[mask] += sums[mask ^ 1 << u]
    return sums


def _over_orders(within: list[list[Decimal]]) -> Decimal:
    """Return the sum over all orders of the product of what each node may have before it."""
    n = len(within)
    on = [Decimal(1)] + [_ZERO] * ((1 << n) - 1)
    for placed in range(1, 1 << n):
        for v in range(n):
            if placed >> v & 1:
                on[placed] += on[placed ^ 1 << v] * within[v][placed ^ 1 << v]
    return on[-1]
