"""Normal scores in place of values: what they are, where they go, and what is refused of them."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, rankdata

import arcwise
from arcwise.cli import main
from arcwise.data import IncompleteData, read
from arcwise.data.scales import normal_scores
from arcwise.errors import ArgumentError, DataError
from support.columns import continuous

RANDOM = np.random.default_rng(1)
ROWS = 200


def table() -> dict[str, np.ndarray]:
    income = np.exp(RANDOM.normal(size=ROWS))
    return {
        "sex": RANDOM.integers(0, 2, ROWS),
        "income": income,
        "age": income + RANDOM.normal(size=ROWS),
    }


def test_scores_are_quantiles_of_mean_ranks() -> None:
    for values in (RANDOM.normal(size=50), RANDOM.integers(0, 5, 50).astype(float)):
        expected = norm.ppf((rankdata(values) - 0.5) / 50)
        assert np.allclose(normal_scores(values), expected, atol=1e-12)
    with_gap = normal_scores(np.array([2.0, np.nan, 1.0]))
    assert np.isnan(with_gap[1])
    assert np.allclose(with_gap[[0, 2]], norm.ppf([0.75, 0.25]))


def test_all_continuous_columns_or_some() -> None:
    values = table()
    every = read(values, transform="normal-scores")
    assert every.preparation.transformed == ("income", "age")
    assert np.allclose(continuous(every, 1).values, normal_scores(values["income"]))
    assert "Replaced by their normal scores: 'income' and 'age'." in every.notes
    one = read(values, transform={"income": "normal-scores"})
    assert one.preparation.transformed == ("income",)
    assert (continuous(one, 2).values == values["age"]).all()
    others = read(values, transform={None: "normal-scores", "income": "none"})
    assert others.preparation.transformed == ("age",)
    assert read(values, transform="none") == read(values)
    cut = read(values, transform="normal-scores", discretize={"age": "quantile:3"})
    assert cut.preparation.transformed == ("income",)


def test_missing_values_stay_missing() -> None:
    values = table()
    values["income"][:3] = np.nan
    data = read(values, missing="impute", transform="normal-scores")
    assert isinstance(data, IncompleteData)
    assert data.missing_counts() == {"income": 3}
    assert np.allclose(continuous(data.table, 1).values[3:], normal_scores(values["income"][3:]))


def test_what_cannot_be_transformed() -> None:
    values = table()
    for wrong, words in (
        ("logarithm", "transform is 'logarithm'; give one of 'normal-scores', 'log'"),
        ({"sex": "normal-scores"}, "transform names 'sex', which is discrete"),
        ({"pay": "normal-scores"}, "transform names 'pay', which is not a variable"),
    ):
        with pytest.raises((ArgumentError, DataError), match=words):
            read(values, transform=wrong)


def test_labels_that_are_declared_continuous_are_refused_as_such() -> None:
    with pytest.raises(DataError, match="'a' cannot be continuous, because its value 'x' is not"):
        read({"a": ["x", "y"], "b": [0, 1]}, kinds={"a": "continuous"}, transform="normal-scores")
    numbers = read({"a": ["1", "2.5"], "b": [0, 1]}, kinds={"a": "continuous"})
    assert continuous(numbers, 0).values.tolist() == [1.0, 2.5]


def test_noise_with_heavy_tails_has_next_to_no_edges() -> None:
    random = np.random.default_rng(3)
    noise = {
        f"v{i}": random.integers(0, 2, 100) if i % 2 else np.exp(random.normal(size=100))
        for i in range(8)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = arcwise.learn(noise, transform="none", progress=None)
        chosen = arcwise.learn(noise, progress=None)
        scores = arcwise.learn(noise, transform="normal-scores", progress=None)
    assert plain.edges.sum() > 4
    assert scores.edges.sum() < 0.8
    assert chosen.edges.sum() < 0.8
    assert plain.account is not None
    assert scores.account is not None
    assert any("transform normal-scores" in found.sentence for found in plain.account.findings)
    assert not any(found.topic == "normality" for found in scores.account.findings)
    assert any("Replaced by their normal scores" in each for each in scores.account.choices)


def test_effects_and_predictions_of_scores_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = table()
    learned = arcwise.learn(values, transform={"income": "normal-scores"}, progress=None)
    for pair in (("sex", "income"), ("income", "age")):
        with pytest.raises(
            ArgumentError, match=r"'income' was replaced by normal scores; .* transform='none'"
        ):
            arcwise.effects(learned, *pair)
    assert arcwise.effects(learned, "sex", "age").source == "sex"
    with pytest.raises(ArgumentError, match="predict needs values as they were measured"):
        arcwise.predict(learned, values, "sex")
    file = tmp_path / "table.csv"
    read(values).write_csv(file)
    folder = str(tmp_path / "out")
    assert main(["learn", str(file), "--transform", "income=normal-scores", "--out", folder]) == 0
    capsys.readouterr()
    assert main(["effects", folder, "income", "age"]) == 2
    assert "learn with --transform none" in capsys.readouterr().err
