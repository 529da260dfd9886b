"""The posterior of DAGs and missing cells together, straight from the definition.

The probability of a DAG and of values in the cells, given the values that are there, is that of the
DAG times the marginal likelihood of the table that these values complete, up to a constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from reference.dags import Parents, all_dags
from reference.scores import Rows

Cells = tuple[int, ...]
Law = dict[tuple[Parents, Cells], float]


def completed(
    values: Sequence[Sequence[float]], cells: Sequence[Sequence[int]], given: Sequence[float]
) -> list[list[float]]:
    """Return the table with these values in its cells; a cell may stand in several places."""
    return [
        [value if cell < 0 else given[cell] for value, cell in zip(row, numbers, strict=True)]
        for row, numbers in zip(values, cells, strict=True)
    ]


def joint_law(
    values: Sequence[Sequence[float]],
    cells: Sequence[Sequence[int]],
    levels: Sequence[int],
    log_score: Callable[[Rows, int, tuple[int, ...]], float],
    log_prior: Callable[[Parents], float],
    *,
    conditioned: Sequence[int] = (),
    intervened: Sequence[Sequence[bool]] | None = None,
) -> Law:
    """Return the probability of every DAG with every completion, for discrete tables.

    Nodes that are conditioned on have no parents, and no family that counts.
    """
    n = len(levels)
    sizes: dict[int, int] = {}
    for row in cells:
        for variable, cell in enumerate(row):
            if cell >= 0:
                sizes[cell] = levels[variable]
    logs: dict[tuple[Parents, Cells], float] = {}
    for given in product(*(range(sizes[cell]) for cell in sorted(sizes))):
        rows = Rows(completed(values, cells, given), None, intervened, levels)
        known: dict[tuple[int, tuple[int, ...]], float] = {}
        for dag in all_dags(n):
            if any(dag[node] for node in conditioned):
                continue
            total = log_prior(dag)
            for node, parents in enumerate(dag):
                if node in conditioned:
                    continue
                if (node, parents) not in known:
                    known[node, parents] = log_score(rows, node, parents)
                total += known[node, parents]
            logs[dag, given] = total
    top = max(logs.values())
    weights = {state: math.exp(log - top) for state, log in logs.items()}
    total = math.fsum(weights.values())
    return {state: weight / total for state, weight in weights.items()}


def edge_probabilities(law: Law) -> np.ndarray:
    """Return the probability of each edge, as [source, target]."""
    n = len(next(iter(law))[0])
    edges = np.zeros((n, n))
    for (dag, _), probability in law.items():
        for node, parents in enumerate(dag):
            for parent in parents:
                edges[parent, node] += probability
    return edges
