"""Coupled chains by the kernels of a device: exchanges, ratios of constants, targets that move."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

import arcwise
from arcwise import _core_testing
from arcwise.gpu.order_chains import DeviceTables, OrderTables, Point, SampledOrders
from arcwise.gpu.tempering import TemperedOrders
from arcwise.model.score_sums import ScoreSums
from arcwise.spaces import CanonicalOrders
from reference.spaces import weights_of_linear_orders, weights_on_bridge
from support.chi_squared import assert_follows, p_value
from support.device_orders import set_orders
from support.emulated_gpu import EmulatedGpu, Fault, kernel_device
from support.exact_laws import target_of
from support.exact_models import random_model
from support.law_cases import model_of

N = 3
SPACE = list(itertools.permutations(range(N)))
CANONICAL = SampledOrders()
PAIRS: list[tuple[Point, Point]] = [
    ((0.0, 1.0), (0.4, 1.0)),
    ((0.4, 1.0), (1.0, 1.0)),
    ((1.0, 0.0), (1.0, 0.6)),
    ((1.0, 0.9), (1.0, 1.0)),
]


def coupled(
    model: arcwise.Model,
    points: list[Point],
    states: Sequence[tuple[tuple[int, ...], ...]],
    fault: Fault | None = None,
) -> TemperedOrders:
    """Return groups of chains that are at given states, level by level."""
    device = kernel_device() if fault is None else EmulatedGpu(fault=fault)
    tables = OrderTables.of(model.weights.table)
    chains = TemperedOrders(DeviceTables(device, tables), CANONICAL, points, len(states), seed=5)
    columns = [order for level in zip(*states, strict=True) for order in level]
    set_orders(chains._orders, np.array(columns, dtype=np.uint8))
    chains._orders.weigh_at(chains._targets, levels=chains._level_of)
    return chains


def alive_pairs(
    model: arcwise.Model, pair: tuple[Point, Point]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    space = CanonicalOrders({"swap": 1.0}).build(ScoreSums(model))
    laws = [target_of(space, SPACE, point) for point in pair]
    return [
        (hot, cold)
        for (hot, p), (cold, q) in itertools.product(
            zip(SPACE, laws[0], strict=True), zip(SPACE, laws[1], strict=True)
        )
        if p > 0 and q > 0
    ]


def acceptance_of_exchanges(
    model: arcwise.Model, pair: tuple[Point, Point], fault: Fault | None = None
) -> list[tuple[float, float]]:
    """Return how probable exchanges are, here and in the core, for all pairs of states."""
    space = CanonicalOrders({"swap": 1.0}).build(ScoreSums(model))
    states = alive_pairs(model, pair)
    chains = coupled(model, list(pair), states, fault)
    chains.exchange()
    refused = chains._device.download(chains._counts["refusals"])
    # Passes are even and odd in turn, and with two levels there are no odd pairs.
    assert chains.proposed_exchanges.tolist() == [1]
    found = []
    for (hot, cold), refusal in zip(states, refused, strict=True):
        law = {
            tuple(code): share
            for code, share in _core_testing.exchange_law(
                space, list(pair), False, [list(hot), list(cold)]
            )
        }
        expected = law.get((*cold, *hot), 0.0) if hot != cold else 1.0
        found.append((1.0 - refusal, expected))
    return found


@pytest.mark.parametrize("model", ["free", "required edges", "far apart"])
@pytest.mark.parametrize("pair", PAIRS)
def test_exchanges_have_the_law_of_the_core(model: str, pair: tuple[Point, Point]) -> None:
    found = np.array(acceptance_of_exchanges(model_of(model, N), pair))
    assert len(found) >= 9
    assert np.abs(found[:, 0] - found[:, 1]).max() < 1e-8


def test_wrong_exchanges_would_be_found() -> None:
    fault = Fault(
        "replicas.hpp", "at_hot.log_density(cold_in_hot) +", "at_hot.log_density(hot_in_cold) +"
    )
    found = np.array(acceptance_of_exchanges(model_of("free", N), PAIRS[1], fault))
    assert np.abs(found[:, 0] - found[:, 1]).max() > 1e-3


@pytest.mark.parametrize("pair", PAIRS)
def test_states_are_exchanged_and_keep_their_weights(pair: tuple[Point, Point]) -> None:
    made = model_of("free", N)
    states = alive_pairs(made, pair)
    chains = coupled(made, list(pair), states)
    chains.exchange()
    orders = chains._orders.orders()
    swapped = 0
    for group, (hot, cold) in enumerate(states):
        now = tuple(tuple(orders[chains.chains_at(level)[group]].tolist()) for level in (0, 1))
        made_here = int(chains.exchanged()[0, group])
        assert now == ((cold, hot) if made_here else (hot, cold))
        swapped += made_here
    assert 0 < swapped < len(states) or pair[0][0] == 0.0
    before = chains._orders.unit_weights()
    chains._orders.weigh_at(chains._targets, levels=chains._level_of)
    assert (chains._orders.unit_weights() == before).all()


def test_ratios_average_to_those_of_constants() -> None:
    """With each state as often as it is probable, the mean of ratios is exact."""
    made = model_of("free", N)
    space = CanonicalOrders({"swap": 1.0}).build(ScoreSums(made))
    points: list[Point] = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.7), (1.0, 1.0)]
    chains = coupled(made, points, [(order,) * 4 for order in SPACE])
    chains.ratios.add()
    chains.ratios.add()
    log_constants = []
    for inverse, place in points:
        logs = [_core_testing.log_weight(space, list(order), place) for order in SPACE]
        alive = [inverse * value for value, missing in logs if missing == 0 or inverse < 1]
        log_constants.append(np.logaddexp.reduce(alive))
    for pair in range(3):
        law = target_of(space, SPACE, points[pair])
        sums = [chains.ratios.of(group)[pair] for group in range(len(SPACE))]
        assert all(len(logs) == 2 and (count, size) == (2, 1) for logs, count, size in sums)
        mean = sum(
            probability * math.exp(logs[0])
            for probability, (logs, _, _) in zip(law, sums, strict=True)
        )
        expected = log_constants[pair + 1] - log_constants[pair]
        assert math.isclose(math.log(mean), expected, abs_tol=1e-8)


def test_batches_of_ratios_merge() -> None:
    made = model_of("free", N)
    chains = coupled(made, [(0.5, 0.0), (1.0, 0.0)], [(SPACE[0], SPACE[1])])
    for _ in range(150):
        chains.ratios.add()
    ((logs, count, size),) = chains.ratios.of(0)
    assert (count, size) == (150, 4)
    assert len(logs) == 38
    assert np.allclose(logs[:-1] - math.log(4), logs[-1] - math.log(2), atol=1e-9)


@pytest.mark.parametrize("canonical", [True, False])
def test_all_levels_follow_their_laws(canonical: bool) -> None:
    # False alarms: 1e-6 each. Groups are independent, and long enough to forget their start.
    made = random_model(4, spread=2.5, seed=8)
    tables = OrderTables.of(made.weights.table)
    kind = SampledOrders(canonical=canonical)
    points = kind.points([(0.0, 0.0), (1.0, 0.0), (1.0, 0.5), 1.0])
    chains = TemperedOrders(DeviceTables(kernel_device(), tables), kind, points, 4000, seed=2)
    chains.start(100)
    for _ in range(40):
        chains.walk(3)
        chains.exchange()
    orders = chains._orders.orders()
    for level, (inverse, place) in enumerate(points):
        weights = weights_on_bridge(made, range(4), place)
        if place == 0.0:
            assert weights == pytest.approx(weights_of_linear_orders(made))
        tempered = {order: weight**inverse for order, weight in weights.items()}
        law = {order: weight / sum(tempered.values()) for order, weight in tempered.items()}
        states = [tuple(order) for order in orders[chains.chains_at(level)].tolist()]
        assert_follows(states, law)
        if inverse > 0.0:
            assert p_value(states, dict.fromkeys(law, 1 / 24)) < 1e-9
    assert chains.round_trips().mean() > 1
    assert (chains.take_coldest().orders() == orders[chains.chains_at(3)]).all()


def test_targets_are_spread_and_more_come() -> None:
    made = random_model(4, spread=1.0, seed=8)
    tables = OrderTables.of(made.weights.table)
    points: list[Point] = [(1.0, 0.0), (1.0, 0.5), (1.0, 1.0)]
    chains = TemperedOrders(DeviceTables(kernel_device(), tables), CANONICAL, points, 50, seed=2)
    chains.start(100)
    for _ in range(5):
        chains.walk(3)
        chains.exchange()
    hottest = chains._orders.orders()[chains.chains_at(0)]
    coldest = chains.take_coldest().orders()
    chains.spread([(1.0, place) for place in (0.0, 0.2, 0.4, 0.6, 1.0)])
    assert len(chains.points) == 5
    assert (chains._orders.orders()[chains.chains_at(0)] == hottest).all()
    assert (chains.take_coldest().orders() == coldest).all()
    assert (chains._orders.unit_weights()[:, 1] == 0).all()
    assert chains.exchanged().shape == (4, 50)
    chains.walk(3)
    chains.exchange()
