"""Total effects agree with sums over paths, conjugate formulas, known networks and each other."""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import Dag, Model
from arcwise.results import DagSample
from arcwise.scores import BGe
from reference import parameters as reference
from reference.dags import Parents
from support.small_gaussian import simple_model
from support.strategies import Case, continuous_cases
from support.weighted_dags import packed, weighted_dags


def reference_means(
    case: Case, dag: Parents, alpha_mu: float, mean: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    n = len(dag)
    coefficients = [
        reference.mean_coefficients(
            reference.posterior_scale(case.rows, node, alpha_mu, mean, scale), node, parents
        )
        for node, parents in enumerate(dag)
    ]
    return np.array(
        [[reference.path_effect(dag, coefficients, u, v) for v in range(n)] for u in range(n)]
    )


@given(st.data())
@settings(max_examples=25)
def test_means_agree_with_brute_force_over_all_dags(data: Any) -> None:
    case = data.draw(continuous_cases().filter(lambda case: len(case.variables) <= 3))
    n = len(case.variables)
    random = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    root = random.normal(size=(n, n))
    scale, mean = root @ root.T + 0.5 * np.eye(n), random.normal(size=n)
    model = Model(case.data, BGe(2.0, n + 1.5, mean, scale), prior="fair")
    dags, log_weights, sample = weighted_dags(model)
    weights = np.exp(np.array(log_weights) - max(log_weights))
    weights /= weights.sum()
    each = np.array([reference_means(case, dag, 2.0, mean, scale) for dag in dags])
    found = arcwise.effects(sample, model=model)
    tolerance = 1e-9 * max(1.0, float(np.abs(each).max()))
    assert np.allclose(found.mean, np.tensordot(weights, each, 1), rtol=0, atol=tolerance)
    connected = [
        [[any(reference.directed_paths(dag, u, v)) and u != v for v in range(n)] for u in range(n)]
        for dag in dags
    ]
    assert np.allclose(found.probabilities, np.tensordot(weights, np.array(connected), 1))


def test_means_of_four_variables_agree_with_brute_force() -> None:
    random = np.random.default_rng(1)
    values = random.normal(size=(30, 4)) @ (np.eye(4) + np.triu(random.normal(size=(4, 4)), 1))
    model = Model(values, BGe(prior_mean=0.0, prior_scale=0.5))
    dags, log_weights, sample = weighted_dags(model)
    scale = np.array(0.5 * np.eye(4) + 30 * np.cov(values.T, bias=True))
    scale += 30 / 31 * np.outer(values.mean(axis=0), values.mean(axis=0))
    total = np.zeros((4, 4))
    weights = np.exp(np.array(log_weights) - max(log_weights))
    for dag, weight in zip(dags, weights / weights.sum(), strict=True):
        edges = np.zeros((4, 4))
        for node, parents in enumerate(dag):
            chosen = list(parents)
            edges[chosen, node] = np.linalg.solve(
                scale[np.ix_(chosen, chosen)], scale[chosen, node]
            )
        total += weight * (np.linalg.inv(np.eye(4) - edges) - np.eye(4))
    assert np.allclose(arcwise.effects(sample, model=model).mean, total, atol=1e-10)


def test_effects_of_a_known_network_are_found() -> None:
    dag = arcwise.networks.random_dag(8, expected_degree=3, seed=3)
    network = arcwise.networks.gaussian_network(dag, weights=(0.3, 1.0), signs="random", seed=3)
    model = Model(network.sample(20_000, seed=4), max_indegree=1)
    truth = np.linalg.inv(np.eye(8) - network.weights) - np.eye(8)
    found = arcwise.effects(dag, draws=200, seed=1, model=model)
    assert np.array_equal(found.mean != 0, truth != 0)
    assert np.abs(found.mean - truth).max() < 0.05
    there = truth != 0
    deviations = (found.mean - truth)[there] / found.standard_deviations[there]
    assert np.abs(deviations).max() < 5
    assert (found.standard_deviations[~there] == 0).all()


def test_effects_over_an_uncertain_structure_come_near_the_truth() -> None:
    dag = Dag(["a", "b", "c"], {"b": ["a"], "c": ["a", "b"]})
    weights = np.array([[0, 1.5, -1], [0, 0, 2], [0, 0, 0]])
    data = arcwise.networks.GaussianNetwork(dag, weights).sample(5000, seed=1)
    model = Model(data, temporal_order=[["a"], ["b"], ["c"]])
    run = arcwise.mcmc(model, "partitions", steps=2000, chains=2, seed=1)
    found = arcwise.effects(run, seed=1, model=model)
    assert np.allclose(found.mean, np.array([[0, 1.5, 2], [0, 0, 2], [0, 0, 0]]), atol=0.1)
    assert found.probabilities[0, 2] == pytest.approx(1.0, abs=1e-12)
    assert found.probabilities[2, 0] == 0.0


def test_draws_do_not_depend_on_how_dags_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    model, _, _ = simple_model()
    sample = arcwise.algorithms.ExactSampler(model).dags(50, seed=1)
    whole = arcwise.effects(sample, draws=3, seed=7, model=model)
    assert whole.draws == 3
    monkeypatch.setattr("arcwise.parameters.effect_matrix._PIECE", 9 * 4 * 7)
    cut = arcwise.effects(sample, draws=3, seed=7, model=model)
    for pair in permutations(model.variables, 2):
        assert np.array_equal(whole.between(*pair).values, cut.between(*pair).values)
    assert np.allclose(whole.standard_deviations, cut.standard_deviations, rtol=1e-12)
    assert np.allclose(whole.mean, cut.mean, rtol=1e-12)
    assert not np.array_equal(
        arcwise.effects(sample, draws=3, seed=8, model=model).between("X0", "X1").values,
        whole.between("X0", "X1").values,
    )


def test_the_numbers_are_those_of_the_draws() -> None:
    model, _, _ = simple_model()
    _, _, sample = weighted_dags(model)
    found = arcwise.effects(sample, draws=400, seed=1, model=model)
    for u, v in permutations(range(3), 2):
        values, weights = found.between(model.variables[u], model.variables[v])
        mean = float(weights @ values)
        deviation = math.sqrt(float(weights @ (values - mean) ** 2))
        assert math.isclose(found.standard_deviations[u, v], deviation, rel_tol=1e-4)
        assert abs(found.mean[u, v] - mean) < 5 * deviation / math.sqrt(400)
        assert math.isclose(found.probabilities[u, v], weights @ (values != 0), rel_tol=1e-9)


def test_quantiles_count_weights_and_the_lump_at_zero() -> None:
    model, _, _ = simple_model()
    edge, none = ((), (0,), ()), ((), (), ())
    sample = packed(model.variables, [edge, none], [math.log(0.3), math.log(0.7)])
    found = arcwise.effects(sample, draws=1000, seed=1, model=model)
    values = np.sort(found.between("X0", "X1").values[:1000])
    assert values[0] < 0 < values[-1]
    negative = int((values < 0).sum())
    # Each draw has the weight 0.3 / 1000: the first k reach the cumulative weight 0.0003 k.
    low, middle, high = found.quantiles("X0", "X1", [0.0003 * (negative - 1), 0.5, 1.0])
    assert low == values[negative - 2]
    assert middle == 0.0
    assert high == values[-1]
    assert found.quantiles("X1", "X0", 0.5) == 0.0
    assert math.isclose(found.probabilities[0, 1], 0.3)


def test_standard_errors_cover_the_exact_means() -> None:
    model, _, _ = simple_model()
    exact = arcwise.effects(weighted_dags(model)[2], model=model).mean
    outside = total = 0
    sampler = arcwise.algorithms.ExactSampler(model)
    for seed in range(100):
        found = arcwise.effects(sampler.dags(300, seed=seed), model=model)
        errors = (found.mean - exact)[0, 1:] / found.standard_errors[0, 1:]
        outside += int((np.abs(errors) > 1.96).sum())
        total += errors.size
    # Five per cent of 200 intervals are expected to miss; a correct program has 27 or more with
    # probability below 1e-4.
    assert 1 <= outside < 27
    assert total == 200


def test_the_table_and_its_file(tmp_path: Path) -> None:
    model, _, _ = simple_model()
    found = arcwise.effects(
        arcwise.algorithms.ExactSampler(model).dags(200, seed=1), draws=5, seed=1, model=model
    )
    table = found.table(0.9).to_dicts()
    assert len(table) == 6
    means = [abs(row["mean"]) for row in table]
    assert means == sorted(means, reverse=True)
    (row,) = [row for row in table if (row["source"], row["target"]) == ("X0", "X1")]
    assert row["mean"] == found["X0", "X1"] == found.mean[0, 1]
    assert row["standard_deviation"] == pytest.approx(found.standard_deviations[0, 1], rel=0.1)
    assert row["standard_error"] == found.standard_errors[0, 1]
    assert row["probability_of_effect"] == found.probabilities[0, 1]
    intervals = found.estimate("X0", "X1").intervals(0.9)
    assert (row["low"], row["high"]) == (intervals[0].low, intervals[-1].high)
    found.write(tmp_path / "effects.csv", 0.9)
    lines = (tmp_path / "effects.csv").read_text().splitlines()
    assert lines[0].startswith("source,target,mean,standard_deviation,standard_error,probability")
    first = table[0]
    assert lines[1].startswith(f"{first['source']},{first['target']},{first['mean']!r}")
    assert repr(found).startswith("<Effects: 3 variables, 200 DAGs, 5 draws each; largest: ")


def test_chosen_pairs_alone_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    model, _, _ = simple_model()
    sample = arcwise.algorithms.ExactSampler(model).dags(20, seed=1)
    every = arcwise.effects(sample, seed=1, model=model)
    chosen = arcwise.effects(sample, seed=1, pairs=[("X0", "X2"), ("X0", "X2")], model=model)
    assert chosen.pairs == (("X0", "X2"),)
    assert np.array_equal(chosen.between("X0", "X2").values, every.between("X0", "X2").values)
    assert np.array_equal(chosen.mean, every.mean)
    assert np.isnan(chosen.standard_errors[0, 1])
    assert len(chosen.table()) == 1
    monkeypatch.setattr("arcwise.parameters.effect_matrix.MAX_KEPT", 100)
    assert arcwise.effects(sample, seed=1, model=model).pairs == ()
    assert np.array_equal(arcwise.effects(sample, seed=1, model=model).mean, every.mean)


def test_rows_in_which_a_node_was_set_teach_nothing_about_its_parents() -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=60)
    y = np.where(np.arange(60) < 30, 2 * x, 0.0) + 0.1 * random.normal(size=60)
    mask = np.zeros((60, 2), dtype=bool)
    mask[30:, 1] = True
    values = np.stack([x, y], axis=1)
    data = arcwise.read(values, interventions=mask)
    dag = Dag(["X0", "X1"], {"X1": ["X0"]})
    score = BGe(prior_mean=0.0, prior_scale=0.5)
    all_rows = arcwise.effects(dag, draws=10, seed=1, model=Model(data, score))
    seen = arcwise.effects(dag, draws=10, seed=1, model=Model(values[:30], score))
    assert np.allclose(all_rows.mean, seen.mean, rtol=1e-12)
    assert np.allclose(all_rows.between("X0", "X1").values, seen.between("X0", "X1").values)


def test_more_than_64_variables() -> None:
    random = np.random.default_rng(4)
    values = random.normal(size=(200, 70))
    values[:, 69] += 2 * values[:, 3]
    model = Model(values, max_indegree=1)
    parents = np.zeros((2, 70, 2), dtype=np.uint64)
    parents[0, 69, 0] = 1 << 3
    parents[1, 2, 1] = 1 << 5  # from X69 to X2
    found = arcwise.effects(DagSample(model.variables, parents), model=model)
    assert abs(found.mean[3, 69] - 1.0) < 0.1
    assert {(u, v) for u, v in np.argwhere(found.probabilities > 0)} == {(3, 69), (69, 2)}
