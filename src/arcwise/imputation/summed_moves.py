"""`SummedMoves`: changes edges of discrete tables, with the missing cells of families summed out.

Given a completed table, an edge is nearly certain or nearly impossible where the cells were
completed with or without it, so that drawing DAG and cells in turn hardly ever changes such an
edge. `pair_moves` changes edges with the cells of their ends summed out, in tables of any kind.
Here, where all is counts, the cells of all that the families hold are, new tables are proposed by
expected counts and several tried at once, and an edge may also be led to another end. Between
moves, all missing cells of a row are drawn together from their law (`summed_rows`), and tables from
theirs given these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data, DiscreteColumn, IncompleteData
from arcwise.families import Families
from arcwise.imputation.cell_blocks import CellBlocks
from arcwise.imputation.edge_changes import Parents, allowed, other_edge, other_end, reaches
from arcwise.imputation.summed_rows import Codes, RowCells, SummedRows
from arcwise.model import Question
from arcwise.parameters.conditionals import Conditionals, TableConditionals
from arcwise.parameters.dirichlet import Tables
from arcwise.scores.parametrization import ProbabilityTables

Array = NDArray[np.float64]

_TRIES = 4
_MOST_CELLS = 1 << 12
# Lines that a move may look at: with the cells of all that its families hold, and at least with
# those of the ends of edges. As many lines of different moves are kept at hand.
_MOST_LINES = 40_000
_MOST_LINES_OF_ENDS = 1_000_000
_MOST_KEPT = 2_000_000
_STEPS_OF_EXPECTATION = 3
# What of an expected count is added to counts: it is uncertain itself, and may be none at all.
_SHARES = (0.0, 0.3)
_MOVES_BETWEEN_DRAWS = 12


class _Tries(NamedTuple):
    """Tables of families that are tried, and the log of what each try is worth."""

    tables: list[Array]
    logs: Array


class SummedMoves:
    """Moves over DAGs and parameters of a discrete table, with its missing cells summed out.

    Parameters
    ----------
    data
        The table.
    question
        The model: score, prior and the families allowed.
    laws
        The laws of columns that are conditioned on.
    conditioned
        Which columns these are.
    """

    def __init__(
        self,
        data: IncompleteData,
        question: Question,
        laws: Conditionals,
        conditioned: frozenset[int],
    ) -> None:
        self._structure_prior = question.prior.terms(question.variables)
        self._families: Families = question.families
        self._names = question.variables
        table = data.table
        assert question.score is not None
        kind = question.score.parametrization(table)
        assert isinstance(kind, ProbabilityTables)
        assert kind.prior is not None
        # Rows of no weight leave the prior alone.
        self._pseudo_counts = Tables(Data(table.columns, np.zeros(table.rows)), kind.prior)
        self._priors: dict[tuple[int, tuple[int, ...]], Array] = {}
        self.levels = [
            column.size for column in table.columns if isinstance(column, DiscreteColumn)
        ]
        self._laws, self._conditioned = laws, conditioned
        self._intervened = table.intervened
        counts = np.bincount(data.cells[data.missing], minlength=data.count)
        self._lone = data.missing & (counts[np.maximum(data.cells, 0)] == 1)
        self._rows = RowCells(self._lone, self.levels)
        self._lines: dict[tuple[int, ...], RowCells] = {}
        self._sizes: dict[tuple[int, ...], int] = {}
        self._kept = 0

    @staticmethod
    def can_move(data: IncompleteData, question: Question) -> bool:
        """Return whether all columns are discrete, with tables that have a prior everywhere."""
        kind = None if question.score is None else question.score.parametrization(data.table)
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
        moves: Sequence[tuple[int, ...]],
        random: np.random.Generator,
    ) -> TableConditionals:
        """Move a DAG given a completed table, and draw the cells anew; return it with its tables.

        Parameters
        ----------
        parents
            The DAG.
        columns
            The completed columns, in which cells change.
        moves
            What is proposed, in turn: another edge between two variables or, of a variable and
            two others, that its edge to one of these leads to the other.
        random
            The source of random numbers.
        """
        state = _State(self, parents, columns, random)
        for first in range(0, len(moves), _MOVES_BETWEEN_DRAWS):
            for ends in moves[first : first + _MOVES_BETWEEN_DRAWS]:
                state.move(ends, random)
            if first + _MOVES_BETWEEN_DRAWS < len(moves):
                state.draw_cells(self._rows.lines(columns, random), random)
                state.draw_tables(random)
        state.draw_cells(self._rows.lines(columns, random), random)
        return state.conditionals()

    def left(self, blocks: CellBlocks) -> CellBlocks:
        """Return the blocks of cells that are not all drawn by a sweep."""
        return blocks if self._rows.are_too_many else blocks.copied()

    def lines_of(self, ends: tuple[int, ...], columns: Sequence[NDArray[Any]]) -> SummedRows:
        """Return the rows that lack one of some variables, with all levels of these."""
        if ends not in self._lines:
            self._kept += self.number_of_lines(ends)
            if self._kept > _MOST_KEPT:
                self._lines.clear()
                self._kept = self.number_of_lines(ends)
            members = list(ends)
            rows = np.flatnonzero(self._lone[:, members].any(axis=1))
            cells = np.zeros((len(rows), len(self.levels)), dtype=np.bool_)
            cells[:, members] = self._lone[rows][:, members]
            whole = math.prod(self.levels[member] for member in ends)
            self._lines[ends] = RowCells(
                cells, self.levels, rows=rows, most_of_a_row=whole, most_lines=whole * len(rows)
            )
        return self._lines[ends].lines(columns)

    def number_of_lines(self, scope: tuple[int, ...]) -> int:
        """Return how many lines there are at most if the cells of some variables are summed."""
        if scope not in self._sizes:
            lacking = int(self._lone[:, list(scope)].any(axis=1).sum())
            self._sizes[scope] = lacking * math.prod(self.levels[member] for member in scope)
        return self._sizes[scope]

    def prior(self, node: int, parents: tuple[int, ...]) -> Array:
        """Return the pseudo-counts of a family, as [configuration of parents, level]."""
        if (node, parents) not in self._priors:
            found = self._pseudo_counts.dirichlet(node, parents)
            self._priors[node, parents] = found.reshape(-1, self.levels[node])
        return self._priors[node, parents]

    def counts(
        self,
        node: int,
        parents: tuple[int, ...],
        columns: Sequence[NDArray[Any]],
        ends: tuple[int, ...] = (),
    ) -> Array:
        """Return the counts of a family, as [configuration of parents, level].

        Parameters
        ----------
        node, parents
            The family.
        columns
            The completed columns.
        ends
            Variables that must all be there in a row for it to count.
        """
        cells = self.cells(node, parents, columns)
        keep = None if self._intervened is None else ~self._intervened[:, node]
        if ends:
            there = ~self._lone[:, list(ends)].any(axis=1)
            keep = there if keep is None else keep & there
        size = self.cells_of(node, parents)
        found = np.bincount(cells if keep is None else cells[keep], minlength=size)
        return found.reshape(-1, self.levels[node]).astype(np.float64)

    def cells(self, node: int, parents: tuple[int, ...], codes: Sequence[NDArray[Any]]) -> Codes:
        """Return the cell of a family's table that each row or line has."""
        cells = np.zeros(len(codes[node]), dtype=np.int64)
        for member in (*parents, node):
            cells = cells * self.levels[member] + codes[member]
        return cells

    def cells_of(self, node: int, parents: tuple[int, ...]) -> int:
        """Return the number of cells of the table of a family."""
        return math.prod(self.levels[member] for member in (*parents, node))

    def log_prior(self, node: int, parents: tuple[int, ...]) -> float:
        """Return the log weight that the structure prior gives a family."""
        return self._structure_prior.log_weight(node, list(parents), self._names)

    def counted(self, node: int, rows: Codes) -> NDArray[np.bool_] | None:
        """Return in which rows a node's family counts; None for all."""
        if self._intervened is None or not self._intervened[:, node].any():
            return None
        return np.asarray(~self._intervened[rows, node])

    def is_conditioned(self, node: int) -> bool:
        """Return whether a node has no family."""
        return node in self._conditioned

    def law(self, node: int, codes: Sequence[Codes]) -> Array:
        """Return the log law of a node that is conditioned on, by line."""
        return self._laws.log_probability(node, codes)

    def allows(self, node: int, parents: tuple[int, ...]) -> bool:
        """Return whether a node may have these parents."""
        return allowed(self._families, node, parents)


