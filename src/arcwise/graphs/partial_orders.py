"""Orders of the variables as given by users: linear orders, bucket orders, partial orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from arcwise.errors import ArgumentError, CapacityError
from arcwise.graphs.dag import Dag
from arcwise.support.cycles import cycle_in_words, find_cycle
from arcwise.support.edges import edges_of_graph, is_graph
from arcwise.support.names import as_list, positions, refuse_other_names
from arcwise.support.words import quoted, shown

_MAX_VARIABLES = 64


def as_partial_order(order: Any, variables: tuple[str, ...]) -> list[int]:
    """Return the predecessors of each variable, as bits.

    Parameters
    ----------
    order
        A partial order as `GivenOrder` takes it: pairs, a `Dag` or a DiGraph.
    variables
        The names of all variables.
    """
    if not isinstance(order, Dag) and not is_graph(order):
        pairs = as_list(order, "order", "pairs (first, second) or a graph")
        if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
            raise ArgumentError(f"order is {shown(order)}; give pairs (first, second) or a graph")
        return _predecessors(pairs, variables)
    _, predecessors = read_order(order, variables)
    assert predecessors is not None
    return predecessors


def read_order(order: Any, variables: tuple[str, ...]) -> tuple[list[list[int]], list[int] | None]:
    """Return buckets, or the predecessors of each variable as bits."""
    if isinstance(order, Dag):
        positions(order.variables, variables, "order")
        return [], _predecessors(order.edges, variables)
    if is_graph(order):
        positions(order.nodes, variables, "order")
        return [], _predecessors(edges_of_graph(order, "order"), variables)
    items = None if isinstance(order, str) else _items(order)
    if items is None:
        raise ArgumentError(
            f"order is {shown(order)}; give a list of names, of buckets or of pairs, or a graph"
        )
    if items and all(isinstance(item, tuple) and len(item) == 2 for item in items):
        named = [name for item in items for name in item]
        if Counter(named) == Counter(variables):
            raise ArgumentError(
                "order is ambiguous: pairs or buckets of two; "
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
    items = _items(bucket)
    if items is None:
        raise ArgumentError(f"order holds {shown(bucket)}; give names, or lists or sets of names")
    return items


def _items(collection: Any) -> list[Any] | None:
    """Return the items of a collection; None if it is none, as an array without dimensions."""
    try:
        return list(collection)
    except TypeError:
        return None


def _predecessors(pairs: Sequence[tuple[Any, Any]], variables: tuple[str, ...]) -> list[int]:
    if len(variables) > _MAX_VARIABLES:
        raise CapacityError(
            f"order is a partial order of {len(variables)} variables; give at most "
            f"{_MAX_VARIABLES}, or a bucket order, which has no such limit"
        )
    before: list[set[int]] = [set() for _ in variables]
    for pair in pairs:
        first, second = positions(pair, variables, "order")
        before[second].add(first)
    cycle = find_cycle(before)
    if cycle is not None:
        raise ArgumentError(
            f"order has the cycle {cycle_in_words(cycle, variables)}; "
            "remove or reverse one of its pairs"
        )
    return [sum(1 << other for other in others) for others in before]
