"""The law of DAGs that are drawn layer by layer, with all that chance may do gone through.

A layer has the nodes whose parents all lie in U, the nodes placed before, but not all in
what was placed before the last layer. Each node of a layer is decided on in turn, by sums
over all that is still open (see ``core/arcwise/exact/modular_sampler.hpp``). The law comes
out as it is written down here, faults included: to see that a test finds them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from arcwise import Model
from reference.exact import members

Fault = Literal["forgets the last layer", "any parents", "stops after pairs"]
FAULTS: tuple[Fault, ...] = ("forgets the last layer", "any parents", "stops after pairs")

Dag = tuple[int, ...]


def subsets(mask: int) -> Iterator[int]:
    """Yield all subsets of a set of bits."""
    subset = mask
    while True:
        yield subset
        if subset == 0:
            return
        subset = (subset - 1) & mask


class LayeredDraws:
    """Draws from the modular posterior of a model of a few nodes.

    Parameters
    ----------
    model
        The model.
    fault
        What is done wrong; None for nothing.
    """

    def __init__(self, model: Model, fault: Fault | None = None) -> None:
        names = model.variables
        self.n = len(names)
        self.everything = (1 << self.n) - 1
        self.fault = fault
        self.weights = [
            {
                parents: math.exp(model.log_weight(node, tuple(names[u] for u in members(parents))))
                for parents in range(1 << self.n)
                if not parents >> v & 1
            }
            for v, node in enumerate(names)
        ]
        self.beyond = {self.everything: 1.0}
        for placed in range(self.everything - 1, -1, -1):
            free = self.everything & ~placed
            self.beyond[placed] = -sum(
                (-1) ** added.bit_count()
                * math.prod(self.within(v, placed) for v in members(added))
                * self.beyond[placed | added]
                for added in subsets(free)
                if added
            )

    def within(self, node: int, allowed: int) -> float:
        """Return the summed weights of the parent sets of a node within a set."""
        return math.fsum(
            weight for parents, weight in self.weights[node].items() if not parents & ~allowed
        )

    def law(self) -> dict[Dag, float]:
        """Return the probability of each DAG to be drawn."""
        found: dict[Dag, float] = {}
        for dag, probability in self._continued(0, None, {}, 1.0):
            found[dag] = found.get(dag, 0.0) + probability
        return found

    def _continued(
        self, placed: int, before: int | None, parents: dict[int, int], probability: float
    ) -> Iterator[tuple[Dag, float]]:
        if placed == self.everything:
            yield tuple(parents[v] for v in range(self.n)), probability
            return
        for layer, share in self._layers(placed, before):
            if layer:
                for chosen, chance in self._parents(members(layer), placed, before):
                    together = {**parents, **chosen}
                    yield from self._continued(
                        placed | layer, placed, together, probability * share * chance
                    )

    def _layers(self, placed: int, before: int | None) -> Iterator[tuple[int, float]]:
        """Yield each layer that may come next and its probability, node by node."""
        free = self.everything & ~placed
        ahead = {
            added: math.prod(self.within(v, placed) for v in members(added))
            * self.beyond[placed | added]
            for added in subsets(free)
            if self.fault != "stops after pairs" or added.bit_count() <= 2
        }
        share_before = {
            v: 0.0
            if before is None
            or self.fault == "forgets the last layer"
            or not self.within(v, placed)
            else self.within(v, before) / self.within(v, placed)
            for v in members(free)
        }

        def decided(layer: int, outside: int, open_nodes: tuple[int, ...]) -> float:
            """Return the weight of what agrees with the nodes that are decided on."""
            factor = {v: -share_before[v] for v in open_nodes}
            factor |= dict.fromkeys(members(outside), -1.0)
            return max(
                0.0,
                math.prod(1.0 - share_before[v] for v in members(layer))
                * math.fsum(
                    weight * math.prod(factor[v] for v in members(added & ~layer))
                    for added, weight in ahead.items()
                    if not layer & ~added
                ),
            )

        def walk(
            layer: int, outside: int, left: tuple[int, ...], share: float
        ) -> Iterator[tuple[int, float]]:
            if not left:
                yield layer, share
                return
            node, rest = left[-1], left[:-1]
            inside = decided(layer | 1 << node, outside, rest)
            total = inside + decided(layer, outside | 1 << node, rest)
            for joined, weight in ((1 << node, inside), (0, total - inside)):
                if weight > 1e-13 * total:
                    yield from walk(
                        layer | joined,
                        outside | (1 << node & ~joined),
                        rest,
                        share * weight / total,
                    )

        yield from walk(0, 0, members(free), 1.0)

    def _parents(
        self, layer: tuple[int, ...], placed: int, before: int | None
    ) -> Iterator[tuple[dict[int, int], float]]:
        if not layer:
            yield {}, 1.0
            return
        node, rest = layer[0], layer[1:]
        last = 0 if before is None else placed & ~before
        possible = {
            parents: weight
            for parents, weight in self.weights[node].items()
            if not parents & ~placed and (not last or parents & last or self.fault == "any parents")
        }
        total = math.fsum(possible.values())
        for parents, weight in possible.items():
            if weight:
                for others, chance in self._parents(rest, placed, before):
                    yield {node: parents, **others}, chance * weight / total
