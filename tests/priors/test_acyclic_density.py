"""The expected number of edges of random DAGs, against the enumeration of all of them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from arcwise.priors.base import expected_edges, odds_of_dags


def edges_of_all_dags(n: int) -> list[int]:
    """Return the number of edges of every DAG over n nodes."""
    pairs = [(u, v) for u in range(n) for v in range(n) if u < v]
    found = []
    for kinds in product((0, 1, 2), repeat=len(pairs)):
        matrix = np.zeros((n, n), dtype=int)
        for (u, v), kind in zip(pairs, kinds, strict=True):
            matrix[u, v], matrix[v, u] = kind == 1, kind == 2
        if not np.linalg.matrix_power(matrix, n).any():
            found.append(int(matrix.sum()))
    return found


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("odds", [1e-4, 0.1, 1.0, 7.0])
def test_expected_edges_are_those_of_all_dags(n: int, odds: float) -> None:
    edges = np.array(edges_of_all_dags(n))
    weights = odds**edges
    assert expected_edges(odds, n) == pytest.approx(weights @ edges / weights.sum(), rel=1e-6)


@pytest.mark.parametrize("n", [2, 5, 12, 32])
@pytest.mark.parametrize("expected", [0.03, 0.5, 2.0, 8.0])
def test_as_many_edges_as_given_an_order(n: int, expected: float) -> None:
    odds = expected / (n - 1)
    found = odds_of_dags(odds, n)
    wanted = odds / (1 + odds) * n * (n - 1) / 2
    assert expected_edges(found, n) == pytest.approx(wanted, rel=1e-4)
    assert 0.5 - 1e-6 <= found / odds <= 1.0 + 1e-6


def test_many_variables_have_the_ratio_of_fewer() -> None:
    ratio = odds_of_dags(2.0 / 999, 1000) / (2.0 / 999)
    assert ratio == pytest.approx(odds_of_dags(2.0 / 31, 32) / (2.0 / 31))
    assert odds_of_dags(0.3, 1) == 0.3
