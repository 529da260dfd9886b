"""Missing values of time series: one unknown each, wherever it stands, with its own law.

The posterior of transition networks and unknowns is enumerated from the series itself; states are
drawn from it, and one sweep of the chain from each must leave their law as it is. The rate of false
alarms is that of `support.chi_squared`, one in a million.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import _core
from arcwise.data import IncompleteData
from arcwise.imputation.cells import CellBlocks, CellSampler
from arcwise.imputation.chain import Imputation, ImputationChain
from arcwise.imputation.structure import ChainStructure, ExactStructure, StructureStep
from arcwise.model import Definition, Question
from arcwise.scores import BDeu
from arcwise.series import IncompleteTimeSeries
from reference.imputation import Law, series_law
from reference.scores import bdeu
from support.chi_squared import FALSE_ALARM_RATE, assert_follows, p_value

STRENGTH = 2.0
DRAWS = 600
Slices = list[tuple[int | None, ...]]

# A missing first slice, neighbours in time, and the last value.
SERIES: list[Slices] = [
    [(None, 0), (1, 1), (None, 1), (None, 0), (0, 1), (1, 0), (1, None)],
    [(0, 1), (0, 0), (1, 1), (1, 0)],
]
# A value before the first row that stands in two columns.
TWO_LAGS: list[Slices] = [[(v,) for v in (1, None, 1, None, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)]]


def _series(series: list[Slices], lags: int) -> IncompleteTimeSeries:
    rows = [(who, when, *values) for who, own in enumerate(series) for when, values in
            enumerate(own)]  # fmt: skip
    columns = list(zip(*rows, strict=True))
    table: dict[str, Any] = {"who": columns[0], "when": columns[1]}
    table |= {f"v{place}": values for place, values in enumerate(columns[2:])}
    levels = {f"v{place}": [0, 1] for place in range(len(columns) - 2)}
    found = arcwise.time_series(
        table, time="when", subject="who", lags=lags, within=False, levels=levels
    )
    assert isinstance(found, IncompleteTimeSeries)
    return found


def _law(series: list[Slices], lags: int) -> Law:
    return series_law(series, lags, lambda rows, node, parents: bdeu(rows, node, parents, STRENGTH))


def _after_a_sweep(
    data: IncompleteData, law: Law, structure: StructureStep, *, anneal: bool = True
) -> list[tuple[Any, tuple[int, ...]]]:
    question = Question.of(data.table, Definition(BDeu(STRENGTH), prior="uniform"))
    chain = ImputationChain(Imputation(data, question, structure, seed=5, threads=1), anneal=anneal)
    n = len(data.variables)
    states = list(law)
    random = np.random.default_rng(3)
    found = []
    for place in random.choice(len(states), size=DRAWS, p=list(law.values())).tolist():
        dag, cells = states[place]
        bits = [[sum(1 << parent for parent in parents)] for parents in dag]
        chain.go_to(np.array(cells, dtype=np.float64), np.array(bits, dtype=np.uint64))
        chain.sweep()
        after = tuple(tuple(u for u in range(n) if int(word[0]) >> u & 1) for word in chain.dag)
        found.append((after, tuple(int(value) for value in chain.values)))
    return found


def test_a_value_is_one_cell_in_all_its_columns() -> None:
    data = _series(SERIES, 1)
    assert data.count == 4
    cells = {name: data.cells[:, place].tolist() for place, name in enumerate(data.variables)}
    # Numbered by subject, time and variable: v0 at 0, 2 and 3, v1 at 6.
    assert cells["v0(t)"] == [-1, 1, 2, -1, -1, -1, -1, -1, -1]
    assert cells["v0(t-1)"] == [0, -1, 1, 2, -1, -1, -1, -1, -1]
    assert cells["v1(t)"] == [-1, -1, -1, -1, -1, 3, -1, -1, -1]
    assert cells["v1(t-1)"] == [-1] * 9


@pytest.mark.parametrize(
    ("series", "lags", "structure", "anneal"),
    [
        (SERIES, 1, ExactStructure(threads=1), True),
        (SERIES, 1, ExactStructure(threads=1), False),
        (SERIES, 1, ChainStructure(steps=3, longer=3, threads=1), True),
        (TWO_LAGS, 2, ExactStructure(threads=1), True),
    ],
)
def test_a_sweep_leaves_the_posterior_as_it_is(
    series: list[Slices], lags: int, structure: StructureStep, anneal: bool
) -> None:
    law = _law(series, lags)
    assert_follows(_after_a_sweep(_series(series, lags), law, structure, anneal=anneal), law)


def test_copies_that_are_drawn_by_themselves_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = CellSampler.draw

    def torn(self: CellSampler, columns: Any, random: np.random.Generator) -> None:
        whole = self._blocks
        apart = [
            type(block)((places,), block.levels)
            for block in whole.blocks
            for places in block.places
        ]
        self._blocks = CellBlocks(tuple(apart), whole.normal_rows)
        exact(self, columns, random)
        self._blocks = whole

    monkeypatch.setattr(CellSampler, "draw", torn)
    law = _law(SERIES, 1)
    found = _after_a_sweep(_series(SERIES, 1), law, ExactStructure(threads=1), anneal=False)
    assert p_value(found, law) < FALSE_ALARM_RATE


def test_a_law_of_the_past_that_counts_twice_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        CellSampler,
        "_families",
        lambda self, block, places: [places.variable, *self._children[places.variable]],
    )
    law = _law(TWO_LAGS, 2)
    found = _after_a_sweep(_series(TWO_LAGS, 2), law, ExactStructure(threads=1), anneal=False)
    assert p_value(found, law) < FALSE_ALARM_RATE


CHAIN = _core.CollapsedChain


def _with_torn_copies(codes: Any, cells: np.ndarray, *others: Any) -> Any:
    apart = np.where(cells >= 0, np.cumsum(cells >= 0).reshape(cells.shape) - 1, -1)
    return CHAIN(codes, apart, *others)


def _with_laws_twice(codes: Any, cells: Any, levels: Any, laws: list[Any], *others: Any) -> Any:
    twice = [[2.0 * log for log in law] for law in laws]
    return CHAIN(codes, cells, levels, twice, *others)


@pytest.mark.parametrize(
    ("broken", "series", "lags"), [(_with_torn_copies, SERIES, 1), (_with_laws_twice, TWO_LAGS, 2)]
)
def test_so_are_they_where_parameters_are_integrated_out(
    broken: Any, series: list[Slices], lags: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_core, "CollapsedChain", broken)
    law = _law(series, lags)
    found = _after_a_sweep(_series(series, lags), law, ExactStructure(threads=1))
    assert p_value(found, law) < FALSE_ALARM_RATE
