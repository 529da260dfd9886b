"""Conditional prediction and highest-density intervals, straight from their definitions.

The probability of a variable given some others is the ratio of two sums over all joint
assignments, each as probable as marginal likelihoods with and without the row say, and over
all DAGs: nothing here eliminates a variable, or knows the posterior of a parameter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import combinations, product

from reference.dags import Parents
from reference.parameters import Score, log_mean, log_predictive, with_rows
from reference.scores import Rows


def joint(
    dags: Sequence[Parents],
    log_weights: Sequence[float],
    score: Score,
    rows: Rows,
    row: Sequence[float],
    mask: Sequence[bool] | None = None,
) -> float:
    """Return the predictive density of one complete row, averaged over DAGs."""
    after = with_rows(rows, [list(row)], None if mask is None else [list(mask)])
    terms = [log_predictive(dag, score, rows, after) for dag in dags]
    return math.exp(log_mean(terms, log_weights))


def conditional(
    dags: Sequence[Parents],
    log_weights: Sequence[float],
    score: Score,
    rows: Rows,
    row: Sequence[int | None],
    target: int,
    mask: Sequence[bool] | None = None,
) -> tuple[list[float], float]:
    """Return P(target | the values of the row that are not None), and the probability of those.

    What the row has of the target does not count.
    """
    choices = [
        range(levels) if value is None or node == target else [value]
        for node, (value, levels) in enumerate(zip(row, rows.levels, strict=True))
    ]
    found = [0.0] * rows.levels[target]
    score = cache(score)  # of families that DAGs have in common
    for assignment in product(*choices):
        found[assignment[target]] += joint(dags, log_weights, score, rows, assignment, mask)
    total = math.fsum(found)
    return [each / total for each in found], total


def shortest_union(lengths: Sequence[float], cells: int, most: int) -> float:
    """Return the least total length of so many cells in at most so many runs of neighbours."""
    best = math.inf
    for chosen in combinations(range(len(lengths)), cells):
        runs = sum(1 for cell in chosen if cell - 1 not in chosen)
        if runs <= most:
            best = min(best, math.fsum(lengths[cell] for cell in chosen))
    return best
