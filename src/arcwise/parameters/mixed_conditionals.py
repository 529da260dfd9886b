"""One draw of the parameters of mixed columns: tables, and a regression for each configuration."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.parameters.conditional_regressions import MixedPosterior
from arcwise.parameters.conditionals import (
    Columns,
    Conditionals,
    Regression,
    TableConditionals,
    draws_for,
)
from arcwise.parameters.dirichlet import drawn_tables
from arcwise.scores.parametrization import ConditionalLinearGaussian

Array = NDArray[np.float64]


class MixedConditionals(Conditionals):
    """Tables of discrete nodes, and regressions of continuous ones by configuration.

    Parameters
    ----------
    parents
        The parents of each node.
    tables
        The table of each discrete node, as for `TableConditionals`.
    regressions
        Of each continuous node: its discrete parents and their numbers of levels, its continuous
        parents, and for each configuration, the last of these fastest, intercept, coefficients
        and variance.
    """

    def __init__(
        self,
        parents: Sequence[tuple[int, ...]],
        tables: Mapping[int, Array],
        regressions: Mapping[
            int, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], Array, Array, Array]
        ],
    ) -> None:
        super().__init__(parents)
        nothing = np.ones(1)
        self._tables = TableConditionals(
            parents, [tables.get(node, nothing) for node in range(len(self.parents))]
        )
        self._regressions = regressions

    def log_probability(self, node: int, columns: Columns) -> Array:
        """Return the log probability, or density, of the node's value given its parents'."""
        if node in self._regressions:
            return super().log_probability(node, columns)
        return self._tables.log_probability(node, columns)

    def regression(self, node: int, columns: Columns) -> Regression | None:
        """Return the regression of each row's configuration; None if the node is discrete."""
        if node not in self._regressions:
            return None
        discrete, sizes, continuous, intercepts, coefficients, variances = self._regressions[node]
        which = np.zeros(len(columns[node]), dtype=np.int64)
        for member, size in zip(discrete, sizes, strict=True):
            which = which * size + columns[member]
        return Regression(continuous, intercepts[which], coefficients[which], variances[which])


@draws_for(ConditionalLinearGaussian)
def _drawn(
    parents: tuple[tuple[int, ...], ...],
    data: Data,
    kind: ConditionalLinearGaussian,
    random: np.random.Generator,
    nodes: Collection[int],
) -> Conditionals:
    posterior = MixedPosterior(data, kind)
    tables, regressions = {}, {}
    for node in nodes:
        members = parents[node]
        if posterior.is_discrete(node):
            tables[node] = drawn_tables(posterior.tables.dirichlet(node, members), 1, random)[0]
            continue
        found = posterior.regressions(node, members)
        drawn = found.drawn(1, random)
        regressions[node] = (
            found.discrete,
            found.sizes,
            found.continuous,
            drawn.intercepts[0],
            drawn.coefficients[0],
            drawn.deviations[0] ** 2,
        )
    return MixedConditionals(parents, tables, regressions)
