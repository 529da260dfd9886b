"""New rows are as probable as marginal likelihoods with and without them say, over all DAGs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import Dag, Data, Model
from arcwise.data import ContinuousColumn, DiscreteColumn
from arcwise.scores import BDe, BDeu, BGe
from reference import parameters as reference
from reference import scores
from reference.parameters import with_rows
from support.comparison import close
from support.strategies import Case, continuous_cases, discrete_case, discrete_cases
from support.weighted_dags import packed, weighted_dags


def new_discrete(case: Case, rows: int, random: np.random.Generator) -> np.ndarray:
    return np.stack([random.integers(0, r, rows) for r in case.rows.levels], axis=1)


def as_data(case: Case, values: np.ndarray, mask: np.ndarray | None, weights: Any = None) -> Data:
    """Return new rows with the columns in another order than the model's."""
    order = list(range(values.shape[1]))[::-1]
    columns: list[Any] = []
    for i in order:
        known = case.data.columns[i]
        if isinstance(known, DiscreteColumn):
            columns.append(DiscreteColumn(known.name, values[:, i], known.levels))
        else:
            columns.append(ContinuousColumn(known.name, values[:, i]))
    return Data(columns, weights, None if mask is None else mask[:, order])


def assert_predicts(case: Case, model: Model, score: reference.Score, seed: int) -> None:
    """Compare rows one by one and jointly, with interventions and weights among them."""
    random = np.random.default_rng(seed)
    n = len(case.variables)
    if case.rows.levels:
        values = new_discrete(case, 3, random)
    else:
        values = random.normal(size=(3, n)) * 3 + 1
    mask = random.random((3, n)) < 0.3
    weights = random.uniform(0.5, 2.0, 3)
    dags, log_weights, sample = weighted_dags(model)
    new = as_data(case, values, mask, weights)
    found = arcwise.log_predictive(sample, new, model=model)
    assert found.shape == (3,)
    for row in range(3):
        after = with_rows(case.rows, values[[row]].tolist(), mask[[row]].tolist())
        terms = [reference.log_predictive(dag, score, case.rows, after) for dag in dags]
        assert close(found[row], reference.log_mean(terms, log_weights), 1e-8)
    after = with_rows(case.rows, values.tolist(), mask.tolist(), weights.tolist())
    terms = [reference.log_predictive(dag, score, case.rows, after) for dag in dags]
    together = arcwise.log_predictive(sample, new, joint=True, model=model)
    assert close(together, reference.log_mean(terms, log_weights), 1e-8)


@given(st.data())
@settings(max_examples=20)
def test_discrete_rows_agree_with_brute_force(data: Any) -> None:
    case = data.draw(discrete_cases().filter(lambda case: len(case.variables) <= 3))
    strength = data.draw(st.sampled_from([0.3, 1.0, 8.0]))
    model = Model(case.data, BDeu(strength))

    def score(rows: scores.Rows, node: int, parents: tuple[int, ...]) -> float:
        return scores.bdeu(rows, node, parents, strength)

    assert_predicts(case, model, score, data.draw(st.integers(0, 2**32 - 1)))


@given(st.data())
@settings(max_examples=20)
def test_gaussian_rows_agree_with_brute_force(data: Any) -> None:
    case = data.draw(continuous_cases().filter(lambda case: len(case.variables) <= 3))
    n = len(case.variables)
    alpha_mu = data.draw(st.sampled_from([0.1, 1.0, 5.0]))
    alpha_w = n + data.draw(st.sampled_from([-0.5, 2.0, 7.5]))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    root = random.normal(size=(n, n))
    scale = root @ root.T + 0.5 * np.eye(n)
    mean = random.normal(size=n)
    model = Model(case.data, BGe(alpha_mu, alpha_w, mean, scale))

    def score(rows: scores.Rows, node: int, parents: tuple[int, ...]) -> float:
        return scores.bge(rows, node, parents, alpha_mu, alpha_w, mean, scale)

    assert_predicts(case, model, score, int(random.integers(2**32)))


