"""The joint normal law of the continuous values that are missing in each of some rows.

With residuals w_v'x - c_v of variance s_v for each continuous node v, what is missing has the
precision K = Σ w_v w_v' / s_v and, with x = 0 in place of it, K times its mean is
b = Σ w_v (c_v - w_v'x) / s_v.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.parameters.conditionals import Conditionals
from arcwise.support.log_space import logarithms

Array = NDArray[np.float64]


class NormalLaw(NamedTuple):
    """The law of what is missing, and the likelihood of what is not.

    Parameters
    ----------
    precision, linear
        K and b, as [row, place, place] and [row, place]; places that a row does not need have 1
        and 0.
    constant
        The log density at 0 in place of what is missing, without the terms of K.
    held
        Which places each row needs.
    """

    precision: Array
    linear: Array
    constant: Array
    held: NDArray[np.bool_]

    def log_integral(self) -> Array:
        """Return the log of the density, summed over all that may be missing, in each row."""
        if not self.linear.shape[1]:
            return self.constant
        root = np.linalg.cholesky(self.precision)
        half = np.linalg.solve(root, self.linear[:, :, np.newaxis])[:, :, 0]
        diagonal = np.einsum("rii->ri", root)
        places = self.held.sum(axis=1)
        return np.asarray(
            self.constant
            + 0.5 * (half**2).sum(axis=1)
            - logarithms(diagonal).sum(axis=1)
            + 0.5 * math.log(math.tau) * places
        )

    def draw(self, random: np.random.Generator) -> Array:
        """Return draws, as [row, place]: K^-1 b + L^-T z, for K = L L'."""
        root = np.linalg.cholesky(self.precision)
        noise = random.standard_normal((*self.linear.shape, 1))
        half = np.linalg.solve(root, self.linear[:, :, np.newaxis])
        drawn: Array = np.linalg.solve(root.transpose(0, 2, 1), half + noise)[:, :, 0]
        return drawn


def normal_law(
    conditionals: Conditionals,
    nodes: Iterable[int],
    columns: list[NDArray[Any]],
    places: NDArray[np.int64],
    width: int,
    counted: Callable[[int], NDArray[np.bool_] | None],
) -> NormalLaw:
    """Return the law of the continuous values that are missing, by the families of some nodes.

    Parameters
    ----------
    conditionals
        The DAG and its parameters.
    nodes
        The nodes whose families count.
    columns
        The columns in the rows concerned; what is missing must be 0.
    places
        The place of each missing value among those of its row, -1 where none is missing, as
        [row, variable].
    width
        The largest number of them in a row.
    counted
        In which rows the family of a node counts; None for all.
    """
    count = len(places)
    precision, linear = np.zeros((count, width, width)), np.zeros((count, width))
    constant = np.zeros(count)
    for node in nodes:
        there = counted(node)
        found = conditionals.regression(node, columns)
        if found is None:
            log = conditionals.log_probability(node, columns)
            constant += log if there is None else np.where(there, log, 0.0)
            continue
        weight = 1.0 / found.variance
        weight = weight if there is None else np.where(there, weight, 0.0)
        slopes = np.zeros((count, width))
        for member, slope in (
            (node, np.ones(count)),
            *((p, -found.coefficients[:, i]) for i, p in enumerate(found.parents)),
        ):
            rows = np.flatnonzero(places[:, member] >= 0)
            slopes[rows, places[rows, member]] = slope[rows]
        rest = found.mean(columns) - columns[node]
        precision += (weight[:, np.newaxis] * slopes)[:, :, np.newaxis] * slopes[:, np.newaxis]
        linear += (weight * rest)[:, np.newaxis] * slopes
        log = -0.5 * (logarithms(math.tau * found.variance) + rest**2 * weight)
        constant += log if there is None else np.where(there, log, 0.0)
    held = np.zeros((count, width), dtype=np.bool_)
    rows, variables = np.nonzero(places >= 0)
    held[rows, places[rows, variables]] = True
    precision[:, np.arange(width), np.arange(width)] += ~held
    return NormalLaw(precision, linear, constant, held)
