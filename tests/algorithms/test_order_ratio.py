"""The ratio of the two constants of a model from numbers of topological orders, against exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import arcwise
from arcwise import Model
from arcwise.algorithms import normalizing_constants
from arcwise.algorithms.normalizing_constants import TopologicalOrders, order_ratio
from arcwise.errors import ArgumentError
from arcwise.support.running import Deadline, Run
from support.exact_models import random_model

pytestmark = pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")


def total(model: Model, modularity: Any) -> float:
    """Return the log of the exact constant."""
    evidence = arcwise.exact(model, modularity, threads=1).evidence
    assert evidence is not None
    return evidence.log_evidence + evidence.log_prior_constant


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"forbidden_edges": [("x0", "x1"), ("x3", "x2")]},
        {"max_indegree": 1},
        {"parent_only": ["x4", "x1"]},
    ],
)
def test_exact_ratio(options: dict[str, Any]) -> None:
    """Ten seeds: further than 4.9 standard errors happens once in 100,000 times."""
    model = random_model(6, spread=3.0, seed=5, **options)
    exact = total(model, "order-modular") - total(model, "modular")
    for seed in range(10):
        found = order_ratio(model, 2_000, 800, Run(seed=seed, threads=1))
        assert not found.doubts
        assert abs(found.estimate.value - exact) < 4.9 * found.estimate.standard_error < 0.6


def test_chains_that_have_not_converged_are_doubted() -> None:
    def score(node: str, parents: tuple[str, ...]) -> float:
        place = int(node[1:])
        if parents == (f"X{place - 1}",):
            return 40.0
        if parents == (f"X{place + 1}",):
            return 40.3
        return 0.0 if not parents and place in (0, 6) else -40.0

    model = Model([f"X{i}" for i in range(7)], score, max_indegree=2)
    found = order_ratio(model, 500, 400, Run(seed=1, threads=1))
    assert any("have not converged" in doubt for doubt in found.doubts)


@pytest.mark.parametrize(
    ("budgets", "draws"), [((6_250, 100_000), 3_200), ((1, 6_250), 3_200), ((1, 12_500), 1_600)]
)
def test_quick_counts_are_made_of_more_dags(
    budgets: tuple[int, ...], draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = random_model(6, spread=3.0, seed=5)
    monkeypatch.setattr(normalizing_constants, "_EXTENSION_BUDGETS", budgets)
    monkeypatch.setattr(normalizing_constants, "_SETS_IN_ALL", 20_000_000)
    orders = TopologicalOrders(model, None, Run(seed=1, threads=1))
    found, _ = orders.sampled("modular", 20_000, orders.run)
    assert sum(map(len, found)) == draws


def test_numbers_are_estimated_as_often_as_time_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_model(6, spread=3.0, seed=5)
    dags = arcwise.mcmc(model, "dags", steps=40_000, seed=1).dags
    assert dags is not None
    now, each = 0.0, 0.01
    monkeypatch.setattr(normalizing_constants, "_EXTENSION_BUDGETS", (1,))
    monkeypatch.setattr(normalizing_constants, "_SETS_IN_ALL", 400)

    class Timed(TopologicalOrders):
        def _log_estimates(self, parents: NDArray[np.uint64]) -> NDArray[np.float64]:
            nonlocal now
            now += each * len(parents)
            return super()._log_estimates(parents)

    def counted(seconds: float) -> int:
        nonlocal now
        now = 0.0
        deadline = Deadline(seconds, clock=lambda: now)
        return sum(
            map(len, Timed(model, None, Run(seconds=deadline, seed=1, threads=1)).counted(dags))
        )

    # A tenth of the time at 10 ms each, less the trial of 32; between 100 / 4 and 4 * 100.
    assert [counted(seconds) for seconds in (0.1, 20.0, 1e6)] == [24, 168, 400]


def test_refusals() -> None:
    model = random_model(6, spread=3.0, seed=1)
    with pytest.raises(ArgumentError, match="the order-modular one use"):
        arcwise.evidence(model, "bennett", modularity="order-modular")


def test_estimated_numbers_of_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Further than 4.9 standard errors happens once in 100,000 times, for each of ten seeds."""
    model = random_model(6, spread=3.0, seed=5)
    exact = total(model, "order-modular") - total(model, "modular")
    counted = order_ratio(model, 2_000, 800, Run(seed=0, threads=1))
    for name, value in {"_EXTENSION_BUDGETS": (1,), "_EXACT_SETS": 1, "EXACT_NODES": 1}.items():
        monkeypatch.setattr(normalizing_constants, name, value)
    # With so few sets, numbers are far off: by more than the ratio may be.
    monkeypatch.setattr(normalizing_constants, "_SETS_OF_ESTIMATE", 2)
    for seed in range(10):
        found = order_ratio(model, 2_000, 3_200, Run(seed=seed, threads=1))
        assert not found.doubts
        assert abs(found.estimate.value - exact) < 4.9 * found.estimate.standard_error < 0.6
    assert found.estimate.standard_error > counted.estimate.standard_error
    evidence = arcwise.evidence(model, "bennett", seed=1, threads=1)
    error = evidence.standard_error
    assert error is not None
    assert abs(evidence.log_evidence - arcwise.exact(model).log_evidence) < 4.9 * error
    assert evidence == arcwise.evidence(model, "bennett", seed=1, threads=2)