def dependent_codes(rows: int, n: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    codes = random.integers(0, 2, (rows, n)).astype(np.uint16)
    for i in range(1, n):
        copied = random.random(rows) < 0.7
        codes[copied, i] = codes[copied, i - 1]
    return codes


def test_four_variables_and_a_constraint() -> None:
    case = discrete_case(dependent_codes(25, 4, 1), [2, 2, 2, 3])
    model = Model(case.data, BDeu(2.0), prior="fair", max_indegree=2, required_edges=[("a", "b")])

    def score(rows: scores.Rows, node: int, parents: tuple[int, ...]) -> float:
        return scores.bdeu(rows, node, parents, 2.0)

    dags, log_weights, sample = weighted_dags(model)
    new = np.array([[0, 1, 1, 2], [1, 1, 0, 0]])
    found = arcwise.log_predictive(sample, new, model=model)
    for row in range(2):
        after = with_rows(case.rows, new[[row]].tolist())
        terms = {}
        for node in range(4):
            for parents in {dag[node] for dag in dags}:
                difference = score(after, node, parents) - score(case.rows, node, parents)
                terms[node, parents] = difference
        totals = [sum(terms[node, dag[node]] for node in range(4)) for dag in dags]
        assert close(found[row], reference.log_mean(totals, log_weights))


@pytest.mark.parametrize("kind", ["marginals", "network"])
def test_priors_of_bde(kind: str) -> None:
    case = discrete_case(dependent_codes(12, 3, 2), [2, 2, 2])
    marginals = [[0.9, 0.1], [0.5, 0.5], [0.3, 0.7]]
    joint = np.random.default_rng(3).dirichlet(np.ones(8)).reshape(2, 2, 2)
    if kind == "marginals":
        prior: Any = {"a": marginals[0], "c": marginals[2]}
    else:
        prior = arcwise.networks.DiscreteNetwork(
            Dag(["a", "b", "c"], {"b": ["a"], "c": ["a", "b"]}),
            dict.fromkeys("abc", (0, 1)),
            {
                "a": joint.sum(axis=(1, 2)),
                "b": joint.sum(axis=2) / joint.sum(axis=(1, 2))[:, np.newaxis],
                "c": joint / joint.sum(axis=2, keepdims=True),
            },
        )
    model = Model(case.data, BDe(prior, 5.0))

    def score(rows: scores.Rows, node: int, parents: tuple[int, ...]) -> float:
        if kind == "marginals":
            return scores.bde_of_marginals(rows, node, parents, 5.0, marginals)
        return scores.bde_of_joint(rows, node, parents, 5.0, joint)

    assert_predicts(case, model, score, 4)


def gaussian_model(rows: int = 40, n: int = 5, shift: float = 0.0) -> Model:
    random = np.random.default_rng(5)
    values = random.normal(size=(rows, n)) + shift
    values[:, 1:] += 0.8 * values[:, :-1]
    # Not the default, whose prior is taken from the rows.
    return Model(values, BGe(prior_mean=0.0, prior_scale=0.5), max_indegree=2)


@pytest.mark.parametrize("discrete", [False, True])
def test_rows_in_turn_multiply_to_all_at_once_and_to_the_scores(discrete: bool) -> None:
    model = gaussian_model()
    if discrete:
        model = Model(dependent_codes(40, 5, 6), max_indegree=2)
    assert model.data is not None
    new = model.data.take_rows([3, 3, 17, 25])
    for dag in arcwise.algorithms.ExactSampler(model).dags(3, seed=1):
        seen, total = model.data, 0.0
        for row in range(4):
            now = Model(seen, model.score, max_indegree=2)
            total += arcwise.log_predictive(dag, new.take_rows([row]), model=now)[0]
            seen = model.data.take_rows([*range(40), *[3, 3, 17, 25][: row + 1]])
        together = arcwise.log_predictive(dag, new, joint=True, model=model)
        after = Model(seen, model.score, max_indegree=2)
        assert close(together, total)
        assert close(together, after.log_weight_of(dag) - model.log_weight_of(dag), 1e-9)


def test_densities_integrate_to_one() -> None:
    model = Model(np.random.default_rng(7).normal(size=(6, 2)))
    _, _, sample = weighted_dags(model)
    # Substituting x = tan(t) brings the heavy tails of Student's t onto a bounded square.
    angles = (np.arange(400) + 0.5) / 400 * math.pi - math.pi / 2
    grid = np.stack(np.meshgrid(np.tan(angles), np.tan(angles)), axis=-1).reshape(-1, 2)
    weights = np.prod(1 + grid**2, axis=1) * (math.pi / 400) ** 2
    density = np.exp(arcwise.log_predictive(sample, grid, model=model))
    assert abs(density @ weights - 1) < 1e-3
    codes = Model(dependent_codes(9, 3, 8))
    every = np.stack(np.meshgrid(*[[0, 1]] * 3), axis=-1).reshape(-1, 3)
    _, _, sample = weighted_dags(codes)
    assert abs(np.exp(arcwise.log_predictive(sample, every, model=codes)).sum() - 1) < 1e-12


def test_many_rows_and_dags_give_what_few_do(monkeypatch: pytest.MonkeyPatch) -> None:
    model = gaussian_model()
    assert model.data is not None
    sample = arcwise.algorithms.ExactSampler(model).dags(200, seed=2)
    whole = arcwise.log_predictive(sample, model.data, model=model)
    monkeypatch.setattr("arcwise.parameters.predict._PIECE", 90)
    assert np.allclose(arcwise.log_predictive(sample, model.data, model=model), whole, rtol=1e-12)


def test_sparse_tables_are_counted_like_full_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model(dependent_codes(40, 5, 6))
    assert model.data is not None
    sample = arcwise.algorithms.ExactSampler(model).dags(50, seed=2)
    full = arcwise.log_predictive(sample, model.data, model=model)
    jointly = arcwise.log_predictive(sample, model.data, joint=True, model=model)
    monkeypatch.setattr("arcwise.laws.tables._DENSE", 3)
    assert np.array_equal(arcwise.log_predictive(sample, model.data, model=model), full)
    assert arcwise.log_predictive(sample, model.data, joint=True, model=model) == jointly


@pytest.mark.parametrize(("noise", "shift"), [(1e-4, 0.0), (0.1, 1e6), (1e-3, 1e6)])
def test_columns_far_from_zero_or_near_each_other_keep_their_digits(
    noise: float, shift: float
) -> None:
    random = np.random.default_rng(1)
    values = random.normal(size=(60, 3))
    values[:, 1] = values[:, 0] + noise * values[:, 1]
    values[:, 2] = values[:, 1] + noise * values[:, 2]
    values += shift
    model = Model(values[:50], BGe(prior_mean=0.0, prior_scale=0.5))
    dag = Dag(model.variables, {"X1": ["X0"], "X2": ["X0", "X1"]})
    rows = scores.Rows(values[:50].tolist())

    def score(rows: scores.Rows, node: int, parents: tuple[int, ...]) -> float:
        return scores.bge(rows, node, parents, 1.0, 5.0, np.zeros(3), 0.5 * np.eye(3))

    after = with_rows(rows, values[50:].tolist())
    found = arcwise.log_predictive(dag, values[50:], joint=True, model=model)
    assert close(found, reference.log_predictive(dag.parent_indices, score, rows, after))
    after = with_rows(rows, values[50:51].tolist())
    (found,) = arcwise.log_predictive(dag, values[50:51], model=model)
    # The digits of a row itself are those of its distance from the mean.
    expected = reference.log_predictive(dag.parent_indices, score, rows, after)
    assert close(found, expected, 1e-8)


def test_a_million_rows_of_evidence_keep_their_digits() -> None:
    case = gaussian_model(n=2).data
    assert case is not None
    heavy = Data(case.columns, np.full(case.rows, 1e8))
    model = Model(heavy)
    dag = Dag(model.variables, {"X1": ["X0"]})
    values = case.continuous_values("BGe")
    found = arcwise.log_predictive(dag, values[:1], model=model)[0]
    # With so many rows the parameters are known: those of least squares.
    slope, intercept = np.polyfit(values[:, 0], values[:, 1], 1)
    spread = np.std(values[:, 1] - slope * values[:, 0] - intercept)
    error = (values[0, 1] - slope * values[0, 0] - intercept) / spread
    away = (values[0, 0] - values[:, 0].mean()) / values[:, 0].std()
    constant = -math.log(2 * math.pi * spread * values[:, 0].std())
    assert abs(found - (constant - (error**2 + away**2) / 2)) < 1e-6


def test_a_posterior_with_weights_counts_them() -> None:
    model = gaussian_model(n=3)
    names = model.variables
    one, other = ((), (0,), ()), ((), (), (0, 1))
    sample = packed(names, [one, other, one], [math.log(0.1), math.log(0.6), math.log(0.3)])
    rows = np.ones((2, 3))
    parts = [
        arcwise.log_predictive(packed(names, [dag]), rows, model=model) for dag in (one, other)
    ]
    expected = np.log(0.4 * np.exp(parts[0]) + 0.6 * np.exp(parts[1]))
    assert np.allclose(arcwise.log_predictive(sample, rows, model=model), expected)


def test_sampled_dags_come_as_near_the_exact_average_as_their_number_allows() -> None:
    model = gaussian_model(n=3)
    rows = np.random.default_rng(9).normal(size=(5, 3))
    dags, _, every = weighted_dags(model)
    each = np.array(
        [
            np.exp(arcwise.log_predictive(packed(every.variables, [d]), rows, model=model))
            for d in dags
        ]
    )
    exact = every.shares @ each
    error = np.sqrt(every.shares @ (each - exact) ** 2 / 5000)
    sample = arcwise.algorithms.ExactSampler(model).dags(5000, seed=1)
    found = np.exp(arcwise.log_predictive(sample, rows, model=model))
    # A correct program is five standard errors off in one of five rows once in 300,000 seeds.
    assert (np.abs(found - exact) < 5 * error).all()


def test_parent_only_variables_are_conditioned_on() -> None:
    """The density of the rest is a ratio of evidences, each of them given those variables."""
    data = arcwise.simulate("asia", 60, seed=1).select(["smoke", "lung", "bronc"])
    new = arcwise.simulate("asia", 3, seed=2).select(["smoke", "lung", "bronc"])
    both = arcwise.read(
        {
            name: [*data.to_dict()[name], *new.to_dict()[name]]
            for name in ("smoke", "lung", "bronc")
        },
        levels=dict.fromkeys(("smoke", "lung", "bronc"), ("no", "yes")),
    )
    prior = arcwise.priors.Uniform()
    old, all_rows = (Model(t, prior=prior, parent_only=["smoke"]) for t in (data, both))
    dags = list(arcwise.algorithms.ExactSampler(old).dags(1, seed=1))
    for dag in dags:
        ratio = all_rows.log_weight_of(dag) - old.log_weight_of(dag)
        found = arcwise.log_predictive(dag, new, model=old, joint=True)
        assert close(found, ratio)
