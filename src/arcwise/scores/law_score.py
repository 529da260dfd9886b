"""`LawScore`: the score of a law of nodes, by the marginal likelihoods that it gives."""

from __future__ import annotations

from abc import abstractmethod
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.laws import Law
from arcwise.scores.base import LocalScore
from arcwise.support.running import Stage


class LawScore(LocalScore):
    """The log marginal likelihoods of a law, which is all that a subclass has to give.

    The law is asked for all children of a parent set at once, and for no family that it does not
    allow.
    """

    @abstractmethod
    def law(self, data: Data) -> Law:
        """Return the law of each node given its parents, with its prior."""

    def impossible_edges(self, data: Data) -> NDArray[np.bool_] | None:
        """Return the edges [parent, child] that the law does not allow; None if it allows all."""
        law, kinds = self.law(data), [column.kind for column in data.columns]
        edges = np.array([[not law.allows(child, parent) for child in kinds] for parent in kinds])
        np.fill_diagonal(edges, False)
        return edges if edges.any() else None

    def fill(self, data: Data, table: _core.FamilyTable, run: Stage) -> None:
        """Set every value of the table to the log marginal likelihood of its family."""
        asked: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        for node in range(len(data.variables)):
            members, offsets = table.parent_sets(node)
            for place, (first, last) in enumerate(pairwise(offsets.tolist())):
                parents = tuple(members[first:last].tolist())
                asked.setdefault(parents, []).append((node, place))
        posteriors = self.law(data).given(data)
        for done, (parents, cells) in enumerate(asked.items(), 1):
            found = posteriors.log_marginals(parents, [node for node, _ in cells])
            for value, (node, place) in zip(found.tolist(), cells, strict=True):
                table.values(node)[place] = value
            if run.progress is not None:
                run.progress(done / len(asked))
