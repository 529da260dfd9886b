"""`arcwise.map` against all DAGs there are, and its search against exact computation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise
from arcwise import Model
from arcwise.errors import ArcwiseError
from arcwise.model.score_sums import ScoreSums
from arcwise.networks import gaussian_network, random_dag
from arcwise.results import MapResult
from reference.exact import enumerate_posterior
from support.comparison import close
from support.exact_models import names, random_model, strong_chain
from support.model_kinds import PRIORS, RULES, listed
from support.strategies import continuous_cases, discrete_cases, rules

# Sums of the same families in another order.
PRECISION = 1e-12


def assert_consistent(model: Model, best: MapResult) -> None:
    """Check that the DAG weighs what the result says, and that the class is its own."""
    assert close(model.log_weight_of(best.dag), best.log_weight, PRECISION)
    score = sum(model.scores.log_score(node, best.dag.parents(node)) for node in model.variables)
    assert close(best.log_score, score, PRECISION)
    # The constraints may direct more, never otherwise.
    own, allowed = (
        arcwise.graphs.cpdag(best.dag),
        model.constraints.resolve(model.variables).allowed,
    )
    assert best.cpdag.skeleton == own.skeleton
    assert set(own.directed) <= set(best.cpdag.directed) <= set(best.dag.edges)
    undirected = best.cpdag.matrix() & best.cpdag.matrix().T
    assert (allowed | ~undirected).all()
    assert np.isfinite(best.log_weight)


def assert_found(model: Model, seed: int = 0, **options: Any) -> MapResult:
    """Check that the search finds the weight of exact computation, and no more."""
    exact = arcwise.map(model, method="exact", threads=1)
    found = arcwise.map(model, method="search", seed=seed, threads=1, **options)
    for best in (exact, found):
        assert_consistent(model, best)
    assert close(found.log_weight, exact.log_weight, PRECISION)
    return found


def gaussian(n: int, rows: int, seed: int) -> arcwise.Data:
    dag = random_dag(names(n), expected_degree=3.0, seed=seed)
    return gaussian_network(dag, signs="random", seed=seed).sample(rows, seed=seed)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_prior_under_every_constraint(n: int, rule: str) -> None:
    for seed, prior in enumerate(PRIORS):
        model = random_model(n, 8.0, seed, prior=PRIORS[prior](n), **RULES[rule](n))
        expected = enumerate_posterior(model, "modular").best_weight
        for method in ("exact", "search"):
            best = arcwise.map(model, method=method, restarts=2, seed=seed, threads=1)
            assert_consistent(model, best)
            assert close(best.log_weight, expected, PRECISION)


@given(st.data())
def test_scores_of_generated_data_with_weights_interventions_and_constraints(data: Any) -> None:
    case = data.draw(st.one_of(discrete_cases(), continuous_cases(fewest_rows=8)))
    rule = data.draw(rules(case.variables))
    model = Model(case.data, **rule.keywords)
    found = assert_found(model, restarts=2)
    for node in model.variables:
        assert found.dag.parents(node) in rule.families[node]


@pytest.mark.parametrize("share", [0.2, 0.6, 0.9])
def test_families_of_weight_zero(share: float) -> None:
    for seed in range(8):
        for n in (2, 4, 7):
            assert_found(random_model(n, 20.0, seed, impossible=share, prior="fair"), seed)


def test_listed_families_which_few_orders_allow() -> None:
    seen = 0
    for seed in range(12):
        for n in (3, 5, 7):
            model = Model(listed(n, seed))
            try:
                arcwise.map(model, method="exact", threads=1)
            except ArcwiseError:
                with pytest.raises(ArcwiseError, match="No structure that satisfies"):
                    arcwise.map(model, method="search", threads=1)
            else:
                seen += 1
                assert_found(model, seed)
    assert seen > 15


@pytest.mark.parametrize("n", range(5, 13))
def test_random_scores_in_which_nothing_leads_to_the_best(n: int) -> None:
    for seed in range(2):
        assert_found(random_model(n, 10.0, seed, max_indegree=4), seed)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n", [6, 9, 12])
def test_gaussian_data_under_every_constraint(n: int, rule: str) -> None:
    for seed, rows in enumerate((30, 1000)):
        data = gaussian(n, rows, seed)
        assert_found(Model(data, "bge", **({"max_indegree": 5} | RULES[rule](n))), seed)


@pytest.mark.parametrize("n", [5, 8, 11])
def test_chosen_candidates_tiers_and_required_edges(n: int) -> None:
    for seed in range(3):
        data = gaussian(n, 200, seed)
        half = [*data.variables[: n // 2]], [*data.variables[n // 2 :]]
        edge = [(half[0][0], half[1][-1])]
        told: dict[str, Any] = {"required_edges": edge, "temporal_order": half}
        candidates = arcwise.candidates(data, "greedy", size=4, **told)
        best = assert_found(Model(data, "bge", candidates=candidates, **told), seed)
        assert edge[0] in best.dag.edges


@pytest.mark.parametrize("n", [4, 7, 12])
def test_one_parent_besides_the_candidates(n: int) -> None:
    for seed in range(2):
        data = gaussian(n, 200, seed)
        told: dict[str, Any] = {
            "required_edges": [data.variables[:2]],
            "forbidden_edges": [data.variables[1:3]],
        }
        candidates = arcwise.candidates(data, "greedy", size=2, **told)
        best = assert_found(Model(data, "bge", candidates=candidates, plus_one=True, **told), seed)
        assert best.dag.parents(data.variables[1])[0] == data.variables[0]


def test_the_heaviest_families_weigh_nothing_and_exclude_each_other() -> None:
    # What is left are sums of large numbers, whose rounding is no improvement.
    n = 10
    large = np.random.default_rng(1).integers(1, 10, (n, 1 << n)) * 1e5 / 3.0

    def score(node: str, parents: tuple[str, ...]) -> float:
        places = {int(parent[1:]) for parent in parents}
        if places == {(int(node[1:]) + 1) % n}:
            return 0.0
        return -float(large[int(node[1:]), sum(1 << place for place in places)])

    assert_found(Model(list(names(n)), score, max_indegree=3))


def test_strong_dependence_and_many_rows() -> None:
    for seed in range(3):
        assert_found(Model(strong_chain(9, 8000, 0.1, seed), "bge"), seed)


@pytest.mark.parametrize(("n", "rows", "bound"), [(16, 100, 4), (18, 2000, 3), (20, 400, 3)])
def test_larger_networks(n: int, rows: int, bound: int) -> None:
    found = assert_found(Model(gaussian(n, rows, n), "bge", max_indegree=bound), patience=200)
    assert found.agree


def test_all_kinds_of_sums_lead_to_the_same() -> None:
    model = Model(gaussian(9, 300, 1), "bge", max_indegree=3)
    for method in ("table", "walk", "scan"):
        for tabulated in ("both", "sums", "maxima"):
            sums = ScoreSums(model, method=method, tabulate=tabulated)
            assert assert_found(model, sums=sums, restarts=2).agree


def test_more_variables_than_the_exact_recursion_takes() -> None:
    # The generating DAG is within the candidates, so nothing found may weigh less.
    for seed in range(2):
        truth = random_dag(40, expected_degree=3.0, max_indegree=4, seed=seed)
        data = gaussian_network(truth, seed=seed).sample(500, seed=seed)
        parents = arcwise.results.Candidates.from_matrix(truth.variables, truth.matrix())
        model = Model(data, "bge", candidates=arcwise.candidates(data, "greedy", size=6) | parents)
        best = arcwise.map(model, restarts=4, seed=seed)
        assert best.method == "search"
        assert_consistent(model, best)
        assert best.log_weight > model.log_weight_of(truth)
        assert best.restarts_at_best >= 3
