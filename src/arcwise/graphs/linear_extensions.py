"""`linear_extensions`: the number of topological orders of a DAG; and orders given by users."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError, CapacityError
from arcwise.graphs.dag import Dag
from arcwise.support.checks import (
    MOST_INT,
    checked_seed,
    instance,
    refuse_beyond_memory,
    true_or_false,
    whole_number,
)
from arcwise.support.edges import cycle_in_words, edges_of_graph, find_cycle, is_graph
from arcwise.support.names import as_list, positions, quoted, refuse_other_names, shown
from arcwise.support.running import running

_MAX_VARIABLES = 64

# A component that needs no more sets than this is counted exactly even for an estimate,
EXACT_SETS = 20_000
# and so is a part of up to this many nodes that splits off during the estimation.
EXACT_NODES = 12


def as_partial_order(order: Any, variables: tuple[str, ...]) -> list[int]:
    """Return the predecessors of each variable, as bits."""
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
    """Return the items of a collection; None for other objects and zero-dimensional arrays."""
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


@dataclass(frozen=True)
class LinearExtensionEstimate:
    """An estimated number of linear extensions; the number, not its logarithm, is unbiased."""

    log_count: float
    """The logarithm of the estimate."""
    standard_error: float
    """The relative standard error, about the standard error of `log_count`; 0 if exact."""


@overload
def linear_extensions(
    dag: Dag, *, log: Literal[False] = ..., estimate: Literal[False] = ..., budget: int = ...
) -> int: ...
@overload
def linear_extensions(
    dag: Dag, *, log: Literal[True], estimate: Literal[False] = ..., budget: int = ...
) -> float: ...
@overload
def linear_extensions(
    dag: Dag,
    *,
    estimate: Literal[True],
    seed: int = ...,
    sets: int = ...,
    runs: int = ...,
    threads: int | None = ...,
) -> LinearExtensionEstimate: ...
def linear_extensions(
    dag: Dag,
    *,
    log: bool = False,
    estimate: bool = False,
    budget: int = _core.LINEAR_EXTENSIONS_BUDGET,
    seed: int = 0,
    sets: int = 100,
    runs: int = 16,
    threads: int | None = None,
) -> int | float | LinearExtensionEstimate:
    """Count the linear extensions of a DAG, that is, its topological orders.

    Parameters
    ----------
    dag
        The DAG.
    log
        True for the natural logarithm, a float, which is faster.
    budget
        The largest number of node sets to store for one connected component; time and
        memory grow with it.
    estimate
        True for a Monte Carlo estimate, where the exact count is infeasible. Components
        that are quick to count are still counted exactly.
    seed
        The same seed gives the same estimate, on any number of threads.
    sets
        The number of sets of each size that an estimate keeps; four times as many take
        four times as long and about halve the error.
    runs
        The number of independent estimates that are averaged, at least 2.
    threads
        The number of threads for an estimate; None for all cores.

    Returns
    -------
    int, float or LinearExtensionEstimate
        The exact number, its logarithm, or an estimate with its standard error.

    Raises
    ------
    CapacityError
        If the exact count exceeds the budget.

    Examples
    --------
    >>> import arcwise
    >>> arcwise.graphs.linear_extensions(arcwise.Dag(list("abcd"), {"c": ["a", "b"], "d": ["b"]}))
    5
    >>> arcwise.graphs.linear_extensions(arcwise.Dag(["a", "b"], {}), estimate=True)
    LinearExtensionEstimate(log_count=0.693..., standard_error=0.0)
    """
    for name, value in (("log", log), ("estimate", estimate)):
        true_or_false(value, name)
    packed = packed_parents(instance(dag, Dag, "dag", "an arcwise.Dag"))
    if estimate:
        return _estimate(packed, seed, sets, runs, threads)
    most = whole_number(budget, "budget", at_least=1)
    with running(1, None, "Linear extensions") as run:
        logarithm = float(_core.log_linear_extensions(packed, most, run.threads, run.progress)[0])
    if log:
        return logarithm
    # Two spare bits: the logarithm is rounded, and the product must exceed the count.
    moduli = _moduli(len(dag.variables), logarithm / math.log(2.0) + 2.0)
    return _from_remainders(moduli, _core.linear_extensions_modulo(packed, most, moduli))


def _estimate(
    packed: NDArray[np.uint64], seed: int, sets: int, runs: int, threads: int | None
) -> LinearExtensionEstimate:
    kept = whole_number(sets, "sets", at_least=1)
    count = whole_number(runs, "runs", at_least=2, at_most=MOST_INT)
    stream = checked_seed(seed, "seed")
    # Each run keeps this number of sets of one size and of the next, with their counts.
    refuse_beyond_memory(kept, "sets", 2 * (8 * packed.shape[2] + 32))
    refuse_beyond_memory(count, "runs", 16)
    with running(threads, None, "Linear extensions") as run:
        answer = _core.estimate_linear_extensions(
            packed, kept, count, EXACT_SETS, EXACT_NODES, stream, run.threads, run.progress
        )
    return LinearExtensionEstimate(*answer)


def packed_parents(dag: Dag) -> NDArray[np.uint64]:
    """Return the parents of one DAG as bits, in the shape (1, nodes, words)."""
    n = len(dag.variables)
    packed = np.zeros((1, n, (n + 63) // 64), dtype=np.uint64)
    for node, parents in enumerate(dag.parent_indices):
        for parent in parents:
            packed[0, node, parent // 64] |= np.uint64(1 << parent % 64)
    return packed


def _moduli(nodes: int, bits: float) -> list[int]:
    """Return pairwise coprime numbers below 2^61 whose product exceeds 2^bits.

    They are also coprime to all numbers up to the number of nodes, by which the core divides.
    """
    found: list[int] = []
    product, candidate = math.factorial(nodes), (1 << 61) - 1
    while 60.9 * len(found) < bits:
        if math.gcd(candidate, product) == 1:
            found.append(candidate)
            product *= candidate
        candidate -= 2
    return found


def _from_remainders(moduli: list[int], remainders: list[int]) -> int:
    """Return the number with these remainders (Chinese remainder theorem)."""
    result, product = 0, 1
    for modulus, remainder in zip(moduli, remainders, strict=True):
        result += product * ((remainder - result) * pow(product, -1, modulus) % modulus)
        product *= modulus
    return result
