"""The chain over DAGs, parameters and continuous cells follows their posterior.

The posterior of two cells of one row is a density on the plane, which is tabulated on a fine grid;
states are drawn from it, and one sweep must leave their law as it is. The rate of false alarms is
that of `support.chi_squared`, one in a million.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import multigammaln

from arcwise.data import ContinuousColumn, Data, IncompleteData
from arcwise.imputation.chain import Imputation, ImputationChain
from arcwise.imputation.structure import ExactStructure
from arcwise.model import Definition, Question
from arcwise.parameters.conditionals import Conditionals
from arcwise.scores import BGe
from reference.dags import all_dags
from reference.scores import Rows, bge
from support.chi_squared import FALSE_ALARM_RATE, assert_follows, p_value

MEAN, SCALE = [0.2, -0.1, 0.0], np.diag([1.0, 1.5, 0.8])
ALPHA_MU, ALPHA_W = 1.0, 5.0
DRAWS = 700
BINS = 5

VALUES = np.array(
    [[0.3, 0.5, 0.2], [1.1, 0.0, 0.9], [-0.7, -1.2, 0.1], [0.4, 0.1, -0.8], [-1.5, -0.9, -1.1]]
)
CELLS = np.full((5, 3), -1)
GRID = np.linspace(-9.0, 9.0, 181)


def _log_marginal(members: list[int], scatters: NDArray[np.float64], rows: int) -> NDArray[Any]:
    """Return the part of the log marginal likelihood of a set that depends on the scatter."""
    if not members:
        return np.zeros(scatters.shape[:-2])
    after = (rows + ALPHA_W - 3 + len(members)) / 2
    block = scatters[..., members, :][..., :, members]
    return np.asarray(-after * np.linalg.slogdet(block)[1])


def _log_constant(size: int, rows: int) -> float:
    """Return the part that depends on the size of a set alone, up to that of the prior scale."""
    if size == 0:
        return 0.0
    before = (ALPHA_W - 3 + size) / 2
    return float(
        size / 2 * math.log(ALPHA_MU / (rows + ALPHA_MU))
        + multigammaln(rows / 2 + before, size)
        - multigammaln(before, size)
        - size * rows / 2 * math.log(math.pi)
    )


def _log_score(node: int, parents: tuple[int, ...], tables: NDArray[np.float64]) -> NDArray[Any]:
    """Return the BGe score of a family, for many tables as [..., row, variable]."""
    rows = tables.shape[-2]
    means = tables.mean(axis=-2)
    centred = tables - means[..., np.newaxis, :]
    offset = means - np.array(MEAN)
    shrink = rows * ALPHA_MU / (rows + ALPHA_MU)
    scatters = (
        SCALE
        + np.einsum("...ri,...rj->...ij", centred, centred)
        + shrink * offset[..., :, np.newaxis] * offset[..., np.newaxis, :]
    )
    total = np.zeros(tables.shape[:-2])
    for members, sign in (([*parents, node], 1.0), (list(parents), -1.0)):
        size = len(members)
        prior = 0.0
        if members:
            block = SCALE[np.ix_(members, members)]
            prior = (ALPHA_W - 3 + size) / 2 * float(np.linalg.slogdet(block)[1])
        total += sign * (_log_marginal(members, scatters, rows) + _log_constant(size, rows) + prior)
    return np.asarray(total)


def _tables(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the tables with all these values in the cells of the second row."""
    tables = np.broadcast_to(VALUES, (*first.shape, *VALUES.shape)).copy()
    tables[..., 1, 0], tables[..., 1, 2] = first, second
    return tables


def test_the_score_of_this_test_is_the_reference() -> None:
    rows = Rows(_tables(np.array(0.4), np.array(-1.3)).tolist())
    for node, parents in ((0, ()), (1, (0, 2)), (2, (1,))):
        expected = bge(rows, node, parents, ALPHA_MU, ALPHA_W, MEAN, SCALE)
        found = _log_score(node, parents, _tables(np.array(0.4), np.array(-1.3)))
        assert math.isclose(float(found), expected, rel_tol=1e-9)


