"""The effect of one variable on another: by kind of data, with its point mass and its modes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Dag, Model
from arcwise.results import EffectEstimate, LevelEffects, LinearEffect
from reference import parameters as reference
from reference import scores
from reference.dags import Parents
from support.small_gaussian import simple_model
from support.strategies import discrete_case
from support.weighted_dags import packed, weighted_dags


def linear(*arguments: Any, **keywords: Any) -> LinearEffect:
    found = arcwise.effects(*arguments, **keywords)
    assert isinstance(found, LinearEffect)
    return found


def codes() -> np.ndarray:
    random = np.random.default_rng(5)
    values = random.integers(0, 2, (40, 3)).astype(np.uint16)
    values[:, 2] = random.integers(0, 3, 40)
    copied = random.random(40) < 0.6
    values[copied, 1] = values[copied, 0]
    return values


CASE = discrete_case(codes(), [2, 2, 3])


def bdeu(rows: scores.Rows, node: int, parents: tuple[int, ...]) -> float:
    return scores.bdeu(rows, node, parents, 1.0)


def test_discrete_effects_agree_with_brute_force_over_all_dags() -> None:
    model = Model(CASE.data, arcwise.scores.BDeu(1.0), prior="uniform")
    dags, log_weights, sample = weighted_dags(model)
    weights = np.exp(np.array(log_weights) - max(log_weights))
    weights /= weights.sum()
    found = arcwise.effects(sample, "c", "b", model=model)
    assert isinstance(found, LevelEffects)
    each = np.array(
        [
            [reference.interventional(dag, bdeu, CASE.rows, 1, {2: level}) for level in range(3)]
            for dag in dags
        ]
    )
    expected = np.tensordot(weights, each, 1)
    path = np.array([any(reference.directed_paths(dag, 2, 1)) for dag in dags])
    assert found.probability == pytest.approx(weights[path].sum())
    for a, source in enumerate(found.source_levels):
        for b, target in enumerate(found.target_levels):
            given = found.given(target, source)
            assert given.mean == pytest.approx(expected[a, b], abs=1e-9)
            assert given.probability == pytest.approx(1.0)
            if a:
                difference = found.difference(target, source)
                assert difference.mean == pytest.approx(expected[a, b] - expected[0, b], abs=1e-9)
                assert difference.probability == pytest.approx(weights[path].sum())


def test_another_reference_turns_differences_round() -> None:
    model = Model(CASE.data)
    dag = Dag(model.variables, {"b": ["a", "c"]})
    one = arcwise.effects(dag, "a", "b", model=model)
    assert isinstance(one, LevelEffects)
    first, second = one.source_levels
    other = arcwise.effects(dag, "a", "b", reference=second, model=model)
    assert isinstance(other, LevelEffects)
    target = one.target_levels[0]
    forward, back = one.difference(target, second), other.difference(target, first)
    assert forward.mean == pytest.approx(-back.mean)
    assert np.allclose(forward.values, -back.values)
    with pytest.raises(arcwise.errors.ArgumentError, match="is the reference"):
        other.difference(target, second)


def mixture() -> tuple[Model, LinearEffect]:
    """Return an effect of X0 on X2: none, by one adjustment set, or by another."""
    model, _, _ = simple_model(rows=400)
    dags: list[Parents] = [((), (0,), ()), ((), (), (0,)), ((1,), (), (0, 1))]
    sample = packed(model.variables, dags, np.log([0.5, 0.2, 0.3]).tolist())
    return model, linear(sample, "X0", "X2", draws=2000, model=model)


def test_no_effect_is_a_point_mass_and_the_rest_may_have_two_modes() -> None:
    model, found = mixture()
    assert found.probability == pytest.approx(0.5)
    each = [
        linear(packed(model.variables, [dag]), "X0", "X2", draws=4000, model=model)
        for dag in (((), (), (0,)), ((1,), (), (0, 1)))
    ]
    assert found.mean == pytest.approx(0.2 * each[0].mean + 0.3 * each[1].mean)
    assert found.estimate.mean_given_effect == pytest.approx(2 * found.mean)
    assert 0.0 not in found.estimate.values
    intervals = found.intervals()
    assert len(intervals) == 2
    for interval, mean in zip(intervals, sorted(one.mean for one in each), strict=True):
        assert interval.low < mean < interval.high
    spread = found.estimate.weights @ found.estimate.values**2
    total = found.probability * spread - found.mean**2
    assert found.estimate.standard_deviation == pytest.approx(math.sqrt(total), rel=0.02)
    words = repr(found).splitlines()
    assert words[1] == "no directed path, so no effect: probability 0.5"
    assert " intervals " in words[2]
    assert " or " in words[2]


def test_a_dag_without_a_path_has_no_interval() -> None:
    model, _, _ = simple_model()
    found = arcwise.effects(Dag(model.variables, {"X0": ["X1"]}), "X0", "X1", model=model)
    assert isinstance(found, LinearEffect)
    assert (found.mean, found.probability, found.intervals()) == (0.0, 0.0, ())
    assert repr(found).endswith("no directed path, so no effect: probability 1")
    assert found.table()["intervals"].to_list() == [""]
    discrete = Model(CASE.data)
    none = arcwise.effects(Dag(discrete.variables, {}), "a", "b", model=discrete)
    assert isinstance(none, LevelEffects)
    assert none.difference(none.target_levels[0], none.source_levels[1]).mean == 0.0


def test_tables_have_headings(tmp_path: Path) -> None:
    _, found = mixture()
    table = found.table(0.9)
    assert table.columns[:4] == ["source", "target", "mean", "standard_deviation"]
    assert table["low"][0] == found.intervals(0.9)[0].low
    found.write(tmp_path / "one.csv")
    assert (tmp_path / "one.csv").read_text().startswith("source,target,mean,")
    model = Model(CASE.data)
    levels = arcwise.effects(Dag(model.variables, {"b": ["c"]}), "c", "b", model=model)
    frame = levels.table()
    assert frame["compared_with"].null_count() == 6
    assert len(frame) == 6 + 4
    levels.write(tmp_path / "levels.csv")
    assert len((tmp_path / "levels.csv").read_text().splitlines()) == 11
    assert "<td>" in levels._repr_html_()
    assert "Differences from do(c = " in repr(levels)


def test_draws_are_as_many_as_intervals_need() -> None:
    model, _, _ = simple_model()
    dags = arcwise.algorithms.ExactSampler(model).dags(300, seed=1)
    found = linear(dags, "X0", "X1", model=model)
    path = arcwise.effects(dags, model=model).probabilities[0, 1]
    assert len(found.estimate.values) == round(300 * path) * 14
    again = linear(dags, "X0", "X1", model=model)
    assert np.array_equal(found.estimate.values, again.estimate.values)


def test_the_standard_deviation_of_nothing() -> None:
    nothing = EffectEstimate(0.0, 0.0, 0.0, np.empty(0), np.empty(0))
    assert nothing.standard_deviation == 0.0
    assert math.isnan(nothing.mean_given_effect)


def test_what_is_refused() -> None:
    model, _, _ = simple_model()
    dag = Dag(model.variables, {"X1": ["X0"]})
    for arguments, keywords, words in (
        (("X0",), {}, "only one variable is given; give target, too"),
        (("X0", "X0"), {}, "'X0' has no effect on itself"),
        (("X0", "X9"), {}, "'X9'"),
        (("X0", "X1"), {"pairs": [("X0", "X1")]}, "pairs is for all effects at once"),
        (("X0", "X1"), {"reference": 1}, "reference is for a discrete source"),
        (("X0", "X1"), {"draws": 0}, "draws is 0"),
        ((), {"reference": 1}, "give source and target, too"),
    ):
        with pytest.raises(arcwise.errors.ArgumentError, match=words):
            arcwise.effects(dag, *arguments, model=model, **keywords)
    discrete = Model(CASE.data)
    with pytest.raises(arcwise.errors.ArgumentError, match="reference is 'z'; the levels of 'a'"):
        arcwise.effects(Dag(discrete.variables, {}), "a", "b", reference="z", model=discrete)


def test_a_saved_posterior_needs_only_its_data(tmp_path: Path) -> None:
    learned = arcwise.exact(Model(CASE.data), dags=50, seed=1)
    learned.save(tmp_path / "posterior.npz")
    read = arcwise.Posterior.load(tmp_path / "posterior.npz")
    expected = arcwise.effects(learned, "a", "b").table()
    assert arcwise.effects(read, "a", "b", model=CASE.data).table().equals(expected)
    with pytest.raises(arcwise.errors.ArgumentError, match="computed from data other than"):
        arcwise.effects(read, "a", "b", model=CASE.data.take_rows(np.arange(10)))
    with pytest.raises(arcwise.errors.ArgumentError, match="score of the posterior is not known"):
        arcwise.effects(Dag(CASE.data.variables, {}), "a", "b", model=CASE.data)
