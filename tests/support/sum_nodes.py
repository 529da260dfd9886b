"""Models in which one node has families to choose from, for the tests of score sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from arcwise import Model
from arcwise.families import Families
from arcwise.model.score_sums import ScoreSums
from arcwise.scores import FamilyScores
from reference.sums import Family

Way = Literal["table", "rows", "walk", "scan"]
METHODS: tuple[Way, ...] = ("table", "rows", "walk", "scan")
FOR_OUTSIDE: tuple[Way, ...] = ("table", "rows", "scan")
FOR_LISTED: tuple[Way, ...] = ("table", "scan")


@dataclass(frozen=True)
class Node:
    """A model in which only the node "v" has families to choose from, and a list of those."""

    model: Model
    families: list[Family]

    @property
    def others(self) -> list[str]:
        return [name for name in self.model.variables if name != "v"]

    @property
    def methods(self) -> tuple[Way, ...]:
        table = self.model.weights.table
        if table.listed(0):
            return FOR_LISTED
        return FOR_OUTSIDE if table.outside(0) else METHODS

    def sums(self, method: Way | Literal["auto"] = "auto", **keywords: Any) -> ScoreSums:
        return ScoreSums(self.model, method=method, threads=1, **keywords)


def node_with(
    candidates: int,
    weights: Any,
    required: int = 0,
    max_indegree: int | None = None,
    outside: int = 0,
) -> Node:
    """Return a node with this many candidates, required parents and outside ones.

    Parameters
    ----------
    weights
        A function from the sets of parents, in the order of the table, to log weights.
    """
    inside = [f"c{i}" for i in range(candidates)]
    must = [f"r{i}" for i in range(required)]
    # Outside parents stand between the others, so that their numbers are mixed.
    names = ["v", *inside[::2], *(f"o{i}" for i in range(outside)), *must, *inside[1::2]]
    rule = Families.of(
        names,
        candidates={"v": inside},
        plus_one=outside > 0,
        required_edges=[(name, "v") for name in must],
        forbidden_edges=[
            (name, other) for name in names for other in names[1:] if outside and name != other
        ],
        max_indegree=None if max_indegree is None else {"v": max_indegree},
    )
    table = rule.table()
    scores = FamilyScores(names, table)
    sets = [frozenset(parents) for parents, _ in scores.families("v")]
    table.values(0)[:] = weights(sets)
    families = list(zip(sets, table.values(0).tolist(), strict=True))
    return Node(Model(scores), families)
