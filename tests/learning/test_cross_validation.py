"""Cross-validation predicts every row once, by a posterior that has not seen it."""

from __future__ import annotations

import numpy as np
import pytest

import arcwise
from arcwise.errors import ArgumentError
from arcwise.results import LevelPredictions, NumberPredictions

DATA = arcwise.simulate("asia", 120, seed=1).select(["smoke", "bronc", "dysp"])


def test_each_fold_is_predicted_from_the_others() -> None:
    found = arcwise.cross_validate(DATA, "dysp", folds=3, seed=4, score="bdeu", prior="uniform")
    assert sorted(np.bincount(found.fold_of_row).tolist()) == [40, 40, 40]
    rest = np.flatnonzero(found.fold_of_row != 1)
    learned = arcwise.learn(
        DATA.take_rows(rest), seed=4, score="bdeu", prior="uniform", progress=None
    )
    own = DATA.take_rows(np.flatnonzero(found.fold_of_row == 1))
    expected = arcwise.predict(learned, own, "dysp", seed=4)
    fold = found.folds[1]
    assert isinstance(expected, LevelPredictions)
    assert isinstance(fold, LevelPredictions)
    assert np.array_equal(fold.probabilities, expected.probabilities)
    assert found.scores["accuracy"] == pytest.approx(
        np.mean([fold.scores["accuracy"] for fold in found.folds])
    )
    assert found.table().columns == ["fold", "rows", "log loss", "Brier score", "accuracy"]
    again = arcwise.cross_validate(DATA, "dysp", folds=3, seed=4, score="bdeu", prior="uniform")
    assert again.scores == found.scores
    assert repr(found).startswith("Cross-validation of dysp: 120 rows in 3 folds\nlog loss 0.")


def test_levels_are_dealt_out_in_equal_shares() -> None:
    found = arcwise.cross_validate(DATA, "smoke", folds=4, max_indegree=1)
    column = DATA.columns[0]
    each = [np.bincount(column.stored[found.fold_of_row == fold], minlength=2) for fold in range(4)]
    assert np.ptp(np.array(each), axis=0).max() <= 1


def test_measurements() -> None:
    random = np.random.default_rng(1)
    x = random.normal(size=80)
    table = {"x": x, "y": 2 * x + 0.1 * random.normal(size=80)}
    found = arcwise.cross_validate(table, "y", folds=2, level=0.8)
    assert all(isinstance(fold, NumberPredictions) for fold in found.folds)
    assert found.scores["RMSE"] < 0.2
    assert found.scores["coverage of 80 % intervals"] > 0.6
    squares = [fold.scores["RMSE"] ** 2 for fold in found.folds]
    assert found.scores["RMSE"] == pytest.approx(np.sqrt(np.mean(squares)))


def test_refusals() -> None:
    for keywords, words in (
        ({"folds": 1}, "folds is 1"),
        ({"folds": 121}, "give at most 120, the number of rows"),
        ({"directory": "x"}, "directory is for a single run"),
        ({"max_indegre": 2}, "did you mean 'max_indegree'"),
    ):
        with pytest.raises(ArgumentError, match=words):
            arcwise.cross_validate(DATA, "dysp", **keywords)
    with pytest.raises(ArgumentError, match="target names 'dyps'"):
        arcwise.cross_validate(DATA, "dyps")
    forced = arcwise.read(DATA, interventions={"dysp": [True] + [False] * 119})
    with pytest.raises(ArgumentError, match="'dysp' was intervened on in some rows"):
        arcwise.cross_validate(forced, "dysp")