class _State:
    """A DAG and its tables, beside the completed columns."""

    def __init__(
        self,
        model: SummedMoves,
        parents: Parents,
        columns: list[NDArray[Any]],
        random: np.random.Generator,
    ) -> None:
        self._model, self._columns = model, columns
        self._parents = list(parents)
        self._tables: dict[int, Array] = {}
        self.draw_tables(random)

    def draw_tables(self, random: np.random.Generator) -> None:
        """Draw all tables from their posterior given the completed columns."""
        for node, parents in enumerate(self._parents):
            if not self._model.is_conditioned(node):
                counts = self._model.counts(node, parents, self._columns)
                prior = self._model.prior(node, parents)
                self._tables[node] = _drawn((prior + counts)[np.newaxis], random)[0]

    def draw_cells(self, lines: SummedRows, random: np.random.Generator) -> None:
        """Draw a completion of every row, all its cells at once, into the columns."""
        total = np.zeros(len(lines.row_of))
        for node in range(len(self._parents)):
            total = total + self._log_of(node, self._parents[node], lines, self._tables.get(node))
        chosen = lines.drawn(total, random)
        rows = lines.row_of[chosen]
        for node, codes in enumerate(lines.codes):
            self._columns[node][rows] = codes[chosen]

    def conditionals(self) -> TableConditionals:
        """Return the DAG with its tables; those of conditioned nodes have nothing in them."""
        levels = self._model.levels
        tables = []
        for node, parents in enumerate(self._parents):
            shape = [levels[member] for member in (*parents, node)]
            own = self._tables.get(node, np.zeros(shape))
            tables.append(np.exp(own).reshape(shape))
        return TableConditionals(self._parents, tables)

    def move(self, ends: tuple[int, ...], random: np.random.Generator) -> bool:
        """Propose another edge between two nodes, or of one to two; return whether it was accepted.

        Tables are tried several times there and here, the table of now among the latter, and the
        sums of what they are worth are compared (multiple-try Metropolis; Liu, Liang and Wong
        2000).
        """
        model = self._model
        if len(ends) == 2:
            proposed: Parents | None = other_edge(self._parents, *ends, random)
        else:
            proposed = other_end(self._parents, ends[0], ends[1], ends[2], random)
        threshold = math.log(1.0 - random.random())
        if proposed is None or model.number_of_lines(ends) > _MOST_LINES_OF_ENDS:
            return False
        new = proposed
        changed = [node for node in ends if new[node] != self._parents[node]]
        for node in changed:
            if model.is_conditioned(node) or not model.allows(node, new[node]):
                return False
            # Symmetric: neither from nor to a table that is too large.
            cells = (model.cells_of(node, new[node]), model.cells_of(node, self._parents[node]))
            if max(cells) > _MOST_CELLS:
                return False
        if any(reaches(new, node, parent) for node in changed for parent in new[node]):
            return False
        # The cells of all that the families hold, the same on the way back.
        held = {*ends, *(u for node in changed for u in (*new[node], *self._parents[node]))}
        scope = tuple(sorted(held))
        if model.number_of_lines(scope) > _MOST_LINES:
            scope = ends
        lines = model.lines_of(scope, self._columns)
        rest = np.zeros(len(lines.row_of))
        for node, parents in enumerate(self._parents):
            # Families that hold nothing of it are the same in all lines of a row.
            if node not in changed and not {node, *parents}.isdisjoint(scope):
                rest = rest + self._log_of(node, parents, lines, self._tables.get(node))
        here = self._tries(scope, changed, self._parents, lines, rest, random, now=True)
        there = self._tries(scope, changed, new, lines, rest, random)
        if threshold >= _log_sum(there.logs) - _log_sum(here.logs):
            return False
        shares = np.exp(there.logs - there.logs.max()).cumsum()
        which = int(np.searchsorted(shares, random.random() * shares[-1]))
        total = rest
        for node, tables in zip(changed, there.tables, strict=True):
            self._parents[node], self._tables[node] = new[node], tables[which]
            total = total + self._log_of(node, new[node], lines, tables[which])
        if len(lines.row_of):
            chosen = lines.drawn(total, random)
            rows = lines.row_of[chosen]
            for node in scope:
                self._columns[node][rows] = lines.codes[node][chosen]
        return True

    def _tries(
        self,
        scope: tuple[int, ...],
        nodes: Sequence[int],
        parents: Parents,
        lines: SummedRows,
        rest: Array,
        random: np.random.Generator,
        *,
        now: bool = False,
    ) -> _Tries:
        """Return tables of nodes drawn from proposals that depend on other tables only, with worth.

        What a try is worth is the target over the density that it is drawn from. Every row of a
        table is drawn given the rows that have all of the scope or, as probable, with part of
        the counts besides that are expected in the others.

        Parameters
        ----------
        scope
            The variables whose cells are summed out.
        nodes, parents
            The nodes whose tables are tried, and the DAG.
        lines, rest
            The rows that lack something, and the log probability of their lines by the families of
            other nodes.
        random
            The source of random numbers.
        now
            Whether the first of the tables is to be that of now.
        """
        model = self._model
        worth = np.zeros(_TRIES)
        totals = np.broadcast_to(rest, (_TRIES, len(rest)))
        every = []
        known = [model.counts(node, parents[node], self._columns, scope) for node in nodes]
        further = self._expected(nodes, parents, known, lines, rest)
        for node, counts, expected in zip(nodes, known, further, strict=True):
            prior = model.prior(node, parents[node])
            parts = np.stack([prior + counts + share * expected for share in _SHARES])
            which = random.integers(len(parts), size=(_TRIES, len(prior)))
            tables = _drawn(parts[which, np.arange(len(prior))], random)
            if now:
                tables[0] = self._tables[node]
            worth += model.log_prior(node, parents[node])
            worth += _log_densities(prior, tables).sum(axis=-1) + (counts * tables).sum(axis=(1, 2))
            each = np.stack([_log_densities(part, tables) for part in parts])
            top = each.max(axis=0)
            worth -= (top + np.log(np.exp(each - top).mean(axis=0))).sum(axis=-1)
            totals = totals + self._log_of(node, parents[node], lines, tables)
            every.append(tables)
        return _Tries(every, worth + lines.log_sums(totals).sum(axis=1))

    def _expected(
        self,
        nodes: Sequence[int],
        parents: Parents,
        known: Sequence[Array],
        lines: SummedRows,
        rest: Array,
    ) -> list[Array]:
        """Return counts that are expected in the rows that lack something.

        Under tables that a few steps of expectation and maximisation find, from those given the
        other rows on.
        """
        model = self._model
        expected = [np.zeros_like(counts) for counts in known]
        if not len(rest):
            return expected
        cells = [model.cells(node, parents[node], lines.codes) for node in nodes]
        for _ in range(_STEPS_OF_EXPECTATION):
            total = rest
            for place, node in enumerate(nodes):
                means = model.prior(node, parents[node]) + known[place] + expected[place]
                logs = np.log(means / means.sum(axis=1, keepdims=True))
                total = total + self._log_of(node, parents[node], lines, logs)
            shares = lines.shares(total)
            for place, node in enumerate(nodes):
                counted = model.counted(node, lines.row_of)
                weights = shares if counted is None else np.where(counted, shares, 0.0)
                found = np.bincount(cells[place], weights, known[place].size)
                expected[place] = found.astype(np.float64).reshape(known[place].shape)
        return expected

    def _log_of(
        self, node: int, parents: tuple[int, ...], lines: SummedRows, table: Array | None
    ) -> Array:
        """Return the log probability of a node by line, given the logs of its table, or tables."""
        if table is None:
            return self._model.law(node, lines.codes)
        cells = self._model.cells(node, parents, lines.codes)
        logs: Array = table.reshape(*table.shape[:-2], -1)[..., cells]
        counted = self._model.counted(node, lines.row_of)
        return logs if counted is None else np.where(counted, logs, 0.0)


def _drawn(parameters: Array, random: np.random.Generator) -> Array:
    """Return the logs of Dirichlet draws, a row for each configuration of parents.

    A gamma variate of shape a is one of shape a + 1 times a uniform to the power 1/a, whose log
    does not underflow.
    """
    logs = np.log(random.standard_gamma(parameters + 1.0))
    logs += np.log(1.0 - random.random(parameters.shape)) / parameters
    logs -= logs.max(axis=-1, keepdims=True)
    return np.asarray(logs - np.log(np.exp(logs).sum(axis=-1, keepdims=True)))


def _log_sum(logs: Array) -> float:
    """Return the log of the sum of what these are logs of."""
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).sum()))


def _log_densities(parameters: Array, logs: Array) -> Array:
    """Return the log Dirichlet density of each row of tables, given as logs, as [..., row]."""
    gammas = np.array([math.lgamma(each) for each in parameters.reshape(-1).tolist()])
    totals = np.array([math.lgamma(each) for each in parameters.sum(axis=1).tolist()])
    constant = totals - gammas.reshape(parameters.shape).sum(axis=1)
    return np.asarray(constant + ((parameters - 1.0) * logs).sum(axis=-1))
