"""`GivenOrder`: the posterior of DAGs given an order, a sequence of buckets or a partial order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError, CapacityError
from arcwise.graphs.linear_extensions import read_order
from arcwise.model import Model, checked_model
from arcwise.model.score_sums import ScoreSums, checked_sums
from arcwise.posterior import DagSample
from arcwise.support.checks import checked_seed, refuse_beyond_memory, whole_number
from arcwise.support.running import Progress, running


class GivenOrder:
    """The posterior given an order of the variables, complete or partial.

    A DAG counts once for every linear order that extends both the DAG and the order given. Given a
    linear order, every DAG that agrees with it therefore counts once; given an empty partial order,
    the posterior is the order-modular one.

    Parameters
    ----------
    model
        The model.
    order
        A linear order: a list of all names except those of parent-only variables, which are not
        part of an order, the earliest first. Or a bucket order: lists or sets of names, the
        earliest bucket first, with no order within a bucket. Or a partial order, for up to 64
        variables: a list of pairs (tuples) of names, in each of which the first precedes the
        second, or a `Dag` or networkx DiGraph with such edges.
    sums
        The score sums of the model, if already computed.
    threads, progress
        As for `arcwise.score`.

    Raises
    ------
    ArgumentError
        If the order names unknown variables, omits or repeats some, or has a cycle.
    CapacityError
        If a bucket or the partial order has too many linear extensions.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> given = GivenOrder(model, [("smoke", "bronc"), ("bronc", "dysp")])
    >>> edges = given.edge_probabilities()
    >>> bool(edges[model.variables.index("bronc"), model.variables.index("smoke")] == 0)
    True
    >>> len(given.dags(10, seed=1))
    10
    """

    def __init__(
        self,
        model: Model,
        order: Any,
        *,
        sums: ScoreSums | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.model = checked_model(model)
        buckets, predecessors = read_order(order, model.ordinary)
        if sums is None:
            unfolded = Model(model.weights) if model.parent_only else model
            sums = ScoreSums(unfolded, tabulate="sums", threads=threads, progress=progress)
        elif model.parent_only:
            raise ArgumentError(
                "sums are over the parent-only variables of the model, whose edges are asked for "
                "here; leave them out"
            )
        else:
            checked_sums(sums).refuse_other_model(model)
        if model.parent_only:
            buckets, predecessors = _with_parent_only(model, buckets, predecessors)
        self._progress = progress
        self._given: _core.GivenBuckets | _core.GivenPartialOrder
        with running(threads, progress, "Summing over orders") as run:
            if predecessors is None:
                self._given = _core.GivenBuckets(sums.core, buckets, run.progress)
            else:
                nodes = list(range(len(model.variables)))
                self._given = _core.GivenPartialOrder(sums.core, predecessors, nodes, run.progress)

    @property
    def log_weight(self) -> float:
        """The log of the total weight of all pairs of a DAG and a linear order it agrees with.

        Minus infinity if no DAG with allowed families agrees with the order.
        """
        return self._given.log_weight

    def edge_probabilities(self) -> NDArray[np.float64]:
        """Return the probability of each edge given the order, as [source, target].

        Raises
        ------
        ArgumentError
            If no DAG agrees with the order.
        """
        with running(None, self._progress, "Edges") as run:
            return self._given.edge_probabilities(run.progress)

    def dags(self, count: int, *, seed: int = 0) -> DagSample:
        """Draw independent DAGs given the order.

        Parameters
        ----------
        count
            The number of draws.
        seed
            The seed; draw i depends only on the seed and on i.

        Raises
        ------
        ArgumentError
            If no DAG agrees with the order.
        """
        number = whole_number(count, "count", at_least=1)
        nodes = len(self.model.variables)
        refuse_beyond_memory(number, "count", 8 * nodes * ((nodes + 63) // 64))
        key = checked_seed(seed)
        with running(None, self._progress, "Drawing") as run:
            parents = self._given.draw(number, key, run.progress)
        return DagSample(self.model.variables, parents)


_MOST_IN_PARTIAL_ORDERS = 64


def _with_parent_only(
    model: Model, buckets: list[list[int]], predecessors: list[int] | None
) -> tuple[list[list[int]], list[int] | None]:
    """Return an order of all variables that begins with the parent-only ones in a fixed order."""
    place = {name: number for number, name in enumerate(model.variables)}
    ordinary = [place[name] for name in model.ordinary]
    first = [place[name] for name in model.parent_only]
    if predecessors is None:
        return [*([node] for node in first), *([ordinary[v] for v in own] for own in buckets)], None
    if len(place) > _MOST_IN_PARTIAL_ORDERS:
        raise CapacityError(
            f"the model has {len(place)} variables with its parent-only ones, and a partial order "
            f"takes up to {_MOST_IN_PARTIAL_ORDERS}; give a linear order or buckets"
        )
    before = [0] * len(place)
    for number, node in enumerate(first):
        before[node] = sum(1 << earlier for earlier in first[:number])
    for v, node in enumerate(ordinary):
        own = [ordinary[u] for u in range(len(ordinary)) if predecessors[v] >> u & 1]
        before[node] = sum(1 << earlier for earlier in [*first, *own])
    return buckets, before
