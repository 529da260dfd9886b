"""Sampling over DAGs: chains against the law over all 543 DAGs, and whole runs against exact ones.

The laws of the moves are in `test_laws.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model
from arcwise.model.score_sums import ScoreSums
from arcwise.records.chain_record import ChainRecord
from arcwise.spaces import Dags
from reference.exact import enumerate_posterior
from support.chi_squared import FALSE_ALARM_RATE, assert_follows, p_value
from support.exact_models import ancestors, flat_model, log_count, random_model
from support.sampled_chains import LADDERS, dags_of, sampled, states_of
from support.sampling_errors import assert_edges_within_errors, assert_evidence_within_errors

DRAWS = 8_000

MODELS: dict[str, Callable[[], Model]] = {
    "free": lambda: random_model(4, spread=4.0, seed=11),
    "required edges": lambda: random_model(
        4, spread=3.0, seed=3, required_edges=[("x2", "x0"), ("x0", "x1")]
    ),
    "candidates": lambda: random_model(
        4, spread=4.0, seed=4, candidates={"x0": ["x1"], "x1": ["x2", "x0"], "x3": ["x0", "x1"]}
    ),
    "max_indegree": lambda: random_model(4, spread=4.0, seed=12, max_indegree=1),
    "impossible families": lambda: random_model(4, spread=3.0, seed=13, impossible=0.4),
}

MOVES = {
    "edges": {"add or delete": 2, "reverse": 1},
    "redrawn": {"redraw parents": 1, "reverse and redraw": 1, "reverse path": 1},
}


@pytest.mark.parametrize("algorithm", LADDERS)
@pytest.mark.parametrize("model", MODELS)
def test_dags_follow_the_modular_posterior(model: str, algorithm: str) -> None:
    made = MODELS[model]()
    kept = sampled(made, Dags(), LADDERS[algorithm], draws=DRAWS, thinning=40, seed=1)
    assert_follows(dags_of(kept), enumerate_posterior(made, "modular").law)
    assert states_of(kept) == dags_of(kept)


# All moves together are above. From one draw to the next no correlation is larger than 0.02: the
# second eigenvalue of the kernel is 0.966 where edges change one by one in the free model, and at
# most 0.917 elsewhere.
@pytest.mark.parametrize("moves", MOVES)
@pytest.mark.parametrize("model", ["free", "required edges", "candidates"])
def test_each_set_of_moves_leads_to_the_law(model: str, moves: str) -> None:
    made = MODELS[model]()
    thinning = 120 if (model, moves) == ("free", "edges") else 50
    kept = sampled(made, Dags(MOVES[moves]), [1.0], draws=DRAWS, thinning=thinning, seed=2)
    assert_follows(dags_of(kept), enumerate_posterior(made, "modular").law)


def test_a_chain_at_another_temperature_is_found_out() -> None:
    made = MODELS["free"]()
    kept = sampled(made, Dags(), [0.8], draws=2 * DRAWS, thinning=40, seed=1)
    assert p_value(dags_of(kept), enumerate_posterior(made, "modular").law) < FALSE_ALARM_RATE


def edges_given(model: Model, dag: tuple[int, ...]) -> np.ndarray:
    """Return the probability of each edge given the parents of all variables but its head."""
    names = model.variables
    result = np.zeros((len(dag), len(dag)))
    for node in range(len(dag)):
        below = {other for other in range(len(dag)) if node in ancestors(dag, other)}
        shares = {
            tuple(names.index(parent) for parent in parents): math.exp(weight)
            for parents, weight in model.weights.families(names[node])
        }
        allowed = {own: share for own, share in shares.items() if below.isdisjoint(own)}
        for parents, share in allowed.items():
            for parent in parents:
                result[parent, node] += share / math.fsum(allowed.values())
    return result


@pytest.mark.parametrize("model", MODELS)
def test_edges_given_a_dag_are_exact_sums(model: str) -> None:
    made = MODELS[model]()
    # So few steps that no state between is averaged.
    kept: ChainRecord = sampled(made, Dags(), [1.0], draws=64, thinning=3, seed=3)
    assert kept.edge_sums is not None
    expected = np.mean([edges_given(made, dag) for dag in dags_of(kept)], axis=0)
    assert np.abs(kept.edge_sums / 64 - expected).max() < 1e-12


def test_such_edges_average_to_those_of_the_posterior() -> None:
    made = MODELS["free"]()
    law = enumerate_posterior(made, "modular")
    mean = sum(share * edges_given(made, dag) for dag, share in law.law.items())
    assert np.abs(mean - law.edges).max() < 1e-12


@pytest.mark.parametrize(("n", "most"), [(1, 0), (2, 1), (4, 3), (8, 7), (12, 3), (30, 2)])
def test_the_space_has_as_many_states_as_there_are_dags(n: int, most: int) -> None:
    space = Dags().build(ScoreSums(flat_model(n, max_indegree=most)))
    assert math.isclose(space.log_size, log_count(n, most), abs_tol=1e-10)


def data_of(n: int, rows: int, seed: int) -> arcwise.Data:
    dag = arcwise.networks.random_dag(n, expected_degree=2.5, max_indegree=3, seed=seed)
    network = arcwise.networks.discrete_network(dag, levels=(2, 3), concentration=0.7, seed=seed)
    return network.sample(rows, seed=seed)


EIGHT: dict[str, dict[str, Any]] = {
    "free": {},
    "max_indegree": {"max_indegree": 2},
    "constrained": {"required_edges": [("X0", "X3")], "forbidden_edges": [("X1", "X2")]},
}


# Annealing gets to the posterior by millions of steps: once, as its law is tabulated with every
# constraint in `test_annealing_laws.py`.
@pytest.mark.parametrize(
    ("rule", "algorithm"),
    [*((rule, algorithm) for rule in EIGHT for algorithm in ("mcmc", "mc3")), ("free", "ais")],
)
def test_edges_of_eight_variables_agree_with_exact_ones(rule: str, algorithm: str) -> None:
    model = Model(data_of(8, 200, seed=2), **EIGHT[rule])
    exact = arcwise.exact(model)
    if algorithm == "ais":
        found = arcwise.ais(model, "dags", steps=20_000, particles=120, seed=4, threads=1)
    elif algorithm == "mc3":
        found = arcwise.mc3(
            model,
            "dags",
            ladder="adapted",
            temperatures=13,
            steps=40_000,
            chains=2,
            seed=4,
            threads=1,
        )
    else:
        # Two modes, one of 0.036, between which a chain goes every 20,000 steps.
        found = arcwise.mcmc(model, "dags", steps=600_000, chains=2, seed=4, threads=1)
    assert_edges_within_errors(found, exact.edges)
    assert_evidence_within_errors(found, exact, 4.9)
    assert found.run.order_weights is None


def test_dags_and_partitions_agree() -> None:
    model = Model(data_of(16, 250, seed=5), max_indegree=3)
    dags = arcwise.mcmc(model, "dags", steps=400_000, thinning=40, chains=2, seed=1, threads=1)
    parts = arcwise.mcmc(model, "partitions", steps=200_000, chains=2, seed=1, threads=1)
    assert dags.edge_errors is not None
    assert parts.edge_errors is not None
    common = (dags.edges > 0.02) & (dags.edges < 0.98)
    assert common.sum() > 10
    off = np.abs(dags.edges - parts.edges)
    # One in 16,000 is off by more than four errors, or a few that depend on each other.
    assert (off > 4.0 * np.hypot(dags.edge_errors, parts.edge_errors))[common].sum() <= 2
    assert off.max() < 0.1


def test_many_variables_with_candidates_and_required_edges() -> None:
    # Two words of nodes; the uniform start has hundreds of edges that are excluded.
    n = 70
    names = [f"x{i}" for i in range(n)]
    candidates = {names[i]: [names[(i + step) % n] for step in (1, 2, 5)] for i in range(n)}
    model = Model(
        names,
        lambda node, parents: -1.5 * len(parents),
        candidates=candidates,
        required_edges=[("x1", "x0"), ("x40", "x69")],
    )
    found = arcwise.mcmc(model, Dags(), steps=200_000, chains=1, seed=1, threads=1)
    assert np.isclose(found.edges[1, 0], 1.0)
    assert np.isclose(found.edges[40, 69], 1.0)
    possible = np.zeros((n, n), dtype=bool)
    for node, parents in candidates.items():
        for parent in parents:
            possible[names.index(parent), names.index(node)] = True
    possible[40, 69] = True
    assert found.edges[~possible].max() == 0.0
    assert found.edges[possible].min() > 0.0


def test_families_of_a_list_are_sampled() -> None:
    # Scores of a file are a list of families: nothing implied, few of all sets.
    full = random_model(5, spread=4.0, seed=21)
    kept = {
        name: {
            parents: weight
            for i, (parents, weight) in enumerate(full.weights.families(name))
            if i % 3 == 0 or not parents
        }
        for name in full.variables
    }

    def score(node: str, parents: tuple[str, ...]) -> float:
        return kept[node].get(tuple(sorted(parents)), -math.inf)

    model = Model(list(full.variables), score)
    found = arcwise.mcmc(model, Dags(), steps=200_000, chains=2, seed=3, threads=1)
    assert_edges_within_errors(found, arcwise.exact(model).edges)
