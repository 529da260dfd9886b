"""Tables of probabilities, with the Dirichlet posterior of `BDeu` and `BDe`.

Given a DAG, the rows of all tables are independent, and each is Dirichlet with the pseudo-counts of
the score plus the counts of the data rows in which the node was not intervened on. Both are
marginal counts of one table over all variables, so that the mean probability of a level is the
ratio of the cell of the family to that of the parents.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.columns import Kind
from arcwise.data.profile import LawName
from arcwise.errors import CapacityError, DataError, option
from arcwise.laws.law import (
    Columns,
    FamilyPosterior,
    FamilyPosteriors,
    Law,
    Parameters,
    configuration_numbers,
    looked_up,
)
from arcwise.support.arrays import logarithms, row_numbers

Array = NDArray[np.float64]
Codes = NDArray[np.uint16]

MAX_CELLS = 4_000_000
# Up to this many cells are counted in a dense array; otherwise only those that occur.
_DENSE = 1 << 20


@dataclass(frozen=True, eq=False)
class DirichletPrior:
    """Pseudo-counts of all tables: marginals of one distribution of imaginary rows.

    Parameters
    ----------
    equivalent_sample_size
        The number of imaginary rows.
    marginals
        The distribution of each variable, if they are independent; None for uniform ones.
    joint
        Rows of codes and their probabilities, if the variables are not independent.

    Examples
    --------
    >>> DirichletPrior(10.0).marginals is None
    True
    """

    equivalent_sample_size: float
    marginals: Sequence[Sequence[float]] | None = None
    joint: tuple[NDArray[np.uint16], NDArray[np.float64]] | None = None


@dataclass(frozen=True, eq=False)
class ProbabilityTables(Law):
    """A table of probabilities for each family of discrete variables.

    Parameters
    ----------
    prior
        The prior of the tables; None for a score without one.

    Examples
    --------
    >>> ProbabilityTables(DirichletPrior(1.0)).has_prior
    True
    """

    has_means: ClassVar[bool] = True
    kind: ClassVar[LawName] = "discrete"

    prior: DirichletPrior | None

    @property
    def has_prior(self) -> bool:
        """Whether the tables have a prior."""
        return self.prior is not None

    def allows(self, child: Kind, parent: Kind) -> bool:
        """Return whether both are discrete."""
        return child.size > 0 and parent.size > 0

    def given(self, data: Data) -> TablePosteriors:
        """Return the posterior of all tables."""
        codes = data.discrete_codes("a table of probabilities")  # refuses continuous columns
        return TablePosteriors(self, data, codes=codes)


class TablePosteriors(FamilyPosteriors):
    """The Dirichlet posteriors of all families of discrete variables."""

    def __init__(
        self, law: Law, data: Data, prior: DirichletPrior | None = None, codes: Codes | None = None
    ) -> None:
        super().__init__(law, data)
        if prior is None:
            assert isinstance(law, ProbabilityTables)
            prior = law.prior
        assert prior is not None
        self.prior = prior
        self._codes = data.codes() if codes is None else codes
        weights = np.ones(data.rows) if data.weights is None else data.weights
        self._weights = weights[: len(self._codes)]

    @cached_property
    def without_rows(self) -> TablePosteriors:
        """The posteriors given no rows: the pseudo-counts alone."""
        return TablePosteriors(self.law, self.data, self.prior, self._codes[:0])

    def family(self, node: int, parents: tuple[int, ...]) -> TablePosterior:
        """Compute the posterior of one family."""
        return TablePosterior(self, node, parents)

    def cells(self, node: int, members: tuple[int, ...], asked: Codes) -> Array:
        """Return pseudo-count plus count of the requested cells, each a row of levels."""
        chosen, intervened = list(members), self.data.intervened
        counted = slice(None) if intervened is None else ~intervened[: len(self._codes), node]
        levels = [self.levels[member] for member in members]
        counts = matching_totals(
            self._codes[counted][:, chosen], self._weights[counted], asked, levels
        )
        return self.pseudo_counts(members, asked) + counts

    def pseudo_counts(self, members: tuple[int, ...], asked: Codes) -> Array | float:
        """Return the pseudo-counts of the requested cells; one number if they are the same."""
        levels = [self.levels[member] for member in members]
        strength = self.prior.equivalent_sample_size
        if self.prior.joint is not None:
            codes, probabilities = self.prior.joint
            return strength * matching_totals(codes[:, list(members)], probabilities, asked, levels)
        if self.prior.marginals is None:
            return strength / math.prod(levels)
        share = np.ones(len(asked))
        for place, member in enumerate(members):
            share *= np.array(self.prior.marginals[member])[asked[:, place]]
        return strength * share


class TablePosterior(FamilyPosterior):
    """The Dirichlet posterior of the table of one node given its parents."""

    def __init__(self, of: TablePosteriors, node: int, parents: tuple[int, ...]) -> None:
        self._of, self.node, self.parents = of, node, parents
        self.sizes = tuple(of.levels[member] for member in parents)

    @cached_property
    def numbers(self) -> int:
        """The number of cells."""
        return math.prod(self.sizes) * self._of.levels[self.node]

    @cached_property
    def dirichlet(self) -> Array:
        """The Dirichlet parameters, as [*parents, level].

        For a parent configuration to which the prior gives probability zero, and so no
        distribution, every level has the parameter 1.
        """
        members, shape = (*self.parents, self.node), (*self.sizes, self._of.levels[self.node])
        if math.prod(shape) > MAX_CELLS:
            raise CapacityError(
                f"the table of {self._of.variables[self.node]!r} given {len(self.parents)} parents "
                f"has {math.prod(shape)} cells, but at most {MAX_CELLS} are allowed; merge levels "
                "or lower ",
                option("max_indegree"),
            )
        every = np.indices(shape, dtype=np.uint16).reshape(len(shape), -1).T
        table = self._of.cells(self.node, members, every).reshape(shape)
        table[table.sum(axis=-1) == 0] = 1.0
        return table

    def drawn(self, count: int, random: np.random.Generator) -> TableParameters:
        """Draw tables."""
        return self._parameters(drawn_tables(self.dirichlet, count, random))

    def mean(self) -> TableParameters:
        """Return the mean table."""
        return self._parameters(self._mean[np.newaxis])

    @cached_property
    def _mean(self) -> Array:
        table: Array = self.dirichlet / self.dirichlet.sum(axis=-1, keepdims=True)
        return table

    def _parameters(self, tables: Array) -> TableParameters:
        return TableParameters(self.node, self.parents, self.sizes, tables)

    def log_marginal(self) -> float:
        """Return the log marginal likelihood, from the cells that occur."""
        before = TablePosterior(self._of.without_rows, self.node, self.parents)
        return before.log_joint_predictive(self._of.data)

    def log_predictive(self, columns: Columns) -> Array:
        """Return the log probability of the node's level in each row."""
        members = (*self.parents, self.node)
        family = self._possible(members, _asked(columns, members))
        found: Array = np.log(
            family / self._of.cells(self.node, self.parents, _asked(columns, self.parents, family))
        )
        return found

    def log_mean(self, columns: Columns) -> Array:
        """Return the log of the mean probability of the node's level in each row.

        As in `dirichlet`, levels are equally probable if the prior gives the parents' configuration
        probability zero.
        """
        members = (*self.parents, self.node)
        asked = _asked(columns, members)
        above = self._of.cells(self.node, self.parents, asked[:, :-1])
        family = self._of.cells(self.node, members, asked)
        levels = self._of.levels[self.node]
        with np.errstate(divide="ignore"):
            found: Array = np.log(
                np.where(above > 0, family, 1.0) / np.where(above > 0, above, levels)
            )
        return found

    def scaled_factor(
        self, columns: Columns, scope: tuple[int, ...], sizes: Sequence[int]
    ) -> tuple[Array, Array]:
        """Return mean probabilities at the known values of each row, and logs of their scales."""
        members = (*self.parents, self.node)
        given = [axis for axis, member in enumerate(members) if member not in scope]
        rest = [axis for axis, member in enumerate(members) if member in scope]
        table, rows = self._mean.transpose(*given, *rest), len(columns[self.node])
        if given:
            known = tuple(columns[members[axis]].astype(np.int64) for axis in given)
            factor: Array = table[known]
        else:
            factor = np.broadcast_to(table, (rows, *table.shape))
        # Products of many small numbers would underflow.
        highest = factor.reshape(rows, -1).max(axis=1)
        highest = np.where(highest > 0, highest, 1.0)
        return factor / highest.reshape(-1, *[1] * len(scope)), np.log(highest)

    def log_joint_predictive(self, new: Data, after: FamilyPosterior | None = None) -> float:
        """Return the joint log probability of the node in all new rows, from their cells."""
        counted = np.ones(new.rows, dtype=np.bool_)
        if new.intervened is not None:
            counted = ~new.intervened[:, self.node]
        rows = new.codes()[counted]
        weights = np.ones(new.rows) if new.weights is None else new.weights
        total = 0.0
        for members, sign in (((*self.parents, self.node), 1.0), (self.parents, -1.0)):
            levels = [self._of.levels[member] for member in members]
            asked = rows[:, list(members)]
            number, _ = row_numbers(asked, levels, _DENSE)
            _, first, cell = np.unique(number, return_index=True, return_inverse=True)
            before = self._possible(members, asked[first])
            grown = before + np.bincount(cell.reshape(-1), weights[counted], len(first))
            steps = zip(grown.tolist(), before.tolist(), strict=True)
            total += sign * math.fsum(math.lgamma(a) - math.lgamma(b) for a, b in steps)
        return total

    def _possible(self, members: tuple[int, ...], asked: Codes) -> Array:
        found = self._of.cells(self.node, members, asked)
        if not (found > 0).all():
            raise DataError(
                "the prior of the score gives probability zero to a configuration that occurs "
                "in new_data; give every configuration that can occur a positive probability"
            )
        return found


