"""`FamilyWeigher`: computes the log weights of arbitrary families, for choosing candidates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.families.families import parent_matrix
from arcwise.families.functions import parent_names
from arcwise.model import Model, Question
from arcwise.priors import PriorTerms
from arcwise.scores import FamilyScores, LocalScore
from arcwise.support.running import Stage

Table = _core.FamilyTable | _core.PlusOneTable
Fill = Callable[[Any, Stage], None]


class Joined(NamedTuple):
    """The families of a node that have all required parents and one of the others.

    To these, up to a number of candidates are added.
    """

    candidates: list[int]
    required: list[int]
    others: list[int]
    most: int


@dataclass(frozen=True, eq=False)
class FamilyWeigher:
    """The allowed and required edges, and the log weights of families.

    Parameters
    ----------
    variables
        The names of the nodes.
    data, score
        The data and their score, or None if there are only scores.
    allowed, required
        Matrices [parent, node] of the allowed and the required edges.
    max_indegree
        For each node the maximum number of parents.
    fill
        Sets the values of a table to the scores of its families.
    prior
        The prior, whose log weights are added to the scores.
    """

    variables: tuple[str, ...]
    data: Data | None
    score: LocalScore | None
    allowed: NDArray[np.bool_]
    required: NDArray[np.bool_]
    max_indegree: NDArray[np.int64]
    fill: Fill
    prior: PriorTerms

    @classmethod
    def of(cls, asked: Model | Question) -> FamilyWeigher:
        """Return the weigher for the families of a model or of a question."""
        if isinstance(asked, Model):
            return cls._of_model(asked)
        if asked.precomputed is not None:
            return cls._of_model(Model(asked))
        resolved = asked.constraints.resolve(asked.variables)
        return cls(
            asked.variables,
            asked.table,
            asked.score,
            resolved.allowed,
            resolved.required,
            resolved.max_indegree,
            asked.scoring.fill,
            asked.prior.terms(asked.variables),
        )

    @classmethod
    def _of_model(cls, model: Model) -> FamilyWeigher:
        """Return the weigher for a model, whose candidates bound those chosen here."""
        table, nodes = model.scores.table, range(len(model.variables))
        required = parent_matrix([table.required(node) for node in nodes])
        allowed = parent_matrix([table.candidates(node) for node in nodes]) | required
        max_indegree = np.full(len(nodes), len(nodes) - 1, dtype=np.int64)
        for node in nodes:
            if not table.listed(node):
                max_indegree[node] = table.max_free(node) + len(table.required(node))
        fill: Fill = partial(_look_up, model.scores)
        if model.data is not None:
            fill = model.question.scoring.fill
        prior = model.prior_terms
        table_and_score = (model.data, model.score)
        return cls(model.variables, *table_and_score, allowed, required, max_indegree, fill, prior)

    def weigh(self, table: Table, run: Stage) -> None:
        """Set every value of the table to the log weight of its family: score plus log prior."""
        self.fill(table, run)
        if self.prior.functions or isinstance(table, _core.PlusOneTable):
            self._add_prior_by_family(table)
        else:
            table.add_prior(self.prior.constant, self.prior.size, self.prior.edge)

    def _add_prior_by_family(self, table: Table) -> None:
        terms = self.prior
        flat_prior = not (terms.size.any() or terms.edge.any() or terms.functions)
        for node in range(len(self.variables)):
            values = table.values(node)
            if flat_prior or not len(values):
                values += terms.constant[node]
                continue
            flat, offsets = table.parent_sets(node)
            bounds = offsets.astype(np.int64)
            sizes = bounds[1:] - bounds[:-1]
            values += terms.constant[node] + terms.size[node, sizes]
            which = np.repeat(np.arange(len(sizes)), sizes)
            values += np.bincount(which, terms.edge[flat, node], len(sizes))
            if terms.functions:
                named = parent_names(cast(_core.FamilyTable, table), node, self.variables)
                for family, parents in enumerate(named):
                    values[family] += terms.log_weight_by_functions(self.variables[node], parents)

    def weighed(self, some: Mapping[int, Joined], run: Stage) -> _core.PlusOneTable:
        """Return the log weights of families of some nodes."""
        nothing = Joined([], [], [], 0)
        nodes = [some.get(node, nothing) for node in range(len(self.variables))]
        table = _core.PlusOneTable(
            [each.candidates for each in nodes],
            [sorted(each.required) for each in nodes],
            [each.others for each in nodes],
            [each.most for each in nodes],
        )
        self.weigh(table, run)
        return table

    def free(self, node: int) -> list[int]:
        """Return the optional parents of a node, ascending."""
        free: list[int] = np.flatnonzero(self.allowed[:, node] & ~self.required[:, node]).tolist()
        return free

    def must(self, node: int) -> list[int]:
        """Return the required parents of a node, ascending."""
        required: list[int] = np.flatnonzero(self.required[:, node]).tolist()
        return required

    def single_parents(self, run: Stage) -> NDArray[np.float64]:
        """Return the log weights of families with a single parent besides the required ones."""
        run.deadline.check()
        n = len(self.variables)
        free = [self.free(node) for node in range(n)]
        some = {v: Joined([], self.must(v), free[v], 0) for v in range(n)}
        table = self.weighed(some, run)
        weights = np.full((n, n), -np.inf)
        for node in range(n):
            weights[free[node], node] = table.values(node)
        return weights

    def room(self, node: int) -> int:
        """Return how many optional parents a node may have."""
        return int(self.max_indegree[node]) - len(self.must(node))


def _look_up(scores: FamilyScores, table: Table, run: Stage) -> None:
    """Look up precomputed scores; families without one have minus infinity."""
    for node in range(len(scores.variables)):
        values = table.values(node)
        flat, offsets = table.parent_sets(node)
        known = scores.table.values(node)
        members, bounds = flat.tolist(), offsets.tolist()
        for family in range(len(values)):
            place = scores.table.find(node, members[bounds[family] : bounds[family + 1]])
            values[family] = -np.inf if place < 0 else known[place]