@cache
def _law() -> NDArray[np.float64]:
    """Return the probability of each DAG with each point of the grid, as [DAG, first, second]."""
    tables = _tables(*np.meshgrid(GRID, GRID, indexing="ij"))
    known: dict[tuple[int, tuple[int, ...]], NDArray[np.float64]] = {}
    logs = []
    for dag in all_dags(3):
        total = np.zeros((len(GRID), len(GRID)))
        for node, parents in enumerate(dag):
            if (node, parents) not in known:
                known[node, parents] = _log_score(node, parents, tables)
            total = total + known[node, parents]
        logs.append(total)
    weights = np.exp(np.array(logs) - np.max(logs))
    return np.asarray(weights / weights.sum())


def _edges_of_bins(law: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where each cell is cut into bins of about the same probability."""
    cuts = []
    for axis in (2, 1):
        along = np.cumsum(law.sum(axis=(0, axis)))
        cuts.append(np.searchsorted(along, np.arange(1, BINS) / BINS))
    # Midway between points of the grid, each of which stands for what is around it.
    return np.asarray(GRID[np.array(cuts)] + (GRID[1] - GRID[0]) / 2)


def _after_a_sweep(law: NDArray[np.float64]) -> list[tuple[bool, int, int]]:
    cells = CELLS.copy()
    cells[1, 0], cells[1, 2] = 0, 1
    columns = [ContinuousColumn(f"v{i}", VALUES[:, i]) for i in range(3)]
    data = IncompleteData(Data(columns), cells)
    score = BGe(ALPHA_MU, ALPHA_W, MEAN, SCALE)
    question = Question.of(data.table, Definition(score, prior="uniform"))
    chain = ImputationChain(
        Imputation(data, question, ExactStructure(threads=1), seed=2, threads=1)
    )
    random = np.random.default_rng(11)
    cuts = _edges_of_bins(law)
    dags = all_dags(3)
    step = GRID[1] - GRID[0]
    found = []
    for place in random.choice(law.size, size=DRAWS, p=law.reshape(-1)).tolist():
        dag, first, second = np.unravel_index(place, law.shape)
        values = np.array([GRID[first], GRID[second]]) + step * (random.random(2) - 0.5)
        bits = [[sum(1 << parent for parent in parents)] for parents in dags[int(dag)]]
        chain.go_to(values, np.array(bits, dtype=np.uint64))
        chain.sweep()
        packed = chain.dag
        assert packed is not None
        places = [int(np.searchsorted(cuts[cell], chain.values[cell])) for cell in (0, 1)]
        adjacent = bool(int(packed[2, 0]) & 1 or int(packed[0, 0]) & 4)
        found.append((adjacent, places[0], places[1]))
    return found


def _binned(law: NDArray[np.float64]) -> dict[tuple[bool, int, int], float]:
    """Return the law of bins, and of whether the two columns with a missing cell are adjacent."""
    cuts = _edges_of_bins(law)
    bins = [np.searchsorted(each, GRID) for each in cuts]
    adjacent = np.array([0 in dag[2] or 2 in dag[0] for dag in all_dags(3)])
    result: dict[tuple[bool, int, int], float] = {}
    for which in (False, True):
        total = law[adjacent == which].sum(axis=0)
        for first in range(BINS):
            for second in range(BINS):
                block = total[bins[0] == first][:, bins[1] == second]
                result[which, first, second] = float(block.sum())
    return result


def test_a_sweep_leaves_the_posterior_as_it_is() -> None:
    law = _law()
    assert law[:, [0, -1]].sum() < 1e-4  # what lies beyond the grid
    assert_follows(_after_a_sweep(law), _binned(law))


def test_a_variance_that_is_too_large_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = Conditionals.regression

    def wider(self: Conditionals, node: int, columns: Any) -> object:
        found = exact(self, node, columns)
        return found._replace(variance=3.0 * found.variance)

    monkeypatch.setattr(Conditionals, "regression", wider)
    law = _law()
    assert p_value(_after_a_sweep(law), _binned(law)) < FALSE_ALARM_RATE
