"""Scales of columns: what they are, when the evidence chooses one, and what is told of them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.stats import norm

import arcwise
from arcwise.cli import main
from arcwise.data import read
from arcwise.data.scales import Scale, asinh_scale, chosen_scale, log_bayes_factor, log_scale
from arcwise.errors import ArgumentError, DataError
from arcwise.parameters.conditionals import mean_network
from arcwise.parameters.effect import LinearEffect
from arcwise.parameters.predictions import NumberPredictions
from support.columns import continuous

SCALES = (Scale("log"), Scale("asinh", 2.0, 0.7))


@pytest.mark.parametrize("scale", SCALES)
def test_a_scale_has_an_inverse_a_slope_and_moments(scale: Scale) -> None:
    values = np.array([0.1, 0.5, 1.0, 2.0, 7.5])
    assert np.allclose(scale.restored(scale.of(values)), values, rtol=1e-12)
    step = 1e-6
    slope = (scale.of(values + step) - scale.of(values - step)) / (2 * step)
    assert np.allclose(scale.log_slope(values), np.log(slope), atol=1e-6)
    means, deviations = np.array([-0.4, 0.3]), np.array([0.5, 0.8])
    found = scale.normal_moments(means, deviations)
    for place, law in enumerate(norm(m, d) for m, d in zip(means, deviations, strict=True)):
        for power, moment in enumerate(found, start=1):

            def term(y: float, power: int = power, law: object = law) -> float:
                return float(scale.restored(np.array(y)) ** power * law.pdf(y))  # type: ignore[attr-defined]

            assert moment[place] == pytest.approx(quad(term, -12, 12)[0], rel=1e-8)


@pytest.mark.parametrize("scale", SCALES)
def test_the_bayes_factor_is_that_of_integrals_over_mean_and_deviation(scale: Scale) -> None:
    values = np.exp(np.random.default_rng(4).normal(0.5, 0.6, size=12))

    def log_evidence(seen: np.ndarray) -> float:
        centre, spread = seen.mean(), seen.std()

        def density(log_deviation: float, mean: float) -> float:
            deviation = math.exp(log_deviation)
            top = 12 * math.log(spread)
            logs = norm.logpdf(seen, mean, deviation).sum() + top
            return math.exp(logs + 10.0 - log_deviation)  # Jeffreys: 1 / deviation^2

        reach, mid = 6 * spread, math.log(spread)
        found = dblquad(density, centre - reach, centre + reach, mid - 2.5, mid + 3.0)[0]
        return math.log(found) - 12 * math.log(spread)

    expected = log_evidence(scale.of(values)) - log_evidence(values)
    expected += scale.log_slope(values).sum()
    assert log_bayes_factor(scale, values) == pytest.approx(expected, abs=0.02)


def test_which_columns_are_put_on_another_scale() -> None:
    random = np.random.default_rng(5)
    for rows in (30, 100, 1000):
        assert chosen_scale(np.exp(random.normal(size=rows))) == Scale("log")
    heavy = chosen_scale(random.standard_t(2, size=500))
    assert heavy is not None
    assert heavy.kind == "asinh"
    # Two groups as a parent makes them: logarithms are closer to one normal column, but neither
    # is skewed, and a linear effect of the parent would be lost.
    groups = np.where(random.random(500) < 0.5, 2.0, 8.0) + random.normal(0.0, 0.3, 500)
    assert log_bayes_factor(Scale("log"), groups) > 20
    assert chosen_scale(groups) is None
    for values in (np.full(20, 3.0), np.array([1.0, 2.0]), np.array([1e300, -1e300] * 10)):
        assert chosen_scale(values) is None
    # Of normal columns the probability is below 1 in 148 for each scale, by Markov's inequality:
    # at most 2000 / 74 = 27 expected; 50 or more have a probability below 1e-4.
    normal = [random.normal(5.0, 1.0, size=rows) for rows in (10, 20, 50, 200) for _ in range(500)]
    assert sum(chosen_scale(values) is not None for values in normal) < 50


def test_scales_that_values_do_not_have() -> None:
    assert log_scale(np.array([1.0, 0.0])) is None
    assert asinh_scale(np.array([0.0] * 9 + [1.0])) is None
    table = {"a": [0.5, -1.0, 2.5, 3.5], "b": [0, 1, 0, 1]}
    with pytest.raises(ArgumentError, match=r"'log' for 'a', which has values that are not posit"):
        read(table, transform={"a": "log"})
    still = {"a": [0.5, 0.5, 0.5, 0.5, 7.5], "b": [0, 1, 0, 1, 0]}
    with pytest.raises(ArgumentError, match=r"'asinh' for 'a', half of whose values are equal"):
        read(still, transform={"a": "asinh"}, kinds={"a": "continuous"})


ROWS = 300
RANDOM = np.random.default_rng(6)
LOGS = RANDOM.normal(size=ROWS)
TABLE = {
    "sex": RANDOM.integers(0, 2, ROWS),
    "income": np.exp(LOGS),
    "age": 40.0 + 2.0 * LOGS + RANDOM.normal(size=ROWS),
}
BY_HAND = {"sex": TABLE["sex"], "income": LOGS, "age": TABLE["age"]}


@pytest.fixture(scope="module")
def learned() -> arcwise.Posterior:
    return arcwise.learn(TABLE, seed=1, progress=None)


@pytest.fixture(scope="module")
def by_hand() -> arcwise.Posterior:
    return arcwise.learn(BY_HAND, seed=1, progress=None)


def test_learn_models_logarithms_and_says_so(
    learned: arcwise.Posterior, by_hand: arcwise.Posterior
) -> None:
    assert learned.model is not None
    assert learned.model.data is not None
    assert np.allclose(continuous(learned.model.data, 1).values, LOGS)
    assert np.allclose(learned.edges, by_hand.edges)
    assert learned.account is not None
    assert "Modelled on another scale: log(income)." in learned.account.choices
    (found,) = [each for each in learned.account.findings if each.topic == "scales"]
    assert "log(income) is modelled in place of the column" in found.sentence
    plain = arcwise.learn(TABLE, transform="none", progress=None)
    assert plain.model is not None
    assert plain.model.data == read(TABLE)
    assert arcwise.learn(read(TABLE), progress=None).model.data == read(TABLE)


def test_effects_name_the_logarithm(learned: arcwise.Posterior, by_hand: arcwise.Posterior) -> None:
    found, expected = (arcwise.effects(each, "income", "age") for each in (learned, by_hand))
    assert isinstance(found, LinearEffect)
    assert isinstance(expected, LinearEffect)
    assert (found.source, found.target) == ("log(income)", "age")
    assert found.mean == pytest.approx(expected.mean)
    assert "Effect of log(income) on age" in repr(found)
    assert arcwise.effects(learned, "sex", "income").target == "log(income)"
    continuous_only = {name: TABLE[name] for name in ("income", "age")}
    every = arcwise.effects(arcwise.learn(continuous_only, progress=None))
    assert "log(income) -> age" in repr(every)
    assert set(every.table()["source"]) == {"log(income)", "age"}
    assert every["income", "age"] == pytest.approx(every.estimate("income", "age").mean)


def test_predictions_are_in_the_units_of_the_table(
    learned: arcwise.Posterior, by_hand: arcwise.Posterior
) -> None:
    found, logs = (
        arcwise.predict(learned, TABLE, "income"),
        arcwise.predict(by_hand, BY_HAND, "income"),
    )
    assert isinstance(found, NumberPredictions)
    assert isinstance(logs, NumberPredictions)
    assert np.allclose(found.values, TABLE["income"])
    assert np.allclose(found.low, np.exp(logs.low))
    assert np.allclose(found.high, np.exp(logs.high))
    assert np.allclose(found.ranks, logs.ranks)
    assert np.allclose(found.log_densities, logs.log_densities - LOGS)
    # Nearly log-normal, of which mean and deviation are known.
    variances = np.square(logs.standard_deviations)
    assert np.allclose(found.mean, np.exp(logs.mean + variances / 2), rtol=0.02)
    spread = found.mean * np.sqrt(np.expm1(variances))
    assert np.allclose(found.standard_deviations, spread, rtol=0.05)
    of_age, from_logs = (
        arcwise.predict(learned, TABLE, "age"),
        arcwise.predict(by_hand, BY_HAND, "age"),
    )
    assert np.allclose(of_age.table()["mean"], from_logs.table()["mean"])
    dense, dense_by_hand = (
        arcwise.log_predictive(learned, TABLE),
        arcwise.log_predictive(by_hand, BY_HAND),
    )
    assert np.allclose(dense, dense_by_hand - LOGS)
    together = arcwise.log_predictive(learned, TABLE, joint=True)
    expected = arcwise.log_predictive(by_hand, BY_HAND, joint=True) - LOGS.sum()
    assert together == pytest.approx(expected)


def test_rows_that_are_on_the_scale_already_are_not_put_on_it_twice(
    learned: arcwise.Posterior,
) -> None:
    assert learned.model is not None
    data = learned.model.data
    for rows in (data, read(TABLE)):
        found = arcwise.predict(learned, rows, "income")
        assert np.allclose(found.table()["observed"], TABLE["income"])
    assert np.allclose(
        arcwise.log_predictive(learned, data), arcwise.log_predictive(learned, TABLE)
    )
    assert read(data, transform="by-evidence") == data


def test_what_a_logarithm_leaves_impossible(learned: arcwise.Posterior) -> None:
    with pytest.raises(DataError, match=r"'income' of the table has values that are not positive"):
        arcwise.predict(learned, {"income": [0.0], "sex": [1]}, "age")
    with pytest.raises(DataError, match=r"'income' of new_data has values that are not positive"):
        arcwise.log_predictive(learned, {"income": [-1.0], "sex": [1], "age": [40.0]})
    assert learned.map_dag is not None
    with pytest.raises(ArgumentError, match=r"but log\(income\) is modelled; .* transform='none'"):
        mean_network(learned.map_dag, learned.model)


def test_missing_values_and_folds() -> None:
    gaps = {name: column.astype(np.float64) for name, column in TABLE.items() if name != "sex"}
    gaps["income"][:5] = np.nan
    learned = arcwise.learn(gaps, completions=4, seed=1, progress=None)
    assert arcwise.effects(learned, "income", "age").source == "log(income)"
    predicted = arcwise.predict(learned, gaps, "income")
    assert (predicted.table()["low"] > 0).all()
    validated = arcwise.cross_validate(BY_HAND, "age", folds=2, seed=1)
    of_scale = arcwise.cross_validate(TABLE, "age", folds=2, seed=1)
    assert of_scale.scores["RMSE"] == pytest.approx(validated.scores["RMSE"])


def test_scales_are_kept_with_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, folder = tmp_path / "table.csv", str(tmp_path / "out")
    read(TABLE).write_csv(file)
    assert main(["learn", str(file), "--out", folder, "--seed", "1"]) == 0
    assert "log(income)" in capsys.readouterr().out
    assert main(["effects", folder, "income", "age"]) == 0
    assert "Effect of log(income) on age" in capsys.readouterr().out
    assert main(["predict", folder, str(file), "--target", "income"]) == 0
    assert "RMSE" in capsys.readouterr().out
    assert main(["learn", str(file), "--transform", "none", "--out", folder + "2"]) == 0
    assert "log(income)" not in capsys.readouterr().out


def test_formulas_are_written_as_one_would() -> None:
    assert Scale("asinh", 1.5, 2.0).label("x") == "asinh((x - 1.5) / 2)"
    assert Scale("asinh", -0.25, 2.0).label("x") == "asinh((x + 0.25) / 2)"
    assert Scale("asinh", 0.0, 2.0).label("x") == "asinh(x / 2)"
