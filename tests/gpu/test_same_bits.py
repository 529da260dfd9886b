"""A device and plain C++ agree to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.gpu.modular import ModularComputation
from arcwise.gpu.order_chains import DeviceTables, OrderTables, SampledOrders
from arcwise.gpu.order_modular import OrderModularComputation
from arcwise.gpu.scoring import GpuScoring
from arcwise.gpu.tempering import TemperedOrders
from arcwise.records.settings import uniform_bridge
from support.device_orders import order_chains
from support.emulated_gpu import ON_DEVICE, EmulatedGpu, kernel_device

pytestmark = pytest.mark.skipif(not ON_DEVICE, reason="make test-gpu runs it, on a device")


def random_model(nodes: int, seed: int, spread: float) -> arcwise.Model:
    rng = np.random.default_rng(seed)
    names = [f"x{node}" for node in range(nodes)]
    return arcwise.Model(names, lambda node, parents: float(rng.normal(0, spread)), max_indegree=3)


@pytest.mark.parametrize("computation", [OrderModularComputation, ModularComputation])
@pytest.mark.parametrize(("nodes", "spread"), [(9, 3.0), (14, 200.0)])
def test_exact_posteriors(nodes: int, spread: float, computation: Any) -> None:
    table = random_model(nodes, nodes, spread).weights.table
    one, other = (
        computation(device, table, low=6).posterior() for device in (EmulatedGpu(), kernel_device())
    )
    assert one.log_weight == other.log_weight
    assert (one.edges == other.edges).all()
    assert one.error == other.error


@pytest.mark.parametrize("score", ["bdeu", "bge"])
def test_scores(score: str) -> None:
    random = np.random.default_rng(3)
    mixing = np.eye(40) + 0.1 * random.random((40, 40))
    values: np.ndarray = random.standard_normal((1003, 40)) @ mixing
    if score == "bdeu":
        values = np.digitize(values[:, :9], [-1.0, 0.0, 0.5])
    data = {f"x{place}": column for place, column in enumerate(values.T)}
    one, other = (
        arcwise.score(data, score, engine=GpuScoring(device), max_indegree=2).table
        for device in (EmulatedGpu(), kernel_device())
    )
    for node in range(len(one)):
        assert (one.values(node) == other.values(node)).all()


def test_canonical_orders_and_coupled_chains() -> None:
    tables = OrderTables.of(random_model(12, 1, 4.0).weights.table)
    kind = SampledOrders()
    path = uniform_bridge(600, 12, hold=12)
    found = []
    for device in (EmulatedGpu(), kernel_device()):
        chains = order_chains(device, tables, 100, seed=7, point=path[0])
        chains.anneal(path[1:])
        annealed = chains.annealed()
        chains.take_canonical_orders(renumber=True)
        chains.walk(2000)
        chains.observe(draw_dags=True)
        groups = TemperedOrders(DeviceTables(device, tables), kind, path[::100], 30, seed=7)
        groups.start(100)
        for _ in range(20):
            groups.walk(5)
            groups.ratios.add()
            groups.exchange()
        ratios = np.array([groups.ratios.of(group)[3][0] for group in range(30)])
        of_chains = chains.orders(), chains.numbers(), annealed, chains.edges(), chains.dags()
        found.append((*of_chains, groups.exchanged(), groups.take_coldest().orders(), ratios))
    for one, other in zip(*found, strict=True):
        assert (one == other).all()
