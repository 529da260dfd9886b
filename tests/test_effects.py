"""Total effects agree with sums over paths, conjugate formulas, known networks and each other."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, invwishart, t, wishart

import arcwise
from arcwise import BGe, Dag, DagSample, Effects, Model
from arcwise.parameters.normal_wishart import NodePosterior
from arcwise.simulate import GaussianNetwork
from chi_squared import FALSE_ALARM_RATE, assert_follows, p_value
from reference import parameters as reference
from reference.dags import Parents, all_dags
from strategies import Case, continuous_cases
from weighted_dags import packed, weighted_dags

BINS = 20


UNIFORM = dict.fromkeys(range(BINS), 1 / BINS)


def binned(shares: Iterable[float]) -> list[int]:
    """Return the bin of each number between 0 and 1."""
    return [min(BINS - 1, int(share * BINS)) for share in shares]


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
    found = arcwise.effects(sample, model)
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
    model = Model(values)
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
    assert np.allclose(arcwise.effects(sample, model).mean, total, atol=1e-10)


def simple_model(rows: int = 8, **settings: Any) -> tuple[Model, np.ndarray, np.ndarray]:
    """Return a model of three variables, and the mean and matrix R of its posterior."""
    random = np.random.default_rng(2)
    values = random.normal(size=(rows, 3))
    values[:, 1] += values[:, 0]
    values[:, 2] += values[:, 0] - 0.5 * values[:, 1]
    prior = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 1.5]])
    model = Model(values, BGe(0.7, 5.5, 0.0, prior), **settings)
    mean = values.mean(axis=0)
    scatter = (values - mean).T @ (values - mean)
    return model, mean, prior + scatter + rows * 0.7 / (rows + 0.7) * np.outer(mean, mean)


def test_a_single_coefficient_is_students_t() -> None:
    model, _, scale = simple_model()
    dag = Dag(model.variables, {"X1": ["X0"]})
    values, weights = arcwise.effects(dag, model, draws=40_000, seed=3).between("X0", "X1")
    degrees = 5.5 + 8 - 3 + 1 + 1  # alpha_w + N - n + parents + 1
    centre = scale[0, 1] / scale[0, 0]
    residual = scale[1, 1] - scale[0, 1] ** 2 / scale[0, 0]
    spread = math.sqrt(residual / degrees / scale[0, 0])
    assert_follows(binned(t.cdf(values, degrees, centre, spread)), UNIFORM)
    assert np.allclose(weights, 1 / 40_000)


def test_two_coefficients_vary_as_the_whole_precision_matrix_says() -> None:
    """Drawing all of Sigma, and regressing, knows nothing of gammas and degrees of a node."""
    model, _, scale = simple_model()
    dag = Dag(model.variables, {"X1": ["X0"], "X2": ["X0", "X1"]})
    found = arcwise.effects(dag, model, draws=20_000, seed=4)
    sigma = invwishart(5.5 + 8, scale).rvs(20_000, random_state=5)
    of_x1 = sigma[:, 0, 1] / sigma[:, 0, 0]
    of_x2 = np.linalg.solve(sigma[:, :2, :2], sigma[:, :2, 2:])[:, :, 0]
    expected = {
        ("X0", "X1"): of_x1,
        ("X1", "X2"): of_x2[:, 1],
        ("X0", "X2"): of_x2[:, 0] + of_x1 * of_x2[:, 1],
    }
    for pair, draws in expected.items():
        edges = np.quantile(draws, np.arange(1, BINS) / BINS)
        counts = [
            np.bincount(np.searchsorted(edges, x), minlength=BINS)
            for x in (draws, found.between(*pair).values)
        ]
        difference = counts[0] - counts[1]
        # Chi-squared of two samples of one size, each with a share in every bin.
        statistic = (difference**2 / (counts[0] + counts[1])).sum()
        assert statistic < chi2.isf(FALSE_ALARM_RATE, BINS - 1)


def test_a_density_worked_out_by_numerical_integration() -> None:
    model, _, _ = simple_model()
    assert model.data is not None
    two = Model(model.data.select(["X0", "X1"]), BGe(0.7, 4.0, 0.2, [[2.0, 0.5], [0.5, 1.0]]))
    dag = Dag(["X0", "X1"], {"X1": ["X0"]})
    x, y = model.data.continuous_values("BGe")[:, :2].T
    slope, log_variance, level = np.meshgrid(
        np.linspace(-4, 6, 151), np.linspace(-4, 5, 91), np.linspace(-6, 6, 121), indexing="ij"
    )
    variance = np.exp(log_variance)
    prior_slope = 0.5 / 2.0
    log_density = -(4.0 / 2) * log_variance - (1.0 - 0.5**2 / 2.0) / (2 * variance)
    log_density -= 0.5 * log_variance + 2.0 * (slope - prior_slope) ** 2 / (2 * variance)
    away = level - (0.2 - 0.2 * slope)
    log_density -= 0.5 * log_variance + 0.7 * away**2 / (2 * variance)
    for each_x, each_y in zip(x, y, strict=True):
        error = each_y - level - slope * each_x
        log_density -= 0.5 * log_variance + error**2 / (2 * variance)
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    mean = (density * slope).sum()
    deviation = math.sqrt((density * (slope - mean) ** 2).sum())
    found = arcwise.effects(dag, two, draws=100_000, seed=6)
    assert abs(found.mean[0, 1] - mean) < 1e-6
    # Relative standard error of a standard deviation from 1e5 draws is about 0.3 per cent.
    assert abs(found.standard_deviations[0, 1] / deviation - 1) < 0.02


def test_effects_of_a_known_network_are_found() -> None:
    dag = arcwise.simulate.random_dag(8, expected_degree=3, seed=3)
    network = arcwise.simulate.gaussian_network(dag, weights=(0.3, 1.0), signs="random", seed=3)
    model = Model(network.sample(20_000, seed=4), max_indegree=1)
    truth = np.linalg.inv(np.eye(8) - network.weights) - np.eye(8)
    found = arcwise.effects(dag, model, draws=200, seed=1)
    assert np.array_equal(found.mean != 0, truth != 0)
    assert np.abs(found.mean - truth).max() < 0.05
    there = truth != 0
    deviations = (found.mean - truth)[there] / found.standard_deviations[there]
    assert np.abs(deviations).max() < 5
    assert (found.standard_deviations[~there] == 0).all()


def test_effects_over_an_uncertain_structure_come_near_the_truth() -> None:
    dag = Dag(["a", "b", "c"], {"b": ["a"], "c": ["a", "b"]})
    weights = [[0, 1.5, -1], [0, 0, 2], [0, 0, 0]]
    data = arcwise.simulate.GaussianNetwork(dag, weights).sample(5000, seed=1)
    model = Model(data, temporal_order=[["a"], ["b"], ["c"]])
    run = arcwise.mcmc(model, "partitions", steps=2000, chains=2, seed=1)
    found = arcwise.effects(run, model, seed=1)
    assert np.allclose(found.mean, [[0, 1.5, 2.0], [0, 0, 2.0], [0, 0, 0]], atol=0.1)
    assert found.probabilities[0, 2] == 1.0
    assert found.probabilities[2, 0] == 0.0


def drawn_from_the_prior(dag: Parents, random: np.random.Generator) -> GaussianNetwork:
    """Return the DAG with parameters from the prior of BGe(1, 5) for three variables.

    Those of each family come from a precision matrix of its own.
    """
    n, names = 3, ("X0", "X1", "X2")
    weights, intercepts, variances = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for node, parents in enumerate(dag):
        chosen = list(parents)
        sigma = np.linalg.inv(wishart(5.0, np.eye(n) / 0.5).rvs(random_state=random))
        mean = random.multivariate_normal(np.zeros(n), sigma)
        slopes = np.linalg.solve(sigma[np.ix_(chosen, chosen)], sigma[chosen, node])
        weights[chosen, node] = slopes
        intercepts[node] = mean[node] - slopes @ mean[chosen]
        variances[node] = sigma[node, node] - slopes @ sigma[chosen, node]
    structure = Dag(names, {names[v]: [names[u] for u in dag[v]] for v in range(n)})
    return GaussianNetwork(structure, weights, intercepts, variances)


def ranks_of_true_effects(trials: int) -> list[int]:
    """Return ranks among 19 posterior draws, ties (effects of 0) broken at random."""
    random = np.random.default_rng(10)
    dags = list(all_dags(3))
    ranks = []
    for trial in range(trials):
        dag = dags[random.integers(len(dags))]
        network = drawn_from_the_prior(dag, random)
        model = Model(network.sample(6, seed=trial), BGe(1.0, 5.0))
        coefficients = [network.weights[list(dag[v]), v].tolist() for v in range(3)]
        truth = np.float32(reference.path_effect(dag, coefficients, 0, 1))
        sample = arcwise.ExactSampler(model).dags(BINS - 1, seed=trial)
        values = arcwise.effects(sample, model, seed=trial).between("X0", "X1").values
        ties = int((values == truth).sum())
        ranks.append(int((values < truth).sum()) + int(random.integers(ties + 1)))
    return ranks


def test_ranks_of_true_effects_are_uniform() -> None:
    """Simulation-based calibration: structure, parameters and rows from the prior."""
    assert_follows(ranks_of_true_effects(600), UNIFORM)


def test_calibration_sees_draws_that_are_too_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = NodePosterior.regressions

    def narrow(self: NodePosterior, parents: Any) -> Any:
        found = honest(self, parents)
        return replace(found, residuals=found.residuals / 4)

    monkeypatch.setattr(NodePosterior, "regressions", narrow)
    assert p_value(ranks_of_true_effects(600), UNIFORM) < FALSE_ALARM_RATE


def test_draws_do_not_depend_on_how_dags_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    model, _, _ = simple_model()
    sample = arcwise.ExactSampler(model).dags(50, seed=1)
    whole = arcwise.effects(sample, model, draws=3, seed=7)
    assert whole.draws == 3
    monkeypatch.setattr("arcwise.parameters.linear_effects._PIECE", 9 * 4 * 7)
    cut = arcwise.effects(sample, model, draws=3, seed=7)
    for pair in permutations(model.variables, 2):
        assert np.array_equal(whole.between(*pair).values, cut.between(*pair).values)
    assert np.allclose(whole.standard_deviations, cut.standard_deviations, rtol=1e-12)
    assert np.allclose(whole.mean, cut.mean, rtol=1e-12)
    assert not np.array_equal(
        arcwise.effects(sample, model, draws=3, seed=8).between("X0", "X1").values,
        whole.between("X0", "X1").values,
    )


def test_the_numbers_are_those_of_the_draws() -> None:
    model, _, _ = simple_model()
    _, _, sample = weighted_dags(model)
    found = arcwise.effects(sample, model, draws=400, seed=1)
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
    found = arcwise.effects(sample, model, draws=1000, seed=1)
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
    exact = arcwise.effects(weighted_dags(model)[2], model).mean
    outside = total = 0
    sampler = arcwise.ExactSampler(model)
    for seed in range(100):
        found = arcwise.effects(sampler.dags(300, seed=seed), model)
        errors = (found.mean - exact)[0, 1:] / found.standard_errors[0, 1:]
        outside += int((np.abs(errors) > 1.96).sum())
        total += errors.size
    # Five per cent of 200 intervals are expected to miss; a correct program has 27 or more with
    # probability below 1e-4.
    assert 1 <= outside < 27
    assert total == 200


def table_row(found: Effects, source: str, target: str) -> tuple[Any, ...]:
    return next(row for row in found.table() if row[:2] == (source, target))


def test_the_table_and_its_file(tmp_path: Path) -> None:
    model, _, _ = simple_model()
    found = arcwise.effects(arcwise.ExactSampler(model).dags(200, seed=1), model, draws=5, seed=1)
    table = found.table(0.9)
    assert len(table) == 6
    assert [abs(row[2]) for row in table] == sorted((abs(row[2]) for row in table), reverse=True)
    row = table_row(found, "X0", "X1")
    assert row[2:6] == (
        found.mean[0, 1],
        found.standard_deviations[0, 1],
        found.standard_errors[0, 1],
        found.probabilities[0, 1],
    )
    assert list(row[6:]) == found.quantiles("X0", "X1", [0.025, 0.975]).tolist()
    found.write(tmp_path / "effects.csv", 0.9)
    lines = (tmp_path / "effects.csv").read_text().splitlines()
    assert lines[0].startswith("source,target,mean,standard_deviation,standard_error,probability")
    assert lines[1].startswith(f"{table[0][0]},{table[0][1]},{table[0][2]!r}")
    assert repr(found).startswith("<Effects: 3 variables, 200 DAGs, 5 draws each; largest: ")


def test_chosen_pairs_alone_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    model, _, _ = simple_model()
    sample = arcwise.ExactSampler(model).dags(20, seed=1)
    every = arcwise.effects(sample, model, seed=1)
    chosen = arcwise.effects(sample, model, seed=1, pairs=[("X0", "X2"), ("X0", "X2")])
    assert chosen.pairs == (("X0", "X2"),)
    assert np.array_equal(chosen.between("X0", "X2").values, every.between("X0", "X2").values)
    assert np.array_equal(chosen.mean, every.mean)
    assert np.isnan(chosen.standard_errors[0, 1])
    assert len(chosen.table()) == 1
    monkeypatch.setattr("arcwise.parameters.effects.MOST_KEPT", 100)
    assert arcwise.effects(sample, model, seed=1).pairs == ()
    assert np.array_equal(arcwise.effects(sample, model, seed=1).mean, every.mean)


def test_rows_in_which_a_node_was_set_teach_nothing_about_its_parents() -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=60)
    y = np.where(np.arange(60) < 30, 2 * x, 0.0) + 0.1 * random.normal(size=60)
    mask = np.zeros((60, 2), dtype=bool)
    mask[30:, 1] = True
    values = np.stack([x, y], axis=1)
    data = arcwise.read(values, interventions=mask)
    dag = Dag(["X0", "X1"], {"X1": ["X0"]})
    all_rows = arcwise.effects(dag, Model(data), draws=10, seed=1)
    seen = arcwise.effects(dag, Model(values[:30]), draws=10, seed=1)
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
    found = arcwise.effects(DagSample(model.variables, parents), model)
    assert abs(found.mean[3, 69] - 1.0) < 0.1
    assert {(u, v) for u, v in np.argwhere(found.probabilities > 0)} == {(3, 69), (69, 2)}
