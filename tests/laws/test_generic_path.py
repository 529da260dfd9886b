"""What follows from a law by simulation alone agrees with the closed forms of the same law.

`Plain` is the law of `ConditionalGaussian` without anything but log marginal likelihoods, draws of
parameters, and their densities, expectations and values. Comparisons allow five standard errors, a
false alarm once in two million times for each of some eighty; seeds are fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

import arcwise
from arcwise import Dag, Data, Model
from arcwise.data.columns import Kind
from arcwise.data.profile import LawName
from arcwise.laws import (
    Columns,
    FamilyPosterior,
    FamilyPosteriors,
    Law,
    Parameters,
    RegressionParameters,
)
from arcwise.scores import ConditionalGaussian, LawScore
from support.mixed_tables import mixed_case

Z = 5.0
# Results of several types, of which a test knows the one.
effects: Any = arcwise.effects
predict: Any = arcwise.predict
interventional: Any = arcwise.interventional
impulse_response: Any = arcwise.impulse_response
forecast: Any = arcwise.forecast


class Plain(Law):
    """A law of which nothing is known in closed form."""

    kind: ClassVar[LawName] = "conditional-gaussian"
    has_prior = True

    def __init__(self, law: Law) -> None:
        self.law = law

    def allows(self, child: Kind, parent: Kind) -> bool:
        return self.law.allows(child, parent)

    def given(self, data: Data) -> PlainPosteriors:
        return PlainPosteriors(self, data)


class PlainPosteriors(FamilyPosteriors):
    def __init__(self, law: Plain, data: Data) -> None:
        super().__init__(law, data)
        self._known = law.law.given(data)

    def family(self, node: int, parents: tuple[int, ...]) -> FamilyPosterior:
        return PlainPosterior(self._known.of(node, parents))


class PlainPosterior(FamilyPosterior):
    def __init__(self, known: FamilyPosterior) -> None:
        self.known, self.node, self.parents = known, known.node, known.parents

    @property
    def numbers(self) -> int:
        return self.known.numbers

    def drawn(self, count: int, random: np.random.Generator) -> Parameters:
        return PlainParameters(self.known.drawn(count, random), np.arange(count))

    def log_marginal(self) -> float:
        return self.known.log_marginal()


@dataclass(frozen=True, eq=False)
class PlainParameters(Parameters):
    arrays: ClassVar[tuple[str, ...]] = ("draws",)

    known: Parameters
    draws: NDArray[np.int64]

    def log_density(self, columns: Columns) -> NDArray[np.float64]:
        return self.known.take(self.draws).log_density(columns)

    def expected(self, columns: Columns, rows: int) -> NDArray[np.float64]:
        return self.known.take(self.draws).expected(columns, rows)

    def sample(self, columns: Columns, rows: int, random: np.random.Generator) -> NDArray[Any]:
        return self.known.take(self.draws).sample(columns, rows, random)


class PlainScore(LawScore):
    def law(self, data: Data) -> Law:
        return Plain(ConditionalGaussian().law(data))


DAG = Dag(list("abcd"), {"b": ["a"], "c": ["a", "b"], "d": ["c", "b"]})


@pytest.fixture(scope="module")
def models() -> tuple[Model, Model]:
    """Two levels, three levels and two numbers, by simulation and in closed form."""
    data = mixed_case((2, 3, 0, 0), 150, 7).data
    return Model(data, PlainScore()), Model(data, ConditionalGaussian())


def test_it_scores_as_the_law_does(models: tuple[Model, Model]) -> None:
    for node in range(4):
        plain, closed = (np.asarray(model.scores.table.values(node)) for model in models)
        assert plain == pytest.approx(closed, abs=1e-9)


def agree(plain: Any, closed: Any) -> None:
    assert plain.standard_error > 0
    assert abs(plain.mean - closed.mean) < Z * plain.standard_error
    assert plain.probability == pytest.approx(closed.probability)
    # The spread of 4,000 draws has an error of about 2 %, and simulation adds to it.
    assert plain.standard_deviation == pytest.approx(closed.standard_deviation, rel=0.25)


def test_effects_of_all_kinds_of_pairs(models: tuple[Model, Model]) -> None:
    plain, closed = (effects(DAG, "a", "b", model=model) for model in models)
    for level in range(3):
        agree(plain.given(level, 1), closed.given(level, 1))
        agree(plain.difference(level, 1), closed.difference(level, 1))
    plain, closed = (effects(DAG, "a", "d", model=model) for model in models)
    agree(plain.given(1), closed.given(1))
    agree(plain.difference(1), closed.difference(1))
    plain, closed = (effects(DAG, "c", "d", model=model) for model in models)
    agree(plain.estimate, closed.estimate)
    none = effects(DAG, "d", "c", model=models[0])
    assert (none.mean, none.probability) == (0.0, 0.0)


def test_effects_averaged_over_dags(models: tuple[Model, Model]) -> None:
    posteriors = [arcwise.exact(model, dags=200, seed=1) for model in models]
    plain, closed = (effects(each, "a", "d") for each in posteriors)
    one, other = plain.difference(1), closed.difference(1)
    error = np.hypot(one.standard_error, other.standard_error)
    assert abs(one.mean - other.mean) < Z * error


def test_interventions_without_draws_and_with_some(models: tuple[Model, Model]) -> None:
    for draws in (0, 5_000):
        plain, closed = (
            interventional(DAG, "b", {"a": 1}, model=model, draws=draws) for model in models
        )
        # Of a mean over 4,000 draws, each of which varies by less than 0.1.
        assert np.abs(plain.mean - closed.mean).max() < Z * 0.1 / np.sqrt(4_000)


def test_densities_of_rows(models: tuple[Model, Model]) -> None:
    new = mixed_case((2, 3, 0, 0), 12, 9).data
    plain, closed = (arcwise.log_predictive(DAG, new, model=model) for model in models)
    # Each is a product of four means over 1,000 draws that vary by 0.3 of themselves at most.
    assert np.abs(plain - closed).max() < Z * 2 * 0.3 / np.sqrt(1_000)
    joint = [arcwise.log_predictive(DAG, new, model=model, joint=True) for model in models]
    assert joint[0] == pytest.approx(joint[1], abs=1e-9)


RUNS = 12
# What is known of a row, and the target: levels and numbers above and below it are unknown.
ROWS: list[tuple[dict[str, list[Any]], str]] = [
    ({"d": [1.5]}, "a"),
    ({"b": [1], "d": [-0.5]}, "a"),
    ({"d": [0.3], "c": [None]}, "c"),
    ({"a": [1], "d": [-1.0], "c": [0.7]}, "c"),
    ({"a": [0], "d": [0.4]}, "d"),
]


@pytest.mark.parametrize(("row", "target"), ROWS)
def test_predictions(row: dict[str, list[Any]], target: str, models: tuple[Model, Model]) -> None:
    """Runs of 2,000 draws are compared by their own spread."""
    plain, closed = (
        [predict(DAG, row, target, model=model, draws=2_000, seed=seed) for seed in range(RUNS)]
        for model in models
    )

    def compare(figure: Callable[[Any], float]) -> None:
        one, other = (np.array([figure(run) for run in runs]) for runs in (plain, closed))
        error = np.sqrt((one.var(ddof=1) + other.var(ddof=1)) / RUNS)
        # With 22 degrees of freedom, 7 errors are exceeded as often as 5 normal ones.
        assert abs(one.mean() - other.mean()) < 7 * error + 1e-12

    if target == "a":
        compare(lambda run: run.probabilities[0, 1])
        return
    compare(lambda run: run.mean[0])
    compare(lambda run: run.standard_deviations[0])
    if row.get(target, [None])[0] is not None:
        compare(lambda run: run.log_densities[0])
        compare(lambda run: run.ranks[0])
    compare(lambda run: run.high[0])


def test_forecasts_and_responses() -> None:
    random = np.random.default_rng(4)
    x, g = [0.0], [0]
    for _ in range(250):
        x.append(0.6 * x[-1] + 1.5 * g[-1] + random.standard_normal())
        g.append(int(random.random() < (0.7 if g[-1] else 0.3)))
    series = arcwise.time_series({"x": x, "g": g}, within=False)
    found = [
        arcwise.exact(Model(series, score), dags=20, seed=1)
        for score in (PlainScore(), ConditionalGaussian())
    ]
    plain, closed = (forecast(each, {"x": x, "g": g}, draws=400) for each in found)
    # Of 8,000 values.
    error = closed["x"].standard_deviations[0] / np.sqrt(8_000)
    assert abs(plain["x"].mean[0] - closed["x"].mean[0]) < Z * 2 * error
    assert plain["g"].probabilities == pytest.approx(closed["g"].probabilities, abs=0.01)
    for source, step in (("g", 2), ("x", 1)):
        one, other = (impulse_response(each, source, "x", 2, draws=200).at(step) for each in found)
        one, other = (each.difference(1) if source == "g" else each for each in (one, other))
        # Both are simulated, with the posterior's deviation over 4,000 draws.
        spread = (one if source == "g" else one.estimate).standard_deviation
        assert abs(one.mean - other.mean) < Z * 2 * spread / np.sqrt(4_000)


def test_noise_that_is_too_small_is_caught(
    models: tuple[Model, Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = PlainParameters.sample

    def narrow(
        self: PlainParameters, columns: Columns, rows: int, random: np.random.Generator
    ) -> NDArray[Any]:
        drawn = exact(self, columns, rows, random)
        if not isinstance(self.known, RegressionParameters):
            return drawn
        mean = self.expected(columns, rows)[..., 0]
        return np.asarray(mean + 0.7 * (drawn - mean))

    monkeypatch.setattr(PlainParameters, "sample", narrow)
    with pytest.raises(AssertionError):
        test_predictions(*ROWS[4], models)
