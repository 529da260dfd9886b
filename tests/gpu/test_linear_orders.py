"""Chains over linear orders by the kernels of a device: their parts, their law, what they tell.

These are at the beginning of the bridge.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import arcwise
from arcwise.errors import CapacityError
from arcwise.gpu.order_chains import ORDER_POSTERIOR, UNIT, OrderChains, OrderTables, needed_bytes
from support.device_orders import order_chains
from support.emulated_gpu import compiled_kernels, kernel_device


def random_tables(nodes: int, seed: int, spread: float, **families: Any) -> OrderTables:
    return OrderTables.of(random_model(nodes, seed, spread, **families).weights.table)


def random_model(nodes: int, seed: int, spread: float, **families: Any) -> arcwise.Model:
    rng = np.random.default_rng(seed)
    names = [f"x{node}" for node in range(nodes)]
    return arcwise.Model(names, lambda node, parents: float(rng.normal(0, spread)), **families)


def linear_chains(
    device: Any, tables: OrderTables, count: int, seed: int, neighbours: float | None = None
) -> OrderChains:
    return order_chains(device, tables, count, seed, neighbours=neighbours, point=ORDER_POSTERIOR)


def order_log_weight(tables: OrderTables, order: Any) -> float:
    """Return the sum of each node's log sum over the families within its predecessors."""
    total = 0.0
    for place, node in enumerate(order):
        before = set(order[:place])
        own = [tables.parents[node].index(u) for u in before if u in tables.parents[node]]
        total += tables.log_sums[tables.starts[node] + sum(1 << bit for bit in own)]
    return total


def test_philox_gives_the_published_words() -> None:
    # Known answers of Random123: all bits of counter and key zero, and all one.
    words = (ctypes.c_uint32 * 4)()
    call = compiled_kernels().philox_words
    call(*[ctypes.c_uint64(0)] * 3, words)
    assert list(words) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    call(*[ctypes.c_uint64(2**64 - 1)] * 3, words)
    assert list(words) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


def test_exponential() -> None:
    call = compiled_kernels().exponential_of
    call.restype, call.argtypes = ctypes.c_double, [ctypes.c_double]
    for x in [0.0, -1e-300, -1e-9, -math.log(2), -0.5, *-np.linspace(0, 700, 500)]:
        assert math.isclose(call(x), math.exp(x), rel_tol=1e-12)


def test_acceptance_has_the_probability_of_metropolis() -> None:
    call = compiled_kernels().accepting_words
    call.restype, call.argtypes = ctypes.c_uint64, [ctypes.c_double]
    for change in [5.0, 0.0, -1e-7, -0.3, -1.0, -7.0, -20.0, -50.0, -1e9]:
        assert abs(call(change) / 2**32 - min(1.0, math.exp(change))) < 2**-31


def test_weights_are_those_of_the_definition_after_any_path() -> None:
    tables = random_tables(6, 4, 3.0)
    chains = linear_chains(kernel_device(), tables, 50, seed=5, neighbours=0.5)
    seen = set()
    for _ in range(4):
        chains.walk(37)
        chains.observe()
        for order, told in zip(chains.orders().tolist(), chains.log_weights(), strict=True):
            assert sorted(order) == list(range(6))
            assert abs(told - order_log_weight(tables, order)) <= 6 * UNIT
            seen.add(tuple(order))
    assert len(seen) > 20


def law_and_counts(tables: OrderTables, chains: OrderChains) -> tuple[np.ndarray, np.ndarray]:
    space = list(itertools.permutations(range(tables.nodes)))
    logs = np.array([order_log_weight(tables, order) for order in space])
    law = np.exp(logs - logs.max())
    places = {order: place for place, order in enumerate(space)}
    counts = np.bincount(
        [places[tuple(order)] for order in chains.orders().tolist()], minlength=len(space)
    )
    return law / law.sum(), counts


@pytest.mark.parametrize("neighbours", [0.3, 1.0])
def test_states_follow_the_law(neighbours: float) -> None:
    # False alarms: 1e-6. Independent chains, long enough to have forgotten their start.
    tables = random_tables(4, 8, 0.8)
    chains = linear_chains(kernel_device(), tables, 40_000, seed=2, neighbours=neighbours)
    chains.walk(150)
    law, counts = law_and_counts(tables, chains)
    assert stats.chisquare(counts, law * counts.sum()).pvalue > 1e-6


