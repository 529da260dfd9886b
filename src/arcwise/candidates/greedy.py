"""Greedy candidates: one parent after another, each by the families it forms with the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.candidates.family_weigher import FamilyWeigher, Joined
from arcwise.errors import TimeIsUpError
from arcwise.families.families import parent_matrix
from arcwise.support.running import Stage

By = Literal["sum", "best"]

OUTSIDE = 300
"""After the first step, only this many parents of each node are considered: the best alone."""

_MOST_VALUES = 2**24  # 128 MiB of families at a time


def greedy(weigher: FamilyWeigher, sizes: Sequence[int], by: By, run: Stage) -> NDArray[np.bool_]:
    """Return a matrix [candidate, node] with up to the given number of candidates per node.

    With the candidates C so far, the next is the u whose families S + u, S a subset of C,
    have the largest maximum or sum; the first among equals. Families without the latest
    candidate were computed in the steps before, so each step computes only those with it.
    Of very many parents, only the best single ones remain after the first step. When the
    time is up, the candidates chosen so far are returned.
    """
    n = len(weigher.variables)
    chosen: list[list[int]] = [[] for _ in range(n)]
    outside = [weigher.free(node) for node in range(n)]
    merits = [np.full(len(others), -np.inf) for others in outside]
    active = [
        node for node in range(n) if outside[node] and sizes[node] > 0 and weigher.room(node) > 0
    ]
    first = True
    while active:
        try:
            for block in _blocks(active, chosen, outside):
                for node, fresh in _weigh_new(weigher, block, chosen, outside, by, run).items():
                    together = np.maximum if by == "best" else np.logaddexp
                    merits[node] = together(merits[node], fresh)
        except TimeIsUpError:
            most = max(map(len, chosen))
            run.deadline.cut(f"Greedy candidates are {most} for each variable: the time was up.")
            break
        if first:
            first = False
            for node in active:
                kept = np.sort(np.argsort(-merits[node], kind="stable")[:OUTSIDE])
                outside[node] = [outside[node][place] for place in kept]
                merits[node] = merits[node][kept]
        still = []
        for node in active:
            place = int(np.argmax(merits[node]))
            if merits[node][place] == -np.inf:
                continue
            chosen[node].append(outside[node].pop(place))
            merits[node] = np.delete(merits[node], place)
            if outside[node] and len(chosen[node]) < sizes[node]:
                still.append(node)
        active = still
    return parent_matrix(chosen)


def _weigh_new(
    weigher: FamilyWeigher,
    nodes: Sequence[int],
    chosen: Sequence[Sequence[int]],
    outside: Sequence[Sequence[int]],
    by: By,
    run: Stage,
) -> dict[int, NDArray[np.float64]]:
    """Return for each outside parent the maximum or log sum of its new families."""
    asked: dict[int, Joined] = {}
    for node in nodes:
        known, last = list(chosen[node][:-1]), chosen[node][-1:]
        room = weigher.room(node) - len(last) - 1
        if room < 0:
            continue  # all families within the bound are known
        must = [*weigher.must(node), *last]
        asked[node] = Joined(known, must, list(outside[node]), min(room, len(known)))
    table = weigher.weighed(asked, run)
    return {
        node: _merit(table.values(node).reshape(-1, len(own.others)), by)
        for node, own in asked.items()
    }


def _merit(weights: NDArray[np.float64], by: By) -> NDArray[np.float64]:
    largest: NDArray[np.float64] = weights.max(axis=0)
    if by == "best" or not weights.size:
        return largest
    # A column of minus infinity throughout must not be shifted by it.
    shift = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        total: NDArray[np.float64] = shift + np.log(np.exp(weights - shift).sum(axis=0))
    return total


def _blocks(
    active: Sequence[int], chosen: Sequence[Sequence[int]], outside: Sequence[Sequence[int]]
) -> list[list[int]]:
    """Split the nodes into blocks whose families fit into memory together."""
    blocks: list[list[int]] = [[]]
    room = _MOST_VALUES
    for node in active:
        values = len(outside[node]) << max(0, len(chosen[node]) - 1)
        if values > room and blocks[-1]:
            blocks.append([])
            room = _MOST_VALUES
        blocks[-1].append(node)
        room -= values
    return blocks
