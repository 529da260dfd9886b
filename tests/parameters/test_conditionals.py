"""Draws of the parameters of a DAG: their mean predictive density is that of the score.

The mean over draws of the density of a new row is the ratio of marginal likelihoods with and
without it. It is compared at five standard errors, a false alarm in a million for each of a few.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.data import Data
from arcwise.parameters.conditionals import draw_conditionals
from arcwise.scores import BDeu, BGe, ConditionalGaussian, LocalScore

DRAWS = 600


def _tables() -> dict[str, tuple[LocalScore, dict[str, list[Any]]]]:
    random = np.random.default_rng(3)
    a, c = random.integers(0, 2, 9).tolist(), random.integers(0, 3, 9).tolist()
    x, y = random.normal(size=9).tolist(), random.normal(size=9).tolist()
    return {
        "discrete": (BDeu(2.0), {"a": a, "b": [0, 1, 1, 0, 1, 0, 0, 1, 1], "c": c}),
        "continuous": (BGe(), {"x": x, "y": y, "z": (np.array(x) + y).tolist()}),
        "mixed": (ConditionalGaussian(), {"a": a, "x": x, "y": y}),
    }


def _score(data: Data, score: LocalScore, dag: arcwise.Dag) -> float:
    scores = arcwise.score(data, score)
    return sum(scores.log_score(node, dag.parents(node)) for node in data.variables)


@pytest.mark.parametrize("kind", ["discrete", "continuous", "mixed"])
def test_the_mean_density_of_a_new_row_is_a_ratio_of_marginal_likelihoods(kind: str) -> None:
    score, table = _tables()[kind]
    whole = arcwise.read(table, kinds={"a": "discrete"} if "a" in table else None)
    fixed = score.fixed_by(whole)
    known = whole.take_rows(np.arange(whole.rows - 1))
    names = whole.variables
    dag = arcwise.Dag(names, {names[1]: [names[0]], names[2]: [names[0], names[1]]})
    expected = np.exp(_score(whole, fixed, dag) - _score(known, fixed, dag))
    last = [column.stored[-1:] for column in whole.columns]
    random = np.random.default_rng(5)
    densities = []
    for _ in range(DRAWS):
        drawn = draw_conditionals(dag.parent_indices, known, fixed, random)
        densities.append(np.exp(sum(drawn.log_probability(node, last)[0] for node in range(3))))
    error = np.std(densities) / np.sqrt(DRAWS)
    assert abs(np.mean(densities) - expected) < 5.0 * error
    assert error < 0.2 * expected
