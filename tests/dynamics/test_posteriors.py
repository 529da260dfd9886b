"""Posteriors of time series agree with enumeration and with the static method on lagged columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model, time_series
from reference.dynamics import edge_probabilities


def simulated(n: int, rows: int, seed: int, *, discrete: bool) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    pull = np.where(random.random((n, n)) < 0.5, random.uniform(-0.5, 0.5, (n, n)), 0.0)
    values = np.zeros((rows, n))
    for t in range(1, rows):
        values[t] = values[t - 1] @ pull + random.standard_normal(n)
    names = "xyz"[:n]
    return {
        name: (values[:, place] > 0).astype(int) if discrete else values[:, place]
        for place, name in enumerate(names)
    }


CASES = [
    (2, 1, False, {}),
    (2, 1, True, {}),
    (2, 2, False, {"prior": "fair"}),
    (2, 2, True, {"max_indegree": 2}),
    (3, 1, False, {"tiers": "x < y, z"}),
    (
        3,
        1,
        True,
        {
            "required_edges": [("x(t-1)", "y")],
            "forbidden_edges": [("z", "x"), ("z(t-1)", "x")],
        },
    ),
]


@pytest.mark.parametrize(("n", "lags", "discrete", "arguments"), CASES)
def test_exact_posteriors_are_those_of_enumeration(
    n: int, lags: int, discrete: bool, arguments: dict[str, Any]
) -> None:
    series = time_series(simulated(n, 40, n + lags, discrete=discrete), lags=lags)
    model = Model(series, **arguments)
    names = series.variables

    def log_weight(node: int, parents: tuple[int, ...]) -> float:
        return model.log_weight(names[node], [names[u] for u in parents])

    expected, _ = edge_probabilities(n, len(names), log_weight)
    found = arcwise.exact(model)
    assert np.allclose(found.edges[:, :n], expected, rtol=0, atol=1e-10)
    assert not found.edges[:, n:].any()


def test_rules_apply_to_the_present_slice_and_to_named_lags() -> None:
    series = time_series(simulated(3, 40, 1, discrete=False), within=True)
    rules: dict[str, Any] = {
        "tiers": [["x"], ["y", "z"]],
        "required_edges": [("x(t-1)", "z")],
        "forbidden_edges": [("y(t - 1)", "x(t)")],
        "max_indegree": {"z": 2},
    }
    model = Model(series, **rules)
    edges = arcwise.exact(model).edges
    place = {name: number for number, name in enumerate(series.variables)}
    assert edges[place["x(t-1)"], place["z(t)"]] == pytest.approx(1.0)
    assert edges[place["y(t)"], place["x(t)"]] == 0.0
    assert edges[place["y(t-1)"], place["x(t)"]] == 0.0
    assert model.log_weight("z(t)", ["x(t)", "x(t-1)", "y(t-1)"]) == -np.inf
    assert model.log_weight("y(t)", ["x(t)", "x(t-1)", "y(t-1)"]) > -np.inf


def test_without_edges_within_the_slice_nodes_are_independent() -> None:
    series = time_series(simulated(3, 60, 2, discrete=True), within=False)
    model = Model(series)
    found = arcwise.exact(model)
    assert not found.edges[:3, :3].any()
    for node, name in enumerate(series.variables[:3]):
        sets = model.weights.best(name, 100)
        shares = np.exp([weight - sets[0][1] for _, weight in sets])
        for parent in series.variables[3:]:
            own = sum(s for (members, _), s in zip(sets, shares, strict=True) if parent in members)
            at = series.index(parent), node
            assert found.edges[at] == pytest.approx(own / shares.sum(), abs=1e-10)


def static_model(series: arcwise.Data, **arguments: Any) -> Model:
    """Return the model of the static method: lagged columns, and no edges into them."""
    table = arcwise.Data(series.columns)
    past = series.slices.parent_only
    forbidden = [(one, late) for late in past for one in series.variables if one != late]
    return Model(table, forbidden_edges=forbidden, **arguments)


@pytest.mark.parametrize("discrete", [False, True])
def test_the_static_method_on_lagged_columns_has_the_same_posterior(discrete: bool) -> None:
    series = time_series(simulated(3, 80, 3, discrete=discrete), lags=1)
    score = "bdeu" if discrete else "bge"
    prior = arcwise.priors.EdgePenalty(1.5)
    one = arcwise.exact(Model(series, score, prior=prior))
    other = arcwise.exact(static_model(series, score=score, prior=prior))
    assert np.allclose(one.edges[:, :3], other.edges[:, :3], rtol=0, atol=1e-10)


def test_interventions_say_nothing_about_the_parents_of_what_was_set() -> None:
    table = simulated(2, 60, 4, discrete=False)
    rows = np.zeros((60, 2), dtype=bool)
    rows[:30, 0] = True
    whole = time_series(table, interventions=rows)
    model = Model(whole)
    untouched = Model(time_series(table))
    for name, same in (("x(t)", False), ("y(t)", True)):
        one, other = (m.scores.log_score(name, ["x(t-1)"]) for m in (model, untouched))
        assert (one == pytest.approx(other, abs=1e-9)) is same


def test_models_with_other_lags_are_compared_on_the_same_rows() -> None:
    random = np.random.default_rng(5)
    x = [0.0, 0.0]
    for _ in range(300):
        x.append(0.7 * x[-2] + random.standard_normal())
    table = {"x": x}
    models = {
        str(lags): arcwise.exact(Model(time_series(table, lags=lags, common_lags=3)))
        for lags in (0, 1, 2, 3)
    }
    found = arcwise.compare_models(models)
    assert found.models[0].name == "2"
    with pytest.raises(arcwise.errors.ArgumentError, match="different data"):
        arcwise.compare_models({str(n): Model(time_series(table, lags=n)) for n in (1, 2)})


def test_the_first_slice_is_a_model_of_its_own() -> None:
    random = np.random.default_rng(6)
    who = np.repeat(np.arange(60), 4)
    x = random.standard_normal(240)
    table = {"who": who, "x": x, "y": x + 0.5 * random.standard_normal(240), "s": who % 2 * 1.0}
    series = time_series(table, subject="who", kinds={"s": "continuous"})
    first = arcwise.learn(series.first_slice, progress=None)
    assert set(first.variables) == {"x(0)", "y(0)", "s"}
    assert first.probability("x(0) -- y(0)") > 0.99
    assert not first.edges[:, first.variables.index("s")].any()


def test_steps_have_their_own_networks() -> None:
    random = np.random.default_rng(7)
    x = random.standard_normal((400, 3))
    y = random.standard_normal((400, 3))
    y[:, 1] += 2 * x[:, 0]  # at the first step only
    table = {"who": np.repeat(np.arange(400), 3), "x": x.ravel(), "y": y.ravel()}
    series = time_series(table, subject="who", within=False)
    steps = arcwise.dynamics.learn_steps(series, progress=None, prior="uniform")
    assert list(steps) == [2, 3]
    assert steps[2].probability("x(t-1) -> y(t)") > 0.99
    assert steps[3].probability("x(t-1) -> y(t)") < 0.5
    assert [str(edge) for time, edge in steps.edges(0.9)] == ["x(t-1) -> y(t): 1.000"]
    # The rows are the same, and so are the priors: the evidences can be compared.
    whole = arcwise.learn(series, progress=None, prior="uniform")
    assert steps.log_evidence > whole.log_evidence
