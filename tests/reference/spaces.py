"""Spaces by enumeration: all states, and the weight of each from its definition."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, permutations, product

from arcwise import Model
from reference.dags import Parents, all_dags

State = tuple[int, ...]

# Many states are weighed by the same DAGs, orders or partitions: those of the last models are kept.
_kept = lru_cache(maxsize=32)


@_kept
def _families(model: Model) -> list[list[tuple[frozenset[str], float]]]:
    """Return, for each node, its sets of parents with their log weights."""
    return [
        [(frozenset(parents), weight) for parents, weight in model.weights.families(name)]
        for name in model.variables
    ]


def order_weight(model: Model, order: Sequence[int]) -> float:
    """Return the weight of a linear order: the product of sums over earlier parents."""
    weight = 1.0
    for place, node in enumerate(order):
        weight *= _sum_within(model, node, order[:place])
    return weight


def _sum_within(
    model: Model, node: int, allowed: Iterable[int], needed: Iterable[int] | None = None
) -> float:
    """Return the sum over the families within some nodes, and with one of others if needed."""
    names = {model.variables[u] for u in allowed}
    wanted = None if needed is None else {model.variables[u] for u in needed}
    return math.fsum(
        math.exp(weight)
        for parents, weight in _families(model)[node]
        if parents <= names and (wanted is None or wanted & parents)
    )


def linear_orders(n: int) -> Iterator[State]:
    return permutations(range(n))


def bucket_orders(n: int, size: int) -> Iterator[State]:
    """Yield every bucket order once, as its buckets in a row, each ascending."""
    for order in permutations(range(n)):
        buckets = [order[start : start + size] for start in range(0, n, size)]
        if all(list(bucket) == sorted(bucket) for bucket in buckets):
            yield order


def extensions_of_buckets(state: State, size: int) -> Iterator[State]:
    """Yield the linear orders that agree with a bucket order."""
    if not state:
        yield ()
        return
    for first in permutations(state[:size]):
        for rest in extensions_of_buckets(state[size:], size):
            yield (*first, *rest)


@_kept
def weights_of_linear_orders(model: Model) -> dict[State, float]:
    n = len(model.variables)
    return {order: order_weight(model, order) for order in linear_orders(n)}


def weights_of_bucket_orders(model: Model, size: int) -> dict[State, float]:
    n = len(model.variables)
    single = weights_of_linear_orders(model)
    return {
        state: math.fsum(single[order] for order in extensions_of_buckets(state, size))
        for state in bucket_orders(n, size)
    }


def weights_of_partial_orders(model: Model, pairs: Sequence[tuple[int, int]]) -> dict[State, float]:
    """Return the weights of what a partial order of positions becomes by moving nodes in its parts.

    A state is the node at each position, the smallest such row where several say the same.
    """
    n = len(model.variables)
    part = list(range(n))
    for first, second in pairs:
        part = [part[first] if own == part[second] else own for own in part]
    states: dict[frozenset[tuple[int, int]], State] = {}
    for code in permutations(range(n)):
        if all(part[position] == part[node] for position, node in enumerate(code)):
            states.setdefault(frozenset((code[a], code[b]) for a, b in pairs), code)
    single = weights_of_linear_orders(model)
    return {
        code: math.fsum(
            weight
            for order, weight in single.items()
            if all(order.index(a) < order.index(b) for a, b in relation)
        )
        for relation, code in states.items()
    }


def canonical_order(dag: Parents, numbers: Sequence[int]) -> State:
    """Return the order of a DAG that always takes the smallest number there is."""
    order: list[int] = []
    while len(order) < len(dag):
        ready = [v for v in range(len(dag)) if v not in order and set(dag[v]) <= set(order)]
        order.append(min(ready, key=lambda v: numbers[v]))
    return tuple(order)


def weights_of_canonical_orders(model: Model, numbers: Sequence[int]) -> dict[State, float]:
    """Return for each order the summed weights of the DAGs whose canonical order it is."""
    return weights_of_numbered_orders(model, [tuple(numbers)], with_numbers=False)


def weights_of_numbered_orders(
    model: Model, numberings: Iterable[State] | None = None, with_numbers: bool = True
) -> dict[State, float]:
    """Return the same for every numbering, which follows the order in the state."""
    n = len(model.variables)
    dags = _weights_by_dag(model)
    weights = {}
    for numbers in permutations(range(n)) if numberings is None else numberings:
        tail = numbers if with_numbers else ()
        weights.update({(*order, *tail): 0.0 for order in linear_orders(n)})
        for dag, weight in dags.items():
            weights[(*canonical_order(dag, numbers), *tail)] += weight
    return weights


def weights_on_bridge(model: Model, numbers: Sequence[int], bridge: float) -> dict[State, float]:
    """Return the weights of orders on the way from linear to canonical ones.

    A family that does not meet the nodes from the last one with a larger number on, where the
    order has such a one before the family's node, counts with 1 - bridge.
    """
    weights = {}
    for order in linear_orders(len(model.variables)):
        weight = 1.0
        for place, node in enumerate(order):
            larger = [i for i in range(place) if numbers[order[i]] > numbers[node]]
            if not larger:
                weight *= _sum_within(model, node, order[:place])
                continue
            met = _sum_within(model, node, order[:place], order[larger[-1] : place])
            weight *= met + (1.0 - bridge) * _sum_within(model, node, order[: larger[-1]])
        weights[order] = weight
    return weights


def partitions(n: int) -> Iterator[State]:
    """Yield every ordered partition as the part of each node; parts are 0, 1, .. without gaps."""
    for parts in product(range(n), repeat=n):
        if set(parts) == set(range(max(parts) + 1)):
            yield parts


@_kept
def weights_of_partitions(model: Model) -> dict[State, float]:
    """Return for each partition the summed weights of the DAGs that belong to it."""
    n = len(model.variables)
    weights = dict.fromkeys(partitions(n), 0.0)
    for dag, weight in _weights_by_dag(model).items():
        weights[parts_of(dag)] += weight
    return weights


@_kept
def _weights_by_dag(model: Model) -> Mapping[Parents, float]:
    """Return the weight of each DAG: the product of those of its families."""
    names = model.variables
    families = [
        {
            tuple(sorted(names.index(parent) for parent in parents)): math.exp(weight)
            for parents, weight in model.weights.families(name)
        }
        for name in names
    ]
    return {
        dag: math.prod(families[node].get(parents, 0.0) for node, parents in enumerate(dag))
        for dag in all_dags(len(names))
    }


def weights_of_dags(model: Model) -> dict[State, float]:
    """Return the weight of each DAG without more parents than any family has, as bit masks."""
    families = [family for name in model.variables for family in model.weights.families(name)]
    most = max(len(parents) for parents, weight in families if weight > -math.inf)
    return {
        tuple(sum(1 << parent for parent in parents) for parents in dag): weight
        for dag, weight in _weights_by_dag(model).items()
        if all(len(parents) <= most for parents in dag)
    }


def parts_of(dag: Parents) -> State:
    """Return the length of the longest path to each node."""
    part = [0] * len(dag)
    for _ in dag:
        for node, parents in enumerate(dag):
            part[node] = max([part[parent] + 1 for parent in parents], default=0)
    return tuple(part)


@_kept
def _log_weights_of_partitions(model: Model) -> Mapping[State, float]:
    """Return the log of each partition's weight, however small."""
    return {
        parts: _log_weight_of_partition(model, parts) for parts in partitions(len(model.variables))
    }


