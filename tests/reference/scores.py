"""The local scores, straight from their definitions: one family at a time, cell by cell.

A row counts in the score of a node with its weight, or not at all if the node
itself was intervened on in that row. Nodes and levels are numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.special import multigammaln

Cell = tuple[int, ...]
Numbers = Sequence[float] | np.ndarray


@dataclass(frozen=True)
class Rows:
    """A table of codes or of measurements, with weights and interventions."""

    values: Sequence[Sequence[float]]
    weights: Sequence[float] | None = None
    intervened: Sequence[Sequence[bool]] | None = None
    levels: Sequence[int] = ()
    """How many levels each variable has, those never observed included."""
    _known: dict[object, object] = field(default_factory=dict, repr=False)

    def counting(self, node: int) -> Iterator[tuple[Sequence[float], float]]:
        """Yield the rows that count in the score of a node, and how much they do."""
        for number, row in enumerate(self.values):
            if self.intervened is None or not self.intervened[number][node]:
                yield row, 1.0 if self.weights is None else self.weights[number]

    def total(self, node: int) -> float:
        """Return the summed weights of the rows that count."""
        return math.fsum(weight for _, weight in self.counting(node))

    def count(self, node: int, variables: Sequence[int], cell: Cell) -> float:
        """Return how often these variables have these levels."""
        return math.fsum(
            weight
            for row, weight in self.counting(node)
            if all(row[variable] == level for variable, level in zip(variables, cell, strict=True))
        )

    def cells(self, variables: Sequence[int]) -> Iterator[Cell]:
        """Yield every combination of levels."""
        return product(*(range(self.levels[variable]) for variable in variables))


def dirichlet(
    rows: Rows, node: int, parents: Sequence[int], pseudo_count: Callable[[Cell, int], float]
) -> float:
    """Return the log marginal likelihood of a family under Dirichlet priors.

    Parameters
    ----------
    pseudo_count
        From the levels of the parents and of the node to their pseudo-count;
        0 for a combination that cannot occur.
    """
    terms = []
    for configuration in rows.cells(parents):
        prior = [pseudo_count(configuration, level) for level in range(rows.levels[node])]
        counts = [
            rows.count(node, [*parents, node], (*configuration, level))
            for level in range(rows.levels[node])
        ]
        prior_total = math.fsum(prior)
        if prior_total == 0:
            continue
        terms.append(math.lgamma(prior_total) - math.lgamma(prior_total + math.fsum(counts)))
        terms += [
            math.lgamma(a + count) - math.lgamma(a)
            for a, count in zip(prior, counts, strict=True)
            if a > 0
        ]
    return math.fsum(terms)


def bdeu(rows: Rows, node: int, parents: Sequence[int], equivalent_sample_size: float) -> float:
    """Spread the equivalent sample size evenly over the cells."""
    cells = math.prod(rows.levels[variable] for variable in [*parents, node])
    return dirichlet(rows, node, parents, lambda _, __: equivalent_sample_size / cells)


def bde_of_marginals(
    rows: Rows,
    node: int,
    parents: Sequence[int],
    equivalent_sample_size: float,
    marginals: Sequence[Numbers],
) -> float:
    """Share the equivalent sample size as independent variables would."""

    def pseudo_count(configuration: Cell, level: int) -> float:
        return equivalent_sample_size * math.prod(
            marginals[variable][value]
            for variable, value in zip([*parents, node], [*configuration, level], strict=True)
        )

    return dirichlet(rows, node, parents, pseudo_count)


def bde_of_joint(
    rows: Rows,
    node: int,
    parents: Sequence[int],
    equivalent_sample_size: float,
    joint: np.ndarray,
) -> float:
    """Share the equivalent sample size as a joint distribution says, one axis a variable."""
    family = [*parents, node]
    others = tuple(variable for variable in range(joint.ndim) if variable not in family)
    marginal = joint.sum(axis=others)
    kept = sorted(family)

    def pseudo_count(configuration: Cell, level: int) -> float:
        at = dict(zip(family, [*configuration, level], strict=True))
        return equivalent_sample_size * float(marginal[tuple(at[variable] for variable in kept)])

    return dirichlet(rows, node, parents, pseudo_count)


def discrete_bic(rows: Rows, node: int, parents: Sequence[int]) -> float:
    """Return the maximised likelihood less half a log of the rows for each free probability."""
    total = rows.total(node)
    if total == 0:
        return 0.0
    terms = []
    for configuration in rows.cells(parents):
        of_parents = rows.count(node, parents, configuration)
        for level in range(rows.levels[node]):
            count = rows.count(node, [*parents, node], (*configuration, level))
            if count > 0:
                terms.append(count * math.log(count / of_parents))
    configurations = math.prod(rows.levels[parent] for parent in parents)
    parameters = configurations * (rows.levels[node] - 1)
    return math.fsum(terms) - 0.5 * math.log(total) * parameters


Matrix = list[list[Fraction]]


def moments(rows: Rows, node: int) -> tuple[Fraction, list[Fraction], Matrix]:
    """Return summed weights, means and centred scatter of the rows that count, without rounding."""
    if ("moments", node) in rows._known:
        return rows._known["moments", node]  # type: ignore[return-value]
    n = len(rows.values[0])
    counting = [([Fraction(x) for x in row], Fraction(w)) for row, w in rows.counting(node)]
    total = sum((weight for _, weight in counting), Fraction(0))
    mean = [Fraction(0)] * n
    if total:
        mean = [sum(weight * row[i] for row, weight in counting) / total for i in range(n)]
    scatter = [
        [
            sum(
                (w * (row[i] - mean[i]) * (row[j] - mean[j]) for row, w in counting),
                Fraction(0),
            )
            for j in range(n)
        ]
        for i in range(n)
    ]
    rows._known["moments", node] = total, mean, scatter
    return total, mean, scatter


def determinant(matrix: Matrix) -> Fraction:
    """Return the determinant without rounding, by elimination."""
    left = [list(row) for row in matrix]
    result = Fraction(1)
    for step in range(len(left)):
        pivot = next((row for row in range(step, len(left)) if left[row][step] != 0), None)
        if pivot is None:
            return Fraction(0)
        if pivot != step:
            left[step], left[pivot] = left[pivot], left[step]
            result = -result
        result *= left[step][step]
        for row in range(step + 1, len(left)):
            factor = left[row][step] / left[step][step]
            left[row] = [a - factor * b for a, b in zip(left[row], left[step], strict=True)]
    return result


def block(matrix: Matrix, members: Sequence[int]) -> Matrix:
    """Return the rows and columns of the members."""
    return [[matrix[i][j] for j in members] for i in members]


def bge(
    rows: Rows,
    node: int,
    parents: Sequence[int],
    alpha_mu: float,
    alpha_w: float,
    prior_mean: Numbers,
    prior_scale: Sequence[Numbers] | np.ndarray,
) -> float:
    """Return the ratio of the marginal likelihoods of node-and-parents and of the parents."""
    prior = (alpha_mu, alpha_w, prior_mean, prior_scale)
    return normal_wishart(rows, node, [*parents, node], *prior) - normal_wishart(
        rows, node, parents, *prior
    )


def normal_wishart(
    rows: Rows,
    node: int,
    members: Sequence[int],
    alpha_mu: float,
    alpha_w: float,
    prior_mean: Numbers,
    prior_scale: Sequence[Numbers] | np.ndarray,
) -> float:
    """Return the log marginal likelihood of some columns, on the rows that count for a node.

    As in Kuipers, Moffa and Heckerman (2014), equations 4 and 5.
    """
    size = len(members)
    if size == 0:
        return 0.0
    n = len(prior_mean)
    total, mean, scatter = moments(rows, node)
    strength = Fraction(alpha_mu)
    offset = [mean[i] - Fraction(float(prior_mean[i])) for i in range(n)]
    prior = [[Fraction(float(entry)) for entry in row] for row in prior_scale]
    shrink = total * strength / (total + strength)
    posterior = [
        [prior[i][j] + scatter[i][j] + shrink * offset[i] * offset[j] for j in range(n)]
        for i in range(n)
    ]
    before = (alpha_w - n + size) / 2
    after = float(total) / 2 + before
    return math.fsum(
        [
            size / 2 * math.log(alpha_mu / (float(total) + alpha_mu)),
            float(multigammaln(after, size)),
            -float(multigammaln(before, size)),
            -size * float(total) / 2 * math.log(math.pi),
            before * math.log(float(determinant(block(prior, members)))),
            -after * math.log(float(determinant(block(posterior, members)))),
        ]
    )


def gaussian_bic(rows: Rows, node: int, parents: Sequence[int]) -> float | None:
    """Return the maximised likelihood of a linear regression less its penalty.

    The parameters are an intercept, a slope for each parent and a variance;
    None if the regression fits without error, so that there is no maximum.
    """
    total, _, scatter = moments(rows, node)
    if total == 0:
        return 0.0
    of_parents = determinant(block(scatter, parents))
    if of_parents == 0:
        return None
    residual = determinant(block(scatter, [*parents, node])) / of_parents
    if residual == 0:
        return None
    rows_in_all = float(total)
    variance = float(residual / total)
    log_likelihood = -0.5 * rows_in_all * (math.log(2 * math.pi * variance) + 1)
    return log_likelihood - 0.5 * math.log(rows_in_all) * (len(parents) + 2)
