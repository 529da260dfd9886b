"""The summed weights of (order, DAG) pairs on every set, in long double logarithms."""

from __future__ import annotations

import numpy as np

from arcwise import _core


def dense_weights(table: _core.FamilyTable, node: int) -> np.ndarray:
    """Return the log weights of a node by the bits of its parents."""
    dense = np.full(1 << len(table), -np.inf, dtype=np.longdouble)
    parents, offsets = table.parent_sets(node)
    for family, value in enumerate(table.values(node)):
        members = parents[offsets[family] : offsets[family + 1]]
        dense[sum(1 << int(parent) for parent in members)] = value
    return dense


def log_add(numbers: list[np.longdouble]) -> np.longdouble:
    top = max(numbers)
    if np.isneginf(top):
        return top
    total: np.longdouble = top + np.log(np.sum(np.exp(np.array(numbers) - top)))
    return total


def forward_recursion(table: _core.FamilyTable) -> np.ndarray:
    """F(Y) = sum over v in Y of alpha_v(Y - v) F(Y - v), alpha by going through all subsets."""
    n = len(table)
    weights = [dense_weights(table, node) for node in range(n)]

    def within(node: int, allowed: int) -> np.longdouble:
        subset, numbers = allowed, [weights[node][0]]
        while subset:
            numbers.append(weights[node][subset])
            subset = (subset - 1) & allowed
        return log_add(numbers)

    forward = [np.longdouble(0.0)]
    for chosen in range(1, 1 << n):
        forward.append(
            log_add(
                [
                    within(v, chosen ^ 1 << v) + forward[chosen ^ 1 << v]
                    for v in range(n)
                    if chosen >> v & 1
                ]
            )
        )
    return np.array(forward)
