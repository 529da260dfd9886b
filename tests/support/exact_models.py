"""Models of given size and range of weights, for the tests of exact posteriors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import arcwise
from arcwise import Data, Model
from arcwise.model.model import Modularity
from reference.exact import members

MODULARITIES: tuple[Modularity, ...] = ("modular", "order-modular")

CONSTRAINED: dict[str, dict[str, Any]] = {
    "candidates": {
        "n": 4,
        "spread": 3.0,
        "candidates": {"x0": ["x1", "x3"], "x1": ["x0", "x2"], "x3": ["x0", "x1", "x2"]},
    },
    "required": {
        "n": 4,
        "spread": 3.0,
        "prior": "fair",
        "required_edges": [("x3", "x0"), ("x0", "x1")],
        "forbidden_edges": [("x2", "x1")],
    },
    "tiers": {"n": 4, "spread": 3.0, "temporal_order": [["x2", "x1"], ["x0", "x3"]]},
}
"""Arguments of `random_model`: four variables under every kind of constraint."""


def names(n: int) -> tuple[str, ...]:
    return tuple(f"x{i}" for i in range(n))


def random_score(
    n: int, spread: float, seed: int, impossible: float = 0.0
) -> Callable[[str, tuple[str, ...]], float]:
    """Return a score with values spread over that many nats; some families may be impossible.

    Half of the spread comes in steps, so that many families are close to each
    other and others as far away as can be.
    """
    random = np.random.default_rng(seed)
    values = random.uniform(0.0, min(spread, 6.0), (n, 1 << n))
    values += max(0.0, spread - 6.0) * random.integers(0, 3, values.shape) / 2.0
    values[:, 1:][random.random((n, (1 << n) - 1)) < impossible] = np.inf
    place = {name: i for i, name in enumerate(names(n))}

    def score(node: str, parents: tuple[str, ...]) -> float:
        return -float(values[place[node], sum(1 << place[parent] for parent in parents)])

    return score


def random_model(
    n: int,
    spread: float = 10.0,
    seed: int = 1,
    *,
    impossible: float = 0.0,
    variables: Sequence[str] | None = None,
    **rule: Any,
) -> Model:
    """Return a model with a random score; the order of the variables does not change it."""
    order = list(names(n) if variables is None else variables)
    return Model(order, random_score(n, spread, seed, impossible), **rule)


def flat_model(n: int, **rule: Any) -> Model:
    """Return a model whose score is 0 for every family."""
    return Model(list(names(n)), lambda node, parents: 0.0, **rule)


def strong_chain(n: int, rows: int, noise: float, seed: int) -> Data:
    """Return rows of a chain in which each variable is nearly the one before it."""
    random = np.random.default_rng(seed)
    columns = {"x0": random.standard_normal(rows)}
    for i in range(1, n):
        columns[f"x{i}"] = columns[f"x{i - 1}"] + noise * random.standard_normal(rows)
    return arcwise.read(columns)


def ancestors(dag: Sequence[int], node: int) -> set[int]:
    """Return the nodes with a directed path to a node, from the masks of all parents."""
    found: set[int] = set()
    left = {*members(dag[node])}
    while left:
        found |= left
        left = {above for other in left for above in members(dag[other])} - found
    return found


def log_count(n: int, max_indegree: int | None = None) -> float:
    """Return the log of the number of DAGs, by Robinson's recurrence in whole numbers."""
    return math.log(counts(n, max_indegree)[n])


def counts(n: int, max_indegree: int | None = None) -> list[int]:
    """Return the numbers of DAGs of 0 to n nodes with at most so many parents each."""
    most = n if max_indegree is None else max_indegree
    sets = [sum(math.comb(m, size) for size in range(most + 1)) for m in range(n + 1)]
    found = [1]
    for m in range(1, n + 1):
        found.append(
            sum(
                (-1) ** (j + 1) * math.comb(m, j) * sets[m - j] ** j * found[m - j]
                for j in range(1, m + 1)
            )
        )
    return found
