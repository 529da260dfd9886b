"""The recurrences of the exact posteriors in plain NumPy, as anybody would write them first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def _sums(weights: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the log sums over subsets of each node's log weights."""
    result = []
    for dense in weights:
        table = dense.copy()
        for bit in range(len(weights)):
            halves = table.reshape(-1, 2, 1 << bit)
            with np.errstate(invalid="ignore"):
                halves[:, 1] = np.logaddexp(halves[:, 0], halves[:, 1])
        result.append(table)
    return result


def plain_order_modular_log_weight(weights: Sequence[np.ndarray]) -> float:
    """F(Y) = sum over v in Y of alpha_v(Y - v) F(Y - v), set by set."""
    sums = _sums(weights)
    n = len(weights)
    forward = np.full(1 << n, -np.inf)
    forward[0] = 0.0
    for chosen in range(1, 1 << n):
        terms = [
            sums[v][chosen ^ 1 << v] + forward[chosen ^ 1 << v] for v in range(n) if chosen >> v & 1
        ]
        forward[chosen] = np.logaddexp.reduce(terms)
    return float(forward[-1])


def plain_modular_log_weight(weights: Sequence[np.ndarray]) -> float:
    """Sum over the sinks T of S, signs alternating; scaled by the best weight of each node."""
    n = len(weights)
    offsets = [float(dense.max()) for dense in weights]
    sums = [np.exp(table - top) for table, top in zip(_sums(weights), offsets, strict=True)]
    on = np.zeros(1 << n)
    on[0] = 1.0
    for chosen in range(1, 1 << n):
        sinks = chosen
        while sinks:
            rest = chosen ^ sinks
            product = on[rest]
            for v in range(n):
                if sinks >> v & 1:
                    product *= sums[v][rest]
            on[chosen] += product if bin(sinks).count("1") % 2 else -product
            sinks = (sinks - 1) & chosen
    return float(np.log(on[-1]) + sum(offsets))
