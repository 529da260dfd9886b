"""`SummedMoves`: moves over DAGs and parameters of discrete tables with missing cells summed out.

Given a completed table, an edge is nearly certain or nearly impossible where the cells were
completed with or without it, so that drawing DAG and cells in turn hardly ever changes such an
edge. Here, cells are not there at all: the target is

    p(G) p(θ | G) Π_rows p(what is there of the row | G, θ),

each factor a sum over the completions of a row (`summed_rows`). A move changes the families of one
or two nodes, with new tables from Dirichlet distributions whose parameters are

    prior + counts of rows that have the whole family + κ · expected counts of the others,

the expectations under tables that a few steps of expectation and maximisation find, given the
tables of all other nodes. They do not depend on the tables of the nodes that change, so that the
way back has the same ones, and Metropolis's ratio is known. Between moves, completions are drawn
from their law, and tables from theirs given these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data, DiscreteColumn, IncompleteData
from arcwise.families import Families
from arcwise.imputation.edge_changes import Parents, allowed, other_edge, reaches
from arcwise.imputation.summed_rows import Codes, RowCells, SummedRows
from arcwise.model import Question
from arcwise.parameters.conditionals import Conditionals, TableConditionals
from arcwise.parameters.dirichlet import Tables
from arcwise.scores.parametrization import ProbabilityTables

Array = NDArray[np.float64]

_STEPS_OF_EXPECTATION = 4
_TRIES = 4
# What an expected count is worth beside a count: it is uncertain itself, and may be none at all.
_WORTHS = (0.0, 0.3)
_MOST_CELLS = 1 << 12
_MOVES_BETWEEN_DRAWS = 8


class _Family(NamedTuple):
    """A family of a node: its parents, and which cell of its table each line has."""

    node: int
    parents: tuple[int, ...]
    cells: Codes
    prior: Array


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
        self._levels = [
            column.size for column in table.columns if isinstance(column, DiscreteColumn)
        ]
        self._laws, self._conditioned = laws, conditioned
        self._intervened = table.intervened
        counts = np.bincount(data.cells[data.missing], minlength=data.count)
        self._lone = data.missing & (counts[np.maximum(data.cells, 0)] == 1)
        self._cells = RowCells(self._lone, self._levels)

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
        pairs: Sequence[tuple[int, int]],
        random: np.random.Generator,
    ) -> TableConditionals:
        """Move a DAG given a completed table, and draw the cells anew; return it with its tables.

        Parameters
        ----------
        parents
            The DAG.
        columns
            The completed columns, in which cells change.
        pairs
            The pairs of variables between which another edge is proposed, in turn.
        random
            The source of random numbers.
        """
        state = _State(self, self._cells.lines(columns, random), parents, columns, random)
        for first in range(0, max(1, len(pairs)), _MOVES_BETWEEN_DRAWS):
            if first:
                state.draw_cells(columns, random)
                state.draw_tables(columns, random)
            for u, v in pairs[first : first + _MOVES_BETWEEN_DRAWS]:
                state.move(u, v, random)
        state.draw_cells(columns, random)
        return state.conditionals()

    def prior(self, node: int, parents: tuple[int, ...]) -> Array:
        """Return the pseudo-counts of a family, as [configuration of parents, level]."""
        if (node, parents) not in self._priors:
            found = self._pseudo_counts.dirichlet(node, parents)
            self._priors[node, parents] = found.reshape(-1, self._levels[node])
        return self._priors[node, parents]

    def cells_of(self, node: int, parents: tuple[int, ...]) -> int:
        """Return the number of cells of the table of a family."""
        return math.prod(self._levels[member] for member in (*parents, node))

    def log_prior(self, node: int, parents: tuple[int, ...]) -> float:
        """Return the log weight that the structure prior gives a family."""
        return self._structure_prior.log_weight(node, list(parents), self._names)

    def family(self, node: int, parents: tuple[int, ...], codes: Sequence[Codes]) -> _Family:
        """Return a family, with the cell of each line."""
        cells = np.zeros(len(codes[node]), dtype=np.int64)
        for member in (*parents, node):
            cells = cells * self._levels[member] + codes[member]
        return _Family(node, parents, cells, self.prior(node, parents))

    def counted(self, node: int, rows: Codes) -> NDArray[np.bool_] | None:
        """Return in which rows a node's family counts; None for all."""
        if self._intervened is None or not self._intervened[:, node].any():
            return None
        return np.asarray(~self._intervened[rows, node])

    def is_conditioned(self, node: int) -> bool:
        """Return whether a node has no family."""
        return node in self._conditioned

    def law(self, node: int, codes: Sequence[Codes]) -> Array | None:
        """Return the log law of a node that is conditioned on, by line, if it has cells here."""
        if not self._lone[:, node].any():
            return None
        return self._laws.log_probability(node, codes)

    def allows(self, node: int, parents: tuple[int, ...]) -> bool:
        """Return whether a node may have these parents, in a table that is not too large."""
        return allowed(self._families, node, parents)


