"""Scores of tables with discrete and continuous columns, straight from their definitions.

A variable with levels is discrete, one with 0 levels continuous. The prior location and scale of
a column are given: those of `columns`, its mean and its variance, are the defaults of the library.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from reference.scores import Rows, bdeu, bge, normal_wishart


def columns(rows: Rows, values: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and covariance of columns, each from the rows in which it was not set.

    The variance of a column with a single value is 1, and the covariance of two columns is 0
    unless they were set in the same rows.
    """
    table = np.array(rows.values, dtype=float) if values is None else values
    count, n = table.shape
    weights = np.ones((count, n))
    if rows.weights is not None:
        weights *= np.array(rows.weights)[:, None]
    if rows.intervened is not None:
        weights *= ~np.array(rows.intervened, dtype=bool)
    weights[:, weights.sum(axis=0) == 0] = 1.0
    mean = (weights * table).sum(axis=0) / weights.sum(axis=0)
    offset = table - mean
    covariance = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if (weights[:, i] == weights[:, j]).all():
                covariance[i, j] = (weights[:, i] * offset[:, i] * offset[:, j]).sum()
                covariance[i, j] /= weights[:, i].sum()
        if np.ptp(table[weights[:, i] > 0, i]) == 0:
            covariance[i, :] = covariance[:, i] = 0.0
            covariance[i, i] = 1.0
    return mean, covariance


def conditional_gaussian(
    rows: Rows,
    node: int,
    parents: Sequence[int],
    equivalent_sample_size: float,
    alpha_mu: float,
    degrees: float,
    prior_mean: Sequence[float] | np.ndarray,
    prior_scale: Sequence[float] | np.ndarray,
) -> float:
    """Return BDeu, or the sum of a regression's marginal likelihoods over configurations.

    Parameters
    ----------
    alpha_mu, degrees
        Imaginary rows for the mean and for the variance of a continuous variable, which all
        configurations of the discrete parents share, as they share the scale.
    """
    discrete = [parent for parent in parents if rows.levels[parent] > 0]
    continuous = [parent for parent in parents if rows.levels[parent] == 0]
    if rows.levels[node] > 0:
        if continuous:
            return -math.inf
        return bdeu(rows, node, parents, equivalent_sample_size)
    configurations = math.prod(rows.levels[parent] for parent in discrete)
    kept = [*continuous, node]
    last = len(kept) - 1
    # A Wishart distribution of l variables has degrees / configurations + l - 1 degrees.
    alpha_w = last + degrees / configurations
    terms = []
    for configuration in rows.cells(discrete):
        here = [
            (row, weight)
            for row, weight in rows.counting(node)
            if tuple(row[parent] for parent in discrete) == configuration
        ]
        if here:
            terms.append(
                bge(
                    Rows(
                        [[row[i] for i in kept] for row, _ in here], [weight for _, weight in here]
                    ),
                    last,
                    range(last),
                    alpha_mu / configurations,
                    alpha_w,
                    [prior_mean[i] for i in kept],
                    np.diag([prior_scale[i] / configurations for i in kept]),
                )
            )
    return math.fsum(terms)


def blocks(rows: Rows, ordinal: Sequence[bool]) -> tuple[np.ndarray, list[list[int]]]:
    """Return the columns that stand for the variables, and which are those of each.

    A continuous or ordinal variable is one column; any other discrete one an indicator for each
    level that occurs in some row, except for the last of them.
    """
    table = np.array(rows.values, dtype=float)
    counting = np.ones(len(table)) if rows.weights is None else np.array(rows.weights)
    found: list[np.ndarray] = []
    places = []
    for variable, levels in enumerate(rows.levels):
        column = table[:, variable]
        own = [column]
        if levels and not ordinal[variable]:
            occurring = sorted(set(column[counting > 0]))
            own = [(column == level).astype(float) for level in occurring[:-1]]
        places.append(list(range(len(found), len(found) + len(own))))
        found += own
    return np.array(found).reshape(len(found), len(table)).T, places


def degenerate_gaussian(
    rows: Rows,
    node: int,
    parents: Sequence[int],
    ordinal: Sequence[bool],
    alpha_mu: float,
    extra_degrees: float,
) -> float:
    """Return the BGe score in which each variable is its block of columns.

    Parameters
    ----------
    extra_degrees
        The degrees of freedom beyond the number of columns.
    """
    table, places = blocks(rows, ordinal)
    if not places[node]:
        return 0.0
    owner = [v for v, own in enumerate(places) for _ in own]
    mask = None
    if rows.intervened is not None:
        mask = [[bool(row[v]) for v in owner] for row in rows.intervened]
    expanded = Rows(table.tolist(), rows.weights, mask)
    mean, covariance = columns(expanded)
    of_all_rows, all_covariances = columns(Rows(table.tolist(), rows.weights))
    for i, v in enumerate(owner):
        if rows.levels[v] and not ordinal[v]:
            mean[i] = of_all_rows[i]
            covariance[i] = all_covariances[i]
    within = np.equal.outer(owner, owner)
    scale = alpha_mu * (extra_degrees - 1) / (alpha_mu + 1) * np.where(within, covariance, 0.0)
    prior = (alpha_mu, table.shape[1] + extra_degrees, mean, scale)
    first = places[node][0]
    of_parents = [place for parent in parents for place in places[parent]]
    return normal_wishart(expanded, first, [*of_parents, *places[node]], *prior) - normal_wishart(
        expanded, first, of_parents, *prior
    )
