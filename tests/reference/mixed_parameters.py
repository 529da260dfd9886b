"""Prediction and effects in mixed tables given DAGs, straight from their definitions.

Densities of rows are ratios of marginal likelihoods with and without them, and unknown levels are
summed over one by one; nothing here knows the posterior of a probability. Means under
intervention are sums over all configurations of all discrete variables; within one, regressions
are solved exactly, and gone through along the DAG.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from reference.dags import Parents
from reference.mixed_scores import conditional_gaussian
from reference.parameters import mean_coefficients, posterior_scale, with_rows
from reference.prediction import joint
from reference.scores import Rows, moments


@dataclass(frozen=True)
class MixedPrior:
    """The hyperparameters of the conditional Gaussian score; mean and scale of every variable."""

    equivalent_sample_size: float
    alpha_mu: float
    degrees: float
    mean: Sequence[float]
    scale: Sequence[float]

    def score(self, rows: Rows, node: int, parents: tuple[int, ...]) -> float:
        """Return the log marginal likelihood of a family."""
        return conditional_gaussian(
            rows,
            node,
            parents,
            self.equivalent_sample_size,
            self.alpha_mu,
            self.degrees,
            self.mean,
            self.scale,
        )


def levels_given(
    dags: Sequence[Parents],
    log_weights: Sequence[float],
    prior: MixedPrior,
    rows: Rows,
    row: Sequence[float | None],
    target: int,
    mask: Sequence[bool] | None = None,
) -> list[float]:
    """Return P(target | the values of the row that are not None), where all numbers are known."""
    choices = [
        list(range(rows.levels[node])) if value is None or node == target else [value]
        for node, value in enumerate(row)
    ]
    found = [0.0] * rows.levels[target]
    for assignment in product(*choices):
        density = joint(dags, log_weights, prior.score, rows, assignment, mask)
        found[int(assignment[target])] += density
    total = math.fsum(found)
    return [each / total for each in found]


def mean_under_intervention(
    dag: Parents, prior: MixedPrior, rows: Rows, outcome: int, setting: Mapping[int, float]
) -> float:
    """Return E(outcome | do(setting)) of a continuous outcome, given the DAG."""
    n = len(dag)
    discrete = [node for node in range(n) if rows.levels[node]]
    total = 0.0
    choices = [[setting[d]] if d in setting else range(rows.levels[d]) for d in discrete]
    for levels in product(*choices):
        codes = dict(zip(discrete, levels, strict=True))
        total += _probability(dag, prior, rows, codes, setting) * _mean(
            dag, prior, rows, outcome, codes, setting
        )
    return total


def _probability(
    dag: Parents,
    prior: MixedPrior,
    rows: Rows,
    codes: Mapping[int, float],
    setting: Mapping[int, float],
) -> float:
    """Return the probability of a configuration of all discrete variables, if some are set."""
    row = [codes.get(node, 0.0) for node in range(len(dag))]
    after = with_rows(rows, [row])
    logs = [
        prior.score(after, node, dag[node]) - prior.score(rows, node, dag[node])
        for node in codes
        if node not in setting
    ]
    return math.exp(math.fsum(logs))


def _mean(
    dag: Parents,
    prior: MixedPrior,
    rows: Rows,
    node: int,
    codes: Mapping[int, float],
    setting: Mapping[int, float],
) -> float:
    """Return the mean of a continuous node in a configuration, by the means of its parents."""
    if node in setting:
        return setting[node]
    discrete = [parent for parent in dag[node] if rows.levels[parent]]
    kept = [parent for parent in dag[node] if not rows.levels[parent]] + [node]
    q = math.prod(rows.levels[parent] for parent in discrete)
    here = [
        (row, weight)
        for row, weight in rows.counting(node)
        if all(row[parent] == codes[parent] for parent in discrete)
    ]
    own = Rows([[row[i] for i in kept] for row, _ in here], [weight for _, weight in here])
    prior_mean = [prior.mean[i] for i in kept]
    scale = np.diag([prior.scale[i] / q for i in kept])
    strength = Fraction(prior.alpha_mu / q)
    last = len(kept) - 1
    if here:
        matrix = posterior_scale(own, last, prior.alpha_mu / q, prior_mean, scale)
        count, mean, _ = moments(own, last)
    else:
        matrix = [[Fraction(float(each)) for each in line] for line in scale]
        count, mean = Fraction(0), [Fraction(0)] * len(kept)
    centre = [
        float((count * m + strength * Fraction(p)) / (count + strength))
        for m, p in zip(mean, prior_mean, strict=True)
    ]
    slopes = mean_coefficients(matrix, last, range(last)) if last else []
    parents = [_mean(dag, prior, rows, parent, codes, setting) for parent in kept[:-1]]
    return centre[-1] + math.fsum(
        slope * (value - middle)
        for slope, value, middle in zip(slopes, parents, centre, strict=False)
    )
