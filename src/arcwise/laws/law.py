"""The law of a node given its parents, and the posterior of its parameters.

A *law* determines which children can have which parents, and has a prior on the parameters of every
family. Given data it has a *posterior* of each family, from which parameters are *drawn*. Three
methods of drawn parameters suffice for all results: the log density of the child's values given its
parents', values drawn from it, and its expectation. Some laws have more: mean parameters,
predictive densities in closed form, or one of the two kinds of parameters for which effects and
predictions have closed forms, `TableParameters` and `RegressionParameters`.

Values are given as *columns*: for each variable an array of codes of levels, or of numbers, as
[row] if all draws of the parameters share them and otherwise as [draw, row].
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.columns import Kind
from arcwise.data.profile import LawName

Array = NDArray[np.float64]
Columns: TypeAlias = Sequence[NDArray[Any]] | Mapping[int, NDArray[Any]] | NDArray[Any]
Family: TypeAlias = tuple[int, tuple[int, ...]]
"""A node and its parents, as positions in the table."""

# The draws, and their seed, for predictive densities without a closed form.
_DRAWS, _SEED = 1_000, 20_240


class Law(ABC):
    """The kind of parameters of every family, and their prior, if the score has one."""

    kind: ClassVar[LawName]
    """The kind of its columns, by which results are judged."""

    all_numbers: ClassVar[bool] = False
    """Whether columns of integers are treated as continuous."""

    has_means: ClassVar[bool] = False
    """Whether families have mean parameters; see `FamilyPosterior.mean`."""

    @property
    @abstractmethod
    def has_prior(self) -> bool:
        """Whether the parameters have a prior, and so a posterior."""

    @abstractmethod
    def allows(self, child: Kind, parent: Kind) -> bool:
        """Return whether a child of one kind can have a parent of another kind."""

    @abstractmethod
    def given(self, data: Data) -> FamilyPosteriors:
        """Return the posterior of the parameters of every family."""


class FamilyPosteriors(ABC):
    """The posterior of the parameters of every family, given data."""

    def __init__(self, law: Law, data: Data) -> None:
        self.law, self.data = law, data
        self.variables = data.variables
        self.levels: list[int] = [0] * len(data.columns)
        if not law.all_numbers:
            self.levels = [column.size for column in data.columns]
        self._families: dict[Family, FamilyPosterior] = {}

    @property
    def continuous(self) -> tuple[int, ...]:
        """The continuous variables."""
        return tuple(node for node, levels in enumerate(self.levels) if not levels)

    @property
    def origin(self) -> Array:
        """For each variable a value near its values, relative to which numbers may be computed."""
        return np.zeros(len(self.levels))

    def is_discrete(self, node: int) -> bool:
        """Return whether a variable is discrete."""
        return self.levels[node] > 0

    def of(self, node: int, parents: tuple[int, ...]) -> FamilyPosterior:
        """Return the posterior of the parameters of one family."""
        if (node, parents) not in self._families:
            self._families[node, parents] = self.family(node, parents)
        return self._families[node, parents]

    def every(self, node: int, parents: Sequence[tuple[int, ...]]) -> list[FamilyPosterior]:
        """Return the posteriors of some families of a node."""
        return [self.of(node, members) for members in parents]

    @abstractmethod
    def family(self, node: int, parents: tuple[int, ...]) -> FamilyPosterior:
        """Compute the posterior of the parameters of one family."""

    def columns(self, data: Data) -> list[NDArray[Any]]:
        """Return the columns of a table with the same variables."""
        if self.law.all_numbers:
            return list(data.continuous_values("the law").T)
        return [column.computable() for column in data.columns]

    @cached_property
    def without_rows(self) -> FamilyPosteriors:
        """The posteriors given no rows: the prior alone."""
        return self.law.given(Data(self.data.columns, np.zeros(self.data.rows)))

    def log_marginals(
        self, parents: tuple[int, ...], children: Sequence[int] | None = None
    ) -> Array:
        """Return the log marginal likelihoods of some nodes, or of all, as children of parents.

        They are minus infinity for the parents themselves, and for children that cannot have these
        parents.
        """
        wanted = range(len(self.levels)) if children is None else children
        found, kinds = np.full(len(wanted), -np.inf), [each.kind for each in self.data.columns]
        for place, node in enumerate(wanted):
            if node not in parents and all(
                self.law.allows(kinds[node], kinds[each]) for each in parents
            ):
                found[place] = self.of(node, parents).log_marginal()
        return found

    def log_predictives(
        self, node: int, parents: Sequence[tuple[int, ...]], new: Data, rows: NDArray[np.bool_]
    ) -> Array:
        """Return the log density of a node in some new rows by parent set, [parent set, row]."""
        columns = [column[rows] for column in self.columns(new)]
        return np.stack([each.log_predictive(columns) for each in self.every(node, parents)])

    def joint_log_predictives(
        self, node: int, parents: Sequence[tuple[int, ...]], new: Data, after: FamilyPosteriors
    ) -> Array:
        """Return the joint log density of a node in all new rows by parent set.

        `after` is the posterior given the data and the new rows.
        """
        both = zip(self.every(node, parents), after.every(node, parents), strict=True)
        return np.array([before.log_joint_predictive(new, each) for before, each in both])


class FamilyPosterior(ABC):
    """The posterior of the parameters of one node given its parents."""

    node: int
    parents: tuple[int, ...]

    @property
    @abstractmethod
    def numbers(self) -> int:
        """The number of values in one draw of the parameters."""

    @abstractmethod
    def drawn(self, count: int, random: np.random.Generator) -> Parameters:
        """Draw the parameters."""

    @abstractmethod
    def log_marginal(self) -> float:
        """Return the log marginal likelihood of the node given its parents."""

    def mean(self) -> Parameters | None:
        """Return the mean of the parameters as a single draw; None if it is not meaningful.

        It is meaningful if the expectation of the node is linear in its parameters. Parameters of
        different nodes are independent given a DAG, so that the mean of a product is then the
        product at the mean parameters.
        """
        return None

    def log_predictive(self, columns: Columns) -> Array:
        """Return the log density of the node in each row, with the parameters integrated out."""
        drawn = self.drawn(_DRAWS, np.random.default_rng(_SEED))
        logs = drawn.log_density(columns)
        top = logs.max(axis=0)
        found: Array = np.log(np.exp(logs - top).mean(axis=0)) + top
        return found

    def log_joint_predictive(self, new: Data, after: FamilyPosterior) -> float:
        """Return the joint log density of the node in all new rows.

        It is a ratio of marginal likelihoods; `after` is the posterior given the new rows, too.
        """
        return after.log_marginal() - self.log_marginal()

    def log_mean(self, columns: Columns) -> Array:
        """Return `log_predictive`, defined also for rows with prior probability zero."""
        return self.log_predictive(columns)

    def scaled_factor(
        self, columns: Columns, scope: tuple[int, ...], sizes: Sequence[int]
    ) -> tuple[Array, Array]:
        """Return densities at the known values of each row, [row, *scope], and logs of scales.

        `scope` contains the members with unknown values, and `sizes` their numbers of levels.
        Densities are divided by the largest of the row, as products of small ones would underflow.
        """
        rows, cells = len(columns[self.node]), math.prod(sizes)
        expanded = {v: np.repeat(columns[v], cells) for v in (*self.parents, self.node)}
        for member, codes in zip(scope, np.indices(tuple(sizes)), strict=True):
            expanded[member] = np.tile(codes.reshape(-1), rows)
        logs = self.log_mean(expanded).reshape(rows, -1)
        highest = logs.max(axis=1)
        highest = np.where(np.isfinite(highest), highest, 0.0)
        return np.exp(logs - highest[:, np.newaxis]).reshape(rows, *sizes), highest


class Parameters(ABC):
    """Drawn parameters of one family.

    Subclasses are frozen dataclasses; the fields named in `arrays` have draws along the first axis.
    """

    arrays: ClassVar[tuple[str, ...]]

    @property
    def count(self) -> int:
        """The number of draws."""
        return len(getattr(self, self.arrays[0]))

    def take(self, draws: slice | NDArray[Any]) -> Self:
        """Return some of the draws."""
        own = vars(self)
        return self._with({name: own[name][draws] for name in self.arrays})

    def followed_by(self, others: Parameters, draws: slice) -> Self:
        """Return these draws followed by some draws of other parameters of the same family."""
        own, after = vars(self), vars(others)
        return self._with(
            {name: np.concatenate((own[name], after[name][draws])) for name in self.arrays}
        )

    def _with(self, arrays: dict[str, Array]) -> Self:
        # dataclasses.replace would take longer than the computation with a small table. Cached
        # properties are not copied, as they depend on the arrays.
        found, own = object.__new__(type(self)), vars(self)
        fields = type(self).__match_args__  # type: ignore[attr-defined]
        vars(found).update({name: own[name] for name in fields}, **arrays)
        return found

    @abstractmethod
    def log_density(self, columns: Columns) -> Array:
        """Return the log density or probability of the node's values, as [draw, row]."""

    @abstractmethod
    def expected(self, columns: Columns, rows: int) -> Array:
        """Return the mean, or the probability of each level, as [draw, row, value]."""

    @abstractmethod
    def sample(self, columns: Columns, rows: int, random: np.random.Generator) -> NDArray[Any]:
        """Draw the node given its parents, as [draw, row].

        The number of random numbers used does not depend on the values of the parents.
        """


def configuration_numbers(
    columns: Columns, members: Sequence[int], sizes: Sequence[int], rows: int = 1
) -> NDArray[np.int64]:
    """Return the number of each row's configuration of some variables, the last fastest."""
    number = np.zeros(rows, dtype=np.int64)
    for member, size in zip(members, sizes, strict=True):
        number = number * size + np.asarray(columns[member], dtype=np.int64)
    return number


def looked_up(table: Array, which: NDArray[np.int64]) -> Array:
    """Return the entries of a table [draw, configuration] for rows of configurations."""
    if which.ndim == 1:
        return table[:, which]
    return np.asarray(table[np.arange(len(table))[:, np.newaxis], which])
