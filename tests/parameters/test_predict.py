"""P(y | the rest of the row) agrees with sums over all joint assignments and all DAGs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import Data, Model
from arcwise.data import DiscreteColumn
from arcwise.results import LevelPredictions, NumberPredictions
from arcwise.scores import BDeu, BGe
from reference import prediction as reference
from reference import scores
from reference.dags import Parents
from support.strategies import Case, discrete_case, discrete_cases
from support.weighted_dags import packed, weighted_dags


def levels(*arguments: Any, **keywords: Any) -> LevelPredictions:
    found = arcwise.predict(*arguments, **keywords)
    assert isinstance(found, LevelPredictions)
    return found


def numbers(*arguments: Any, **keywords: Any) -> NumberPredictions:
    found = arcwise.predict(*arguments, **keywords)
    assert isinstance(found, NumberPredictions)
    return found


def table_of(case: Case, rows: list[list[int | None]], leave_out: int | None) -> dict[str, Any]:
    """Return codes, None where missing, as labels, without one of the columns."""
    return {
        column.name: [None if row[i] is None else column.levels[row[i]] for row in rows]
        for i, column in enumerate(case.data.columns)
        if i != leave_out and isinstance(column, DiscreteColumn)
    }


@given(st.data())
@settings(max_examples=25)
def test_discrete_predictions_agree_with_all_joint_assignments(data: Any) -> None:
    case = data.draw(
        discrete_cases().filter(
            lambda case: 2 <= len(case.variables) <= 3 and math.prod(case.rows.levels) <= 24
        )
    )
    n = len(case.variables)
    strength = data.draw(st.sampled_from([0.3, 5.0]))
    target = data.draw(st.integers(0, n - 1))
    cells = [st.one_of(st.none(), st.integers(0, r - 1)) for r in case.rows.levels]
    rows = [[data.draw(cell) for cell in cells] for _ in range(3)]
    rows[0] = [0 if value is None else value for value in rows[0]]
    model = Model(case.data, BDeu(strength), prior="uniform")
    dags, log_weights, sample = weighted_dags(model)
    leave_out = target if data.draw(st.booleans()) else None
    found = levels(sample, table_of(case, rows, leave_out), case.variables[target], model=model)

    def score(rows: scores.Rows, node: int, parents: tuple[int, ...]) -> float:
        return scores.bdeu(rows, node, parents, strength)

    for place, row in enumerate(rows):
        expected, _ = reference.conditional(dags, log_weights, score, case.rows, row, target)
        assert np.allclose(found.probabilities[place], expected, rtol=0, atol=1e-9)


def five(seed: int) -> Case:
    random = np.random.default_rng(seed)
    codes = random.integers(0, 2, (60, 5)).astype(np.uint16)
    codes[:, 3] = random.integers(0, 3, 60)
    for i in (1, 2, 4):
        copied = random.random(60) < 0.7
        codes[copied, i] = codes[copied, i - 1] % 2
    return discrete_case(codes, [2, 2, 2, 3, 2])


def bdeu(rows: scores.Rows, node: int, parents: tuple[int, ...]) -> float:
    return scores.bdeu(rows, node, parents, 2.0)


DAGS_OF_FIVE: list[Parents] = [
    ((), (0,), (1,), (2,), (3,)),
    ((1,), (2,), (3,), (4,), ()),
    ((), (0,), (0,), (1, 2), (3,)),
    ((), (), (0, 1), (), (2, 3)),
    ((), (), (), (), ()),
    ((3,), (0, 3), (), (), (0, 2)),
]


def test_patterns_interventions_and_weights_of_five_variables() -> None:
    case = five(1)
    model = Model(case.data, BDeu(2.0))
    log_weights = np.log([0.2, 0.1, 0.3, 0.25, 0.1, 0.05]).tolist()
    sample = packed(model.variables, DAGS_OF_FIVE, log_weights)
    random = np.random.default_rng(2)
    for target in range(5):
        rows: list[list[int | None]] = [
            [
                None if random.random() < 0.5 else int(random.integers(0, r))
                for r in case.rows.levels
            ]
            for _ in range(12)
        ]
        found = levels(sample, table_of(case, rows, None), case.variables[target], model=model)
        for place, row in enumerate(rows):
            expected, _ = reference.conditional(
                DAGS_OF_FIVE, log_weights, bdeu, case.rows, row, target
            )
            assert np.allclose(found.probabilities[place], expected, rtol=0, atol=1e-9)
    values = np.stack([random.integers(0, r, 6) for r in case.rows.levels], axis=1)
    mask = random.random((6, 5)) < 0.4
    mask[:, 2] = False
    columns = [
        DiscreteColumn(c.name, values[:, i].astype(np.uint16), c.levels)
        for i, c in enumerate(case.data.columns)
        if isinstance(c, DiscreteColumn)
    ]
    # One column is unknown, though never one that was intervened on.
    mask[:, 4] = False
    kept = [0, 1, 2, 3]
    new = Data([columns[i] for i in kept], None, mask[:, kept])
    found = levels(sample, new, case.variables[2], model=model)
    for place in range(6):
        row = [*values[place, :4].tolist(), None]
        expected, _ = reference.conditional(
            DAGS_OF_FIVE, log_weights, bdeu, case.rows, row, 2, mask[place].tolist()
        )
        assert np.allclose(found.probabilities[place], expected, rtol=0, atol=1e-9)


def test_rows_in_pieces_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    case = five(3)
    model = Model(case.data)
    sample = packed(model.variables, DAGS_OF_FIVE)
    rows: list[list[int | None]] = [[i % 2, None, 1, None, i // 2 % 2] for i in range(9)]
    table = table_of(case, rows, None)
    whole = levels(sample, table, "b", model=model).probabilities
    monkeypatch.setattr("arcwise.parameters.level_prediction._PIECE", 50)
    monkeypatch.setattr("arcwise.parameters.level_prediction._CELLS", 4)
    assert np.allclose(levels(sample, table, "b", model=model).probabilities, whole)


def gaussian_model(rows: int = 12, **settings: Any) -> Model:
    random = np.random.default_rng(4)
    values = random.normal(size=(rows, 3))
    values[:, 1] += values[:, 0]
    values[:, 2] += 0.5 * values[:, 1] + 1.0
    return Model(values, BGe(1.0, 6.0), **settings)


@pytest.mark.parametrize(
    ("known", "target"), [({0: 0.8, 2: 2.0}, 1), ({0: 0.8}, 1), ({1: -0.5, 2: 1.0}, 0), ({}, 2)]
)
def test_gaussian_predictions_agree_with_integrals_over_all_dags(
    known: dict[int, float], target: int
) -> None:
    """`log_predictive`, with the parameters integrated out, is summed over a grid of the unknown.

    About 40,000 draws of DAG and parameters, of which more than a tenth are effective: means err
    by 0.016 of a deviation at most, and false alarms at 5 times that are rarer than 1e-6.
    """
    model = gaussian_model()
    _, _, sample = weighted_dags(model)
    grid = np.linspace(-14.0, 16.0, 121)
    unknown = [node for node in range(3) if node not in known and node != target]
    axes = np.meshgrid(grid, *[grid[::2]] * len(unknown), indexing="ij")
    rows = np.empty((axes[0].size, 3))
    for node, value in known.items():
        rows[:, node] = value
    for node, axis in zip([target, *unknown], axes, strict=True):
        rows[:, node] = axis.reshape(-1)
    joint = np.exp(arcwise.log_predictive(sample, rows, model=model)).reshape(len(grid), -1)
    density = joint.sum(axis=1)
    step = grid[1] - grid[0]
    density /= density.sum() * step
    mean = (density * grid).sum() * step
    deviation = math.sqrt((density * (grid - mean) ** 2).sum() * step)
    table: Any = {f"X{node}": [value] for node, value in known.items()} or {"X2": [None, 1.0]}
    found = numbers(sample, table, f"X{target}", model=model, draws=1600)
    assert found.effective_draws[0] > 4000
    assert found.mean[0] == pytest.approx(mean, abs=0.08 * deviation)
    assert found.standard_deviations[0] == pytest.approx(deviation, rel=0.1)
    below = np.cumsum(density) * step - density * step / 2
    for end, probability in ((found.low[0], 0.025), (found.high[0], 0.975)):
        assert np.interp(end, grid, below) == pytest.approx(probability, abs=0.0125)


MODEL = Model({"a": ["x", "y", "x", "y"] * 5, "b": [0, 1, 1, 0] * 5})
EDGE = arcwise.Dag(["a", "b"], {"b": ["a"]})


def test_figures_of_discrete_predictions() -> None:
    found = LevelPredictions(
        "y",
        ("no", "yes"),
        np.array([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]]),
        np.array([0, 0, -1]),
    )
    assert found.log_loss == pytest.approx(-(math.log(0.9) + math.log(0.4)) / 2)
    assert found.brier == pytest.approx((2 * 0.1**2 + 2 * 0.6**2) / 2)
    assert found.accuracy == 0.5
    assert found.most_probable == ["no", "yes", "no"]
    first, _, second, *rest = repr(found).splitlines()
    assert first.endswith("Brier score 0.37 and accuracy 0.5 on 2 of them")
    assert second.split() == ["0", "0.9", "0.1", "no", "no", "-0.105"]
    assert len(rest) == 2
    assert found.preview(1, "elsewhere").splitlines()[-1] == "... and 2 more rows; elsewhere"
    table = found.table()
    assert table.columns[1:3] == ["P(y = no)", "P(y = yes)"]
    assert table["observed"].to_list() == ["no", "no", None]
    assert "<th>most_probable</th>" in found._repr_html_()


def test_figures_of_gaussian_predictions() -> None:
    model = gaussian_model(200, max_indegree=1)
    assert model.data is not None
    dag = arcwise.Dag(model.variables, {"X1": ["X0"], "X2": ["X1"]})
    found = numbers(dag, model.data, "X2", model=model, level=0.8)
    values = model.data.continuous_values("BGe")[:, 2]
    inside = (values > found.low) & (values < found.high)
    assert found.coverage == inside.mean()
    assert 0.7 < found.coverage < 0.9
    assert found.rmse == pytest.approx(math.sqrt(np.square(values - found.mean).mean()))
    assert found.log_density == pytest.approx(found.log_densities.mean())
    assert list(found.scores) == ["RMSE", "log density", "coverage of 80 % intervals"]
    again = numbers(dag, model.data, "X2", model=model, level=0.8)
    assert np.array_equal(found.mean, again.mean)


def test_rows_without_the_target_are_not_judged() -> None:
    found = levels(EDGE, {"a": ["x"]}, "b", model=MODEL)
    assert found.scores == {}
    assert "none of which has a value of b to compare with" in repr(found)
    with pytest.raises(arcwise.errors.ArgumentError, match="no row has a value of 'b'"):
        _ = found.accuracy


def test_numbers_go_into_the_intervals_the_data_were_cut_into() -> None:
    random = np.random.default_rng(6)
    x = random.normal(size=100)
    data = arcwise.discretize({"x": x, "y": (x > 0).astype(float) + random.normal(size=100)})
    model = Model(data)
    dag = arcwise.Dag(["x", "y"], {"y": ["x"]})
    by_label = levels(dag, {"x": list(data.columns[0].labels())}, "y", model=model)
    by_number = levels(dag, {"x": x}, "y", model=model)
    assert np.array_equal(by_label.probabilities, by_number.probabilities)


def test_what_predict_refuses() -> None:
    for table, words in (
        ({"a": ["z"]}, "'a' of the table holds 'z'"),
        ({"c": [1]}, "but none of the model's variables 'a' and 'b'"),
        ({"a": []}, "the table has no rows"),
        (5, "the table cannot be used, because the data are of type int"),
    ):
        with pytest.raises(arcwise.errors.ArcwiseError, match=words):
            levels(EDGE, table, "b", model=MODEL)
    with pytest.raises(arcwise.errors.ArgumentError, match="target names 'c'"):
        levels(EDGE, {"a": ["x"]}, "c", model=MODEL)
    with pytest.raises(arcwise.errors.ArgumentError, match="level is 1"):
        levels(EDGE, {"a": ["x"]}, "b", model=MODEL, level=1)
    with pytest.warns(arcwise.errors.DataWarning, match="column 'B' of the table is left out"):
        levels(EDGE, {"a": ["x"], "B": [1]}, "b", model=MODEL)
    forced = arcwise.read({"a": ["x", "y"], "b": [0, 1]}, interventions={"b": [True, False]})
    with pytest.raises(arcwise.errors.DataError, match="the target 'b' was intervened on"):
        levels(EDGE, forced, "b", model=MODEL)
    # The other way round, an intervention on the target's child says nothing about the target.
    freed = levels(EDGE, forced, "a", model=MODEL)
    plain = levels(EDGE, {"b": [0, 1]}, "a", model=MODEL)
    assert freed.probabilities[0] == pytest.approx([0.5, 0.5])
    assert np.array_equal(freed.probabilities[1], plain.probabilities[1])


def test_whole_numbers_are_put_into_the_intervals_of_the_model() -> None:
    random = np.random.default_rng(4)
    age = random.integers(1, 70, 80).astype(float)
    age[::9] = np.nan
    table = {"age": age, "ill": (np.nan_to_num(age) > 40).astype(int)}
    data = arcwise.read(table, missing="level", discretize={"age": "quantile:3"})
    posterior = arcwise.exact(arcwise.Model(data), dags=50, seed=1)
    found = arcwise.predict(posterior, {"age": [3, 66, None]}, "ill").table()
    young, old, unknown = found["P(ill = 1)"].to_list()
    assert young < unknown < 0.5 < old
