"""`ConditionedLaws`: the law of values that the model is conditional on and that are missing.

Parent-only variables have no law in the model. A cell that stands nowhere but in such columns, as a
covariate or what was before the first slice of a time series, follows the distribution of the
values of its column that are there: their frequencies, or a normal one with their mean and
variance. It does not depend on other cells, so that DAGs, parameters and cells have a joint law.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from arcwise.data import IncompleteData
from arcwise.parameters.conditionals import Columns, Conditionals, Regression
from arcwise.support.log_space import logarithms

Array = NDArray[np.float64]

# Added to the count of each level, so that one that is declared can be imputed.
_COUNT_OF_A_LEVEL = 0.5


class ConditionedLaws(Conditionals):
    """The laws of some columns, whatever else is in a row.

    Parameters
    ----------
    data
        The table with its missing values.
    nodes
        The columns.
    """

    def __init__(self, data: IncompleteData, nodes: Iterable[int]) -> None:
        super().__init__([()] * len(data.variables))
        self._levels: dict[int, Array] = {}
        self._normals: dict[int, tuple[float, float]] = {}
        for node in nodes:
            column, there = data.table.columns[node], data.present(node)
            if column.size:
                counts = np.bincount(there, minlength=column.size) + _COUNT_OF_A_LEVEL
                self._levels[node] = logarithms(counts / counts.sum())
                continue
            if len(there) < 2 or not np.ptp(there) > 0.0:
                there = column.computable()
            self._normals[node] = float(there.mean()), max(float(there.var()), math.ulp(1.0))

    def levels(self, node: int) -> Array:
        """Return the log probabilities of the levels of a discrete column."""
        return self._levels[node]

    def log_probability(self, node: int, columns: Columns) -> Array:
        """Return the log probability, or density, of each value."""
        if node in self._levels:
            return self._levels[node][columns[node]]
        return super().log_probability(node, columns)

    def regression(self, node: int, columns: Columns) -> Regression | None:
        """Return the normal law, which is the same in each row; None if the column is discrete."""
        if node in self._levels:
            return None
        mean, variance = self._normals[node]
        rows = len(columns[node])
        return Regression((), np.full(rows, mean), np.zeros((rows, 0)), np.full(rows, variance))