def test_the_start_is_uniform() -> None:
    # False alarms: 1e-6.
    tables = random_tables(4, 8, 0.8)
    chains = linear_chains(kernel_device(), tables, 20_000, seed=6)
    _, counts = law_and_counts(tables, chains)
    assert stats.chisquare(counts).pvalue > 1e-6


def test_a_wrong_law_would_be_caught() -> None:
    tables = random_tables(4, 8, 0.8)
    other = random_tables(4, 9, 0.8)
    chains = linear_chains(kernel_device(), other, 40_000, seed=2)
    chains.walk(150)
    law, counts = law_and_counts(tables, chains)
    assert stats.chisquare(counts, law * counts.sum()).pvalue < 1e-12


def test_steps_are_those_of_metropolis() -> None:
    # One step from known states: each accepted with its own probability. False alarms: 1e-6.
    tables = random_tables(4, 3, 2.0)
    count = 20_000
    chains = linear_chains(kernel_device(), tables, count, seed=12, neighbours=0.0)
    before = chains.orders()
    distance = int(chains.distances.of_steps(0, 1)[0])
    chains.walk(1)
    after = chains.orders()
    expected = variance = moved = 0.0
    for old, new in zip(before.tolist(), after.tolist(), strict=True):
        ways = []
        for first in range(4 - distance):
            proposed = list(old)
            proposed[first], proposed[first + distance] = old[first + distance], old[first]
            change = order_log_weight(tables, proposed) - order_log_weight(tables, old)
            ways.append((proposed, min(1.0, math.exp(change))))
        assert new == old or new in [proposed for proposed, _ in ways]
        rate = sum(probability for _, probability in ways) / len(ways)
        expected += rate
        variance += rate * (1 - rate)
        moved += new != old
    assert abs(moved - expected) < 4.9 * math.sqrt(variance)
    tried, accepted = chains.counts()
    assert accepted.sum() == moved
    assert tried.sum() == 1


def test_edges_given_states_and_dags_drawn_from_them() -> None:
    model = random_model(4, 5, 1.0)
    tables = OrderTables.of(model.weights.table)
    count = 3000
    chains = linear_chains(kernel_device(), tables, count, seed=1)
    drawn = np.zeros((4, 4))
    for _ in range(3):
        chains.walk(40)
        chains.observe(draw_dags=True)
        dags = chains.dags()[:, :, 0]
        for chain, order in enumerate(chains.orders().tolist()):
            for place, node in enumerate(order):
                allowed = sum(1 << u for u in order[:place])
                assert int(dags[chain, node]) & ~allowed == 0
        for u, v in itertools.product(range(4), range(4)):
            drawn[u, v] += ((dags[:, v] >> np.uint64(u)) & np.uint64(1)).sum()
    edges = chains.edges().sum(axis=0) / (3 * count)
    exact = arcwise.exact(model, "order-modular").edges
    # States of a chain are nearly independent after 40 steps; five standard errors.
    assert np.abs(edges - exact).max() < 5 * 0.5 / math.sqrt(3 * count) * 1.5
    assert np.abs(drawn / (3 * count) - exact).max() < 5 * 0.5 / math.sqrt(3 * count) * 1.5


def test_annealing_weights_average_to_the_evidence() -> None:
    # The mean of the weights is the sum over all orders, over their number. False alarms: 1e-6.
    model = random_model(5, 6, 1.0)
    tables = OrderTables.of(model.weights.table)
    chains = order_chains(kernel_device(), tables, 4000, seed=3, point=(0.0, 0.0))
    chains.anneal([(inverse, 0.0) for inverse in np.linspace(0, 1, 101)[1:].tolist()])
    logs = chains.annealed() + math.log(math.factorial(5))
    space = itertools.permutations(range(5))
    total = np.logaddexp.reduce([order_log_weight(tables, order) for order in space])
    ratios = np.exp(logs - total)
    assert abs(ratios.mean() - 1.0) < 4.9 * ratios.std() / math.sqrt(len(ratios))
    assert ratios.std() < 1.0


def test_too_many_chains_and_too_many_parents_are_refused() -> None:
    tables = random_tables(5, 1, 1.0)
    with pytest.raises(CapacityError, match=r"a run of 1,000,000 chains needs"):
        linear_chains(kernel_device(memory=2**20), tables, 1_000_000, seed=1)
    assert needed_bytes(tables, 1_000_000) > 2**20
    names = [f"x{node}" for node in range(18)]
    wide = arcwise.Model(names, lambda node, parents: 0.0, max_indegree=1)
    with pytest.raises(CapacityError, match="17 possible parents"):
        OrderTables.of(wide.weights.table)
