"""Estimates of the constant of the modular prior, against exact ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

import arcwise
from arcwise import Model
from arcwise.algorithms import normalizing_constants
from arcwise.algorithms.chains import sampled_chains
from arcwise.algorithms.normalizing_constants import prior_constant
from arcwise.errors import TimeIsUpError
from arcwise.priors import Sparse
from arcwise.spaces import CanonicalOrders
from arcwise.support.running import Run
from support.clocks import steps_take
from support.exact_models import random_model

Constant = tuple[float, float]


def constant_of(model: Model, seed: int = 1) -> Constant:
    return prior_constant(model, "modular", CanonicalOrders(), Run(seed=seed, threads=1))


def slow_constant() -> Model:
    """Return a model whose prior has so many edges that its constant is found by the ratio."""
    return random_model(7, spread=3.0, seed=2, prior="uniform")


def exact_and_estimated(
    model: Model, seeds: range, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[float, float, float]]:
    exact, none = constant_of(model)
    assert none == 0.0
    monkeypatch.setattr(normalizing_constants, "is_exact", lambda *_: False)
    for seed in seeds:
        yield exact, *constant_of(model, seed)


# Everywhere, further than 4.9 standard errors happens once in 100,000 times.


@pytest.mark.parametrize(
    "options",
    [
        {"prior": "fair", "forbidden_edges": [("x0", "x1")], "max_indegree": 2},
        {"prior": Sparse(1.0), "required_edges": [("x6", "x0"), ("x0", "x3")], "max_indegree": 3},
        {"prior": Sparse(2.0), "parent_only": ["x4", "x1"]},
        {"prior": "fair", "candidates": {f"x{i}": [f"x{(i + 1) % 7}"] for i in range(7)}},
    ],
)
def test_by_populations(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_model(7, spread=3.0, seed=2, **options)
    monkeypatch.setattr(normalizing_constants, "_by_order_ratio", None)  # is not needed
    for exact, found, error in exact_and_estimated(model, range(5), monkeypatch):
        assert 0.0 < error < 0.03
        assert abs(found - exact) < 4.9 * error


@pytest.mark.parametrize("prior", ["fair", Sparse(1.0), Sparse(0.25)])
def test_of_many_variables_where_a_recurrence_knows(
    prior: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"x{i}" for i in range(37)]
    model = Model(names, lambda node, parents: 0.0, max_indegree=2, prior=prior)
    monkeypatch.setattr(normalizing_constants, "_by_order_ratio", None)
    for exact, found, error in exact_and_estimated(model, range(2), monkeypatch):
        assert 0.0 < error < 0.03
        assert abs(found - exact) < 4.9 * error


def test_by_the_ratio_where_dags_have_many_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    model = slow_constant()
    assert (
        normalizing_constants._by_node(Model(model.prior_weights()), Run(seed=1, threads=1)) is None
    )
    for exact, found, error in exact_and_estimated(model, range(3), monkeypatch):
        assert 0.0 < error < 0.1
        assert abs(found - exact) < 4.9 * error
    # Where the ratio is in doubt, it is annealed, which is less precise.
    monkeypatch.setattr(normalizing_constants, "_by_order_ratio", lambda *_: None)
    annealed, further = constant_of(model, seed=9)
    assert annealed != found
    assert abs(annealed - exact) < 4.9 * further


def test_the_evidence_states_its_error() -> None:
    """Seventeen variables with candidates: no recurrence knows, and there is no exact sum."""
    data = arcwise.networks.discrete_network(
        arcwise.networks.random_dag(17, expected_degree=2.0, seed=3), seed=3
    ).sample(200, seed=3)
    names = data.variables
    candidates = {
        name: [names[(i + step) % 17] for step in (1, 2, 5)] for i, name in enumerate(names)
    }
    found = arcwise.evidence(Model(data, candidates=candidates), "smc", particles=32, seed=1)
    assert 0.0 < found.log_prior_constant_error < 0.02


@pytest.mark.parametrize(
    "sampler", [partial(arcwise.smc, space="canonical"), partial(arcwise.mc3, ladder="adapted")]
)
def test_what_would_take_too_long_is_left_out(
    sampler: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sampling goes on without the evidence, and the time is kept."""
    monkeypatch.setattr(normalizing_constants, "is_exact", lambda *_: False)
    monkeypatch.setattr(normalizing_constants, "_by_order_ratio", None)  # must not be asked
    with steps_take(0.01) as clock:
        deadline = clock.deadline(3.0)
        found = sampler(slow_constant(), seconds=deadline, seed=1, threads=1)
        assert found.evidence is None
        assert any("constant of its prior" in sentence for sentence in deadline.cuts)
        assert 2.5 < clock.now < 3.5
        deadline = clock.deadline(3.0)
        with pytest.raises(TimeIsUpError, match=r"^the constant of the prior, .*; give more"):
            arcwise.evidence(slow_constant(), found.algorithm, seconds=deadline, seed=1)


def test_it_is_asked_for_before_sampling_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise its time would come on top of what sampling was given."""
    model, stages = slow_constant(), []
    monkeypatch.setattr(normalizing_constants, "is_exact", lambda *_: False)

    def constant(*_: object) -> Constant:
        stages.append("constant")
        return 0.0, 0.1

    def chains(*arguments: object) -> object:
        stages.append("chains")
        return sampled_chains(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(normalizing_constants, "_estimated", constant)
    monkeypatch.setattr("arcwise.algorithms.chain_posterior.sampled_chains", chains)
    with steps_take(1e-3) as clock:
        found = arcwise.mc3(model, ladder="adapted", seconds=clock.deadline(1.0), seed=1, threads=1)
    assert found.evidence is not None
    assert stages == ["constant", "chains"]
