"""P(y | do(x)) agrees with the prediction of a row with an intervention on x, DAGs averaged."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

import arcwise
from arcwise import Dag, Model
from arcwise.errors import CapacityError
from arcwise.laws.tables import drawn_tables
from arcwise.parameters.level_prediction import eliminate, elimination_order
from arcwise.scores import BDe, BDeu
from reference import parameters as reference
from reference import scores
from reference.dags import Parents
from support.chi_squared import assert_follows
from support.strategies import Case, discrete_case, discrete_cases
from support.weighted_dags import packed, weighted_dags

BINS = 20


def averaged(
    dags: list[Parents],
    log_weights: list[float],
    score: reference.Score,
    case: Case,
    target: int,
    setting: dict[int, int],
) -> np.ndarray:
    weights = np.exp(np.array(log_weights) - max(log_weights))
    each = [reference.interventional(dag, score, case.rows, target, setting) for dag in dags]
    mean: np.ndarray = weights / weights.sum() @ np.array(each)
    return mean


@given(st.data())
@settings(max_examples=15)
def test_it_agrees_with_brute_force_over_all_dags(data: Any) -> None:
    case = data.draw(
        discrete_cases().filter(
            lambda case: 2 <= len(case.variables) <= 3 and math.prod(case.rows.levels) <= 24
        )
    )
    n = len(case.variables)
    strength = data.draw(st.sampled_from([0.5, 6.0]))
    target = data.draw(st.integers(0, n - 1))
    others = [node for node in range(n) if node != target]
    chosen = data.draw(st.lists(st.sampled_from(others), unique=True))
    setting = {node: data.draw(st.integers(0, case.rows.levels[node] - 1)) for node in chosen}
    model = Model(case.data, BDeu(strength), prior="fair")
    dags, log_weights, sample = weighted_dags(model)

    def score(rows: scores.Rows, node: int, parents: tuple[int, ...]) -> float:
        return scores.bdeu(rows, node, parents, strength)

    found = arcwise.interventional(
        sample,
        case.variables[target],
        {case.variables[node]: level for node, level in setting.items()},
        model=model,
    )
    expected = averaged(dags, log_weights, score, case, target, setting)
    assert np.allclose(found.mean, expected, rtol=0, atol=1e-9)
    assert math.isclose(found.mean.sum(), 1.0)


def codes(rows: int, n: int, seed: int, levels: int = 2) -> np.ndarray:
    random = np.random.default_rng(seed)
    values = random.integers(0, levels, (rows, n)).astype(np.uint16)
    for i in range(1, n):
        copied = random.random(rows) < 0.6
        values[copied, i] = values[copied, i - 1]
    return values


@pytest.mark.parametrize(
    ("rule", "every"), [({"required_edges": [("a", "b"), ("c", "b")]}, 1), ({}, 11)]
)
def test_four_variables_agree_with_brute_force(rule: dict[str, Any], every: int) -> None:
    case = discrete_case(codes(15, 4, 1), [2, 2, 2, 2])
    model = Model(case.data, max_indegree=2, **rule)
    dags, log_weights, _ = weighted_dags(model)
    dags, log_weights = dags[::every], log_weights[::every]
    assert len(dags) > 30

    def score(rows: scores.Rows, node: int, parents: tuple[int, ...]) -> float:
        return scores.bdeu(rows, node, parents, 1.0)

    expected = averaged(dags, log_weights, score, case, 3, {1: 1})
    chosen = packed(model.variables, dags, log_weights)
    assert np.allclose(arcwise.interventional(chosen, "d", {"b": 1}, model=model).mean, expected)


def network_prior() -> tuple[BDe, np.ndarray]:
    """Return a prior network in which c is never 1 where a is 0, and its joint distribution."""
    tables: dict[str, Any] = {
        "a": [0.4, 0.6],
        "b": [[0.5, 0.5], [0.2, 0.8]],
        "c": [[1.0, 0.0], [0.3, 0.7]],
    }
    network = arcwise.networks.DiscreteNetwork(
        Dag(["a", "b", "c"], {"b": ["a"], "c": ["a"]}), dict.fromkeys("abc", (0, 1)), tables
    )
    return BDe(network, 4.0), network.joint()[1].reshape(2, 2, 2)


def test_a_prior_network_with_impossible_combinations() -> None:
    values = codes(20, 3, 2)
    values[values[:, 0] == 0, 2] = 0
    case = discrete_case(values, [2, 2, 2])
    prior, joint = network_prior()
    model = Model(case.data, prior)

    def score(rows: scores.Rows, node: int, parents: tuple[int, ...]) -> float:
        return scores.bde_of_joint(rows, node, parents, 4.0, joint)

    dag = Dag(["a", "b", "c"], {"b": ["a"], "c": ["a", "b"]})
    found = arcwise.interventional(dag, "c", {"b": 1}, draws=50, model=model)
    possible = reference.interventional(dag.parent_indices, score, case.rows, 2, {0: 1, 1: 1})
    # Given a = 0, c is 0 for sure, which no score of an impossible row can say.
    share = arcwise.interventional(dag, "a", {}, model=model)[1]
    assert math.isclose(found[1], share * possible[1], rel_tol=1e-9)
    assert np.isfinite(found.quantiles(1)).all()


def test_setting_a_child_says_nothing_of_its_parent() -> None:
    model = Model(codes(50, 2, 3))
    dag = Dag(["X0", "X1"], {"X1": ["X0"]})
    alone = arcwise.interventional(dag, "X0", {}, model=model)
    for level in (0, 1):
        assert np.array_equal(
            arcwise.interventional(dag, "X0", {"X1": level}, model=model).mean, alone.mean
        )
    assert repr(alone).startswith("<P(X0): 0: 0.")
    count = int((codes(50, 2, 3)[:, 0] == 0).sum())
    assert math.isclose(alone[0], (count + 0.5) / 51)


def test_draws_of_one_table_follow_its_dirichlet_law() -> None:
    values = codes(30, 2, 4)
    model = Model(values, BDeu(3.0))
    dag = Dag(["X0", "X1"], {"X1": ["X0"]})
    one, other = (
        arcwise.interventional(dag, "X1", {"X0": level}, draws=20_000, seed=1, model=model)
        for level in (1, 0)
    )
    counts = np.array([[((values == (a, b)).all(axis=1)).sum() for b in (0, 1)] for a in (0, 1)])
    alpha = counts + 3.0 / 4
    shares = beta.cdf(one.drawn[:, 1], alpha[1, 1], alpha[1, 0])
    law = dict.fromkeys(range(BINS), 1 / BINS)
    assert_follows([min(BINS - 1, int(share * BINS)) for share in shares], law)
    # The rows of a table are independent: variances of a difference add up.
    difference = one - other
    variance = sum(beta.var(alpha[a, 1], alpha[a, 0]) for a in (0, 1))
    # The relative standard error of a variance from 20,000 draws is 1 per cent.
    assert abs(np.var(difference.drawn[:, 1]) / variance - 1) < 0.06
    assert math.isclose(difference[1], alpha[1, 1] / alpha[1].sum() - alpha[0, 1] / alpha[0].sum())
    expected = beta.ppf([0.025, 0.975], alpha[1, 1], alpha[1, 0])
    assert np.allclose(one.quantiles(1, [0.025, 0.975]), expected, atol=0.01)


def test_mean_tables_give_the_mean_of_drawn_ones() -> None:
    """Paths that share an ancestor, where products of means might well not be means of products."""
    names = ("X0", "X1", "X2", "X3")
    model = Model(codes(12, 4, 5), BDeu(2.0))
    dag = Dag(names, {"X1": ["X0"], "X2": ["X0", "X1"], "X3": ["X0", "X1", "X2"]})
    found = arcwise.interventional(dag, "X3", {"X1": 1}, draws=20_000, seed=2, model=model)
    error = found.drawn.std(axis=0) / math.sqrt(20_000)
    assert (np.abs(found.drawn.mean(axis=0) - found.mean) < 5 * error).all()
    assert np.allclose(found.drawn.sum(axis=1), 1, atol=1e-6)


def test_effects_of_a_known_network_are_found() -> None:
    data = arcwise.simulate("asia", 20_000, seed=1)
    network = arcwise.networks.asia()
    model = Model(data, max_indegree=2)
    truth = []
    for level in network.levels["smoke"]:
        rows, probabilities = network.joint()
        smoke = network.dag.variables.index("smoke")
        dysp = network.dag.variables.index("dysp")
        kept = rows[:, smoke] == network.levels["smoke"].index(level)
        # Smoking has no parents: setting it is the same as seeing it.
        weights = probabilities * kept / (probabilities * kept).sum()
        truth.append([float(weights[rows[:, dysp] == k].sum()) for k in range(2)])
    found = [
        arcwise.interventional(network.dag, "dysp", {"smoke": level}, draws=200, model=model)
        for level in network.levels["smoke"]
    ]
    for each, expected in zip(found, truth, strict=True):
        assert np.allclose(each.mean, expected, atol=0.02)
        low, high = each.quantiles(each.levels[0], [1e-3, 1 - 1e-3])
        assert low - 0.005 < expected[0] < high + 0.005
    # Setting an effect leaves its cause as it is, though seeing it would not.
    set_xray = arcwise.interventional(network.dag, "lung", {"xray": "yes"}, model=model)
    assert np.array_equal(
        set_xray.mean, arcwise.interventional(network.dag, "lung", {}, model=model).mean
    )


def test_sampled_dags_and_their_errors() -> None:
    model = Model(codes(40, 3, 6))
    _, _, every = weighted_dags(model)
    exact = arcwise.interventional(every, "X2", {"X0": 1}, model=model).mean
    sampler = arcwise.algorithms.ExactSampler(model)
    outside = 0
    for seed in range(100):
        found = arcwise.interventional(sampler.dags(200, seed=seed), "X2", {"X0": 1}, model=model)
        outside += abs(found.mean[0] - exact[0]) > 1.96 * found.standard_errors[0]
    # Five of 100 intervals are expected to miss; 16 or more have a probability below 1e-4.
    assert outside < 16
    run = arcwise.mcmc(model, "partitions", steps=4000, chains=2, seed=1)
    found = arcwise.interventional(run, "X2", {"X0": 1}, draws=2, seed=3, model=model)
    assert (np.abs(found.mean - exact) < 5 * found.standard_errors).all()
    again = arcwise.interventional(run, "X2", {"X0": 1}, draws=2, seed=3, model=model)
    assert np.array_equal(found.drawn, again.drawn)


def test_weights_of_dags_count() -> None:
    model = Model(codes(30, 2, 7))
    edge, none = ((), (0,)), ((), ())
    sample = packed(
        model.variables, [edge, none, edge], [math.log(0.1), math.log(0.7), math.log(0.2)]
    )
    parts = [
        arcwise.interventional(packed(model.variables, [dag]), "X1", {"X0": 1}, model=model).mean
        for dag in (edge, none)
    ]
    found = arcwise.interventional(sample, "X1", {"X0": 1}, draws=300, model=model)
    assert np.allclose(found.mean, 0.3 * parts[0] + 0.7 * parts[1])
    assert parts[0][1] > parts[1][1]
    assert found.quantiles(1, 0.5) < parts[0][1]


def test_tables_and_files(tmp_path: Path) -> None:
    model = Model({"x": ["no", "yes"] * 10, "y": [True, False] * 10})
    dag = Dag(["x", "y"], {"y": ["x"]})
    found = arcwise.interventional(dag, "y", {"x": "yes"}, draws=100, seed=1, model=model)
    row = found.table().to_dicts()[0]
    assert row["y"] is False
    assert row["mean"] == found[False] == found.mean[0]
    assert math.isnan(row["standard_error"])  # of a single DAG
    assert row["low"] <= found.quantiles(False, 0.5) <= row["high"]
    assert row["intervals"] == f"{row['low']:.3g} to {row['high']:.3g}"
    undrawn = arcwise.interventional(dag, "y", {"x": "yes"}, model=model).table().to_dicts()
    assert math.isnan(undrawn[0]["low"])
    found.write(tmp_path / "y.csv")
    lines = (tmp_path / "y.csv").read_text().splitlines()
    assert lines[0] == "y,mean,standard_error,low,high,intervals"
    assert lines[1].startswith(f"False,{row['mean']!r},,")
    other = arcwise.interventional(dag, "y", {"x": "no"}, draws=100, seed=1, model=model)
    assert repr(found - other).startswith("<P(y | do(x=yes)) - P(y | do(x=no)): False: 0.9")


def test_elimination_agrees_with_the_whole_product() -> None:
    random = np.random.default_rng(8)
    levels = [2, 3, 2, 4, 1]
    scopes = [(0,), (1, 0), (2, 1, 0), (3, 4), (4, 2), (3,)]
    tables = [random.random((2, *(levels[v] for v in scope))) for scope in scopes]
    order, largest = elimination_order(scopes, levels, (3,))
    assert sorted(order) == [0, 1, 2, 4]
    assert largest == 12
    found = eliminate(list(zip(scopes, tables, strict=True)), order, (3,))
    expected = np.zeros((2, 4))
    for state in product(*map(range, levels)):
        for draw in range(2):
            expected[draw, state[3]] += math.prod(
                table[(draw, *(state[v] for v in scope))]
                for scope, table in zip(scopes, tables, strict=True)
            )
    assert np.allclose(found, expected, rtol=1e-12)


def test_tiny_parameters_still_give_probabilities() -> None:
    parameters = np.array([[1e-9, 1e-9], [1e-300, 3e-300], [0.0, 2.0]])
    drawn = drawn_tables(parameters, 4000, np.random.default_rng(9))
    assert np.isfinite(drawn).all()
    assert np.allclose(drawn.sum(axis=-1), 1)
    # Nearly all mass is on one level, each as often as its share of the parameters.
    means = drawn.mean(axis=0)
    assert np.abs(means[:, 0] - [0.5, 0.25, 0.0]).max() < 5 * 0.5 / math.sqrt(4000)


def test_too_large_tables_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arcwise.parameters.intervened.MAX_CELLS", 4)
    model = Model(codes(20, 3, 1))
    wide = Dag(model.variables, {"X2": ["X0", "X1"]})
    with pytest.raises(
        CapacityError, match="needs a table of 8 cells in one of the DAGs, but at most 4"
    ):
        arcwise.interventional(wide, "X2", {}, model=model)
    assert arcwise.interventional(wide, "X2", {"X0": 1}, model=model).mean.shape == (2,)
    monkeypatch.setattr("arcwise.laws.tables.MAX_CELLS", 4)
    with pytest.raises(CapacityError, match="the table of 'X2' given 2 parents has 8 cells"):
        arcwise.interventional(wide, "X2", {"X0": 1}, model=model)
