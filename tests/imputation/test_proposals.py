"""What is proposed: of every two DAGs, the ways there and back have the ratio that is told.

All DAGs of three or four nodes, and everything that may happen by chance, are gone through.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from arcwise.imputation.proposals import (
    KnownEdges,
    KnownFamilies,
    OtherEdge,
    OtherEdges,
    OtherEnd,
    OtherParents,
    Proposal,
    Proposed,
    TurnedFamily,
)
from reference.dags import Parents, all_dags
from support.branches import all_branches

MET = (
    *[((), (0,), (0, 1))] * 7,
    *[((1, 2), (), ())] * 3,
    *[((), (), ())] * 2,
    ((1,), (), (1,)),
    ((), (0, 2), ()),
)
WORTH = np.array([[0.0, 0.5, 0.2], [0.5, 0.0, 0.1], [0.2, 0.1, 0.0]])


def _seen(dags: Sequence[Parents]) -> np.ndarray:
    n = len(dags[0])
    result = np.zeros((len(dags), n, n))
    for place, dag in enumerate(dags):
        for node, parents in enumerate(dag):
            result[place, list(parents), node] = 1.0
    return result


FAMILIES, EDGES = KnownFamilies(_seen(MET), WORTH), KnownEdges(_seen(MET), WORTH)


def _law(
    propose: Callable[[Parents, Any], Proposed | None], dag: Parents
) -> dict[Parents, tuple[float, float]]:
    """Return the probability of each DAG proposed, with the ratio that is told for it."""
    shares: dict[Parents, float] = defaultdict(float)
    ratios: dict[Parents, float] = {}
    for found, probability in all_branches(lambda random: propose(dag, random)):
        if found is None:
            continue
        new = tuple(found.parents)
        shares[new] += probability
        assert math.isclose(ratios.setdefault(new, found.log_ratio), found.log_ratio)
    return {new: (share, ratios[new]) for new, share in shares.items()}


def _check(proposal: Proposal, nodes: int) -> int:
    """Assert that ratios are those of the laws; return the number of ways that were compared."""
    dags = list(all_dags(nodes))
    laws = {dag: _law(proposal.proposed, dag) for dag in dags}
    compared = 0
    for dag in dags:
        for new, (share, ratio) in laws[dag].items():
            if new not in laws or new == dag:
                continue
            back = laws[new].get(dag, (0.0, 0.0))[0]
            assert math.isclose(back, share * math.exp(ratio), rel_tol=1e-12)
            compared += 1
    return compared


@pytest.mark.parametrize(
    ("proposal", "nodes"),
    [
        (OtherEdge(0, 2), 3),
        (OtherEnd(0, (1, 2)), 3),
        (TurnedFamily(), 3),
        (TurnedFamily(), 4),
        *[(OtherParents(FAMILIES, nodes), 3) for nodes in [(0,), (2,), (0, 1), (0, 1, 2)]],
        *[(OtherEdges(EDGES, places), 3) for places in [(0, 1), (1, 2), (0, 1, 2)]],
    ],
)
def test_the_ratio_is_that_of_the_ways_back_and_there(proposal: Proposal, nodes: int) -> None:
    assert _check(proposal, nodes) > 5


@pytest.mark.parametrize("kind", [OtherParents, OtherEdges])
def test_a_ratio_that_is_left_out_is_caught(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    proposed = kind.proposed
    monkeypatch.setattr(
        kind, "proposed", lambda *given: (f := proposed(*given)) and f._replace(log_ratio=0.0)
    )
    known = FAMILIES if kind is OtherParents else EDGES
    with pytest.raises(AssertionError):
        _check(kind(known, (0, 1)), 3)


def test_a_family_turned_by_any_of_its_nodes_edges_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the edge of a random node, the way back would not be as probable."""
    proposed = TurnedFamily.proposed

    def of_a_node(self: TurnedFamily, parents: Parents, random: Any) -> Proposed | None:
        node = random.integers(len(parents))
        if not parents[node]:
            return None
        own: list[tuple[int, ...]] = [() for _ in parents]
        own[node] = parents[node]
        found = proposed(self, own, random)
        assert found is not None
        return found._replace(
            parents=tuple(
                new if new != before else others
                for new, before, others in zip(found.parents, own, parents, strict=True)
            )
        )

    monkeypatch.setattr(TurnedFamily, "proposed", of_a_node)
    with pytest.raises(AssertionError):
        _check(TurnedFamily(), 3)


def test_a_covered_edge_is_just_reversed() -> None:
    found = [new for new in _law(TurnedFamily().proposed, ((), (0,), (0, 1))) if new[2] == (0, 1)]
    assert found == [((1,), (), (0, 1))]


def test_nodes_that_change_together_are_chosen_together() -> None:
    apart = [((), (0,), (), ()), ((1,), (), (), ())]
    together = [((), (), (3,), ()), ((), (), (), (2,))]
    met = [
        (one[0], one[1], other[2], other[3])
        for one in apart
        for other in together
        for _ in range(10)
    ]
    families = KnownFamilies(_seen(met), np.ones((4, 4)))
    random = np.random.default_rng(1)
    pairs = [found for found in (families.chosen(random) for _ in range(400)) if len(found) == 2]
    assert sum(found in ((0, 1), (2, 3)) for found in pairs) > 0.9 * len(pairs)
