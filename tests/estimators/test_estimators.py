"""Estimators of scikit-learn: what they learn is what `learn` and `predict` say."""

from __future__ import annotations

import pickle
import sys
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import arcwise
from arcwise.errors import ArgumentError, DataError, DataWarning, MissingDependencyError
from arcwise.estimators import ArcwiseClassifier, ArcwiseEstimator, ArcwiseRegressor

ASIA = arcwise.simulate("asia", 400, seed=1)
NEW = arcwise.simulate("asia", 60, seed=2)
TARGET = "dysp"


def frames(data: arcwise.Data) -> list[Any]:
    return [data.to_pandas(), data.to_polars()]


def mixed_table(rows: int, seed: int) -> pd.DataFrame:
    """Return a table with a text, a category with an unused level, a Boolean and two numbers."""
    random = np.random.default_rng(seed)
    town = random.choice(["a", "b", "c"], rows)
    flag = random.random(rows) < np.where(town == "a", 0.8, 0.3)
    x = random.normal(size=rows) + 2.0 * flag
    y = x - 1.5 * (town == "b") + random.normal(size=rows)
    category = pd.Categorical(random.choice(["low", "high"], rows), ["low", "high", "never"])
    return pd.DataFrame({"town": town, "grade": category, "flag": flag, "x": x, "y": y})


def test_the_posterior_is_that_of_learn() -> None:
    expected = arcwise.learn(ASIA, max_indegree=2, seed=3, progress=None)
    for frame in frames(ASIA):
        found = ArcwiseEstimator(max_indegree=2, random_state=3).fit(frame)
        np.testing.assert_allclose(found.edge_probabilities_, expected.edges, atol=1e-12)
        assert found.variables_.tolist() == list(ASIA.variables)
        assert found.feature_names_in_.tolist() == list(ASIA.variables)
        assert found.n_features_in_ == 8
        assert found.posterior_.account.verdict == "exact"
    densities = arcwise.log_predictive(expected, NEW)
    np.testing.assert_allclose(found.score_samples(NEW.to_pandas()), densities, atol=1e-12)
    assert found.score(NEW.to_polars()) == pytest.approx(densities.mean(), abs=1e-12)


def test_classes_are_predicted_as_by_predict() -> None:
    train, new = ASIA.to_pandas(), NEW.to_pandas()
    posterior = arcwise.learn(ASIA, max_indegree=2, seed=0, progress=None)
    expected: Any = arcwise.predict(posterior, NEW, TARGET)
    learned = ArcwiseClassifier(max_indegree=2).fit(train.drop(columns=TARGET), train[TARGET])
    assert learned.target_name_ == TARGET
    assert learned.classes_.tolist() == ["no", "yes"]
    rows = new.drop(columns=TARGET)
    # The target is the last column here, so that other DAGs are drawn.
    np.testing.assert_allclose(learned.predict_proba(rows), expected.probabilities, atol=0.02)
    assert (learned.predict(rows) == expected.most_probable).mean() > 0.95
    np.testing.assert_array_equal(
        np.exp(learned.predict_log_proba(rows)).round(12), learned.predict_proba(rows).round(12)
    )
    assert learned.score(rows, new[TARGET]) == (learned.predict(rows) == new[TARGET]).mean()


def test_numbers_are_predicted_as_by_predict() -> None:
    train, new = mixed_table(300, 1), mixed_table(40, 2)
    learned = ArcwiseRegressor().fit(train.drop(columns="y"), train["y"])
    expected: Any = arcwise.predict(arcwise.learn(train, progress=None), new, "y")
    mean, deviation = learned.predict(new.drop(columns="y"), return_std=True)
    np.testing.assert_allclose(mean, expected.mean, atol=0.1)
    np.testing.assert_allclose(deviation, expected.standard_deviations, atol=0.1)
    np.testing.assert_array_equal(learned.predict(new.drop(columns="y")), mean)
    assert learned.score(new.drop(columns="y"), new["y"]) > 0.5


@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_columns_have_the_kinds_of_their_types(convert: Any) -> None:
    learned = ArcwiseEstimator(max_indegree=1).fit(convert(mixed_table(200, 1)))
    data: Any = learned.posterior_.model.data
    assert data.kinds == {
        "town": "discrete",
        "grade": "discrete",
        "flag": "discrete",
        "x": "continuous",
        "y": "continuous",
    }
    assert data.columns[0].levels == ("a", "b", "c")
    assert set(data.columns[1].levels) >= {"low", "high"}
    assert data.columns[2].levels == (False, True)


