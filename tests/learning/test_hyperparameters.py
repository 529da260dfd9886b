"""Tests of the parameters that are chosen by the evidence of the data."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.errors import TimeIsUpError
from arcwise.learning import hyperparameters
from arcwise.learning.hyperparameters import (
    EXPECTED_PARENTS,
    EvidenceGivenOrder,
    choose_hyperparameters,
    question_by_evidence,
)
from arcwise.model import Question
from arcwise.priors import Sparse
from arcwise.scores import BDeu, BGe
from arcwise.support.running import LocalRun

CONSTRAINTS: tuple[dict[str, Any], ...] = (
    {},
    {"max_indegree": 1},
    {"max_indegree": 2, "required_edges": [("a", "c")], "forbidden_edges": [("b", "d")]},
)


def reference(models: list[arcwise.Model], order: list[str]) -> np.ndarray:
    """Return the posterior of score and expected parents given an order, set by set."""
    n = len(order)
    log = np.zeros((len(models), len(EXPECTED_PARENTS)))
    for row, model in enumerate(models):
        for column, expected in enumerate(EXPECTED_PARENTS):
            odds = expected / (n - 1)
            log[row, column] = -math.log(expected)
            for place, node in enumerate(order):
                scores, weights = 0.0, 0.0
                for size in range(place + 1):
                    for parents in itertools.combinations(order[:place], size):
                        score = model.scores.log_score(node, parents)
                        if score > -math.inf:
                            scores += odds**size * math.exp(score)
                            weights += odds**size
                log[row, column] += math.log(scores) - math.log(weights)
    shares: np.ndarray = np.exp(log - log.max())
    shares /= shares.sum()
    return shares


@pytest.mark.parametrize("constraints", CONSTRAINTS, ids=str)
def test_the_evidence_given_an_order_is_the_sum_over_its_dags(constraints: dict[str, Any]) -> None:
    random = np.random.default_rng(3)
    data = {name: random.integers(0, 2 + (name == "b"), 25) for name in "abcd"}
    models = [arcwise.Model(data, BDeu(size), **constraints) for size in (1.0, 10.0)]
    evidence = EvidenceGivenOrder(models)
    for order in (["a", "b", "c", "d"], ["d", "a", "b", "c"], ["b", "a", "d", "c"]):
        found = evidence.posterior(["abcd".index(name) for name in order])
        assert found == pytest.approx(reference(models, order), abs=1e-12)


@pytest.mark.parametrize("kind", ["coins", "gaussian"])
def test_noise_is_expected_to_have_next_to_no_edges(kind: str) -> None:
    random = np.random.default_rng(5)
    shape = (60, 12)
    values = random.integers(0, 2, shape) if kind == "coins" else random.normal(size=shape)
    data = {f"v{number}": column for number, column in enumerate(values.T)}
    posterior = arcwise.learn(data, seed=1, dags=0, progress=None)
    assert posterior.edges.sum() / 12 < 0.1
    assert posterior.model is not None
    assert isinstance(posterior.model.prior, Sparse)
    assert posterior.model.prior.expected_parents < 0.25


def test_dense_networks_are_expected_to_have_more_edges_than_sparse_ones() -> None:
    def chosen(degree: float) -> float:
        dag = arcwise.networks.random_dag(12, expected_degree=degree, seed=2)
        data = arcwise.simulate(arcwise.networks.gaussian_network(dag, seed=2), 500, seed=2)
        found = choose_hyperparameters(Question.of(data), (BGe(),))
        assert found is not None
        return found.prior.expected_parents

    assert chosen(0.5) < 0.7 < 2 < chosen(4.0)


def test_weak_and_strong_tables_have_their_equivalent_sample_sizes() -> None:
    def chosen(concentration: float) -> float:
        dag = arcwise.networks.random_dag(10, expected_degree=2, seed=1)
        network = arcwise.networks.discrete_network(dag, concentration=concentration, seed=1)
        question = Question.of(arcwise.simulate(network, 1000, seed=1))
        found = choose_hyperparameters(question, BDeu().alternatives())
        assert found is not None
        assert isinstance(found.score, BDeu)
        return found.score.equivalent_sample_size

    assert chosen(0.2) < chosen(5.0)


def test_what_is_given_is_not_chosen() -> None:
    data = arcwise.simulate("asia", 200, seed=1)
    given = arcwise.learn(data, prior="fair", dags=0, progress=None)
    assert repr(given.model.prior) == "Fair()"
    assert given.model.score == BDeu(1.0)
    score = arcwise.learn(data, score=BDeu(7.0), dags=0, progress=None)
    assert score.model.score == BDeu(7.0)
    assert isinstance(score.model.prior, Sparse)
    parents = score.model.prior.expected_parents
    sentence = (
        "The parameters of the prior were chosen by the evidence of the data; to fix them, give "
        f"the prior sparse:{parents:g}."
    )
    assert sentence in score.account.choices
    assert sentence not in given.account.choices


def test_the_choice_depends_on_the_seed_alone() -> None:
    question = Question.of(arcwise.simulate("asia", 300, seed=3))
    scores = BDeu().alternatives()
    found = [
        choose_hyperparameters(question, scores, run=LocalRun(seed=4, threads=t)) for t in (1, 2)
    ]
    assert found[0].prior == found[1].prior
    assert (found[0].probabilities == found[1].probabilities).all()


def test_runs_with_other_seeds_are_of_the_same_model() -> None:
    data = arcwise.simulate("asia", 300, seed=3)

    def chosen(seed: int) -> Sparse:
        found = choose_hyperparameters(
            Question.of(data), BDeu().alternatives(), run=LocalRun(seed=seed)
        )
        assert found is not None
        return found.prior

    assert chosen(0) != chosen(1)  # if it were the seed of the run
    for seed in (0, 1):
        model = arcwise.learn(data, seed=seed, dags=0, progress=None).model
        assert model is not None
        assert model.prior == chosen(0)


def test_parameters_that_there_is_no_time_to_choose_are_named_as_such() -> None:
    random = np.random.default_rng(7)
    data = arcwise.read({f"v{number}": random.normal(size=30) for number in range(6)})
    question = Question.of(data)
    found, told = question_by_evidence(question, score=True, run=LocalRun(seconds=1e-9))
    assert found.prior == question.prior
    assert told == (
        "The parameters of the prior and of the score are the usual ones: choosing them by the "
        "evidence of the data takes too long here. In small tables they can find edges in noise.",
    )


def test_what_some_rounds_chose_is_taken_when_the_time_is_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(7)
    data = arcwise.read({f"v{number}": random.normal(size=30) for number in range(6)})
    question = Question.of(data)
    assert question.score is not None
    whole = choose_hyperparameters(question, [question.score])
    rounds = hyperparameters._orders
    calls = []

    def late(*arguments: Any) -> list[list[int]]:
        calls.append(arguments)
        if len(calls) > 1:
            raise TimeIsUpError("the time is up")
        return rounds(*arguments)

    monkeypatch.setattr(hyperparameters, "_orders", late)
    partly = choose_hyperparameters(question, [question.score])
    assert whole is not None
    assert partly is not None
    assert len(calls) == 2
    assert partly.prior.expected_parents < 0.2
    assert whole.prior.expected_parents < 0.2
