"""Candidate parents, straight from the definitions: plain PC-stable, plain greedy, plain gains."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain, combinations

import numpy as np
from scipy.stats import chi2, norm

Independence = Callable[[int, int, tuple[int, ...]], float]
"""From two variables and a set of others to the p-value of a test of their independence."""

Weight = Callable[[int, tuple[int, ...]], float]
"""From a node and its parents, ascending, to the log weight of the family."""


def subsets(members: Sequence[int], most: int) -> list[tuple[int, ...]]:
    """Return all subsets of at most so many members, each ascending."""
    sizes = range(min(most, len(members)) + 1)
    return list(chain.from_iterable(combinations(sorted(members), size) for size in sizes))


def fisher_z(values: np.ndarray) -> Independence:
    """Return the test by partial correlations, from the inverse of the correlation matrix."""
    correlations = np.corrcoef(values, rowvar=False)

    def p_value(x: int, y: int, given: tuple[int, ...]) -> float:
        block = [x, y, *given]
        precision = np.linalg.inv(correlations[np.ix_(block, block)])
        partial = -precision[0, 1] / math.sqrt(precision[0, 0] * precision[1, 1])
        z = math.sqrt(len(values) - len(given) - 3) * math.atanh(min(1.0, abs(partial)))
        return 2 * float(norm.sf(z))

    return p_value


def g_squared(
    rows: Sequence[Sequence[int]], weights: Sequence[float] | np.ndarray | None = None
) -> Independence:
    """Return the likelihood-ratio test, degrees of freedom from the levels seen in each stratum."""
    counting = weights if weights is not None else [1.0] * len(rows)

    def p_value(x: int, y: int, given: tuple[int, ...]) -> float:
        strata: dict[tuple[int, ...], Counter[tuple[int, int]]] = {}
        for row, weight in zip(rows, counting, strict=True):
            key = tuple(row[z] for z in given)
            strata.setdefault(key, Counter())[row[x], row[y]] += weight
        statistic = 0.0
        freedom = 0
        for cells in strata.values():
            cells = Counter({cell: count for cell, count in cells.items() if count > 0})
            total = sum(cells.values())
            of_x: Counter[int] = Counter()
            of_y: Counter[int] = Counter()
            for (i, j), count in cells.items():
                of_x[i] += count
                of_y[j] += count
            for (i, j), count in cells.items():
                statistic += 2 * count * math.log(count * total / (of_x[i] * of_y[j]))
            freedom += max(0, len(of_x) - 1) * max(0, len(of_y) - 1)
        return float(chi2.sf(statistic, freedom)) if freedom else 1.0

    return p_value


def blocks_of_columns(
    values: np.ndarray, places: Sequence[Sequence[int]], weights: np.ndarray | None = None
) -> Independence:
    """Return Wilks' test, with Bartlett's correction, of residuals of blocks of columns.

    Parameters
    ----------
    places
        The columns of each variable.
    """
    counting = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=float)
    roots = np.sqrt(counting)[:, None]

    def residuals(columns: list[int], given: list[int]) -> np.ndarray:
        """Return what a regression on an intercept and the given columns leaves over."""
        design = roots * np.column_stack([np.ones(len(values)), values[:, given]])
        target = roots * values[:, columns]
        left: np.ndarray = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
        return left

    def log_determinant(columns: list[int], given: list[int]) -> float:
        left = residuals(columns, given)
        return float(np.linalg.slogdet(left.T @ left)[1])

    def p_value(x: int, y: int, given: tuple[int, ...]) -> float:
        of_set = [place for z in given for place in places[z]]
        first, second = list(places[x]), list(places[y])
        rows = counting.sum() - 1 - len(of_set) - (len(first) + len(second) + 1) / 2
        log_lambda = (
            log_determinant([*first, *second], of_set)
            - log_determinant(first, of_set)
            - log_determinant(second, of_set)
        )
        return float(chi2.sf(-rows * log_lambda, len(first) * len(second)))

    return p_value


def pc_stable(
    n: int,
    independence: Independence,
    alpha: float,
    max_conditioning: int | None = None,
    never: Sequence[frozenset[int]] = (),
    always: Sequence[frozenset[int]] = (),
) -> set[frozenset[int]]:
    """Return the pairs joined in the skeleton."""
    joined = {frozenset(pair) for pair in combinations(range(n), 2)} - set(never)
    size = 0
    while max_conditioning is None or size <= max_conditioning:
        near = {x: [y for y in range(n) if frozenset((x, y)) in joined] for x in range(n)}
        if all(len(neighbours) <= size for neighbours in near.values()):
            break
        for x in range(n):
            for y in near[x]:
                if frozenset((x, y)) in always:
                    continue
                others = [z for z in near[x] if z != y]
                if any(independence(x, y, given) > alpha for given in combinations(others, size)):
                    joined.discard(frozenset((x, y)))
        size += 1
    return joined


def greedy(
    node: int,
    free: Sequence[int],
    must: Sequence[int],
    size: int,
    max_indegree: int,
    weight: Weight,
    by: str,
) -> set[int]:
    """Return the candidates: each in turn the one with the best families with those before it."""
    chosen: set[int] = set()
    while len(chosen) < size:
        best, best_merit = None, -math.inf
        for u in free:
            if u in chosen:
                continue
            most = max_indegree - len(must) - 1
            weights = [
                weight(node, tuple(sorted({*must, *some, u})))
                for some in (subsets(sorted(chosen), most) if most >= 0 else [])
            ]
            merit = -math.inf
            if weights:
                merit = max(weights) if by == "best" else float(np.logaddexp.reduce(weights))
            if merit > best_merit:
                best, best_merit = u, merit
        if best is None:
            break
        chosen.add(best)
    return chosen


def gains(
    node: int,
    free: Sequence[int],
    must: Sequence[int],
    size: int,
    max_indegree: int,
    weight: Weight,
) -> set[int]:
    """Return those that add most to no parent or to one, of equals the first."""
    merits = []
    for u in free:
        others = [other for other in free if other != u]
        most = min(1, max_indegree - len(must) - 1)
        merit = -math.inf
        for some in subsets(others, most) if most >= 0 else []:
            with_u = weight(node, tuple(sorted({*must, *some, u})))
            if with_u > -math.inf:
                merit = max(merit, with_u - weight(node, tuple(sorted({*must, *some}))))
        merits.append((-merit, u))
    return {u for merit, u in sorted(merits)[:size] if merit < math.inf}
