"""Finds parents that a DAG would be better with: single ones, and pairs that help only together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise._running import Run
from arcwise.candidates.problem import Problem
from arcwise.dag import Dag

# Pairs are formed among this many parents of each node, the best ones beside those it has; and
# subsets of this many of those it has are joined by them.
_MOST_PARTNERS = 100
_MOST_KEPT = 8


def better_pairs(problem: Problem, dag: Dag, run: Run) -> NDArray[np.bool_]:
    """Return the parents in pairs that raise the weight of a node's family, as [parent, node].

    Each node may give up some of its parents and take two others that come not
    after it; the best such family counts, if it is better than the one it has.

    Parameters
    ----------
    problem
        How families are weighed, and which edges are allowed.
    dag
        The DAG.
    run
        The threads.
    """
    n = len(problem.variables)
    parents = [sorted(own) for own in dag.parent_indices]
    weights, others = _one_more(problem, dag, parents, run)
    found = np.zeros((n, n), dtype=np.bool_)
    best = weights.copy()
    rounds = max((len(own) for own in others), default=0) - 1
    for first in range(rounds):
        active = [node for node in range(n) if first + 1 < len(others[node])]
        active = [node for node in active if problem.room(node) >= 2]
        table, asked = _table(problem, parents, active, others, first)
        problem.weigh(table, run)
        for node in asked:
            partners = others[node][first + 1 :]
            values = table.values(node).reshape(-1, len(partners)).max(axis=0)
            place = int(np.argmax(values))
            if values[place] > best[node] + 1e-9 * abs(best[node]):
                best[node] = values[place]
                found[:, node] = False
                found[[others[node][first], partners[place]], node] = True
    return found


def better_parents(problem: Problem, dag: Dag, run: Run) -> NDArray[np.bool_]:
    """Return for each node the parent that raises the weight of its family most, if any does.

    The node may give up some of its parents for it; it comes not after the node.
    Parameters are those of `better_pairs`, and so is what is returned.
    """
    n = len(problem.variables)
    parents = [sorted(own) for own in dag.parent_indices]
    weights, others = _one_more(problem, dag, parents, run)
    table, asked = _table(problem, parents, list(range(n)), others, None)
    problem.weigh(table, run)
    found = np.zeros((n, n), dtype=np.bool_)
    for node in asked:
        values = table.values(node).reshape(-1, len(others[node])).max(axis=0)
        place = int(np.argmax(values))
        if values[place] > weights[node] + 1e-9 * abs(weights[node]):
            found[others[node][place], node] = True
    return found


def _one_more(
    problem: Problem, dag: Dag, parents: list[list[int]], run: Run
) -> tuple[NDArray[np.float64], list[list[int]]]:
    """Return the weight of each family, and who else may be a parent, the best first."""
    n = len(problem.variables)
    after = _descendants(dag)
    others = [
        [u for u in problem.free(node) if u not in parents[node] and not after[node, u]]
        for node in range(n)
    ]
    weights = np.empty(n)
    alone = _core.FamilyTable([[] for _ in range(n)], parents, [0] * n)
    problem.weigh(alone, run)
    for node in range(n):
        weights[node] = alone.values(node)[0]
    joined = _core.PlusOneTable([[] for _ in range(n)], parents, others, [0] * n)
    problem.weigh(joined, run)
    for node in range(n):
        order = np.argsort(-joined.values(node), kind="stable")[:_MOST_PARTNERS]
        others[node] = [others[node][place] for place in order]
    return weights, others


def _table(
    problem: Problem,
    parents: list[list[int]],
    active: list[int],
    others: list[list[int]],
    first: int | None,
) -> tuple[_core.PlusOneTable, list[int]]:
    """Return families of some of a node's parents, one partner, and each of those after it.

    None for no partner: some of a node's parents and one of the others.
    """
    n = len(problem.variables)
    candidates: list[list[int]] = [[] for _ in range(n)]
    required: list[list[int]] = [[] for _ in range(n)]
    outside: list[list[int]] = [[] for _ in range(n)]
    max_free = [0] * n
    for node in active:
        must = problem.must(node)
        own = [u for u in parents[node] if u not in must]
        candidates[node] = own[:_MOST_KEPT]
        partner = [] if first is None else [others[node][first]]
        required[node] = sorted([*must, *own[_MOST_KEPT:], *partner])
        outside[node] = others[node][0 if first is None else first + 1 :]
        room = problem.room(node) - 1 - len(partner) - len(own[_MOST_KEPT:])
        if room < 0:
            outside[node] = []
        max_free[node] = max(0, min(room, len(candidates[node])))
    asked = [node for node in active if outside[node]]
    return _core.PlusOneTable(candidates, required, outside, max_free), asked


def _descendants(dag: Dag) -> NDArray[np.bool_]:
    """Return a matrix with True at [node, descendant], the node itself among them."""
    n = len(dag.variables)
    place = {name: i for i, name in enumerate(dag.variables)}
    result = np.eye(n, dtype=np.bool_)
    for name in reversed(dag.topological_order()):
        node = place[name]
        for parent in dag.parent_indices[node]:
            result[parent] |= result[node]
    return result
