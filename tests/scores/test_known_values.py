"""Scores of published data sets, as other programs computed them.

The data are here as what the scores depend on: the counts of four binary
columns of 10,000 rows, and the moments of three columns of the Boston housing
data. The numbers were computed by others, with 8 and with 7 digits.
"""

from __future__ import annotations

import numpy as np
import pytest

import arcwise
from arcwise.scores import BDeu, BGe, FamilyScores
from support.strategies import continuous_case, discrete_case

# Columns Two, Three, Four and Six of asia_10000, and how often each row occurs.
ASIA = {
    (0, 0, 0, 0): 5086,
    (0, 0, 0, 1): 69,
    (0, 0, 1, 0): 41,
    (0, 0, 1, 1): 3,
    (0, 1, 0, 0): 4157,
    (0, 1, 0, 1): 37,
    (0, 1, 1, 0): 42,
    (0, 1, 1, 1): 3,
    (1, 0, 0, 1): 220,
    (1, 1, 0, 1): 339,
    (1, 1, 1, 1): 3,
}
# By a Two, b Three, c Four, d Six: BDeu with the equivalent sample size 1.
ASIA_BDEU = {
    ("a", ""): -2168.64165291,
    ("a", "b"): -2145.91129793,
    ("a", "d"): -309.98926825,
    ("a", "bcd"): -300.96353115,
    ("b", ""): -6901.14938083,
    ("b", "ac"): -6881.89169923,
    ("b", "ad"): -6881.21652725,
    ("b", "acd"): -6888.46758176,
    ("c", ""): -527.75368829,
    ("c", "d"): -530.0487616,
    ("c", "abd"): -534.59116313,
    ("d", ""): -2473.44132323,
    ("d", "a"): -614.78893857,
    ("d", "ac"): -612.33758289,
    ("d", "abc"): -618.91346543,
}

# CHAS (coded 1 and 2), RM and MEDV of the 506 rows of the Boston housing data.
BOSTON_MEAN = [1.06916996, 6.284634387, 22.53280632]
BOSTON_SCATTER = [
    [32.57905138, 8.223796443, 206.7517787],
    [8.223796443, 249.3037794, 2269.190169],
    [206.7517787, 2269.190169, 42716.29542],
]
# By a CHAS, b RM, c MEDV: BGe with alpha_mu 1 and alpha_w n + 2, among n = 14 variables.
BOSTON_BGE = {
    ("a", ""): -39.3478,
    ("a", "b"): -36.18387,
    ("a", "c"): -35.14336,
    ("a", "bc"): -37.40799,
    ("b", ""): -582.5496,
    ("b", "a"): -579.3857,
    ("b", "c"): -429.359,
    ("b", "ac"): -431.6236,
    ("c", ""): -1856.817,
    ("c", "a"): -1852.612,
    ("c", "b"): -1703.626,
    ("c", "ab"): -1704.85,
}


@pytest.fixture(scope="module")
def asia() -> FamilyScores:
    weights = np.array(list(ASIA.values()), dtype=float)
    assert weights.sum() == 10_000
    return arcwise.score(discrete_case(np.array(list(ASIA)), [2] * 4, weights).data, BDeu(1.0))


@pytest.fixture(scope="module")
def boston() -> FamilyScores:
    table = continuous_case(table_with(BOSTON_MEAN, BOSTON_SCATTER, 506)).data
    return arcwise.score(table, BGe(prior_mean=0.0, prior_scale=0.5))


def table_with(mean: list[float], scatter: list[list[float]], rows: int) -> np.ndarray:
    """Return rows that have exactly this mean and this centred scatter."""
    # Cosines of different frequencies are orthogonal to each other and to a constant.
    place = (np.arange(rows) + 0.5) * np.pi / rows
    waves = np.cos(np.outer(place, 1 + np.arange(len(mean)))) * np.sqrt(2 / rows)
    values: np.ndarray = np.array(mean) + waves @ np.linalg.cholesky(np.array(scatter)).T
    return values


def test_the_table_has_the_moments_it_should() -> None:
    values = table_with(BOSTON_MEAN, BOSTON_SCATTER, 506)
    centred = values - values.mean(axis=0)
    np.testing.assert_allclose(values.mean(axis=0), BOSTON_MEAN, rtol=1e-13)
    np.testing.assert_allclose(centred.T @ centred, BOSTON_SCATTER, rtol=1e-12)


@pytest.mark.parametrize(("node", "parents"), ASIA_BDEU)
def test_bdeu_of_asia(asia: FamilyScores, node: str, parents: str) -> None:
    assert asia.log_score(node, parents) == pytest.approx(ASIA_BDEU[node, parents], abs=1e-6)


@pytest.mark.parametrize(("node", "parents"), BOSTON_BGE)
def test_bge_of_boston(boston: FamilyScores, node: str, parents: str) -> None:
    assert boston.log_score(node, parents) == pytest.approx(BOSTON_BGE[node, parents], abs=1e-3)
