"""Effects in mixed tables: exact means, all kinds of pairs, simulation, drawn configurations.

Every statistical comparison uses fixed seeds and would fail for a correct library with
probability 1e-6 at most.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import arcwise
from arcwise import Dag, Model
from arcwise.networks import conditional_gaussian_network, random_dag
from arcwise.parameters import intervened
from arcwise.results import LevelEffects, LinearEffect, MeanEffects
from arcwise.scores import BDeu, BGe, ConditionalGaussian
from reference.dags import all_dags
from reference.mixed_parameters import mean_under_intervention
from reference.parameters import interventional
from support.mixed_tables import NAMES, mixed_case, mixed_model
from support.weighted_dags import packed

# Results of several types, of which a test knows the one.
effects: Any = arcwise.effects
Z = norm.isf(0.5e-6)
KINDS = st.sampled_from([(2, 0, 0), (0, 2, 0), (2, 3, 0, 0), (0, 0, 2, 2)])


def allowed(dag: Any, levels: tuple[int, ...]) -> bool:
    return not any(
        levels[node] and not levels[parent] for node in range(len(dag)) for parent in dag[node]
    )


@given(st.data())
@settings(max_examples=25)
def test_means_are_those_of_the_definition(data: Any) -> None:
    levels = data.draw(KINDS)
    case = mixed_case(
        levels,
        data.draw(st.sampled_from([6, 25])),
        data.draw(st.integers(0, 2**32 - 1)),
        weighted=data.draw(st.booleans()),
        intervened=data.draw(st.booleans()),
    )
    model, prior = mixed_model(case, ConditionalGaussian(2.0, 0.7))
    dags = [dag for dag in all_dags(len(levels)) if allowed(dag, levels)]
    dag = data.draw(st.sampled_from(dags))
    numbers = [v for v, size in enumerate(levels) if not size]
    target = data.draw(st.sampled_from(numbers))
    source = data.draw(st.sampled_from([v for v in range(len(levels)) if v != target]))
    sample = packed(model.variables, [dag])
    found: Any = effects(sample, NAMES[source], NAMES[target], model=model, draws=3)

    def expected(value: float) -> float:
        return mean_under_intervention(dag, prior, case.rows, target, {source: value})

    if levels[source]:
        assert isinstance(found, MeanEffects)
        for level in range(levels[source]):
            assert found.given(level).mean == pytest.approx(expected(level), rel=1e-8, abs=1e-8)
            if level:
                difference = expected(level) - expected(0)
                assert found.difference(level).mean == pytest.approx(difference, abs=1e-7)
    else:
        assert isinstance(found, LinearEffect)
        slope = expected(1.0) - expected(0.0)
        assert found.mean == pytest.approx(slope, rel=1e-7, abs=1e-8)
        assert expected(2.0) - expected(1.0) == pytest.approx(slope, rel=1e-6, abs=1e-7)


def test_discrete_variables_among_numbers_have_the_effects_they_have_alone() -> None:
    levels = (2, 3, 0, 2)
    case = mixed_case(levels, 60, 5)
    model, prior = mixed_model(case, ConditionalGaussian(2.0))
    dag = Dag(list("abcd"), {"b": ["a"], "d": ["b", "a"], "c": ["a"]})
    found = effects(dag, "a", "d", model=model)
    assert isinstance(found, LevelEffects)
    alone = effects(
        Dag(list("abd"), {"b": ["a"], "d": ["b", "a"]}),
        "a",
        "d",
        model=Model(case.data.select(list("abd")), BDeu(2.0)),
    )
    assert found.given(1, 1).mean == pytest.approx(alone.given(1, 1).mean, rel=1e-12)
    parents = [(), (0,), (0,), (0, 1)]
    rows = mixed_case(levels, 60, 5).rows
    for level in range(2):
        # The number's own density cancels: it is intervened on as well.
        brute = sum_over_numbers(parents, prior, rows, level)
        assert found.given(1, level).mean == pytest.approx(brute, rel=1e-9)


def sum_over_numbers(parents: Any, prior: Any, rows: Any, level: int) -> float:
    """Return P(d = 1 | do(a = level)) with the continuous variable set, which is below nothing."""
    discrete_only = tuple(members if node != 2 else () for node, members in enumerate(parents))
    without = type(rows)(
        [[row[0], row[1], 0.0, row[3]] for row in rows.values], levels=(2, 3, 1, 2)
    )
    return interventional(discrete_only, prior.score, without, 3, {0: level})[1]


def test_between_continuous_variables_alone_it_is_the_effect_of_bge() -> None:
    case = mixed_case((0, 0, 0), 40, 2)
    dag = Dag(list("abc"), {"b": ["a"], "c": ["a", "b"]})
    one = effects(dag, "a", "c", model=Model(case.data, ConditionalGaussian()))
    other = effects(dag, "a", "c", model=Model(case.data, BGe()))
    assert one.table().equals(other.table())


def test_a_continuous_variable_has_no_effect_on_a_discrete_one() -> None:
    case = mixed_case((2, 0), 30, 1)
    model = Model(case.data)
    found = effects(arcwise.exact(model, dags=50, seed=1), "b", "a")
    assert (found.mean, found.probability, found.intervals()) == (0.0, 0.0, ())
    assert "no discrete variable has a continuous cause" in repr(found)
    assert found.table()["probability_of_effect"].to_list() == [0.0]


@pytest.fixture(scope="module")
def large() -> tuple[Any, Model]:
    names = list("abcdefg")
    dag = Dag(
        names,
        {"b": ["a"], "c": ["a", "b"], "e": ["d", "c"], "f": ["e", "b", "d"], "g": ["f", "c"]},
    )
    levels = {"a": 2, "b": 3, "c": 2}
    network = conditional_gaussian_network(dag, levels, concentration=3.0, signs="random", seed=4)
    return network, Model(network.sample(100_000, seed=1))


@pytest.mark.parametrize(("source", "target"), [("a", "g"), ("b", "f"), ("c", "e"), ("a", "e")])
def test_levels_against_the_intervened_network(large: Any, source: str, target: str) -> None:
    """Simulated means of the true network; the posterior adds its own deviation."""
    network, model = large
    found = effects(network.dag, source, target, model=model)
    for level in found.source_levels:
        table = network.sample(200_000, seed=7, interventions={source: level}).to_dict()
        simulated = np.array(table[target])
        error = np.hypot(
            simulated.std() / np.sqrt(len(simulated)), found.given(level).standard_deviation
        )
        assert abs(found.given(level).mean - simulated.mean()) < Z * error


@pytest.mark.parametrize(("source", "target"), [("d", "g"), ("e", "g"), ("d", "f")])
def test_numbers_against_the_intervened_network(large: Any, source: str, target: str) -> None:
    network, model = large
    found = effects(network.dag, source, target, model=model)
    # The same seed gives the same noise: the difference of the two varies by configuration only.
    high, low = (
        np.array(network.sample(200_000, seed=7, interventions={source: x}).to_dict()[target])
        for x in (3.0, 2.0)
    )
    steps = high - low
    error = np.hypot(steps.std() / np.sqrt(len(steps)), found.estimate.standard_deviation)
    assert abs(found.mean - steps.mean()) < Z * error
    assert found.probability == 1.0


def test_draws_have_the_mean_and_spread_of_the_posterior(large: Any) -> None:
    """The mean of the draws is the exact mean, which is computed without them."""
    network, model = large
    for source, target in (("a", "g"), ("d", "g")):
        found = effects(network.dag, source, target, model=model, draws=4_000)
        estimate = found.estimate if isinstance(found, LinearEffect) else found.difference(1)
        error = estimate.values.std() / np.sqrt(len(estimate.values))
        assert abs(estimate.values.mean() - estimate.mean) < Z * error


@pytest.mark.parametrize(("source", "target"), [("a", "g"), ("b", "e"), ("d", "g")])
def test_drawn_configurations_agree_with_the_sum_over_all(
    large: Any, source: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    network, model = large
    exact = effects(network.dag, source, target, model=model, draws=200)
    monkeypatch.setattr(intervened, "MOST_CELLS", 1)
    drawn = effects(network.dag, source, target, model=model, draws=200)
    if isinstance(exact, LinearEffect):
        pairs = [(exact.estimate, drawn.estimate)]
    else:
        levels = exact.source_levels
        pairs = [(exact.given(level), drawn.given(level)) for level in levels]
        pairs += [(exact.difference(level), drawn.difference(level)) for level in levels[1:]]
    for one, other in pairs:
        assert np.isnan(one.standard_error)
        assert other.standard_error > 0
        assert abs(one.mean - other.mean) < Z * other.standard_error
        # The parameters are the same; only configurations differ.
        assert abs(np.median(one.values) - np.median(other.values)) < 20 * other.standard_error


def test_sampled_dags_and_unseen_configurations() -> None:
    """A table whose levels are often unseen together: means and intervals stay finite."""
    names = [f"X{i}" for i in range(6)]
    dag = random_dag(names, expected_degree=3, first=names[:3], seed=8)
    network = conditional_gaussian_network(dag, dict.fromkeys(names[:3], 5), concentration=0.2)
    posterior = arcwise.exact(Model(network.sample(60, seed=1)), dags=300, seed=1)
    for source in names[:5]:
        found = effects(posterior, source, "X5")
        text = found.describe()
        assert "nan" not in text
        assert "inf" not in text
        again = effects(posterior, source, "X5")
        assert found.table().equals(again.table(), null_equal=True)


def test_levels_and_references_that_are_refused() -> None:
    case = mixed_case((3, 0, 0), 30, 1)
    model = Model(case.data)
    dag = Dag(list("abc"), {"b": ["a"], "c": ["b"]})
    found = effects(dag, "a", "c", model=model, reference=1)
    assert found.reference == 1
    with pytest.raises(arcwise.errors.ArgumentError, match="is the reference"):
        found.difference(1)
    with pytest.raises(arcwise.errors.ArgumentError, match="has no level 7"):
        found.given(7)
    with pytest.raises(arcwise.errors.ArgumentError, match="the levels of 'a' are"):
        effects(dag, "a", "c", model=model, reference=9)
    with pytest.raises(arcwise.errors.ArgumentError, match="reference is for a discrete source"):
        effects(dag, "b", "c", model=model, reference=1)
    with pytest.raises(arcwise.errors.ArgumentError, match="give source and target"):
        effects(dag, model=model)
    with pytest.raises(arcwise.errors.ArgumentError, match="'c' is continuous, but"):
        arcwise.interventional(dag, "c", {"a": 1}, model=model)
