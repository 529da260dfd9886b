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
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data, IncompleteData
from arcwise.families import Families
from arcwise.imputation.cells import NormalLaw, drawn_levels, normal_law, rows_that_count
from arcwise.imputation.proposals import (
    Parents,
    Proposal,
    allowed,
    other_edge,
    reaches,
    same_adjacencies,
)
from arcwise.laws import ProbabilityTables
from arcwise.model import Question
from arcwise.parameters.conditionals import Conditionals, draw_conditionals
from arcwise.support.arrays import logarithms, relative_weights
from arcwise.support.running import running

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


# --- Pair moves -----------------------------------------------------------------------------------

# `PairMoves`: changes the edge between two variables together with their missing cells.
#
# Given a completed table, an edge is nearly certain or nearly impossible where the cells were
# completed with or without it; a chain that draws DAG and cells in turn hardly ever changes such
# an edge. Here the edge between u and v is proposed to be another one (none, forward, backward),
# with
#
#     new parameters of the families that change, drawn from their posterior given the rows R in
#     which u and v are observed, and
#     new cells of u and v, drawn given everything else.
#
# With the cells of u and v summed (or integrated) out, row by row, the proposal is accepted with
# probability
#
#     min(1,  p(G') m_R(G') Π_i L_i(G', θ')  /  (p(G) m_R(G) Π_i L_i(G, θ)) ),
#
# where m_R is the marginal likelihood of the families that change, from the rows R alone, and L_i
# the likelihood of a row i outside R. For the density of θ' is p(θ'|G') Π_R p(row|θ') / m_R(G'),
# of which all but m_R cancels against the target. Other cells, and cells with copies, stay as
# they are.


_FEWEST_ROWS = 2


class _Gaps(NamedTuple):
    """Two variables, the rows in which one of them has a cell to draw, and all columns."""

    u: int
    v: int
    rows: NDArray[np.int64]
    columns: list[NDArray[Any]]

    def of(self, rows: NDArray[np.bool_]) -> _Gaps:
        """Return the same in some of the rows."""
        return self._replace(rows=self.rows[rows])


class _Local(NamedTuple):
    """The likelihood of rows with the cells of two variables summed out, and how to draw them."""

    log_likelihood: float
    logs: Array
    levels: list[dict[int, int]]