@dataclass(frozen=True, eq=False)
class TableParameters(Parameters):
    """Tables of probabilities of one family, as [draw, *parents, level]."""

    arrays: ClassVar[tuple[str, ...]] = ("table",)

    node: int
    parents: tuple[int, ...]
    sizes: tuple[int, ...]
    table: Array

    @cached_property
    def _logs(self) -> Array:
        """Logs of the probabilities, as [draw, cell]; subnormal ones count as 0."""
        tiny = self.table < np.finfo(np.float64).tiny
        return logarithms(np.where(tiny, 0.0, self.table)).reshape(self.count, -1)

    def log_density(self, columns: Columns) -> Array:
        """Return the log probability of the node's levels."""
        members, sizes = (*self.parents, self.node), (*self.sizes, self.table.shape[-1])
        which = configuration_numbers(columns, members, sizes)
        return looked_up(self._logs, which)

    def expected(self, columns: Columns, rows: int) -> Array:
        """Return the probability of each level."""
        which = configuration_numbers(columns, self.parents, self.sizes, rows)
        return looked_up(self.table.reshape(self.count, -1, self.table.shape[-1]), which)

    def sample(self, columns: Columns, rows: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Draw levels by their cumulative probabilities."""
        which = configuration_numbers(columns, self.parents, self.sizes, rows)
        uniform = random.random((self.count, rows))
        codes = np.zeros(uniform.shape, dtype=np.int64)
        for level in range(self.table.shape[-1] - 1):
            codes += uniform >= looked_up(self._reached[..., level], which)
        return codes

    @cached_property
    def _reached(self) -> Array:
        """Cumulative probabilities, as [draw, configuration, level]."""
        reached = np.cumsum(self.table.reshape(self.count, -1, self.table.shape[-1]), axis=-1)
        # Division by the last sum makes the last possible level reach exactly 1, so that rounding
        # cannot make an impossible level after it be drawn.
        return np.asarray(reached / reached[..., -1:])


def matching_totals(known: Codes, weights: Array, asked: Codes, levels: Sequence[int]) -> Array:
    """Return the total weight of the known rows that equal each requested row."""
    number, bound = row_numbers(np.concatenate([known, asked]), levels, _DENSE)
    totals = np.bincount(number[: len(known)], weights=weights, minlength=bound)
    return np.asarray(totals[number[len(known) :]], dtype=np.float64)


def drawn_tables(parameters: Array, count: int, random: np.random.Generator) -> Array:
    """Draw tables from Dirichlet distributions, as [draw, ...].

    Gamma variates of tiny shape underflow, possibly a whole row at once, so their logs are
    drawn: a variate of shape a is one of shape a + 1 times a uniform to the power 1/a.
    """
    shape = (count, *parameters.shape)
    logs = np.log(random.standard_gamma(parameters + 1.0, shape))
    uniform = 1.0 - random.random(shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs += np.where(parameters > 0, np.log(uniform) / parameters, -np.inf)
    logs -= logs.max(axis=-1, keepdims=True)
    drawn = np.exp(logs)
    drawn /= drawn.sum(axis=-1, keepdims=True)
    return drawn


def _asked(columns: Columns, members: tuple[int, ...], like: Array | None = None) -> Codes:
    """Return the codes of some variables, as [row, variable]."""
    rows = len(like) if like is not None else len(columns[members[-1]])
    found = np.empty((rows, len(members)), dtype=np.uint16)
    for place, member in enumerate(members):
        found[:, place] = columns[member]
    return found
