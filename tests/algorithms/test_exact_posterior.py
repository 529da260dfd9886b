"""Exact posteriors of up to five variables against the sum over all DAGs, to 1e-10.

For every prior with every constraint: edges, parent sets, log evidence with the
prior's constant, the best DAG and its probability; and the error that is
reported is no less than the error there is.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model, Posterior
from arcwise.errors import ArcwiseError
from arcwise.model.model import Modularity
from arcwise.priors import EdgePenalty
from arcwise.scores import FamilyScores
from reference.exact import EnumeratedPosterior, enumerate_posterior, members
from support.comparison import close
from support.exact_models import MODULARITIES, names, random_model, random_score
from support.model_kinds import PRIORS, RULES, edge_weights, listed, odd

PRECISION = 1e-10


def assert_exact(model: Model, modularity: Any) -> None:
    """Compare with the enumeration all that a posterior says."""
    expected = enumerate_posterior(model, modularity)
    posterior = arcwise.exact(model, modularity)
    assert close(posterior.log_prior_constant, expected.log_constant, PRECISION)
    total = posterior.log_evidence + posterior.log_prior_constant
    assert close(total, expected.log_total, PRECISION)
    assert close(posterior.log_evidence, expected.log_total - expected.log_constant, PRECISION)
    error = max(
        float(np.abs(posterior.edges - expected.edges).max()),
        assert_families(model, posterior, expected),
    )
    assert error <= posterior.error < PRECISION
    assert_best(model, posterior, expected)


def assert_families(model: Model, posterior: Posterior, expected: EnumeratedPosterior) -> float:
    """Return the largest error of a parent set; families of the model and only they have any."""
    worst = 0.0
    for v, node in enumerate(model.variables):
        there = dict(posterior.family_probabilities.families(node))
        assert set(there) == {parents for parents, _ in model.scores.families(node)}
        for mask in range(1 << len(model.variables)):
            if mask >> v & 1:
                continue
            parents = [model.variables[u] for u in members(mask)]
            found = posterior.parent_set_probability(node, parents)
            assert 0.0 <= found <= 1.0
            worst = max(worst, abs(found - float(expected.families[v, mask])))
    return worst


def assert_best(model: Model, posterior: Posterior, expected: EnumeratedPosterior) -> None:
    assert close(posterior.map_log_weight, expected.best_weight, PRECISION)
    assert close(model.log_weight_of(posterior.map_dag), expected.best_weight, PRECISION)
    masks = tuple(sum(1 << u for u in parents) for parents in posterior.map_dag.parent_indices)
    assert abs(posterior.map_probability - expected.law[masks]) < PRECISION


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_prior_under_every_constraint(n: int, rule: str, modularity: Modularity) -> None:
    for seed, prior in enumerate(PRIORS):
        assert_exact(
            random_model(n, 8.0, seed, prior=PRIORS[prior](n), **RULES[rule](n)), modularity
        )


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("number", range(len(PRIORS)))
def test_five_variables(number: int, modularity: Modularity) -> None:
    # Each prior and each constraint once; the pairs are those of four variables.
    prior, rule = list(PRIORS)[number], list(RULES)[(number + 4) % len(RULES)]
    assert_exact(random_model(5, 8.0, number, prior=PRIORS[prior](5), **RULES[rule](5)), modularity)


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("spread", [0.0, 1.0, 40.0, 299.0, 301.0, 640.0, 1199.0, 1400.0, 10_000.0])
def test_weights_close_together_and_10000_nats_apart(spread: float, modularity: Modularity) -> None:
    for seed in range(4):
        for n in (2, 3, 4):
            assert_exact(random_model(n, spread, seed), modularity)
    assert_exact(random_model(5, spread, 7, prior=EdgePenalty(0.5)), modularity)


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_only_improbable_parent_sets_fit_together(modularity: Modularity) -> None:
    # The heaviest families form cycles, so whatever counts lies far below them.
    def score(node: str, parents: tuple[str, ...]) -> float:
        follower = f"x{(int(node[1]) + 1) % 4}"
        return (9_000.0 if follower in parents else 0.0) - 0.3 * len(parents) + int(node[1])

    assert_exact(Model(list(names(4)), score), modularity)
    assert_exact(Model(list(names(4)), score, prior=edge_weights(4)), modularity)


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_a_large_constant_in_all_scores_costs_only_digits_of_the_evidence(
    modularity: Modularity,
) -> None:
    score = random_score(4, 8.0, 1)
    expected = arcwise.exact(Model(list(names(4)), score), modularity)
    found = arcwise.exact(Model(list(names(4)), lambda v, p: score(v, p) - 2.0**20), modularity)
    assert np.abs(found.edges - expected.edges).max() < 1e-9
    assert close(found.log_evidence, expected.log_evidence - 4 * 2.0**20, 1e-15)


@pytest.mark.parametrize("modularity", MODULARITIES)
@pytest.mark.parametrize("share", [0.2, 0.6, 0.9])
def test_families_of_weight_zero(share: float, modularity: Modularity) -> None:
    for seed in range(5):
        for n in (2, 3, 4):
            assert_exact(random_model(n, 20.0, seed, impossible=share, prior="fair"), modularity)


def has_a_dag(model: Model) -> bool:
    """Say whether families that exclude each other leave a DAG."""
    with np.errstate(invalid="ignore"):
        return enumerate_posterior(model, "modular").best_weight > -math.inf


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_listed_families(modularity: Modularity, tmp_path: Path) -> None:
    seen = 0
    for seed in range(8):
        for n in (2, 3, 4, 5) if seed == 0 else (2, 3, 4):
            scores = listed(n, seed)
            model = Model(scores, prior=PRIORS[list(PRIORS)[seed]](n))
            if not has_a_dag(model):
                with pytest.raises(ArcwiseError, match="No DAG has a positive weight"):
                    arcwise.exact(model, modularity)
                continue
            seen += 1
            assert_exact(model, modularity)
            path = tmp_path / "scores.jkl"
            scores.write_jkl(path)
            assert_exact(Model(path, max_indegree=2), modularity)
    assert seen > 15


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_listed_families_under_constraints(modularity: Modularity) -> None:
    scores = FamilyScores.from_mapping(
        {
            "a": {(): 0.1, ("b",): 2.0, ("b", "c"): 1.0},
            "b": {("c",): 0.5, ("a", "d"): 3.0, (): -1.0},
            "c": {(): 0.0, ("a",): 1.5},
            "d": {("a", "b", "c"): 4.0, ("c",): 0.3, (): 0.0},
        }
    )
    for rule in (
        {},
        {"max_indegree": 2},
        {"required_edges": [("c", "d")]},
        {"forbidden_edges": [("a", "c")], "prior": odd},
        {"temporal_order": [["a", "b", "c"], ["d"]]},
        {"candidates": {"a": ["b", "c"], "d": ["c"]}},
    ):
        assert_exact(Model(scores, **rule), modularity)


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_cyclic_demands_leave_no_dag(modularity: Modularity) -> None:
    scores = FamilyScores.from_mapping({"a": {("b",): 0.0}, "b": {("a",): 0.0}})
    with pytest.raises(ArcwiseError, match=r"^No DAG has a positive weight; [^.]*\.$"):
        arcwise.exact(Model(scores), modularity)
    with pytest.raises(ArcwiseError, match="No DAG has a positive weight"):
        arcwise.algorithms.ExactSampler(Model(scores), modularity)


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_scores_of_data(modularity: Modularity) -> None:
    discrete = arcwise.simulate("asia", 400, seed=2)
    ruled: dict[str, Any] = {"required_edges": [("smoke", "lung")], "prior": "fair"}
    for score in ("bdeu", "bic"):
        for rule in ({}, ruled):
            data = discrete.select(["asia", "smoke", "lung", "either", "xray"])
            assert_exact(Model(data, score, **rule), modularity)


@pytest.mark.parametrize("modularity", MODULARITIES)
def test_what_a_posterior_says_of_itself(modularity: Modularity) -> None:
    model = random_model(4, 3.0)
    posterior = arcwise.exact(model, modularity)
    assert posterior.modularity == modularity
    assert posterior.algorithm == "exact"
    assert f"exact, {modularity}, 4 variables" in repr(posterior)
    table = posterior.edge_table()
    assert len(table) == 12
    assert [row[2] for row in table] == sorted((row[2] for row in table), reverse=True)
    for source, to, probability in table:
        assert posterior.edge_probability(source, to) == probability
    best = posterior.parent_sets("x2", 3)
    assert len(best) == 3
    assert best[0][1] == max(value for _, value in posterior.family_probabilities.families("x2"))
    assert math.fsum(value for _, value in posterior.parent_sets("x2", 8)) == pytest.approx(1.0)
