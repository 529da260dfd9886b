"""The exact order-modular posterior by the kernels of a device, against that of the core."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import _core
from arcwise.errors import ArgumentError, CapacityError
from arcwise.gpu.order_modular import OrderModularComputation, needed_bytes
from reference.exact import enumerate_posterior, order_law
from support.chi_squared import assert_follows
from support.emulated_gpu import kernel_device


def random_model(nodes: int, seed: int, spread: float, **families: Any) -> arcwise.Model:
    rng = np.random.default_rng(seed)
    names = [f"x{node}" for node in range(nodes)]
    return arcwise.Model(names, lambda node, parents: float(rng.normal(0, spread)), **families)


def core_answer(model: arcwise.Model) -> tuple[float, np.ndarray, Any]:
    computation = _core.ExactComputation(model.weights.table, True, 1e-8)
    total, families, edges, _ = computation.posterior(_core.Processors(1), None)
    return total, edges, families


@pytest.mark.parametrize(
    ("nodes", "low", "spread", "families"),
    [
        (1, 1, 1.0, {}),
        (2, 1, 1.0, {}),
        (5, 2, 3.0, {}),
        (5, 5, 3.0, {}),
        (7, 3, 2000.0, {}),
        (9, 4, 30.0, {"max_indegree": 3}),
        (11, 6, 300.0, {"max_indegree": 2}),
        (6, 3, 5.0, {"required_edges": [("x0", "x3")], "forbidden_edges": [("x1", "x2")]}),
    ],
)
def test_posterior_is_that_of_the_core(
    nodes: int, low: int, spread: float, families: dict[str, Any]
) -> None:
    model = random_model(nodes, nodes, spread, **families)
    total, edges, probabilities = core_answer(model)
    found = OrderModularComputation(kernel_device(), model.weights.table, low=low).posterior()
    assert math.isclose(found.log_weight, total, rel_tol=1e-12, abs_tol=1e-10)
    assert np.allclose(found.edges, edges, rtol=0, atol=1e-10)
    for node in range(nodes):
        assert np.allclose(
            found.families.values(node), probabilities.values(node), rtol=0, atol=1e-10
        )
    assert 0 < found.error < 1e-8


def test_threads_of_a_block_change_no_bit() -> None:
    model = random_model(8, 3, 20.0, max_indegree=3)
    table = model.weights.table
    one, some = (
        OrderModularComputation(kernel_device(threads), table, low=4).posterior()
        for threads in (1, 3)
    )
    assert one.log_weight == some.log_weight
    assert (one.edges == some.edges).all()


@pytest.mark.parametrize("low", [2, 5, 7])
def test_best_dag_is_that_of_the_core(low: int) -> None:
    model = random_model(7, 11, 10.0)
    log_weight, parents = _core.ExactComputation(model.weights.table, True, 1e-8).best_dag(
        _core.Processors(1), None
    )
    found = OrderModularComputation(kernel_device(), model.weights.table, low=low).best_dag()
    assert math.isclose(found[0], log_weight, rel_tol=1e-12)
    assert found[1] == list(parents)


def test_draws_follow_the_posterior() -> None:
    model = random_model(4, 21, 1.0)
    computation = OrderModularComputation(kernel_device(), model.weights.table, low=2)
    orders, parents = computation.draw(20_000, seed=5)
    names = model.variables
    assert_follows([tuple(names[v] for v in order) for order in orders.tolist()], order_law(model))
    assert_follows(
        [tuple(dag) for dag in parents.tolist()], enumerate_posterior(model, "order-modular").law
    )
    for order, dag in zip(orders.tolist(), parents.tolist(), strict=True):
        before = 0
        for v in order:
            assert dag[v] & ~before == 0
            before |= 1 << v


def test_draws_depend_on_seed_and_number_alone() -> None:
    table = random_model(9, 4, 3.0, max_indegree=3).weights.table
    found = OrderModularComputation(kernel_device(), table, low=4).draw(20, seed=1)
    later = OrderModularComputation(kernel_device(3), table, low=4).draw(5, seed=1, first=15)
    other = OrderModularComputation(kernel_device(), table, low=4).draw(20, seed=2)
    for place in (0, 1):  # orders, DAGs
        assert np.array_equal(found[place][15:], later[place])
        assert not np.array_equal(found[place], other[place])


def test_draws_after_the_best_dag_are_those_before_it() -> None:
    table = random_model(6, 4, 3.0).weights.table
    computation = OrderModularComputation(kernel_device(), table, low=3)
    before = computation.draw(50, seed=3)[1]
    computation.best_dag()
    assert (computation.draw(50, seed=3)[1] == before).all()


def test_log_weight_alone() -> None:
    model = random_model(6, 2, 10.0)
    computation = OrderModularComputation(kernel_device(), model.weights.table, low=3)
    assert math.isclose(computation.log_weight(), core_answer(model)[0], rel_tol=1e-12)


def test_progress_rises_to_one() -> None:
    seen: list[float] = []
    model = random_model(6, 2, 1.0)
    OrderModularComputation(kernel_device(), model.weights.table, low=3).posterior(seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_too_little_memory_is_said_beforehand() -> None:
    model = random_model(6, 2, 1.0)
    device = kernel_device(memory=1000)
    with pytest.raises(CapacityError, match=r"6 variables needs .* of the device's memory"):
        OrderModularComputation(device, model.weights.table)
    assert device.launched == []


def test_bytes_of_thirty_three_variables() -> None:
    assert 64 * 2**30 < needed_bytes(33, 33 * 5489) < 65 * 2**30


def test_impossible_models_are_refused() -> None:
    names = ["a", "b"]

    def log_weight(node: str, parents: Any) -> float:
        return 0.0 if len(parents) == 1 else -math.inf

    model = arcwise.Model(names, log_weight)
    with pytest.raises(ArgumentError, match="no DAG has a positive weight"):
        OrderModularComputation(kernel_device(), model.weights.table).posterior()
