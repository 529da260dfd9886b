"""Candidates by score gains: what a parent adds alone and together with one other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.candidates.family_weigher import FamilyWeigher
from arcwise.errors import TimeIsUpError
from arcwise.support.running import Stage

PARTNERS = 100
"""Pairs are formed among this many parents of each node, those of the largest single gains."""


def gains(weigher: FamilyWeigher, sizes: Sequence[int], run: Stage) -> NDArray[np.bool_]:
    """Return a matrix [candidate, node] with the parents of largest gain for each node.

    The gain of u is the most that it adds to the log weight of a family with at most one
    other parent: the maximum of w(S + u) - w(S) over S with at most one member. When the
    time is up, those with no other parent are taken alone.
    """
    n = len(weigher.variables)
    free = [weigher.free(node) for node in range(n)]
    try:
        singles = _gains(weigher, free, 1, run)
    except TimeIsUpError:
        run.deadline.cut("Candidates by gains were left out, as the time was up.")
        return np.zeros((n, n), dtype=np.bool_)
    partners = [
        sorted(free[node][place] for place in _best(singles[node], PARTNERS)) for node in range(n)
    ]
    try:
        pairs = _gains(weigher, partners, 2, run)
    except TimeIsUpError:
        run.deadline.cut("Candidates by gains are those of single parents: the time was up.")
        pairs = [np.full(len(of_node), -np.inf) for of_node in partners]
    matrix = np.zeros((n, n), dtype=np.bool_)
    for node in range(n):
        total = singles[node]
        places = np.searchsorted(free[node], partners[node])
        total[places] = np.maximum(total[places], pairs[node])
        matrix[[free[node][place] for place in _best(total, sizes[node])], node] = True
    return matrix


def _gains(
    weigher: FamilyWeigher, parents: Sequence[Sequence[int]], most: int, run: Stage
) -> list[NDArray[np.float64]]:
    """Return the gain of each parent in families of at most this many parents."""
    n = len(weigher.variables)
    table = _core.FamilyTable(
        [list(of_node) for of_node in parents],
        [weigher.must(node) for node in range(n)],
        [min(most, max(0, weigher.room(node)), len(parents[node])) for node in range(n)],
    )
    weigher.weigh(table, run)
    return [_gains_of(table.values(node), table, node, len(parents[node])) for node in range(n)]


def _gains_of(
    values: NDArray[np.float64], table: _core.FamilyTable, node: int, count: int
) -> NDArray[np.float64]:
    """Return the gains for one node; families are ordered by their sets as bit masks."""
    most = table.max_free(node)
    if most == 0:
        return np.full(count, -np.inf)
    # The set {i} follows all sets of smaller members; pairs {i, j}, j < i, follow it.
    if most == 1:
        start = np.arange(1, count + 1)
    else:
        below = np.arange(count)
        start = 1 + below + below * (below - 1) // 2
    single = values[start]
    with np.errstate(invalid="ignore"):
        result: NDArray[np.float64] = _gain(single, values[0])
        if most == 1:
            return result
        for i in range(1, count):
            pair = values[start[i] + 1 : start[i] + 1 + i]
            result[i] = max(result[i], _gain(pair, single[:i]).max())
            result[:i] = np.maximum(result[:i], _gain(pair, single[i]))
    return result


def _gain(
    weights: NDArray[np.float64], without: NDArray[np.float64] | np.float64
) -> NDArray[np.float64]:
    """Return the difference of log weights; a family of weight 0 is never a gain."""
    return np.where(weights == -np.inf, -np.inf, weights - without)


def _best(merits: NDArray[np.float64], count: int) -> list[int]:
    """Return the positions of the largest finite values, the first among equals."""
    order = np.argsort(-merits, kind="stable")[:count]
    return [int(place) for place in order if merits[place] > -np.inf]
