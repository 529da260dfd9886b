"""`AnnealedMoves`: changes edges of discrete tables together with the missing cells of families.

Given a completed table, an edge is nearly certain or nearly impossible where the cells were
completed with or without it, so that drawing DAG and cells in turn hardly ever changes such an
edge. `pair_moves` changes edges with the cells of their ends summed out, in tables of any kind.
Here, where all is counts, parameters are integrated out and cells are led over from the old
families to the new ones in many small steps (the core's `CollapsedChain`), so that a move is
accepted about as often as if all cells were summed out. What is proposed is in `proposals`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data, IncompleteData
from arcwise.families import Families
from arcwise.imputation.proposals import Parents, Proposal, allowed, reaches, same_adjacencies
from arcwise.laws import ProbabilityTables
from arcwise.model import Question
from arcwise.parameters.conditionals import Conditionals

Array = NDArray[np.float64]
LogDensityRatio: TypeAlias = Callable[[Parents, Parents], float]

# Moves draw the cells of families that change; all cells are drawn after so many of them.
_MOVES_BETWEEN_DRAWS = 8
_MOST_CELLS = 1 << 12
# Completions of a row that are compared at once.
_MOST_LINES = 64
_SEEDS = 1 << 63


class AnnealedMoves:
    """Moves over DAGs and cells of a discrete table, with the parameters integrated out."""

    def __init__(self, data: IncompleteData, question: Question, laws: Conditionals) -> None:
        self._structure_prior = question.prior.terms(question.variables)
        self._families: Families = question.families
        self._names = question.variables
        table = data.table
        assert question.score is not None
        kind = question.score.law(table)
        assert isinstance(kind, ProbabilityTables)
        assert kind.prior is not None
        # Rows of no weight leave the prior alone.
        self._pseudo_counts = kind.given(Data(table.columns, np.zeros(table.rows)))
        self._priors: dict[tuple[int, tuple[int, ...]], Array] = {}
        self._levels = [column.size for column in table.columns]
        self._conditioned = laws.parameters
        self._laws = [
            laws.log_probability(node, {node: np.arange(size)}).tolist()
            if node in laws.parameters
            else []
            for node, size in enumerate(self._levels)
        ]
        intervened = table.intervened
        self._intervened = None if intervened is None else intervened.astype(np.uint8, order="C")
        self._cells = data.cells

    @staticmethod
    def can_move(data: IncompleteData, question: Question) -> bool:
        """Return whether all columns are discrete, with tables that have a prior everywhere."""
        kind = None if question.score is None else question.score.law(data.table)
        return (
            isinstance(kind, ProbabilityTables)
            and kind.prior is not None
            and kind.prior.joint is None
            and (
                kind.prior.marginals is None
                or all(min(each) > 0.0 for each in kind.prior.marginals)
            )
        )

    def sweep(
        self,
        parents: Parents,
        columns: list[NDArray[Any]],
        moves: Sequence[Proposal],
        random: np.random.Generator,
        log_density_ratio: LogDensityRatio | None = None,
    ) -> tuple[tuple[int, ...], ...]:
        """Move a DAG given a completed table, and draw the cells anew; return the DAG."""
        now = tuple(parents)
        chain = _core.CollapsedChain(
            np.column_stack(columns).astype(np.uint16),
            self._cells,
            self._levels,
            self._laws,
            self._intervened,
            [self._family(v, now[v]) for v in range(len(now)) if v not in self._conditioned],
            int(random.integers(_SEEDS)),
            _MOST_LINES,
        )
        chain.sweep()
        for number, move in enumerate(moves, start=1):
            now = self._moved(chain, now, move, random, log_density_ratio)
            if number % _MOVES_BETWEEN_DRAWS == 0 or number == len(moves):
                chain.sweep()
        codes = chain.codes()
        for place, column in enumerate(columns):
            column[:] = codes[:, place]
        return now

    def _moved(
        self,
        chain: _core.CollapsedChain,
        parents: tuple[tuple[int, ...], ...],
        move: Proposal,
        random: np.random.Generator,
        log_density_ratio: LogDensityRatio | None,
    ) -> tuple[tuple[int, ...], ...]:
        """Propose another DAG; return the DAG after it."""
        found = move.proposed(parents, random)
        if found is None:
            return parents
        new, ratio = found
        changed = [node for node, others in enumerate(new) if others != parents[node]]
        for node in changed:
            if node in self._conditioned or not allowed(self._families, node, new[node]):
                return parents
            # Symmetric: neither from nor to a table that is too large.
            if max(self._size(node, new[node]), self._size(node, parents[node])) > _MOST_CELLS:
                return parents
        if any(reaches(new, node, parent) for node in changed for parent in new[node]):
            return parents
        for node in changed:
            ratio += self._log_prior(node, new[node]) - self._log_prior(node, parents[node])
        if log_density_ratio is not None:
            ratio += log_density_ratio(new, parents)
        # Turning edges changes likelihoods little or not at all, whatever the cells are. The
        # number of steps is the same for the way back.
        times = 1
        if not same_adjacencies(new, parents):
            times = move.steps[int(random.integers(len(move.steps)))]
        accepted = chain.move([self._family(node, new[node]) for node in changed], ratio, times)
        return tuple(new) if accepted else parents

    def _family(self, node: int, parents: tuple[int, ...]) -> tuple[int, list[int], Array]:
        """Return a family with its pseudo-counts, by configuration of parents and level."""
        if (node, parents) not in self._priors:
            found = self._pseudo_counts.family(node, parents).dirichlet
            self._priors[node, parents] = np.ascontiguousarray(found, dtype=np.float64).reshape(-1)
        return node, list(parents), self._priors[node, parents]

    def _size(self, node: int, parents: tuple[int, ...]) -> int:
        return math.prod(self._levels[member] for member in (*parents, node))

    def _log_prior(self, node: int, parents: tuple[int, ...]) -> float:
        return self._structure_prior.log_weight(node, list(parents), self._names)
