"""Prediction in mixed tables: P(y | the rest) whatever is missing, against sums and integrals.

Where parameters are drawn, 16 independent runs are compared with the exact value by a t-test;
each such comparison would fail for a correct library with probability 1e-7, all of them together
with less than 1e-5. Seeds are fixed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

import arcwise
from arcwise import Dag, Data, Model
from arcwise.parameters import prediction_by_draws
from arcwise.results import LevelPredictions, NumberPredictions
from arcwise.scores import ConditionalGaussian
from reference.mixed_parameters import levels_given
from reference.parameters import log_mean, with_rows
from support.mixed_tables import NAMES, columns_of, mixed_case, mixed_model
from support.weighted_dags import packed, weighted_dags

# Results of several types, of which a test knows the one.
predict: Any = arcwise.predict
RUNS = 16
LIMIT = t.isf(0.5e-7, RUNS - 1)
KINDS = st.sampled_from([(2, 0), (2, 0, 0), (2, 0, 3), (0, 2, 2)])


def as_table(row: Any, levels: tuple[int, ...]) -> dict[str, list[Any]]:
    return {
        NAMES[i]: [None if value is None else int(value) if levels[i] else value]
        for i, value in enumerate(row)
    }


@given(st.data())
@settings(max_examples=25)
def test_levels_given_all_numbers_are_exact(data: Any) -> None:
    """Over all DAGs, with unknown levels and interventions."""
    levels = data.draw(KINDS)
    case = mixed_case(levels, data.draw(st.sampled_from([3, 20])), data.draw(st.integers(0, 10**6)))
    model, prior = mixed_model(case, ConditionalGaussian(2.0, 0.7))
    dags, log_weights, sample = weighted_dags(model)
    targets = [v for v, size in enumerate(levels) if size]
    target = data.draw(st.sampled_from(targets))
    row: list[float | None] = list(
        mixed_case(levels, 1, data.draw(st.integers(0, 99))).rows.values[0]
    )
    for other in targets:
        if other == target or data.draw(st.booleans()):
            row[other] = None
    mask = [value is not None and data.draw(st.booleans()) for value in row]
    codes = np.array([[0.0 if value is None else value for value in row]])
    known = [i for i, value in enumerate(row) if value is not None]
    table = Data(columns_of(levels, codes), None, np.array([mask])).select(
        [NAMES[i] for i in known]
    )
    found = predict(sample, table, NAMES[target], model=model)
    assert isinstance(found, LevelPredictions)
    expected = levels_given(dags, log_weights, prior, case.rows, row, target, mask)
    assert found.probabilities[0] == pytest.approx(expected, abs=1e-8)


def test_levels_from_levels_alone_are_exact_as_nothing_is_below_numbers() -> None:
    case = mixed_case((2, 3, 0, 0), 50, 3)
    model, prior = mixed_model(case, ConditionalGaussian())
    dags, log_weights, sample = weighted_dags(model)
    for level in range(3):
        found = predict(sample, {"b": [level]}, "a", model=model)
        again = predict(sample, {"b": [level]}, "a", model=model, seed=5)
        assert np.array_equal(found.probabilities, again.probabilities)
        # Unknown numbers below add up to 1, so that any may stand for them: only levels count.
        alone = weighted_levels(dags, log_weights, prior, case.rows, level)
        assert found.probabilities[0] == pytest.approx(alone, abs=1e-9)


def weighted_levels(dags: Any, log_weights: Any, prior: Any, rows: Any, level: int) -> list[float]:
    found = []
    for code in range(2):
        after = with_rows(rows, [[code, level, 0.0, 0.0]])
        logs = [
            sum(prior.score(after, v, dag[v]) - prior.score(rows, v, dag[v]) for v in (0, 1))
            for dag in dags
        ]
        found.append(np.exp(log_mean(logs, log_weights)))
    return [each / sum(found) for each in found]


def assert_agree(values: list[float], expected: float, grid: float = 1e-9) -> None:
    """Assert that runs agree with a value, which a grid may leave an error."""
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    assert abs(np.mean(values) - expected) < LIMIT * error + grid


# Kinds, DAGs, the row (None: unknown), the target, and what is integrated over.
DRAWN: list[tuple[tuple[int, ...], list[Any], list[float | None], int]] = [
    # A complete row, a number with a parent and a child.
    ((2, 0, 0), [((), (0,), (0, 1)), ((), (), (1,))], [1, None, 0.4], 1),
    # A level, from a number whose parent is an unknown number.
    ((2, 0, 0), [((), (0,), (1,)), ((), (0,), (0, 1))], [None, None, 1.3], 0),
    # A number below an unknown number and an unknown level.
    ((2, 0, 0), [((), (0,), (0, 1))], [None, None, None], 2),
    # A number from its child, with an unknown level above both.
    ((3, 0, 0), [((), (0,), (0, 1)), ((), (0,), (1,))], [None, None, -0.8], 1),
    # Two unknown levels, one above the other.
    ((2, 2, 0), [((), (0,), (0, 1)), ((), (0,), (1,))], [None, None, None], 2),
]


def by_integration(
    sample: Any, model: Model, levels: tuple[int, ...], row: list[float | None], target: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of the target on a grid, and their probabilities given the row.

    Densities of complete rows are summed over unknown levels and over a fine grid of unknown
    numbers; these densities are tested against ratios of marginal likelihoods.
    """
    assert model.data is not None
    choices = []
    for v, (value, size) in enumerate(zip(row, levels, strict=True)):
        if value is not None and v != target:
            choices.append(np.array([value]))
        elif size:
            choices.append(np.arange(size))
        else:
            column = np.asarray(model.data.columns[v].numbers())
            choices.append(column.mean() + column.std() * np.linspace(-15, 15, 301))
    every = np.stack([axis.ravel() for axis in np.meshgrid(*choices, indexing="ij")], axis=1)
    logs = arcwise.log_predictive(sample, Data(columns_of(levels, every)), model=model)
    joint = np.exp(logs - logs.max()).reshape([len(choice) for choice in choices])
    found = joint.sum(axis=tuple(v for v in range(len(row)) if v != target))
    return choices[target], found / found.sum()


