"""Scores that are made again only where columns have changed equal those made anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import arcwise
from arcwise.imputation.chain import Rescoring
from arcwise.model import Definition, Model, Question


@pytest.mark.parametrize("incomplete", [[0], [0, 3], [0, 1, 2, 3]])
def test_scores_after_a_change_are_those_made_anew(incomplete: list[int]) -> None:
    random = np.random.default_rng(1)
    columns = random.integers(0, 3, (60, 4))
    names = ["a", "b", "c", "d"]
    candidates = {"a": ["b"], "b": ["c"], "c": ["b", "d"], "d": []}
    may_change = np.isin(np.arange(4), incomplete)
    engine = Rescoring(may_change)
    for _ in range(3):
        data = arcwise.read(columns.copy(), names=names, levels={name: [0, 1, 2] for name in names})
        question = Question.of(data, Definition("bdeu", candidates=candidates))
        again = Model(question, engine=engine)
        anew = Model(replace(question, data=data))
        for node in range(4):
            assert np.array_equal(again.scores.table.values(node), anew.scores.table.values(node))
        for place in incomplete:
            columns[random.integers(0, 60, 8), place] = random.integers(0, 3, 8)
