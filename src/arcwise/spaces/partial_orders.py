"""`PartialOrders`: the reorderings of a partial order that the user gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.graphs.partial_orders import as_partial_order
from arcwise.spaces.space import Space
from arcwise.sums import ScoreSums
from arcwise.support.words import quoted


@dataclass(frozen=True)
class PartialOrders(Space, name="partial orders"):
    """The reorderings of a parallel bucket order.

    A parallel bucket order has one or more parts between which nothing is said;
    within each, buckets come one after the other. Its reorderings arise by
    swapping variables within a part, and every order of all variables agrees with
    exactly one of them; for other partial orders that is not so, and they are
    refused.

    Parameters
    ----------
    order
        One of the reorderings: a list of pairs (first, second), or a `Dag` or
        networkx DiGraph with such pairs as edges; see `GivenOrder`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=2)
    >>> space = PartialOrders([("asia", "tub"), ("smoke", "lung"), ("smoke", "bronc")])
    >>> posterior = arcwise.mcmc(model, space, steps=200, chains=2, seed=1)
    >>> sorted(posterior.run.acceptance)
    ['swap']
    """

    order: Any

    def build(self, sums: ScoreSums) -> _core.Space:
        """Return the space of the core, on the score sums of a model.

        Raises
        ------
        ArgumentError
            If the reorderings do not cover every order exactly once.
        """
        predecessors = as_partial_order(self.order, sums.variables)
        witness = _not_twins(predecessors)
        if witness is not None:
            names = quoted(sums.variables[node] for node in witness)
            raise ArgumentError(
                f"order leaves open which of {names} comes first, yet they do not come before and "
                "after the same variables, so its reorderings do not cover every order exactly "
                "once; give parts of buckets that follow each other"
            )
        return self.build_named(sums, orders={"order": predecessors})

    @classmethod
    def words(cls) -> tuple[str, ...]:
        """Return nothing: an order does not fit a word."""
        return ()

    @classmethod
    def parse(cls, argument: str) -> Self | None:
        """Return nothing."""
        return None

    def plain(self, variables: Sequence[str]) -> dict[str, Any]:
        """Return the pairs of the order, which may have been given as an object of a library."""
        before = as_partial_order(self.order, tuple(variables))
        pairs = [
            [variables[u], variables[v]]
            for v, mask in enumerate(before)
            for u in range(len(variables))
            if mask >> u & 1
        ]
        return {"order": pairs}

    @classmethod
    def of_plain(cls, values: Mapping[str, Any]) -> Self:
        """Return the space of the pairs of an order."""
        return cls([tuple(pair) for pair in values["order"]])


def _not_twins(predecessors: list[int]) -> tuple[int, int] | None:
    """Return two variables of one part that are in no order and differ in what they are after.

    That there are none is what makes the reorderings a cover; the core's space
    of partial orders has the proof.
    """
    n = len(predecessors)
    before = np.array([[mask >> u & 1 for u in range(n)] for mask in predecessors], dtype=bool)
    for middle in range(n):
        before |= before[:, [middle]] & before[[middle], :]
    comparable = before | before.T
    connected = comparable | np.eye(n, dtype=bool)
    for middle in range(n):
        connected |= connected[:, [middle]] & connected[[middle], :]
    for u in range(n):
        for v in range(u + 1, n):
            if connected[u, v] and not comparable[u, v]:
                same = (before[u] == before[v]).all() and (before[:, u] == before[:, v]).all()
                if not same:
                    return u, v
    return None
