"""Predictions, forecasts and responses from a posterior over completed tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.parameters.completed import tables_of
from arcwise.parameters.effect import LevelEffects, LinearEffect
from arcwise.parameters.inference import Asked
from arcwise.parameters.new_rows import read_partial_rows
from arcwise.parameters.predictions import LevelPredictions, NumberPredictions
from reference.prediction import joint
from reference.scores import Rows, bdeu

ROWS, TABLES = 40, 4
STRENGTH = 1.5


def _gappy(kind: str) -> dict[str, list[Any]]:
    random = np.random.default_rng(4)
    a = random.integers(0, 2, ROWS)
    b = np.where(random.random(ROWS) < 0.8, a, 1 - a)
    x = 1.5 * a + random.normal(size=ROWS)
    z = x + random.normal(size=ROWS)
    columns = {
        "discrete": {"a": a, "b": b, "c": random.integers(0, 2, ROWS)},
        "continuous": {"x": x, "z": z, "y": z - x + random.normal(size=ROWS)},
        "mixed": {"a": a, "b": b, "x": x, "z": z},
    }[kind]
    return {
        name: [None if random.random() < 0.15 else value for value in column.tolist()]
        for name, column in columns.items()
    }


def _learned(table: Any, **options: Any) -> arcwise.Posterior:
    given = {"seed": 1, "progress": None, "completions": TABLES, "dags": 40, "chains": 2}
    return arcwise.learn(table, **given | options)


def test_levels_are_predicted_by_all_tables_and_their_dags() -> None:
    posterior = _learned(_gappy("discrete"), score=arcwise.scores.BDeu(STRENGTH), prior="uniform")
    found = arcwise.predict(posterior, {"b": [0, 1], "c": [1, None]}, "a")
    tables = posterior.completions
    assert tables is not None
    assert posterior.dags is not None
    expected = np.zeros((2, 2))
    for number in range(TABLES):
        columns = tables.table(number).to_dict()
        rows = Rows([list(row) for row in zip(*columns.values(), strict=True)], None, None, [2] * 3)
        own = posterior.dags.at(np.flatnonzero(posterior.dags.chains == number))
        dags = [dag.parent_indices for dag in own]
        weights = [0.0] * len(dags)

        def score(given: Any, node: int, parents: Any) -> float:
            return bdeu(given, node, parents, STRENGTH)

        for level in range(2):
            expected[0, level] += joint(dags, weights, score, rows, [level, 0, 1])
            for c in range(2):
                expected[1, level] += joint(dags, weights, score, rows, [level, 1, c])
    expected /= expected.sum(axis=1, keepdims=True)
    assert isinstance(found, LevelPredictions)
    assert np.allclose(found.probabilities, expected, atol=1e-10)


@pytest.mark.parametrize(("kind", "target"), [("continuous", "y"), ("mixed", "z"), ("mixed", "b")])
def test_a_prediction_is_the_mixture_of_those_from_each_table(kind: str, target: str) -> None:
    posterior = _learned(_gappy(kind))
    new = {"x": [0.5, -1.0, None]} | ({"z": [1.0, 0.0, 0.3]} if target != "z" else {})
    found = arcwise.predict(posterior, new, target, draws=40, seed=3)
    each = []
    for number, (of_table, families) in enumerate(tables_of(posterior, None, "predict")):
        data = of_table.data
        rows = read_partial_rows(new, data, continuous_only=of_table.law.all_numbers)
        place = data.variables.index(target)
        asked = Asked(rows, place, 40, 3 + number)
        each.append(of_table.prediction(families, asked, 0.95))
    if isinstance(found, LevelPredictions):
        shares = [one.probabilities for one in each if isinstance(one, LevelPredictions)]
        assert np.allclose(found.probabilities, np.mean(shares, axis=0))
        return
    numbers = [one for one in each if isinstance(one, NumberPredictions)]
    means = np.array([one.mean for one in numbers])
    assert np.allclose(found.mean, means.mean(axis=0))
    within = np.mean([one.standard_deviations**2 for one in numbers], axis=0)
    assert np.allclose(found.standard_deviations**2, within + means.var(axis=0))
    # Between the tables' own ends, and more often than not inside the outermost.
    assert (found.low >= np.min([one.low for one in numbers], axis=0) - 1e-6).all()
    assert (found.low <= np.max([one.low for one in numbers], axis=0) + 1e-6).all()


def test_a_saved_posterior_predicts_with_its_table(tmp_path: Path) -> None:
    table = _gappy("mixed")
    posterior = _learned(table)
    posterior.save(tmp_path / "posterior.npz")
    loaded = arcwise.Posterior.load(tmp_path / "posterior.npz")
    data = arcwise.read(table, missing="impute")
    for target in ("a", "x"):
        here = arcwise.predict(posterior, table, target, draws=1)
        there = arcwise.predict(loaded, table, target, model=data, draws=1)
        assert here.scores == there.scores
        assert len(here) == ROWS


def _series(kind: str) -> dict[str, list[Any]]:
    random = np.random.default_rng(2)
    level, number = [0], [0.0]
    for _ in range(80):
        stays = random.random() < 0.85
        level.append(level[-1] if stays else 1 - level[-1])
        number.append(0.5 * number[-1] + 1.5 * level[-2] + random.normal())
    columns: dict[str, list[Any]] = {"level": level, "number": number}
    if kind == "discrete":
        columns["number"] = [int(value > 1.5) for value in number]
    if kind == "continuous":
        columns["level"] = [value + 0.3 * random.normal() for value in level]
    return {
        name: [None if random.random() < 0.12 and t < 79 else value for t, value in enumerate(own)]
        for name, own in columns.items()
    }


@pytest.mark.parametrize("kind", ["discrete", "continuous", "mixed"])
def test_series_with_gaps_are_forecast_and_respond(kind: str) -> None:
    table = _series(kind)
    posterior = _learned(arcwise.time_series(table))
    assert posterior.edge_probability("level(t-1)", "number(t)") > 0.5
    forecast = arcwise.forecast(posterior, table)
    response = arcwise.impulse_response(posterior, "level", "number", 2, draws=2)
    low, high = {"discrete": (0.2, 1.0), "continuous": (0.8, 2.2), "mixed": (0.8, 2.2)}[kind]
    effect = response.at(1)
    if isinstance(effect, LinearEffect):
        change = effect.mean
    elif isinstance(effect, LevelEffects):
        change = effect.difference(1, 1).mean
    else:
        change = effect.difference(1).mean
    assert low < change < high
    last = forecast["number"]
    if isinstance(last, NumberPredictions):
        expected = 0.5 * table["number"][-1] + 1.5 * table["level"][-1]
        assert abs(last.mean[0] - expected) < 1.0
        assert last.low[0] < expected < last.high[0]
    else:
        assert np.isclose(last.probabilities.sum(), 1.0)
