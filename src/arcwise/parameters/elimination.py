"""Variable elimination: the sum of a product of tables over all variables but some."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Scope = tuple[int, ...]


def elimination_order(
    scopes: Sequence[Scope], levels: Sequence[int], kept: Scope
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
        The variables that are not eliminated.
    """
    left = [frozenset(scope) for scope in scopes]
    largest = max((math.prod(levels[v] for v in scope) for scope in left), default=1)
    order: list[int] = []
    waiting = sorted(frozenset().union(*left) - frozenset(kept))
    while waiting:
        joined = {v: frozenset().union(*(s for s in left if v in s)) for v in waiting}
        cells = {v: math.prod(levels[each] for each in joined[v]) for v in waiting}
        chosen = min(waiting, key=cells.__getitem__)
        largest = max(largest, cells[chosen])
        left = [scope for scope in left if chosen not in scope] + [joined[chosen] - {chosen}]
        order.append(chosen)
        waiting.remove(chosen)
    return order, largest


def eliminate(factors: Sequence[tuple[Scope, Array]], order: Sequence[int], kept: Scope) -> Array:
    """Return the sum over the variables of `order` of the product of all tables.

    The first axis of each table holds draws or rows, of a common length or of length 1; the
    others are the variables of its scope. Those of `kept` remain, as [draw, *kept]; one that
    no table has is an axis of length 1.
    """
    left = list(factors)
    for variable in order:
        touched = [factor for factor in left if variable in factor[0]]
        left = [factor for factor in left if variable not in factor[0]]
        members = {member for scope, _ in touched for member in scope} - {variable}
        scope = tuple(sorted(members))
        left.append((scope, _product(touched, (variable, *scope)).sum(axis=1)))
    return _product(left, kept)


def _product(factors: Sequence[tuple[Scope, Array]], scope: Scope) -> Array:
    """Return the product of tables, with the axes in the order of the scope."""
    result: Array = np.ones((1,) * (1 + len(scope)))
    for own, table in factors:
        result = result * aligned(table, own, scope)
    return result


def aligned(table: Array, own: Scope, scope: Scope) -> Array:
    """Return a table with the axes in the order of a scope, of length 1 for absent variables."""
    axes = [own.index(variable) for variable in scope if variable in own]
    lengths = iter(axes)
    shape = [table.shape[1 + next(lengths)] if v in own else 1 for v in scope]
    return table.transpose(0, *(1 + a for a in axes)).reshape(len(table), *shape)
