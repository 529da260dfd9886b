"""Populations on a device: resampling by the rule of the core, and unbiased weights."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from arcwise.gpu.annealing import Populations, ancestors, kept_in_place
from arcwise.gpu.order_chains import OrderTables
from reference.spaces import weights_on_bridge
from support.device_orders import order_chains, set_orders
from support.emulated_gpu import kernel_device
from support.exact_models import random_model


def test_states_are_drawn_in_proportion_to_their_weights() -> None:
    rng = np.random.default_rng(1)
    weights = np.array([0.0, 3.0, 0.5, 0.0, 2.0, 0.01, 0.0])
    shares = weights / weights.sum() * len(weights)
    draws = 4000
    times = np.zeros((draws, len(weights)))
    for draw in range(draws):
        places = ancestors(weights, rng.random(len(weights)))
        assert (np.diff(places) >= 0).all()
        times[draw] = np.bincount(places, minlength=len(weights))
    # From equal parts: no state is drawn more seldom, or more often, than that allows.
    assert (np.abs(times - shares) < 2.0).all()
    assert (times[:, weights == 0.0] == 0).all()
    errors = times.std(axis=0) / math.sqrt(draws)
    assert (np.abs(times.mean(axis=0) - shares) <= 4.9 * errors).all()


def test_the_last_state_of_any_weight_takes_what_rounding_leaves() -> None:
    weights = np.array([1.0, 1.0, 1.0, 0.0])
    assert ancestors(weights, np.full(4, 1.0 - 2**-53)).max() == 2


def test_those_drawn_stay_where_they_are() -> None:
    rng = np.random.default_rng(2)
    for _ in range(100):
        drawn = rng.integers(0, 9, size=9)
        kept = kept_in_place(drawn)
        assert sorted(kept) == sorted(drawn)
        assert all(kept[place] == place for place in set(drawn.tolist()))


def test_weights_and_when_states_are_drawn_anew() -> None:
    populations = Populations(3, 4, seed=1)
    even = np.log([1.0, 1.1, 0.9, 1.0])
    logs = np.concatenate([even, np.log([1.0, 1e-6, 1e-6, 1e-6]), np.full(4, -np.inf)])
    sources = populations.weigh(logs, 1)
    assert sources is not None
    assert sources.tolist() == [0, 1, 2, 3, 4, 4, 4, 4, 8, 9, 10, 11]
    assert (populations.log_weights[:4] == even).all()
    assert (populations.log_weights[4:8] == 0.0).all()
    totals = populations.log_totals
    assert totals[0] == 0.0
    assert math.isclose(totals[1], math.log((1.0 + 3e-6) / 4), rel_tol=1e-12)
    assert totals[2] == -np.inf
    one_dead = np.array([0.0, 0.0, 0.0, -np.inf])
    assert Populations(1, 4, seed=1).weigh(one_dead, 1) is not None
    assert Populations(1, 4, seed=1).weigh(even, 1) is None
    # Each population has random numbers of its own, wherever others begin.
    uneven = np.log([1.0, 3.0, 0.1, 0.4])
    both = Populations(2, 4, seed=3).weigh(np.tile(uneven, 2), 5, resample=True)
    second = Populations(1, 4, seed=3, first=1).weigh(uneven, 5, resample=True)
    assert both is not None
    assert second is not None
    assert (both[4:] - 4 == second).all()


@pytest.mark.parametrize("size", [1, 2, 16])
def test_weights_of_populations_average_to_the_evidence(size: int) -> None:
    # False alarms: 1e-6.
    model = random_model(4, spread=1.5, seed=6)
    tables = OrderTables.of(model.weights.table)
    count = 6000 // size
    path = [(0.4, 0.0), (1.0, 0.0), (1.0, 0.5), (1.0, 0.9), (1.0, 1.0)]
    orders = order_chains(kernel_device(), tables, count * size, seed=3, point=(0.0, 0.0))
    populations = Populations(count, size, seed=3)
    for level, point in enumerate(path, 1):
        orders.reweigh(point)
        sources = populations.weigh(orders.log_ratios(), level, resample=level == len(path))
        if sources is not None:
            orders.take_states(orders, sources)
        orders.set_log_ratios(populations.log_weights)
        orders.walk(3)
    total = math.log(sum(weights_on_bridge(model, range(4), 1.0).values()))
    logs = populations.log_totals + tables.offset + math.log(math.factorial(4))
    ratios = np.exp(logs - total)
    assert abs(ratios.mean() - 1.0) < 4.9 * ratios.std() / math.sqrt(count)
    assert ratios.std() < 1.5 / math.sqrt(size) + 0.5
    # States of a population are a weighted sample.
    orders.observe()
    by_population = orders.edges().reshape(count, size, 4, 4).mean(axis=1)
    edges = np.einsum("p,puv->uv", ratios / ratios.sum(), by_population)
    exact = np.zeros((4, 4))
    space = itertools.permutations(range(4))
    weights = weights_on_bridge(model, range(4), 1.0)
    chains = order_chains(kernel_device(), tables, 24, seed=1)
    every = list(space)
    set_orders(chains, np.array(every, dtype=np.uint8))
    chains.observe()
    for order, own in zip(every, chains.edges(), strict=True):
        exact += weights[order] / math.exp(total) * own
    assert np.abs(edges - exact).max() < 0.08
