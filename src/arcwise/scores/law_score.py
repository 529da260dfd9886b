"""`LawScore`: the score of a law of nodes, by the marginal likelihoods that it gives."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.laws import Law
from arcwise.scores.base import LocalScore


class LawScore(LocalScore, ABC):
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

    def in_core(self, data: Data) -> _core.FamilyScore:
        """Return the score as the core computes it: by calling the law, which knows the rows."""
        posteriors = self.law(data).given(data)

        def scores(_: int, children: list[int], parents: list[int]) -> list[float]:
            return list(posteriors.log_marginals(tuple(parents), children).tolist())

        return _core.called_score(scores, [False] * len(data.variables))
