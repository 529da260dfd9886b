"""The normalising constant of a structure prior, which is the total weight of all DAGs.

Under a prior with the same odds for every edge, given an order, each of the n (n - 1) / 2 possible
edges is present with the probability odds / (1 + odds), independently of the others. Without an
order, DAGs G have the weight ``odds ** edges(G)``, and an adjacency of two variables has two
possible directions: among sparse DAGs, where acyclicity hardly matters, the odds of an adjacency
are twice those of an edge. Odds that suit orders therefore imply too many adjacencies of DAGs.

The sum Z_n of the weights of all DAGs follows from Robinson's recurrence (1973), here divided
by n! (1 + odds)^(n (n - 1) / 2) ::

    b_n = sum_{k = 1}^n  (-1)^(k + 1)  b_{n - k}  /  (k! (1 + odds)^(k (k - 1) / 2))
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from functools import cache

import numpy as np

from arcwise.families import Families
from arcwise.priors.base import PriorTerms


def log_constant_by_size(
    log_weights: Sequence[float], n: int, order_modular: bool, *, parent_only: int = 0
) -> float:
    """Return the log of the total prior weight of all DAGs on n nodes.

    The weight of a family depends on its number of parents only. With a(m) the total
    weight of the parent sets within m nodes and all parent-only ones, the modular constant
    satisfies the recurrence ::

        A(0) = 1,  A(n) = sum over j of (-1)^(j+1) C(n, j) a(n - j)^j A(n - j)

    and the order-modular one is n! a(0) a(1) ... a(n - 1).

    Examples
    --------
    >>> round(math.exp(log_constant_by_size([0.0, 0.0, 0.0], 3, order_modular=False)))
    25
    """
    with localcontext() as context:
        # The terms of the alternating sum are less than 2^n times the sum.
        context.prec = 60 + n
        context.Emax, context.Emin = 10**9, -(10**9)
        weights = [Decimal(weight).exp() for weight in log_weights]
        within = [
            sum(
                (math.comb(m + parent_only, size) * each for size, each in enumerate(weights)),
                Decimal(0),
            )
            for m in range(n)
        ]
        if order_modular:
            return math.lgamma(n + 1) + float(sum(a.ln() for a in within))
        counts = [Decimal(1)]
        for m in range(1, n + 1):
            counts.append(
                sum(
                    (
                        (1 if j % 2 else -1) * math.comb(m, j) * within[m - j] ** j * counts[m - j]
                        for j in range(1, m + 1)
                    ),
                    Decimal(0),
                )
            )
        return float(counts[n].ln())


def weights_by_size(
    terms: PriorTerms, families: Families | None, parent_only: Sequence[str] = ()
) -> list[float] | None:
    """Return the log weights of families by size, or None if they depend on more than the size.

    Parent-only nodes, which have no parents, and constants of nodes are ignored.
    """
    if families is None or terms.functions:
        return None
    n = len(families.variables)
    ordinary = [node for node in range(n) if families.variables[node] not in parent_only]
    everyone = all(len(families.candidates[node]) == n - 1 for node in ordinary)
    if not everyone or len({families.max_free[node] for node in ordinary}) > 1:
        return None
    off_diagonal = terms.edge[:, ordinary][~np.eye(n, dtype=bool)[:, ordinary]]
    if not np.isfinite(off_diagonal).all() or np.unique(off_diagonal).size > 1:
        return None
    largest = families.max_free[ordinary[0]]
    sizes = terms.size[ordinary, : largest + 1]
    if (sizes != sizes[0]).any() or not np.isfinite(sizes).all():
        return None
    per_edge = float(off_diagonal[0]) if off_diagonal.size else 0.0
    return [float(sizes[0, size]) + per_edge * size for size in range(largest + 1)]


# The recurrence subtracts numbers that agree in about n log10(n) digits.
_DIGITS = 120
MOST_VARIABLES = 32
"""Up to this number the recurrence has enough digits; beyond, the ratio of odds hardly changes."""
_STEP = 1e-6
_ROUNDS = 60


def odds_of_dags(odds: float, variables: int) -> float:
    """Return the odds of DAGs with the same expected number of edges as orders under other odds.

    Examples
    --------
    >>> round(odds_of_dags(0.001, 10), 5)  # sparse: half of them
    0.0005
    >>> round(odds_of_dags(1.0, 2), 5)  # one half none, one quarter each direction
    0.5
    """
    if variables < 2:
        return odds
    n = min(variables, MOST_VARIABLES)
    own = odds * (variables - 1) / (n - 1)  # the same expected number of parents
    wanted = own / (1.0 + own) * n * (n - 1) / 2.0
    low, high = math.log(own) - math.log(2.0) - 0.1, math.log(own) + math.log(2.0)
    for _ in range(_ROUNDS):
        middle = (low + high) / 2.0
        if expected_edges(math.exp(middle), n) < wanted:
            low = middle
        else:
            high = middle
        if high - low < 1e-6:
            break
    return math.exp((low + high) / 2.0) * (n - 1) / (variables - 1)


def expected_edges(odds: float, variables: int) -> float:
    """Return the expected number of edges of a DAG under weights ``odds ** edges``.

    Examples
    --------
    >>> round(expected_edges(1.0, 3), 4)  # 25 DAGs with 48 edges in total
    1.92
    """
    low, high = (log_sum_of_weights(odds * (1.0 + sign * _STEP), variables) for sign in (-1, 1))
    return (high - low) / math.log((1.0 + _STEP) / (1.0 - _STEP))


@cache
def log_sum_of_weights(odds: float, variables: int) -> float:
    """Return the log of the sum of the weights ``odds ** edges`` of all DAGs.

    Examples
    --------
    >>> round(log_sum_of_weights(1.0, 3), 6) == round(math.log(25), 6)
    True
    """
    with localcontext() as context:
        context.prec = _DIGITS
        step = 1 + Decimal(odds)
        terms = [
            (-1) ** (k + 1) / (math.factorial(k) * step ** (k * (k - 1) // 2))
            for k in range(1, variables + 1)
        ]
        sums = [Decimal(1)]
        for n in range(1, variables + 1):
            sums.append(sum((terms[k - 1] * sums[n - k] for k in range(1, n + 1)), Decimal(0)))
        pairs = variables * (variables - 1) // 2
        total = sums[variables] * math.factorial(variables) * step**pairs
        return float(total.ln())