class _State:
    """A DAG and its tables, with the probability of every line."""

    def __init__(
        self,
        model: SummedMoves,
        lines: SummedRows,
        parents: Parents,
        columns: Sequence[NDArray[Any]],
        random: np.random.Generator,
    ) -> None:
        self._model, self._lines = model, lines
        self._parents = list(parents)
        nodes = range(len(parents))
        self._nodes = [node for node in nodes if not model.is_conditioned(node)]
        self._counted = {node: model.counted(node, lines.row_of) for node in self._nodes}
        self._families = {v: model.family(v, parents[v], lines.codes) for v in self._nodes}
        self._constant = np.zeros(len(lines.row_of))
        for node in nodes:
            law = model.law(node, lines.codes) if model.is_conditioned(node) else None
            self._constant += 0.0 if law is None else law
        self._tables: dict[int, Array] = {}
        self._logs: dict[int, Array] = {}
        self.draw_tables(columns, random)

    def draw_tables(self, columns: Sequence[NDArray[Any]], random: np.random.Generator) -> None:
        """Draw all tables from their posterior given the completed columns."""
        rows = np.arange(len(columns[0]))
        for node in self._nodes:
            own = self._model.family(node, self._parents[node], columns)
            counted = self._model.counted(node, rows)
            cells = own.cells if counted is None else own.cells[counted]
            counts = np.bincount(cells, minlength=own.prior.size).reshape(own.prior.shape)
            self._set(self._families[node], _drawn(own.prior + counts, random))
        self._total = self._constant + sum(self._logs.values())
        self._sums = self._lines.log_sums(self._total)

    def draw_cells(self, columns: list[NDArray[Any]], random: np.random.Generator) -> None:
        """Draw a completion of every row, all its cells at once, into the columns."""
        chosen = self._lines.drawn(self._total, random)
        for node, codes in enumerate(self._lines.codes):
            columns[node][:] = codes[chosen]

    def conditionals(self) -> TableConditionals:
        """Return the DAG with its tables; those of conditioned nodes have nothing in them."""
        levels = [codes.max() + 1 for codes in self._lines.codes]
        tables = []
        for node, parents in enumerate(self._parents):
            if node not in self._tables:
                tables.append(np.ones(int(levels[node])))
                continue
            shape = [self._model._levels[member] for member in (*parents, node)]
            tables.append(np.exp(self._tables[node]).reshape(shape))
        return TableConditionals(self._parents, tables)

    def move(self, u: int, v: int, random: np.random.Generator) -> bool:
        """Propose another edge between two nodes; return whether it was accepted.

        Tables are tried several times there and here, the table of now among the latter, and the
        sums of what they are worth are compared (multiple-try Metropolis; Liu, Liang and Wong
        2000).
        """
        model = self._model
        new = other_edge(self._parents, u, v, random)
        threshold = math.log(1.0 - random.random())
        changed = [node for node in (u, v) if new[node] != self._parents[node]]
        if any(model.is_conditioned(node) for node in changed):
            return False
        for node in changed:
            if not model.allows(node, new[node]):
                return False
            # Symmetric: neither from nor to a table that is too large.
            cells = (model.cells_of(node, new[node]), model.cells_of(node, self._parents[node]))
            if max(cells) > _MOST_CELLS:
                return False
        if any(reaches(new, node, parent) for node in changed for parent in new[node]):
            return False
        rest = self._total - sum(self._logs[node] for node in changed)
        old = [self._families[node] for node in changed]
        then = [model.family(node, new[node], self._lines.codes) for node in changed]
        here = self._tries(rest, old, random, now=True)
        there = self._tries(rest, then, random)
        if threshold >= _log_mean(there.logs) - _log_mean(here.logs):
            return False
        logs = there.logs - there.logs.max()
        shares = np.exp(logs).cumsum()
        which = int(np.searchsorted(shares, random.random() * shares[-1]))
        for family, tables in zip(then, there.tables, strict=True):
            self._parents[family.node] = family.parents
            self._families[family.node] = family
            self._set(family, tables[which])
        self._total = rest + sum(self._logs[node] for node in changed)
        self._sums = self._lines.log_sums(self._total)
        return True

    def _tries(
        self,
        rest: Array,
        families: Sequence[_Family],
        random: np.random.Generator,
        *,
        now: bool = False,
    ) -> _Tries:
        """Return tables of families drawn from their proposals, with what each is worth.

        Parameters
        ----------
        rest
            The log probability of lines without these families.
        families
            The families.
        random
            The source of random numbers.
        now
            Whether the first is to be the table of now.
        """
        worth = np.full(_TRIES, sum(self._model.log_prior(f.node, f.parents) for f in families))
        totals = np.broadcast_to(rest, (_TRIES, len(rest)))
        every = []
        for family, proposal in zip(families, self._proposals(rest, families), strict=True):
            tables = _drawn_of_mixture(proposal, _TRIES, random)
            if now:
                tables[0] = self._tables[family.node]
            worth += _log_densities(family.prior, tables).sum(axis=-1)
            each = np.stack([_log_densities(part, tables) for part in proposal])
            top = each.max(axis=0)
            worth -= (top + np.log(np.exp(each - top).mean(axis=0))).sum(axis=-1)
            totals = totals + self._log_of(family, tables)
            every.append(tables)
        return _Tries(every, worth + self._lines.log_sums(totals).sum(axis=1))

    def _proposals(self, rest: Array, families: Sequence[_Family]) -> list[Array]:
        """Return the Dirichlet parameters that tables of families are proposed from.

        They depend on the other tables only, by the log probability `rest` of lines without these.
        """
        total = rest
        known: list[Array] = []
        expected: list[Array] = []
        for step in range(_STEPS_OF_EXPECTATION):
            shares = self._lines.shares(total, self._lines.log_sums(total))
            expected = [self._counts(family, shares) for family in families]
            if step == 0:
                known = [
                    self._counts(family, np.where(self._known(family), shares, 0.0))
                    for family in families
                ]
            if step < _STEPS_OF_EXPECTATION - 1:
                total = rest
                for family, counts in zip(families, expected, strict=True):
                    mean = family.prior + counts
                    mean = np.log(mean / mean.sum(axis=1, keepdims=True))
                    total = total + self._log_of(family, mean)
        return [
            np.stack([family.prior + certain + worth * (counts - certain) for worth in _WORTHS])
            for family, certain, counts in zip(families, known, expected, strict=True)
        ]

    def _known(self, family: _Family) -> NDArray[np.bool_]:
        return self._lines.are_known((*family.parents, family.node))

    def _counts(self, family: _Family, shares: Array) -> Array:
        counted = self._counted[family.node]
        weights = shares if counted is None else np.where(counted, shares, 0.0)
        counts = np.bincount(family.cells, weights=weights, minlength=family.prior.size)
        return counts.reshape(family.prior.shape)

    def _log_of(self, family: _Family, table: Array) -> Array:
        """Return the log probability of a node by line, given the logs of its table, or tables."""
        logs = table.reshape(*table.shape[:-2], -1)[..., family.cells]
        counted = self._counted[family.node]
        return logs if counted is None else np.where(counted, logs, 0.0)

    def _set(self, family: _Family, table: Array) -> None:
        self._tables[family.node] = table
        self._logs[family.node] = self._log_of(family, table)


