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


def series_law(
    series: Sequence[Sequence[Sequence[int | None]]],
    lags: int,
    log_score: Callable[[Rows, int, tuple[int, ...]], float],
) -> Law:
    """Return the probability of every transition network with all that is missing, binary series.

    A series is a list of slices, these of values of each variable, None where one is missing. A
    network has no edges within a slice, and its columns are the variables now, those one step
    before, and so on; only those now have a family. What is missing is one unknown for each
    subject, time and variable, ordered by these. What no row has as a present value has
    the frequencies of the values that are there in the first of its columns, with 1/2 added to
    each.
    """
    n = len(series[0][0])
    unknown = [
        (who, when, variable)
        for who, slices in enumerate(series)
        for when, values in enumerate(slices)
        for variable, value in enumerate(values)
        if value is None
    ]
    rows_of = [
        (who, when) for who, slices in enumerate(series) for when in range(lags, len(slices))
    ]

    def first_column(who: int, when: int, variable: int) -> int:
        """Return the first of the columns that hold what was before the first row."""
        back = next(lag for lag in range(lags + 1) if (who, when + lag) in rows_of)
        return back * n + variable

    past = tuple(range(n, n * (lags + 1)))
    choices = [tuple(u for u in past if bits >> (u - n) & 1) for bits in range(1 << len(past))]
    logs: dict[tuple[Parents, Cells], float] = {}
    for given in product(range(2), repeat=len(unknown)):
        at = {
            (who, when, variable): value
            for who, slices in enumerate(series)
            for when, values in enumerate(slices)
            for variable, value in enumerate(values)
            if value is not None
        }
        at |= dict(zip(unknown, given, strict=True))
        lagged = [
            [at[who, when - lag, variable] for lag in range(lags + 1) for variable in range(n)]
            for who, when in rows_of
        ]
        known = [
            [series[who][when - lag][variable] for lag in range(lags + 1) for variable in range(n)]
            for who, when in rows_of
        ]
        total = 0.0
        for who, when, variable in unknown:
            if when < lags:
                column = [row[first_column(who, when, variable)] for row in known]
                counts = [column.count(level) + 0.5 for level in range(2)]
                total += math.log(counts[at[who, when, variable]] / sum(counts))
        rows = Rows(lagged, None, None, [2] * (n * (lags + 1)))
        scores = [
            {chosen: log_score(rows, node, chosen) for chosen in choices} for node in range(n)
        ]
        for parents in product(choices, repeat=n):
            dag = (*parents, *((),) * (n * lags))
            logs[dag, given] = total + sum(
                scores[node][chosen] for node, chosen in enumerate(parents)
            )
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
