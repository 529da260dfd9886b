"""The normalising constant of a structure prior: the total weight of all DAGs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext

import numpy as np

from arcwise.families import Families
from arcwise.priors.terms import PriorTerms


def log_constant_by_size(
    log_weights: Sequence[float], n: int, order_modular: bool, *, parent_only: int = 0
) -> float:
    """Return the log of the total prior weight of all DAGs on n nodes.

    The weight of a family depends on its number of parents only. With a(m) the total
    weight of the parent sets within m nodes and all parent-only ones, the modular constant
    satisfies the recurrence ::

        A(0) = 1,  A(n) = sum over j of (-1)^(j+1) C(n, j) a(n - j)^j A(n - j)

    and the order-modular one is n! a(0) a(1) ... a(n - 1).

    Parameters
    ----------
    log_weights
        The log weight of a family by its number of parents, from 0 to the maximum
        indegree.
    n
        The number of nodes.
    order_modular
        Whether each DAG counts once for each of its topological orders.
    parent_only
        The number of further nodes, which have children only.

    Examples
    --------
    >>> round(math.exp(log_constant_by_size([0.0, 0.0, 0.0], 3, order_modular=False)))
    25
    """
    with localcontext() as context:
        # Terms of the alternating sum exceed it by less than 2^n.
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
    """Return the log weights of families by size, if they depend on size only.

    None if the prior or the families treat nodes differently, but for parent-only ones, which
    have no parents. Constants of nodes are left out.
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