def _log_weight_of_partition(model: Model, parts: State) -> float:
    """Return the log of a partition's weight: families meet the part before."""
    names = model.variables
    total = 0.0
    for node, part in enumerate(parts):
        allowed = {names[u] for u, own in enumerate(parts) if own < part}
        needed = {names[u] for u, own in enumerate(parts) if own == part - 1}
        weights = [
            weight
            for parents, weight in _families(model)[node]
            if parents <= allowed and (part == 0 or needed & parents)
        ]
        total += log_sum(weights)
    return total


def log_sum(logarithms: Sequence[float]) -> float:
    """Return ln of the sum of e^x; minus infinity for nothing."""
    largest = max(logarithms, default=-math.inf)
    if largest == -math.inf:
        return largest
    return largest + math.log(math.fsum(math.exp(x - largest) for x in logarithms))


def layering_of(parts: State, max_size: int) -> State:
    """Return the layer of each node: parts are merged, first to last, while they fit together."""
    layer_of_part: list[int] = []
    size = 0
    for part in range(max(parts) + 1):
        own = parts.count(part)
        if part == 0:
            layer_of_part.append(0)
            size = own
        elif size + own <= max_size:
            layer_of_part.append(layer_of_part[-1])
            size += own
        else:
            layer_of_part.append(layer_of_part[-1] + 1)
            size = own
    return tuple(layer_of_part[part] for part in parts)


def layerings(n: int, max_size: int) -> Iterator[State]:
    """Yield every layering: neighbouring layers together have more than `max_size` nodes."""
    for layers in partitions(n):
        sizes = [layers.count(layer) for layer in range(max(layers) + 1)]
        if all(a + b > max_size for a, b in pairwise(sizes)):
            yield layers


def weights_of_layerings(model: Model, max_size: int) -> dict[State, float]:
    """Return for each layering the summed weights of the partitions that are merged to it."""
    weights = dict.fromkeys(layerings(len(model.variables), max_size), 0.0)
    for parts, weight in weights_of_partitions(model).items():
        weights[layering_of(parts, max_size)] += weight
    return weights


def log_weights_of_layerings(model: Model, max_size: int) -> dict[State, float]:
    """Return the same as logarithms, for weights any number of nats apart."""
    n = len(model.variables)
    merged: dict[State, list[float]] = {state: [] for state in layerings(n, max_size)}
    for parts, log_weight in _log_weights_of_partitions(model).items():
        merged[layering_of(parts, max_size)].append(log_weight)
    return {state: log_sum(logarithms) for state, logarithms in merged.items()}