def test_declared_levels_are_kept() -> None:
    learned = ArcwiseEstimator(max_indegree=1).fit(mixed_table(200, 1))
    data: Any = learned.posterior_.model.data
    assert data.columns[1].levels == ("low", "high", "never")
    unseen = mixed_table(200, 1).assign(grade="never")
    assert np.isfinite(learned.score(unseen))


def test_numbers_may_be_categories() -> None:
    X = np.random.default_rng(1).integers(0, 3, (100, 3)).astype(float)
    for chosen in ([0, 2], [True, False, True], np.array([0, 2])):
        learned = ArcwiseEstimator(categorical_features=chosen).fit(X)
        data: Any = learned.posterior_.model.data
        assert data.kinds == {"x0": "discrete", "x1": "continuous", "x2": "discrete"}
        assert data.columns[0].levels == (0, 1, 2)
        assert np.isfinite(learned.score(X.astype(int)))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    learned = ArcwiseEstimator(categorical_features=["b"]).fit(frame)
    assert learned.posterior_.model.data.kinds["b"] == "discrete"
    for wrong in (["d"], [3], [True], "b", 1):
        with pytest.raises(ArgumentError, match=r"categorical_features is .*; give 'from_dtype'"):
            ArcwiseEstimator(categorical_features=wrong).fit(frame)


def test_arrays_of_labels() -> None:
    frame = ASIA.to_pandas()
    X, y = frame.drop(columns=TARGET).to_numpy(), frame[TARGET].to_numpy()
    learned = ArcwiseClassifier(max_indegree=2).fit(X, y)
    assert learned.variables_.tolist() == [*(f"x{place}" for place in range(7)), "y"]
    assert not hasattr(learned, "feature_names_in_")
    assert learned.score(X, y) > 0.8


def test_unknown_labels_are_missing_to_a_classifier() -> None:
    frame = ASIA.to_pandas()
    learned = ArcwiseClassifier(max_indegree=2).fit(frame.drop(columns=TARGET), frame[TARGET])
    row = NEW.to_pandas().drop(columns=TARGET).iloc[:1].astype(object)
    found = learned.predict_proba(row.assign(bronc="never seen"))
    without = {name: [row[name].iloc[0]] for name in row.columns if name != "bronc"}
    expected: Any = arcwise.predict(learned.posterior_, without, TARGET)
    np.testing.assert_allclose(found, expected.probabilities, atol=1e-12)
    with pytest.raises(DataError, match="holds 'never seen', but its levels"):
        ArcwiseEstimator().fit(row_table()).score(row_table().assign(a="never seen"))


def row_table() -> pd.DataFrame:
    return pd.DataFrame({"a": ["u", "v"] * 10, "b": ["w", "w", "z", "z"] * 5})


@pytest.mark.parametrize("kind", [ArcwiseEstimator, ArcwiseClassifier, ArcwiseRegressor])
def test_missing_values_are_refused_unless_dropped(kind: Any) -> None:
    table = mixed_table(120, 1)
    X, y = table.drop(columns="y"), table["flag" if kind is ArcwiseClassifier else "y"].to_numpy()
    gaps = X.copy()
    gaps.loc[[0, 5], "x"] = np.nan
    gaps.loc[7, "town"] = None
    with pytest.raises(DataError, match=r"contains NaN: values are missing in column 'town'.*drop"):
        kind().fit(gaps, y)
    whole = gaps.notna().all(axis=1).to_numpy()
    with pytest.warns(DataWarning, match="dropped 3 of 120 rows"):
        dropped = kind(missing="drop").fit(gaps, y)
    expected = kind().fit(X[whole], y[whole])
    np.testing.assert_allclose(dropped.edge_probabilities_, expected.edge_probabilities_)
    if kind is not ArcwiseEstimator:
        assert np.isfinite(dropped.predict(gaps)).all()
        with pytest.raises(ArgumentError, match="missing is 'impute'; give one of 'error' and"):
            kind(missing="impute").fit(gaps, y)


def test_the_estimator_imputes() -> None:
    table = ASIA.to_pandas().iloc[:80][["smoke", "lung", "bronc", "dysp"]].astype(object)
    table.iloc[:4, 0] = None
    learned = ArcwiseEstimator(missing="impute", max_indegree=1).fit(table)
    assert learned.posterior_.completions is not None
    assert learned.edge_probabilities_.shape == (4, 4)
    with pytest.raises(ArgumentError, match="needs the parameters of one table"):
        learned.score(table.iloc[10:20])


