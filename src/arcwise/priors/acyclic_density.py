"""How many edges a prior with the same odds for every edge expects of a random DAG.

Given an order, each of the n (n - 1) / 2 possible edges is there with the probability
odds / (1 + odds), independently of the others. Without an order, DAGs G have the weight
``odds ** edges(G)``, and a pair of variables has two directions to be adjacent in: among sparse
DAGs, where acyclicity hardly matters, the odds of an adjacency are twice those of an edge. So
the odds that suit orders expect too many adjacencies of DAGs.

The sum of the weights of all DAGs, Z_n, follows from Robinson's recurrence (1973), here divided
by n! (1 + odds)^(n (n - 1) / 2) ::

    b_n = sum_{k = 1}^n  (-1)^(k + 1)  b_{n - k}  /  (k! (1 + odds)^(k (k - 1) / 2))
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from functools import cache

# The recurrence subtracts numbers that agree in about n log10(n) digits.
_DIGITS = 120
MOST_VARIABLES = 32
"""Up to so many the recurrence has digits enough; the ratio of odds hardly changes beyond."""
_STEP = 1e-6
_ROUNDS = 60


def odds_of_dags(odds: float, variables: int) -> float:
    """Return the odds under which DAGs have as many edges as given an order under other odds.

    Parameters
    ----------
    odds
        The odds of an edge given an order.
    variables
        The number of variables.

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
    own = odds * (variables - 1) / (n - 1)  # as many expected parents
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
