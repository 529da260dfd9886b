"""The exact modular posterior by the kernels of a device, against that of the core."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import arcwise
from arcwise import _core
from arcwise.errors import ArgumentError, CapacityError, NumericalError
from arcwise.gpu.modular import ModularComputation, needed_bytes
from reference.exact import enumerate_posterior
from support.emulated_gpu import EmulatedGpu, kernel_device


def random_model(nodes: int, seed: int, spread: float, **families: Any) -> arcwise.Model:
    rng = np.random.default_rng(seed)
    names = [f"x{node}" for node in range(nodes)]
    return arcwise.Model(names, lambda node, parents: float(rng.normal(0, spread)), **families)


@pytest.mark.parametrize(
    ("nodes", "low", "spread", "families"),
    [
        (1, 1, 1.0, {}),
        (2, 1, 1.0, {}),
        (5, 2, 3.0, {}),
        (5, 5, 3.0, {}),
        (7, 3, 2000.0, {}),
        (10, 4, 0.0, {}),  # nothing is known, and signed terms are far larger than their sum
        (9, 4, 30.0, {"max_indegree": 3}),
        (11, 6, 300.0, {"max_indegree": 2}),
        (6, 3, 5.0, {"required_edges": [("x0", "x3")], "forbidden_edges": [("x1", "x2")]}),
        (17, None, 3.0, {"max_indegree": 1}),  # more nodes than two tables of products have
    ],
)
def test_posterior_is_that_of_the_core(
    nodes: int, low: int | None, spread: float, families: dict[str, Any]
) -> None:
    model = random_model(nodes, nodes, spread, **families)
    table = model.weights.table
    computation = _core.ExactComputation(table, False, 1e-8)
    total, probabilities, edges, error = computation.posterior(_core.Processors(1), None)
    found = ModularComputation(kernel_device(), table, low=low).posterior()
    assert math.isclose(found.log_weight, total, rel_tol=1e-12, abs_tol=1e-12)
    assert np.allclose(found.edges, edges, rtol=0, atol=1e-12)
    for node in range(nodes):
        values = found.families.values(node)
        assert np.allclose(values, probabilities.values(node), rtol=0, atol=1e-12)
    assert math.isclose(found.error, error, rel_tol=0.1)


def test_posterior_is_that_of_enumeration() -> None:
    model = random_model(4, 1, 2.0)
    law = enumerate_posterior(model, "modular").law
    expected = np.zeros((4, 4))
    for parents, probability in law.items():
        for child, own in enumerate(parents):
            for parent in range(4):
                expected[parent, child] += probability * (own >> parent & 1)
    found = ModularComputation(kernel_device(), model.weights.table, low=2).posterior()
    assert np.allclose(found.edges, expected, rtol=0, atol=1e-13)


def test_threads_of_a_block_change_no_bit() -> None:
    table = random_model(8, 3, 20.0, max_indegree=3).weights.table
    one, some = (
        ModularComputation(kernel_device(threads), table, low=4).posterior() for threads in (1, 3)
    )
    assert one.log_weight == some.log_weight
    assert (one.edges == some.edges).all()


class OnePairWrong(EmulatedGpu):
    """Of the pairs U | T << 16 of four low nodes, one is written over another."""

    def upload(self, array: NDArray[Any]) -> NDArray[Any]:
        copied = super().upload(array)
        if copied.dtype == np.uint32 and len(copied) == 3**4:
            copied[40] = copied[41]
        return copied


def test_a_wrong_sum_is_seen() -> None:
    """H and B come from different sums, which agree only if both are right."""
    table = random_model(6, 3, 1.0).weights.table
    with pytest.raises(NumericalError, match="rounding on the device may cost"):
        ModularComputation(OnePairWrong(), table, low=4).posterior()


def test_progress_rises_to_one() -> None:
    seen: list[float] = []
    table = random_model(6, 2, 1.0).weights.table
    ModularComputation(kernel_device(), table, low=3).posterior(seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_too_little_memory_is_said_beforehand() -> None:
    device = kernel_device(memory=1000)
    with pytest.raises(CapacityError, match=r"6 variables needs .* of the device's memory"):
        ModularComputation(device, random_model(6, 2, 1.0).weights.table)
    assert device.launched == []


def test_bytes_of_twenty_six_variables() -> None:
    assert 17 * 2**30 < needed_bytes(26, 26 * 2626) < 18 * 2**30


def test_impossible_models_are_refused() -> None:
    def log_weight(node: str, parents: Any) -> float:
        return 0.0 if len(parents) == 1 else -math.inf

    model = arcwise.Model(["a", "b"], log_weight)
    with pytest.raises(ArgumentError, match="no DAG has a positive weight"):
        ModularComputation(kernel_device(), model.weights.table).posterior()