class PairMoves:
    """Moves that change the edge between two variables and their missing cells."""

    def __init__(
        self, data: IncompleteData, question: Question, threads: int | None = None
    ) -> None:
        assert question.score is not None
        self._data = data
        self._score, self._prior = question.score, question.prior.terms(question.variables)
        self._families = question.families
        self._threads = threads
        counts = np.bincount(data.cells[data.missing], minlength=data.count)
        self._lone = data.missing & (counts[np.maximum(data.cells, 0)] == 1)
        self._sizes = [column.size for column in data.table.columns]
        self._intervened = data.table.intervened

    @property
    def incomplete(self) -> NDArray[np.bool_]:
        """Which variables have cells that these moves draw."""
        return np.asarray(self._lone.any(axis=0))

    def move(
        self,
        u: int,
        v: int,
        columns: list[NDArray[Any]],
        conditionals: Conditionals,
        random: np.random.Generator,
    ) -> Conditionals | None:
        """Propose another edge between two variables; return what it leads to, or None."""
        parents = conditionals.parents
        proposed = other_edge(parents, u, v, random)
        threshold = math.log(1.0 - random.random())
        changed = [node for node in (u, v) if proposed[node] != parents[node]]
        if not all(allowed(self._families, node, proposed[node]) for node in changed):
            return None
        if any(reaches(proposed, node, parent) for node in changed for parent in proposed[node]):
            return None
        rows = np.flatnonzero(self._lone[:, u] | self._lone[:, v])
        if self._data.rows - len(rows) < _FEWEST_ROWS:
            return None
        table = self._data.with_columns(columns)
        keep = np.ones(self._data.rows, dtype=np.bool_)
        keep[rows] = False
        known = table.take_rows(keep)
        ratio = self._log_ratio(known, changed, parents, proposed)
        drawn = draw_conditionals(proposed, known, self._score, random, changed)
        after = conditionals.with_families(drawn)
        gaps = _Gaps(u, v, rows, columns)
        there = self._local(after, gaps)
        ratio += there.log_likelihood - self._local(conditionals, gaps).log_likelihood
        if threshold >= ratio:
            return None
        self._draw(after, gaps, there, random)
        return after

    def _log_ratio(self, known: Data, changed: Sequence[int], old: Parents, new: Parents) -> float:
        """Return the log ratio of p(G) m_R(G), the new to the old."""
        nodes = range(len(old))
        common = [sorted(set(old[v]) & set(new[v])) if v in changed else [] for v in nodes]
        other = [sorted(set(old[v]) ^ set(new[v])) for v in nodes]
        table = _core.FamilyTable(other, common, [len(each) for each in other])
        with running(self._threads, None, "") as run:
            self._score.fill(known, table, run)
        total = 0.0
        names = known.variables
        for node in changed:
            for sign, of_node in ((-1.0, old[node]), (1.0, new[node])):
                value = float(table.values(node)[table.find(node, list(of_node))])
                prior = self._prior.log_weight(node, list(of_node), names)
                total += sign * (value + prior)
        return total

    def _local(self, conditionals: Conditionals, gaps: _Gaps) -> _Local:
        """Return the likelihood of rows with the cells of both summed or integrated out.

        Levels of discrete cells are taken in turn; a row in which the value is there counts with
        that one only.
        """
        rows, columns = gaps.rows, gaps.columns
        discrete = [w for w in gaps[:2] if self._sizes[w] and self._lone[:, w].any()]
        levels = [
            dict(zip(discrete, each, strict=True))
            for each in product(*(range(self._sizes[w]) for w in discrete))
        ]
        logs = np.full((len(rows), len(levels)), -np.inf)
        for place, given in enumerate(levels):
            possible = np.ones(len(rows), dtype=np.bool_)
            for w, level in given.items():
                possible &= self._lone[rows, w] | (columns[w][rows] == level)
            if possible.any():
                law = self._law(conditionals, gaps.of(possible), given)
                logs[possible, place] = law.log_integral()
        if not len(rows):
            return _Local(0.0, logs, levels)
        top = logs.max(axis=1)
        weights = relative_weights(logs - top[:, np.newaxis], 0.0)
        sums = top + logarithms(weights.sum(axis=1))
        return _Local(float(sums.sum()), logs, levels)

    def _law(self, conditionals: Conditionals, gaps: _Gaps, given: dict[int, int]) -> NormalLaw:
        """Return the law of the continuous cells of both, given levels of the discrete ones."""
        u, v, rows, columns = gaps
        parents = conditionals.parents
        around = [
            node
            for node, members in enumerate(parents)
            if node in (u, v) or u in members or v in members
        ]
        needed = {w for node in around for w in (node, *parents[node])}
        nothing = np.empty(len(rows))
        chosen = [column[rows] if w in needed else nothing for w, column in enumerate(columns)]
        places = np.full((len(rows), len(columns)), -1, dtype=np.int64)
        width = 0
        for w in (u, v):
            missing = self._lone[rows, w]
            if w in given:
                chosen[w] = np.full(len(rows), given[w], dtype=np.int64)
            elif not self._sizes[w] and missing.any():
                chosen[w] = np.where(missing, 0.0, chosen[w])
                places[missing, w] = width
                width += 1
        return normal_law(
            conditionals,
            around,
            chosen,
            places,
            width,
            lambda node: rows_that_count(self._intervened, node, rows),
        )

    def _draw(
        self, conditionals: Conditionals, gaps: _Gaps, local: _Local, random: np.random.Generator
    ) -> None:
        """Draw the cells of both variables into the columns."""
        if not len(gaps.rows):
            return
        which = drawn_levels(local.logs, random)
        continuous = [w for w in gaps[:2] if not self._sizes[w]]
        for place, given in enumerate(local.levels):
            some = gaps.of(which == place)
            if not len(some.rows):
                continue
            if continuous:
                drawn = self._law(conditionals, some, given).draw(random)
                column = 0
                for w in continuous:
                    missing = self._lone[some.rows, w]
                    if missing.any():
                        gaps.columns[w][some.rows[missing]] = drawn[missing, column]
                        column += 1
            for w, level in given.items():
                gaps.columns[w][some.rows[self._lone[some.rows, w]]] = level
