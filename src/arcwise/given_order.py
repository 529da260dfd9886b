"""`GivenOrder`: the posterior of DAGs given an order, a sequence of buckets or a partial order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise._checks import whole_number
from arcwise._cycles import cycle_in_words, find_cycle
from arcwise._edges import edges_of_graph, is_graph
from arcwise._names import positions, quoted, refuse_other_names
from arcwise._running import Progress, running
from arcwise.dag import Dag
from arcwise.errors import ArgumentError, CapacityError
from arcwise.model import Model
from arcwise.posterior import DagSample
from arcwise.sums import ScoreSums

_MOST_IN_PARTIAL_ORDER = 64


class GivenOrder:
    """What the posterior says once the order of the variables is known, in full or in part.

    A DAG counts once for every linear order that extends both the order given
    and the DAG: with a linear order the DAGs that agree with it count once,
    and with no order at all the posterior is the order-modular one.

    Parameters
    ----------
    model
        The model.
    order
        A linear order: all names, the first before the second and so on. Or
        buckets: lists or sets of names, those of a bucket in any order, but
        after all earlier buckets. Or a partial order: a list of pairs (tuples)
        of names, the first to come before the second, or a `Dag` or networkx
        DiGraph with such pairs as edges; up to 64 variables.
    sums
        The score sums of the model, if they are there already.
    threads, progress
        As for `arcwise.score`.

    Raises
    ------
    ArgumentError
        If the order names variables that there are not, lacks some or has some
        twice, or has a cycle.
    CapacityError
        If a bucket or the partial order leaves too many orders open.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate.asia().sample(500, seed=1), max_indegree=2)
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
        self.model = model
        buckets, predecessors = _read_order(order, model.variables)
        if sums is None:
            sums = ScoreSums(model, tabulate="sums", threads=threads, progress=progress)
        else:
            sums.refuse_other_variables(model.variables)
        self._progress = progress
        self._given: _core.GivenBuckets | _core.GivenPartialOrder
        with running(threads, progress, "Adding orders up") as run:
            if predecessors is None:
                self._given = _core.GivenBuckets(sums.core, buckets, run.progress)
            else:
                nodes = list(range(len(model.variables)))
                self._given = _core.GivenPartialOrder(sums.core, predecessors, nodes, run.progress)

    @property
    def log_weight(self) -> float:
        """The log of the summed weights of all pairs of a DAG and an order that it agrees with.

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
        """Return independent DAGs given the order.

        Parameters
        ----------
        count
            The number of draws.
        seed
            The seed; a draw depends on it and on its own number only.

        Raises
        ------
        ArgumentError
            If no DAG agrees with the order.
        """
        number = whole_number(count, "count", at_least=1)
        key = whole_number(seed, "seed", at_least=0)
        with running(None, self._progress, "Drawing") as run:
            parents = self._given.draw(number, key, run.progress)
        return DagSample(self.model.variables, parents)


def as_partial_order(order: Any, variables: tuple[str, ...]) -> list[int]:
    """Return for each variable those that must come before it, as bits.

    Parameters
    ----------
    order
        A partial order as `GivenOrder` takes it: pairs, a `Dag` or a DiGraph.
    variables
        The names of all variables.
    """
    if not isinstance(order, Dag) and not is_graph(order):
        pairs = list(order) if isinstance(order, Iterable) else [order]
        if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
            raise ArgumentError(f"order is {order!r}; give pairs (first, second) or a graph")
        return _predecessors(pairs, variables)
    _, predecessors = _read_order(order, variables)
    assert predecessors is not None
    return predecessors


def _read_order(order: Any, variables: tuple[str, ...]) -> tuple[list[list[int]], list[int] | None]:
    """Return buckets, or the predecessors of each variable as bits."""
    if isinstance(order, Dag):
        positions(order.variables, variables, "order")
        return [], _predecessors(order.edges, variables)
    if is_graph(order):
        positions(order.nodes, variables, "order")
        return [], _predecessors(edges_of_graph(order, "order"), variables)
    if isinstance(order, str) or not isinstance(order, Iterable):
        raise ArgumentError(
            f"order is {order!r}; give a list of names, of buckets or of pairs, or a graph"
        )
    items = list(order)
    if items and all(isinstance(item, tuple) and len(item) == 2 for item in items):
        named = [name for item in items for name in item]
        if Counter(named) == Counter(variables):
            raise ArgumentError(
                "order could be pairs as well as buckets of two; "
                "give buckets as lists or sets, and pairs as the edges of a Dag"
            )
        return [], _predecessors(items, variables)
    buckets = [[item] if isinstance(item, str) else _names(item) for item in items]
    named = [name for bucket in buckets for name in bucket]
    positions(named, variables, "order")
    repeated = [name for name, count in Counter(named).items() if count > 1]
    if repeated:
        raise ArgumentError(f"order names {quoted(repeated)} more than once; give every name once")
    refuse_other_names(named, variables, "order")
    return [positions(bucket, variables, "order") for bucket in buckets], None


def _names(bucket: Any) -> list[Any]:
    if not isinstance(bucket, Iterable):
        raise ArgumentError(f"order holds {bucket!r}; give names, or lists or sets of names")
    return list(bucket)


def _predecessors(pairs: Sequence[tuple[Any, Any]], variables: tuple[str, ...]) -> list[int]:
    if len(variables) > _MOST_IN_PARTIAL_ORDER:
        raise CapacityError(
            f"order is a partial order of {len(variables)} variables, and up to "
            f"{_MOST_IN_PARTIAL_ORDER} are possible; give buckets, which may be of more"
        )
    before: list[set[int]] = [set() for _ in variables]
    for pair in pairs:
        first, second = positions(pair, variables, "order")
        before[second].add(first)
    cycle = find_cycle(before)
    if cycle is not None:
        raise ArgumentError(
            f"order has the cycle {cycle_in_words(cycle, variables)}; "
            "leave out or turn one of its pairs"
        )
    return [sum(1 << other for other in others) for others in before]