@pytest.mark.parametrize("one_by_one", [True, False])
@pytest.mark.parametrize(("levels", "dags", "row", "target"), DRAWN)
def test_what_is_drawn_agrees_with_integrals(
    levels: tuple[int, ...],
    dags: list[Any],
    row: list[float | None],
    target: int,
    one_by_one: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = mixed_case(levels, 40, 11)
    model, _ = mixed_model(case, ConditionalGaussian(2.0))
    sample = packed(model.variables, dags, [0.0, -0.4][: len(dags)])
    if not one_by_one:
        monkeypatch.setattr(prediction_by_draws, "MOST_CONFIGURATIONS", 0)
    grid, probabilities = by_integration(sample, model, levels, row, target)
    place = 155  # somewhat above the mean
    table = as_table(row, levels)
    if not levels[target]:
        table[NAMES[target]] = [float(grid[place])]
    runs = [
        predict(sample, table, NAMES[target], model=model, draws=2_000, seed=seed)
        for seed in range(RUNS)
    ]
    if levels[target]:
        for level in range(levels[target] - 1):
            assert_agree([run.probabilities[0, level] for run in runs], probabilities[level])
        return
    assert_agree([float(run.mean[0]) for run in runs], float(grid @ probabilities))
    below = probabilities[:place].sum() + probabilities[place] / 2
    assert_agree([float(run.ranks[0]) for run in runs], float(below), 1e-4)
    density = np.log(probabilities[place] / (grid[1] - grid[0]))
    assert_agree([float(run.log_densities[0]) for run in runs], float(density), 1e-4)


def test_predictions_do_not_depend_on_which_rows_are_asked_together() -> None:
    levels = (2, 3, 0, 0, 2)
    case = mixed_case(levels, 80, 4)
    posterior = arcwise.exact(Model(case.data), dags=40, seed=1)
    random = np.random.default_rng(2)
    values = np.array(mixed_case(levels, 30, 9).rows.values)
    rows = [
        [None if random.random() < 0.4 else value for value in line] for line in values.tolist()
    ]
    columns = [as_table(row, levels) for row in rows]
    together = {name: [column[name][0] for column in columns] for name in columns[0]}
    for target in ("a", "c"):
        at_once = predict(posterior, together, target, draws=50)
        for place in (0, 7, 29):
            alone = predict(posterior, columns[place], target, draws=50)
            if isinstance(at_once, NumberPredictions):
                assert alone.mean[0] == pytest.approx(at_once.mean[place], rel=1e-9)
                # Quantiles are searched for until all rows are right to 1e-6 of probability.
                assert alone.high[0] == pytest.approx(at_once.high[place], abs=1e-3)
            else:
                assert alone.probabilities[0] == pytest.approx(
                    at_once.probabilities[place], rel=1e-9
                )


def test_numbers_far_from_zero_are_predicted_as_well() -> None:
    levels = (2, 0, 0)
    dag = Dag(list("abc"), {"b": ["a"], "c": ["a", "b"]})
    found = []
    for far in (0.0, 1e8):
        case = mixed_case(levels, 60, 6, far=far)
        row = {"a": [1], "c": [far + 0.5]}
        found.append(predict(dag, row, "b", model=Model(case.data)).mean[0] - far)
    assert found[0] == pytest.approx(found[1], abs=1e-5)


def test_intervals_cover_what_they_should() -> None:
    """Rows of the true network, 30 % of the values unknown: the 90 % intervals, by a binomial test.

    Parameters are nearly known, so that coverage is nearly exact.
    """
    dag = Dag(list("abcd"), {"b": ["a"], "c": ["a", "b"], "d": ["c", "a"]})
    network = arcwise.networks.conditional_gaussian_network(dag, {"a": 3}, seed=1)
    model = Model(network.sample(5_000, seed=1))
    random = np.random.default_rng(3)
    table = network.sample(1_000, seed=2).to_dict()
    for name in "abd":
        table[name] = [None if random.random() < 0.3 else value for value in table[name]]
    found = predict(dag, table, "c", model=model, level=0.9, draws=300)
    # Five standard deviations of 1,000 independent rows.
    assert abs(found.coverage - 0.9) < 5 * np.sqrt(0.09 / 1000)


def test_a_level_is_unknown_and_nothing_below_matters() -> None:
    """Discrete data alone: the only unknown variable has no known descendant."""
    model = Model({"a": [0, 1, 1, 0], "b": [0, 1, 0, 0]})
    dag = Dag(["a", "b"], {"b": ["a"]})
    found = predict(dag, {"a": [0, 1]}, "a", model=model)
    assert found.probabilities == pytest.approx(np.full((2, 2), 0.5))


def test_cross_validation_of_both_kinds() -> None:
    case = mixed_case((2, 3, 0, 0), 90, 8)
    for target, score in (("a", "log loss"), ("c", "RMSE")):
        found = arcwise.cross_validate(case.data, target, folds=3, seed=1)
        assert score in found.scores
