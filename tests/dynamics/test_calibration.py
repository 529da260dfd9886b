"""Edges of time series that are said to be probable are there as often as that."""

from __future__ import annotations

import numpy as np

import arcwise
from arcwise import Model, time_series
from arcwise.scores import BDeu
from reference.dynamics import transition_networks

STRENGTH = 4.0
NETWORKS = list(transition_networks(2, 4))


def drawn_process(random: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return edges [column, node] and rows of two binary variables, all drawn from the prior."""
    parents = NETWORKS[random.integers(len(NETWORKS))]
    edges = np.zeros((4, 2), dtype=bool)
    tables = []
    for node in range(2):
        edges[list(parents[node]), node] = True
        cells = 2 ** len(parents[node])
        shape = (2,) * len(parents[node])
        tables.append(random.dirichlet(np.full(2, STRENGTH / (2 * cells)), shape))
    order = (1, 0) if 1 in parents[0] else (0, 1)
    values = np.zeros((rows, 2), dtype=int)
    values[0] = random.integers(0, 2, 2)
    for t in range(1, rows):
        for node in order:
            levels = tuple(values[t - u // 2, u % 2] for u in parents[node])
            values[t, node] = random.random() < tables[node][(*levels, 1)]
    return edges, values


def standardized_error(lag_of: dict[str, str] | None = None) -> float:
    """Return how far edges are from being as frequent as they are said to be, in its errors."""
    random = np.random.default_rng(20)
    excess, variance = 0.0, 0.0
    while variance < 150.0:
        edges, values = drawn_process(random, 40)
        series = time_series(
            {"x": values[:, 0], "y": values[:, 1]},
            levels={"x": [0, 1], "y": [0, 1]},
            constant="keep",
        )
        found = arcwise.exact(Model(series, BDeu(STRENGTH), prior="uniform", threads=1), threads=1)
        said = found.edges[:, :2]
        if lag_of is not None:
            said = said[[series.index(lag_of.get(name, name)) for name in series.variables]]
        possible = ~np.eye(4, 2, dtype=bool)
        # Of the pair within the slice, what is there and what is not exclude each other.
        lagged = possible.copy()
        lagged[:2] = False
        excess += float((edges[lagged] - said[lagged]) @ (2 * said[lagged] > 1))
        chosen = said[lagged][2 * said[lagged] > 1]
        variance += float((chosen * (1 - chosen)).sum())
    return float(excess / np.sqrt(variance))


def test_probabilities_of_lagged_edges_are_frequencies() -> None:
    """Beyond 5 once in two million times."""
    assert abs(standardized_error()) < 5.0


def test_lags_of_the_wrong_variable_are_caught() -> None:
    assert standardized_error({"x(t-1)": "y(t-1)", "y(t-1)": "x(t-1)"}) < -5.0


def test_networks_are_counted() -> None:
    """Three DAGs within the slice, and any lagged parents."""
    assert len(NETWORKS) == 3 * 2**4
