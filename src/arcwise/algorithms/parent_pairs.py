"""Finds parents that would improve a DAG: single ones, and pairs that help only jointly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.candidates.family_weigher import FamilyWeigher, Joined
from arcwise.graphs.dag import Dag
from arcwise.posterior.map_result import is_more
from arcwise.support.running import Stage

# Pairs are formed among this many potential parents of each node, the best ones when added to its
# present parents; they are joined to subsets of this many of the present parents.
_MOST_PARTNERS = 100
_MOST_KEPT = 8


def better_pairs(weigher: FamilyWeigher, dag: Dag, run: Stage) -> NDArray[np.bool_]:
    """Return pairs of parents that raise the weight of a node's family, as [parent, node].

    Each node may lose some of its parents and gain two others that are not its
    descendants; the best such family is taken, if it is better than the present one.

    Parameters
    ----------
    weigher
        The weights of families, and the allowed edges.
    dag
        The DAG.
    run
        The threads.
    """
    return _better(weigher, dag, run, pairs=True)


def better_parents(weigher: FamilyWeigher, dag: Dag, run: Stage) -> NDArray[np.bool_]:
    """Return single parents that raise the weight of a node's family, as [parent, node].

    As `better_pairs`, with one parent in place of two.
    """
    return _better(weigher, dag, run, pairs=False)


def _better(weigher: FamilyWeigher, dag: Dag, run: Stage, pairs: bool) -> NDArray[np.bool_]:
    n = len(weigher.variables)
    parents = [sorted(own) for own in dag.parent_indices]
    best, others = _one_more(weigher, dag, parents, run)
    found = np.zeros((n, n), dtype=np.bool_)
    firsts = range(max(len(own) for own in others)) if pairs else [None]
    for first in firsts:
        joined = _joined(weigher, parents, others, first)
        table = weigher.weighed(joined, run)
        for node, own in joined.items():
            of_node = own.others
            values = table.values(node).reshape(-1, len(of_node)).max(axis=0)
            place = int(np.argmax(values))
            if is_more(values[place], best[node]):
                best[node] = values[place]
                found[:, node] = False
                found[of_node[place], node] = True
                if first is not None:
                    found[others[node][first], node] = True
    return found


def _one_more(
    weigher: FamilyWeigher, dag: Dag, parents: list[list[int]], run: Stage
) -> tuple[NDArray[np.float64], list[list[int]]]:
    """Return the weight of each family, and the other possible parents, the best first."""
    n = len(weigher.variables)
    after = _descendants(dag)
    others = [
        [u for u in weigher.free(node) if u not in parents[node] and not after[node, u]]
        for node in range(n)
    ]
    weights = np.empty(n)
    alone = _core.FamilyTable([[] for _ in range(n)], parents, [0] * n)
    weigher.weigh(alone, run)
    for node in range(n):
        weights[node] = alone.values(node)[0]
    some = {node: Joined([], parents[node], others[node], 0) for node in range(n)}
    joined = weigher.weighed(some, run)
    for node in range(n):
        order = np.argsort(-joined.values(node), kind="stable")[:_MOST_PARTNERS]
        others[node] = [others[node][place] for place in order]
    return weights, others


def _joined(
    weigher: FamilyWeigher, parents: list[list[int]], others: list[list[int]], first: int | None
) -> dict[int, Joined]:
    """Return families of some of a node's parents and one other parent.

    With `first`, each family also has the other parent at that position, and the others
    are those after it; None for no such parent. Nodes without such families are left out.
    """
    found = {}
    for node, present in enumerate(parents):
        must = weigher.must(node)
        own = [u for u in present if u not in must]
        kept, left = own[:_MOST_KEPT], own[_MOST_KEPT:]
        beside = [] if first is None else others[node][first : first + 1]
        room = weigher.room(node) - len(left) - len(beside) - 1
        outside = others[node][0 if first is None else first + 1 :]
        if room >= 0 and outside:
            found[node] = Joined(kept, [*must, *left, *beside], outside, min(room, len(kept)))
    return found


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
