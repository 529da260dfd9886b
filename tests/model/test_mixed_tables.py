"""Candidates of mixed tables: the test of blocks agrees with its definition and keeps its level."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom

import arcwise
from arcwise.data import ContinuousColumn, Data, DiscreteColumn
from arcwise.scores import BDeu, BGe, ConditionalGaussian, DegenerateGaussian
from reference import candidates as reference
from reference.mixed_scores import blocks
from reference.scores import Rows

LEVELS = (0, 2, 3, 0, 4, 2, 0, 3)


def table(rows: int, random: np.random.Generator, dependent: bool = False) -> Data:
    columns: list[ContinuousColumn | DiscreteColumn] = []
    level = np.zeros(rows)
    for place, levels in enumerate(LEVELS):
        level = (0.8 * level if dependent else 0.0) + random.standard_normal(rows)
        name = f"v{place}"
        if levels == 0:
            columns.append(ContinuousColumn(name, level))
            continue
        cuts = np.sort(random.uniform(-1.2, 1.2, levels - 1))
        codes = np.searchsorted(cuts, level).astype(np.uint16)
        columns.append(DiscreteColumn(name, codes, tuple(range(levels))))
    return Data(columns)


def joined(chosen: arcwise.model.Candidates) -> set[frozenset[int]]:
    return {frozenset(map(int, edge)) for edge in np.argwhere(chosen.matrix())}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_pc_agrees_with_plain_pc(weighted: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    data = table(150, random, dependent=True)
    weights = random.choice([0.5, 1.0, 2.0], 150) if weighted else None
    data = Data(data.columns, weights)
    numbers = np.column_stack([c.stored for c in data.columns])
    values, places = blocks(Rows(numbers.tolist(), levels=LEVELS), [False] * 8)
    test = reference.blocks_of_columns(values, places, weights)
    for alpha in (0.01, 0.2):
        chosen = arcwise.candidates(
            data, "pc", alpha=alpha, score=DegenerateGaussian(), test="degenerate-gaussian"
        )
        assert joined(chosen) == reference.pc_stable(8, test, alpha)


@pytest.mark.parametrize("rows", [40, 400])
def test_independent_variables_are_joined_as_often_as_alpha_says(rows: int) -> None:
    # 28 pairs of each of 60 tables: a false alarm in 10,000 runs if the level is exact.
    random = np.random.default_rng(rows)
    found = sum(
        len(joined(arcwise.candidates(table(rows, random), "pc", alpha=0.1, max_conditioning=0)))
        for _ in range(60)
    )
    low, high = binom(60 * 28, 0.1).ppf([0.5e-4, 1 - 0.5e-4])
    assert low <= found <= high


@pytest.mark.parametrize("kinds", ["ccc", "ccd", "dcc", "dcd", "ddd"])
def test_effects_of_one_cause_are_joined_as_often_as_alpha_says(kinds: str) -> None:
    # Given the cause; 400 tables: a false alarm in 10,000 runs for each case if the level is exact.
    random = np.random.default_rng(list(kinds.encode()))
    found = 0
    for _ in range(400):
        cause = random.integers(0, 3, 200)
        values = random.standard_normal(200) if kinds[0] == "c" else cause
        columns: list[ContinuousColumn | DiscreteColumn] = [
            ContinuousColumn("z", values.astype(float))
            if kinds[0] == "c"
            else DiscreteColumn("z", cause.astype(np.uint16), (0, 1, 2))
        ]
        for name, kind in zip("xy", kinds[1:], strict=True):
            effect = values + random.standard_normal(200)
            codes = np.clip(np.round(effect), 0, 2).astype(np.uint16)
            columns.append(
                ContinuousColumn(name, effect)
                if kind == "c"
                else DiscreteColumn(name, codes, (0, 1, 2))
            )
        chosen = arcwise.candidates(
            Data(columns),
            "pc",
            required_edges=[("z", "x"), ("z", "y")],
            score=DegenerateGaussian(),
            alpha=0.1,
            test="degenerate-gaussian",
        )
        found += "x" in chosen["y"]
    low, high = binom(400, 0.1).ppf([0.5e-4, 1 - 0.5e-4])
    assert low <= found <= high


def test_strong_dependences_of_every_kind_are_found() -> None:
    data = table(2000, np.random.default_rng(1), dependent=True)
    chosen = joined(arcwise.candidates(data, "pc", score=DegenerateGaussian()))
    assert {frozenset((i, i + 1)) for i in range(7)} <= chosen


def test_the_test_is_that_of_the_score() -> None:
    data = table(60, np.random.default_rng(1))
    whole = data.select(["v1", "v2"])
    assert ConditionalGaussian().independence_test(data) == "degenerate-gaussian"
    assert ConditionalGaussian().independence_test(whole) == "g-squared"
    assert BDeu().independence_test(whole) == "g-squared"
    assert BGe().independence_test(whole) == "fisher-z"
    numbers = [
        [float(row[v]) for v in (1, 2)] for row in zip(*data.to_dict().values(), strict=True)
    ]
    by_bge = arcwise.candidates(whole, "pc", score="bge", alpha=0.5)
    expected = reference.pc_stable(2, reference.fisher_z(np.array(numbers)), 0.5)
    assert joined(by_bge) == expected


def test_no_continuous_variable_is_a_candidate_of_a_discrete_one() -> None:
    data = table(300, np.random.default_rng(2), dependent=True)
    for method in ("pc", "greedy:4", "gains:4"):
        matrix = arcwise.candidates(data, method).matrix()
        assert matrix.any()
        for parent, child in combinations(range(8), 2):
            for u, v in ((parent, child), (child, parent)):
                if LEVELS[u] == 0 and LEVELS[v] > 0:
                    assert not matrix[u, v]
