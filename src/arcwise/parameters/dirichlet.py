"""The posterior of conditional probability tables: pseudo-counts of the score plus counts.

Given a DAG, the rows of all tables are independent, and each is Dirichlet with the
pseudo-counts of `BDeu` or `BDe` plus the counts of the data rows in which the node was
not intervened on. Both are marginal counts of one table over all variables, so that the
probability of a level is the ratio of the cells of family and of parents.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.errors import CapacityError, DataError, option
from arcwise.parameters.numbering import row_numbers
from arcwise.scores.parametrization import DirichletPrior

Array = NDArray[np.float64]
Codes = NDArray[np.uint16]

MAX_CELLS = 4_000_000
# Up to this many cells are counted in a dense array; beyond that, only those that occur.
_DENSE = 1 << 20


class Tables:
    """The Dirichlet posteriors of all families of discrete data.

    Parameters
    ----------
    data
        The data, with weights and interventions as in the score.
    prior
        The prior of the score.
    """

    def __init__(self, data: Data, prior: DirichletPrior) -> None:
        self.variables = data.variables
        self.levels = [int(count) for count in data.level_counts()]
        self._codes = data.codes()
        self._weights = np.ones(data.rows) if data.weights is None else data.weights
        self._intervened = data.intervened
        self._strength = prior.equivalent_sample_size
        self._joint = prior.joint
        self._marginals = prior.marginals
        self._means: dict[tuple[int, tuple[int, ...]], Array] = {}

    def log_predictive(self, node: int, parents: tuple[int, ...], rows: Codes) -> Array:
        """Return the log probability of the node's level given its parents in each row."""
        family = self._possible(node, (*parents, node), rows[:, [*parents, node]])
        found: Array = np.log(family / self._cells(node, parents, rows[:, list(parents)]))
        return found

    def mean(self, node: int, parents: tuple[int, ...], rows: Codes) -> Array:
        """Return the mean probability of the node's level given its parents in each row.

        As in `dirichlet`, levels are equally probable where the prior gives the parents
        probability zero.
        """
        above = self._cells(node, parents, rows[:, list(parents)])
        family = self._cells(node, (*parents, node), rows[:, [*parents, node]])
        found: Array = np.where(above > 0, family, 1.0) / np.where(
            above > 0, above, self.levels[node]
        )
        return found

    def log_means(self, node: int, parents: tuple[int, ...], rows: NDArray[Any]) -> Array:
        """Return the log of the mean probability of the node's level in each row of codes."""
        with np.errstate(divide="ignore"):
            found: Array = np.log(self.mean(node, parents, rows.astype(np.uint16)))
        return found

    def scaled_factor(
        self, node: int, parents: tuple[int, ...], scope: tuple[int, ...], rows: NDArray[Any]
    ) -> tuple[Array, Array]:
        """Return mean probabilities at the known values of each row, and logs of their scales.

        Parameters
        ----------
        node, parents
            The family.
        scope
            Those of its members whose values are not known, in the order (*parents, node).
        rows
            Rows of codes.

        Returns
        -------
        tuple of numpy.ndarray
            Probabilities divided by the largest of the row, as [row, *scope], and the log of that.
        """
        if (node, parents) not in self._means:
            table = self.dirichlet(node, parents)
            self._means[node, parents] = table / table.sum(axis=-1, keepdims=True)
        members = (*parents, node)
        given = [axis for axis, member in enumerate(members) if member not in scope]
        rest = [axis for axis, member in enumerate(members) if member in scope]
        table = self._means[node, parents].transpose(*given, *rest)
        if given:
            codes = rows.astype(np.int64)
            factor: Array = table[tuple(codes[:, members[axis]] for axis in given)]
        else:
            factor = np.broadcast_to(table, (len(rows), *table.shape))
        # Products of many small numbers would underflow.
        highest = factor.reshape(len(rows), -1).max(axis=1)
        highest = np.where(highest > 0, highest, 1.0)
        return factor / highest.reshape(-1, *[1] * len(scope)), np.log(highest)

    def log_joint_predictive(self, node: int, parents: tuple[int, ...], new: Data) -> float:
        """Return the joint log probability of the node given its parents in all new rows."""
        counted = np.ones(new.rows, dtype=np.bool_)
        if new.intervened is not None:
            counted = ~new.intervened[:, node]
        rows = new.codes()[counted]
        weights = np.ones(new.rows) if new.weights is None else new.weights
        total = 0.0
        for members, sign in (((*parents, node), 1.0), (parents, -1.0)):
            levels = [self.levels[member] for member in members]
            asked = rows[:, list(members)]
            number, _ = row_numbers(asked, levels, _DENSE)
            _, first, cell = np.unique(number, return_index=True, return_inverse=True)
            before = self._possible(node, members, asked[first])
            after = before + np.bincount(cell.reshape(-1), weights[counted], len(first))
            steps = zip(after.tolist(), before.tolist(), strict=True)
            total += sign * math.fsum(math.lgamma(a) - math.lgamma(b) for a, b in steps)
        return total

    def dirichlet(self, node: int, parents: tuple[int, ...]) -> Array:
        """Return the Dirichlet parameters of the node's table, its levels along the last axis.

        For a parent configuration to which the prior gives probability zero, and so no
        distribution, every level has the parameter 1.
        """
        members = (*parents, node)
        shape = tuple(self.levels[member] for member in members)
        if math.prod(shape) > MAX_CELLS:
            raise CapacityError(
                f"the table of {self.variables[node]!r} given {len(parents)} parents has "
                f"{math.prod(shape)} cells, but at most {MAX_CELLS} are allowed; merge levels or "
                "lower ",
                option("max_indegree"),
            )
        every = np.indices(shape, dtype=np.uint16).reshape(len(shape), -1).T
        table = self._cells(node, members, every).reshape(shape)
        table[table.sum(axis=-1) == 0] = 1.0
        return table

    def _possible(self, node: int, members: tuple[int, ...], asked: Codes) -> Array:
        found = self._cells(node, members, asked)
        if not (found > 0).all():
            raise DataError(
                "the prior of the score gives probability zero to a configuration that occurs "
                "in new_data; give every configuration that can occur a positive probability"
            )
        return found

    def _cells(self, node: int, members: tuple[int, ...], asked: Codes) -> Array:
        """Return pseudo-count plus count of the requested cells, each a row of levels."""
        chosen = list(members)
        counted = slice(None) if self._intervened is None else ~self._intervened[:, node]
        levels = [self.levels[member] for member in members]
        counts = matching_totals(
            self._codes[counted][:, chosen], self._weights[counted], asked, levels
        )
        return self._pseudo_counts(members, levels, asked) + counts

    def _pseudo_counts(
        self, members: tuple[int, ...], levels: Sequence[int], asked: Codes
    ) -> Array | float:
        if self._joint is not None:
            codes, probabilities = self._joint
            known = codes[:, list(members)]
            return self._strength * matching_totals(known, probabilities, asked, levels)
        if self._marginals is None:
            return self._strength / math.prod(levels)
        share = np.ones(len(asked))
        for place, member in enumerate(members):
            share *= np.array(self._marginals[member])[asked[:, place]]
        return self._strength * share


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