def _drawn(parameters: Array, random: np.random.Generator) -> Array:
    """Return the logs of Dirichlet draws, a row for each configuration of parents.

    A gamma variate of shape a is one of shape a + 1 times a uniform to the power 1/a, whose log
    does not underflow.
    """
    logs = np.log(random.standard_gamma(parameters + 1.0))
    logs += np.log(1.0 - random.random(parameters.shape)) / parameters
    logs -= logs.max(axis=-1, keepdims=True)
    return np.asarray(logs - np.log(np.exp(logs).sum(axis=-1, keepdims=True)))


def _log_mean(logs: Array) -> float:
    """Return the log of the mean of what these are logs of, up to the number of them."""
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).sum()))


def _drawn_of_mixture(parts: Array, count: int, random: np.random.Generator) -> Array:
    """Return the logs of draws from mixtures of Dirichlet distributions, as [draw, row, level].

    Every row of a table is from one of the parts, each as probable, by itself.
    """
    which = random.integers(len(parts), size=(count, parts.shape[1]))
    return _drawn(parts[which, np.arange(parts.shape[1])], random)


def _log_densities(parameters: Array, logs: Array) -> Array:
    """Return the log density of each row of tables, given as logs, as [..., row]."""
    gammas = np.array([math.lgamma(each) for each in parameters.reshape(-1).tolist()])
    totals = np.array([math.lgamma(each) for each in parameters.sum(axis=1).tolist()])
    constant = totals - gammas.reshape(parameters.shape).sum(axis=1)
    return np.asarray(constant + ((parameters - 1.0) * logs).sum(axis=-1))
