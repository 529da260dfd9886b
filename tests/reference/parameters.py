"""Prediction, effects and interventions given a DAG, straight from their definitions.

New rows are predicted by the ratio of two marginal likelihoods, with and without them,
from the reference of the scores: nothing here knows the posterior of a probability or of
a variance. Regressions are solved, and paths gone through, one at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import numpy as np

from reference.dags import Parents
from reference.scores import Matrix, Numbers, Rows, block, determinant, moments

Score = Callable[[Rows, int, tuple[int, ...]], float]
"""The log marginal likelihood of a family, from rows, node and parents."""


def with_rows(
    rows: Rows,
    new: Sequence[Sequence[float]],
    intervened: Sequence[Sequence[bool]] | None = None,
    weights: Sequence[float] | None = None,
) -> Rows:
    """Return the table with more rows at its end."""
    n = len(new[0])
    old_mask = rows.intervened or [[False] * n] * len(rows.values)
    old_weights = rows.weights or [1.0] * len(rows.values)
    return replace(
        rows,
        values=[*rows.values, *new],
        weights=[*old_weights, *(weights or [1.0] * len(new))],
        intervened=[*old_mask, *(intervened or [[False] * n] * len(new))],
        _known={},
    )


def log_predictive(dag: Parents, score: Score, rows: Rows, after: Rows) -> float:
    """Return the log density of the rows that only `after` has, given the DAG and `rows`."""
    return math.fsum(
        score(after, node, parents) - score(rows, node, parents) for node, parents in enumerate(dag)
    )


def log_mean(log_values: Sequence[float], log_weights: Sequence[float]) -> float:
    """Return the log of the weighted mean of numbers given as logs."""
    top = max(log_weights)
    total = math.fsum(math.exp(weight - top) for weight in log_weights)
    highest = max(log_values)
    terms = (
        math.exp(weight - top) / total * math.exp(value - highest)
        for value, weight in zip(log_values, log_weights, strict=True)
    )
    return highest + math.log(math.fsum(terms))


def interventional(
    dag: Parents, score: Score, rows: Rows, modularity: int, setting: Mapping[int, int]
) -> list[float]:
    """Return P(target | do(setting)), given the DAG: how probable such a row is as the next.

    A row in which the variables of the setting were intervened on is predicted for
    every combination of the other variables' levels.
    """
    n = len(dag)
    result = [0.0] * rows.levels[modularity]
    mask = [node in setting for node in range(n)]
    choices = [
        [setting[node]] if node in setting else list(range(rows.levels[node])) for node in range(n)
    ]
    for row in product(*choices):
        after = with_rows(rows, [row], [mask])
        result[row[modularity]] += math.exp(log_predictive(dag, score, rows, after))
    return result


def posterior_scale(
    rows: Rows,
    node: int,
    alpha_mu: float,
    prior_mean: Numbers,
    prior_scale: Sequence[Numbers] | np.ndarray,
) -> Matrix:
    """Return the matrix R of the rows that count for a node, without rounding."""
    total, mean, scatter = moments(rows, node)
    strength = Fraction(alpha_mu)
    shrink = total * strength / (total + strength)
    offset = [m - Fraction(p) for m, p in zip(mean, prior_mean, strict=True)]
    n = len(mean)
    return [
        [
            Fraction(float(prior_scale[i][j])) + scatter[i][j] + shrink * offset[i] * offset[j]
            for j in range(n)
        ]
        for i in range(n)
    ]


def mean_coefficients(scale: Matrix, node: int, parents: Sequence[int]) -> list[float]:
    """Return the regression of a node on its parents by Cramer's rule."""
    among = block(scale, parents)
    whole = determinant(among)
    found = []
    for column in range(len(parents)):
        replaced = [
            [scale[parents[i]][node] if j == column else among[i][j] for j in range(len(parents))]
            for i in range(len(parents))
        ]
        found.append(float(determinant(replaced) / whole))
    return found


def directed_paths(dag: Parents, source: int, target: int) -> Iterator[tuple[int, ...]]:
    """Yield every directed path from source to target."""
    if source == target:
        yield (target,)
        return
    for parent in dag[target]:
        for path in directed_paths(dag, source, parent):
            yield (*path, target)


def path_effect(
    dag: Parents, coefficients: Sequence[Sequence[float]], source: int, target: int
) -> float:
    """Return the sum over paths of the products of coefficients along them.

    `coefficients` has, for each node, those of its parents in turn.
    """
    if source == target:
        return 0.0
    return math.fsum(
        math.prod(coefficients[child][dag[child].index(parent)] for parent, child in pairwise(path))
        for path in directed_paths(dag, source, target)
    )
