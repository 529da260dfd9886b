"""Variable elimination: the sum of a product of tables over all variables but one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Scope = tuple[int, ...]


def elimination_order(
    scopes: Sequence[Scope], levels: Sequence[int], kept: int
) -> tuple[list[int], int]:
    """Return an elimination order, and the number of cells of the largest table it needs.

    Greedy: the next variable is the one with the smallest table, the first of several.

    Parameters
    ----------
    scopes
        The variables of each table.
    levels
        The number of levels of every variable.
    kept
        The variable that is not eliminated.
    """
    left = [frozenset(scope) for scope in scopes]
    largest = max((math.prod(levels[v] for v in scope) for scope in left), default=1)
    order: list[int] = []
    waiting = sorted(frozenset().union(*left) - {kept})
    while waiting:
        joined = {v: frozenset().union(*(s for s in left if v in s)) for v in waiting}
        cells = {v: math.prod(levels[each] for each in joined[v]) for v in waiting}
        chosen = min(waiting, key=cells.__getitem__)
        largest = max(largest, cells[chosen])
        left = [scope for scope in left if chosen not in scope] + [joined[chosen] - {chosen}]
        order.append(chosen)
        waiting.remove(chosen)
    return order, largest


def eliminate(factors: Sequence[tuple[Scope, Array]], order: Sequence[int]) -> Array:
    """Return the sum over the variables of `order` of the product of all tables.

    The first axis of each table holds draws, of a common length or of length 1; the others
    are the variables of its scope. One variable remains, as [draw, level].
    """
    left = list(factors)
    for variable in order:
        touched = [factor for factor in left if variable in factor[0]]
        left = [factor for factor in left if variable not in factor[0]]
        scope, table = _product(touched)
        axis = 1 + scope.index(variable)
        left.append((tuple(v for v in scope if v != variable), table.sum(axis=axis)))
    return _product(left)[1]


def _product(factors: Sequence[tuple[Scope, Array]]) -> tuple[Scope, Array]:
    scope = tuple(sorted(frozenset().union(*(own for own, _ in factors))))
    result: Array = np.ones((1,) * (1 + len(scope)))
    for own, table in factors:
        # Axes in ascending order of variables, and one of length 1 for each absent variable.
        ordered = table.transpose(0, *(1 + own.index(v) for v in sorted(own)))
        lengths: Mapping[int, int] = dict(zip(sorted(own), ordered.shape[1:], strict=True))
        result = result * ordered.reshape(len(table), *(lengths.get(v, 1) for v in scope))
    return scope, result