def test_a_constant_column_is_left_out() -> None:
    frame = ASIA.to_pandas().assign(always="yes")
    with pytest.warns(DataWarning, match="left out column 'always', constant in all rows"):
        learned = ArcwiseClassifier(max_indegree=2).fit(frame.drop(columns=TARGET), frame[TARGET])
    assert "always" not in learned.variables_
    assert learned.n_features_in_ == 8
    rows = NEW.to_pandas().assign(always="no").drop(columns=TARGET)
    assert learned.predict_proba(rows).shape == (60, 2)


def test_constant_features_alone_leave_the_shares_of_the_classes() -> None:
    y = np.array([0, 1, 1, 1] * 20)
    with pytest.warns(DataWarning):
        learned = ArcwiseClassifier().fit(np.ones((80, 1)), y)
    found = learned.predict_proba(np.ones((3, 1)))
    np.testing.assert_allclose(found, np.tile([0.25, 0.75], (3, 1)), atol=0.02)


def test_in_pipelines_grids_and_folds() -> None:
    table = mixed_table(200, 1)
    X, y = table[["x"]].assign(z=table["x"] * 3 + 1), table["flag"]
    pipeline = make_pipeline(StandardScaler(), ArcwiseClassifier())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.7
    grid = GridSearchCV(ArcwiseEstimator(), {"max_indegree": [0, 2]}, cv=2)
    grid.fit(ASIA.to_pandas().astype("category"))
    assert grid.best_params_ == {"max_indegree": 2}
    assert clone(grid.best_estimator_).get_params() == grid.best_estimator_.get_params()


@pytest.mark.parametrize("target", [TARGET, None])
def test_pickled_estimators_predict_the_same(target: str | None) -> None:
    frame, new = ASIA.to_pandas(), NEW.to_pandas()
    if target is None:
        density = ArcwiseEstimator(max_indegree=2).fit(frame)
        again = pickle.loads(pickle.dumps(density))
        np.testing.assert_array_equal(again.score_samples(new), density.score_samples(new))
        return
    learned = ArcwiseClassifier(max_indegree=2).fit(frame.drop(columns=target), frame[target])
    again = pickle.loads(pickle.dumps(learned))
    rows = new.drop(columns=target)
    np.testing.assert_array_equal(again.predict_proba(rows), learned.predict_proba(rows))
    assert again.posterior_.parent_sets(target) == learned.posterior_.parent_sets(target)


def test_random_states_and_threads() -> None:
    frame = ASIA.to_pandas()
    seeds = [
        ArcwiseEstimator(max_indegree=1, random_state=state, n_jobs=jobs).fit(frame).seed_
        for state, jobs in [(7, 1), (np.random.RandomState(1), -1), (np.random.RandomState(1), 2)]
    ]
    assert seeds[0] == 7
    assert seeds[1] == seeds[2]


def test_constraints_name_the_target() -> None:
    table = mixed_table(150, 1)
    given = {"tiers": [["y"], ["x", "town", "flag", "grade"]]}
    learned = ArcwiseRegressor(constraints=given).fit(table.drop(columns="y"), table["y"])
    place = learned.variables_.tolist().index("y")
    assert learned.edge_probabilities_[:, place].max() == 0.0
    assert learned.edge_probabilities_[place].max() > 0.5


def test_a_target_with_the_name_of_a_feature() -> None:
    frame = pd.DataFrame({"y": [0.1, 0.7, 0.3, 0.9] * 10, "z": [1.0, 2.5, 2.0, 4.0] * 10})
    learned = ArcwiseRegressor().fit(frame, frame["z"].to_numpy() + frame["y"] * 0.0)
    assert learned.target_name_ == "y_"


def test_what_cannot_be_learned_is_refused() -> None:
    X = np.random.default_rng(1).normal(size=(20, 2))
    with pytest.raises(DataError, match="y has one class only, 3; give rows of two classes"):
        ArcwiseClassifier().fit(X, np.full(20, 3))
    with pytest.warns(DataWarning), pytest.raises(DataError, match="y has one value only"):
        ArcwiseRegressor().fit(X, np.full(20, 3.0))
    with pytest.raises(NotFittedError):
        ArcwiseEstimator().score(X)
    with pytest.raises(ValueError, match="3 features, but ArcwiseEstimator is expecting 2"):
        ArcwiseEstimator().fit(X).score(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        ArcwiseEstimator().fit(pd.DataFrame({"a": [1.0], "b": [2.0]}))


def test_without_scikit_learn_the_package_to_install_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [each for each in sys.modules if each.startswith("arcwise.estimators")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [each for each in sys.modules if each.partition(".")[0] == "sklearn"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'arcwise\[sklearn\]'"):
        import_module("arcwise.estimators")
