"""Dynamic Bayesian networks by brute force: enumerated posteriors, and unrolled networks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

Parents = tuple[tuple[int, ...], ...]


def transition_networks(n: int, columns: int) -> Iterator[Parents]:
    """Yield the parents of n present nodes among all columns, of which they are the first.

    Edges within the slice make no cycle; the other columns are parents only.
    """
    others = [[u for u in range(columns) if u != node] for node in range(n)]
    for chosen in itertools.product(*(_subsets(own) for own in others)):
        if _acyclic([[u for u in parents if u < n] for parents in chosen]):
            yield tuple(chosen)


def _subsets(members: Sequence[int]) -> list[tuple[int, ...]]:
    sizes = range(len(members) + 1)
    return [subset for size in sizes for subset in itertools.combinations(members, size)]


def _acyclic(parents: Sequence[Sequence[int]]) -> bool:
    left = set(range(len(parents)))
    while left:
        free = [node for node in left if not left & set(parents[node])]
        if not free:
            return False
        left -= set(free)
    return True


def edge_probabilities(
    n: int, columns: int, log_weight: Callable[[int, tuple[int, ...]], float]
) -> tuple[np.ndarray, float]:
    """Return the probability of each edge into the present, and the log of the total weight."""
    weights, edges = [], []
    for parents in transition_networks(n, columns):
        weights.append(sum(log_weight(node, parents[node]) for node in range(n)))
        matrix = np.zeros((columns, n))
        for node in range(n):
            matrix[list(parents[node]), node] = 1.0
        edges.append(matrix)
    logs = np.array(weights)
    top = logs.max()
    shares = np.exp(logs - top)
    total = shares.sum()
    return np.einsum("d,dij->ij", shares / total, np.array(edges)), float(top + np.log(total))


def linear_response(
    within: np.ndarray,
    lagged: Mapping[int, np.ndarray],
    source: int,
    steps: int,
    *,
    hold: bool = False,
) -> np.ndarray:
    """Return the response of all variables at steps 0 to `steps`, as [step, variable].

    The network is unrolled: one node for each variable and step, [target, source] coefficients,
    edges into the node that is set are cut, and the effects are (I - B)^-1.
    """
    n = len(within)
    size = n * (steps + 1)
    whole = np.zeros((size, size))
    for step in range(steps + 1):
        own = slice(n * step, n * (step + 1))
        whole[own, own] = within
        for lag, matrix in lagged.items():
            if lag <= step:
                whole[own, n * (step - lag) : n * (step - lag + 1)] = matrix
    held = range(steps + 1) if hold else range(1)
    impulse = np.zeros(size)
    for step in held:
        whole[n * step + source] = 0.0
        impulse[n * step + source] = 1.0
    return np.linalg.solve(np.eye(size) - whole, impulse).reshape(steps + 1, n)


def level_response(
    tables: Sequence[np.ndarray],
    parents: Sequence[Sequence[tuple[int, int]]],
    levels: Sequence[int],
    history: Sequence[tuple[float, Mapping[tuple[int, int], int]]],
    source: int,
    setting: int,
    target: int,
    steps: int,
    *,
    hold: bool = False,
) -> np.ndarray:
    """Return P(target at step k | do(source at step 0 = setting)), as [step, level].

    Every trajectory of all variables is enumerated, for each history.

    Parameters
    ----------
    tables
        P(node | parents) of each variable, as [parents..., node].
    parents
        For each variable its parents (variable, lag), in the order of the axes; a static one
        has the lag -1.
    levels
        The number of levels of each variable.
    history
        Weighted histories: the level of (variable, lag) for lags 1 and up, seen from step 0,
        and of (variable, -1) if it is static.
    source, setting, target, steps, hold
        What is set, to which level, what is asked for and when; with `hold`, it is set at all
        steps.
    """
    n = len(tables)
    result = np.zeros((steps + 1, levels[target]))
    slots = [(step, node) for step in range(steps + 1) for node in range(n)]
    for share, past in history:
        for values in itertools.product(*(range(levels[node]) for _, node in slots)):
            at = dict(zip(slots, values, strict=True))
            weight = share
            for (step, node), value in at.items():
                if node == source and (hold or step == 0):
                    weight *= float(value == setting)
                    continue
                place = tuple(
                    past[u, -1]
                    if lag < 0
                    else at[step - lag, u]
                    if lag <= step
                    else past[u, lag - step]
                    for u, lag in parents[node]
                )
                weight *= float(tables[node][(*place, value)])
            if weight:
                for step in range(steps + 1):
                    result[step, at[step, target]] += weight
    return result


def mixed_response(
    tables: Mapping[int, np.ndarray],
    regressions: Mapping[int, tuple[np.ndarray, np.ndarray]],
    parents: Mapping[int, Sequence[tuple[int, int]]],
    order: Sequence[int],
    levels: Sequence[int],
    history: Sequence[tuple[float, Mapping[tuple[int, int], float]]],
    source: int,
    setting: int,
    target: int,
    steps: int,
    *,
    hold: bool = False,
) -> np.ndarray:
    """Return the mean, or the probabilities, of a target after a source is set, as [step, value].

    All trajectories of the discrete variables are enumerated. Given one of them, means of
    continuous variables are sums over the means of their parents.

    Parameters
    ----------
    tables
        P(node | parents) of each discrete variable, as [parents..., node].
    regressions
        Of each continuous variable, intercepts as [discrete parents...] and coefficients as
        [discrete parents..., continuous parent].
    parents
        For each variable its parents (variable, lag), discrete ones first.
    order
        The variables, parents within a slice before their children.
    levels
        The number of levels of each variable, 0 if it is continuous.
    history
        Weighted histories: the value of (variable, lag) for lags 1 and up.
    source, setting, target, steps, hold
        See `level_response`; a continuous source is raised by the setting.
    """
    result = np.zeros((steps + 1, levels[target] or 1))
    slots = [(step, node) for step in range(steps + 1) for node in order if levels[node]]
    for share, past in history:
        for values in itertools.product(*(range(levels[node]) for _, node in slots)):
            at: dict[tuple[int, int], float] = dict(zip(slots, values, strict=True))

            def before(
                step: int, of: tuple[int, int], at: dict[tuple[int, int], float] = at,
                past: Mapping[tuple[int, int], float] = past,
            ) -> float:  # fmt: skip
                node, lag = of
                return at[step - lag, node] if lag <= step else past[node, lag - step]

            weight = share
            for step in range(steps + 1):
                for node in order:
                    is_set = node == source and (hold or step == 0)
                    above = [of for of in parents[node] if levels[of[0]]]
                    place = tuple(int(before(step, of)) for of in above)
                    if levels[node]:
                        value = at[step, node]
                        chance = float(tables[node][(*place, int(value))])
                        weight *= float(value == setting) if is_set else chance
                        continue
                    intercepts, coefficients = regressions[node]
                    others = [of for of in parents[node] if not levels[of[0]]]
                    mean = float(intercepts[place]) + sum(
                        float(slope) * before(step, of)
                        for slope, of in zip(coefficients[place], others, strict=True)
                    )
                    at[step, node] = mean + (setting if is_set else 0)
            for step in range(steps + 1):
                if levels[target]:
                    result[step, int(at[step, target])] += weight
                else:
                    result[step, 0] += weight * at[step, target]
    return result
