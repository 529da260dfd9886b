"""Chains over canonical orders and the bridge by the kernels of a device: weights and laws.

No chance is involved in the laws of steps: acceptance is tabulated for every order and every swap,
and compared with what the core tabulates of its own steps.
"""

from __future__ import annotations

import ctypes
import itertools
import math

import numpy as np
import pytest

import arcwise
from arcwise import _core_testing
from arcwise.gpu.order_chains import UNIT, OrderChains, OrderTables, Point
from arcwise.gpu.order_chains import target_of as target_of_point
from arcwise.model.score_sums import ScoreSums
from arcwise.spaces import CanonicalOrders
from reference.spaces import canonical_order, weights_on_bridge
from support.chi_squared import FALSE_ALARM_RATE, assert_follows, p_value
from support.device_orders import order_chains, set_orders
from support.emulated_gpu import EmulatedGpu, Fault, compiled_kernels, kernel_device
from support.exact_laws import imbalance, kernel_of, target_of
from support.exact_models import random_model
from support.law_cases import MODELS, model_of
from support.recorded_dags import as_dag, law_of_dags

N = 4
SPACE = list(itertools.permutations(range(N)))
# Parent-only variables are refused before a device sees them.
SAMPLED = [name for name in MODELS if name != "parent-only"]
PLACES = (0.0, 0.3, 0.9999, 1.0)
POINTS: list[Point] = [*((1.0, place) for place in PLACES), (0.4, 1.0), (0.4, 0.5), (0.0, 1.0)]
NUMBERS = ((0, 1, 2, 3), (2, 0, 3, 1))
SHARE = 0.3  # of swaps of neighbours


def core_space(model: arcwise.Model, numbers: tuple[int, ...]) -> arcwise._core.Space:
    names = sorted(model.variables, key=lambda name: numbers[model.variables.index(name)])
    moves = {"adjacent": SHARE, "swap": 1 - SHARE}
    return CanonicalOrders(moves, numbering=names).build(ScoreSums(model))


def at_all_orders(
    model: arcwise.Model, numbers: tuple[int, ...], point: Point, fault: Fault | None = None
) -> OrderChains:
    """Return a chain at each order."""
    tables = OrderTables.of(model.weights.table)
    chains = order_chains(
        EmulatedGpu(fault=fault), tables, len(SPACE), 1, numbers=numbers, point=point
    )
    set_orders(chains, np.array(SPACE, dtype=np.uint8))
    return chains


def log_ratios(
    chains: OrderChains, first: int, last: int, fault: Fault | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return ln of the acceptance ratio of a swap in each chain, and the bound that is tried."""
    exact, above = np.zeros(chains.chains), np.zeros(chains.chains)
    compiled_kernels(fault=fault).log_ratios_of_swap(
        ctypes.c_void_p(chains.as_struct().buffer.ctypes.data),
        ctypes.c_uint64(first),
        ctypes.c_uint64(last),
        ctypes.c_void_p(exact.ctypes.data),
        ctypes.c_void_p(above.ctypes.data),
    )
    return exact, above


def law_of_steps(
    model: arcwise.Model, numbers: tuple[int, ...], point: Point, fault: Fault | None = None
) -> np.ndarray:
    """Return the probability to go from each order to each, over distances, places and chance."""
    chains = at_all_orders(model, numbers, point, fault)
    distances = order_chains(EmulatedGpu(), chains.tables, 1, 1, neighbours=SHARE).distances.shares
    places = {order: place for place, order in enumerate(SPACE)}
    law = np.zeros((len(SPACE), len(SPACE)))
    for first, last in itertools.combinations(range(N), 2):
        share = distances[last - first - 1] / (N - (last - first))
        exact, _ = log_ratios(chains, first, last, fault)
        for here, order in enumerate(SPACE):
            swapped = list(order)
            swapped[first], swapped[last] = order[last], order[first]
            accepted = share * math.exp(min(0.0, exact[here]))
            law[here, places[tuple(swapped)]] += accepted
            law[here, here] += share - accepted
    return law


def test_logarithm() -> None:
    call = compiled_kernels().logarithm_of
    call.restype, call.argtypes = ctypes.c_double, [ctypes.c_double]
    for x in [
        1.0,
        1 - 1e-16,
        0.5,
        2.0,
        math.sqrt(0.5),
        1e-300,
        65536.0,
        *np.geomspace(1e-9, 9, 99),
    ]:
        assert math.isclose(call(x), math.log(x), rel_tol=4e-16, abs_tol=2e-16)


@pytest.mark.parametrize("model", SAMPLED)
@pytest.mark.parametrize("numbers", NUMBERS)
def test_weights_are_those_of_the_definition(model: str, numbers: tuple[int, ...]) -> None:
    made = model_of(model, N)
    for place in PLACES:
        chains = at_all_orders(made, numbers, (1.0, place))
        defined = weights_on_bridge(made, numbers, place)
        for order, found in zip(SPACE, chains.log_weights(), strict=True):
            weight = defined[order]
            assert (weight == 0.0) == (found == -np.inf)
            assert weight == 0.0 or abs(math.log(weight) - found) < 1e-8


@pytest.mark.parametrize("model", SAMPLED)
def test_weights_are_those_of_the_core_after_any_path(model: str) -> None:
    made = model_of(model, N)
    tables = OrderTables.of(made.weights.table)
    space = core_space(made, NUMBERS[1])
    for point in POINTS:
        chains = order_chains(kernel_device(), tables, 40, seed=2, numbers=NUMBERS[1], point=point)
        chains.walk(60)
        for order, (units, impossible) in zip(
            chains.orders().tolist(), chains.unit_weights().tolist(), strict=True
        ):
            value, missing = _core_testing.log_weight(space, order, point[1])
            assert impossible == missing
            assert abs(units * UNIT + tables.offset - value) < 1e-8


@pytest.mark.parametrize("model", SAMPLED)
@pytest.mark.parametrize("numbers", NUMBERS)
def test_steps_have_the_law_of_the_core(model: str, numbers: tuple[int, ...]) -> None:
    made = model_of(model, N)
    space = core_space(made, numbers)
    for point in POINTS:
        target = target_of(space, SPACE, point)
        alive = target > 0.0
        found = law_of_steps(made, numbers, point)
        expected = kernel_of(space, SPACE, point, alive)
        assert np.abs(found - expected)[alive].max() < 1e-8
        assert (found[alive][:, ~alive] == 0.0).all()
        assert imbalance(target[alive], found[np.ix_(alive, alive)]) < 1e-7


FAULTS = {
    "later nodes forgotten": Fault(
        "canonical_orders.hpp", "if (number > highest_between) return;", "return;"
    ),
    "the one for the other": Fault(
        "canonical_orders.hpp",
        "if (of_late > number) earlier ^= bits[early];",
        "if (of_early > number) earlier ^= bits[early];",
    ),
    "not bound": Fault(
        "canonical_orders.hpp",
        "const bool early_bound = !falls ||",
        "const bool early_bound = falls &&",
    ),
    "wrong way over the bridge": Fault("canonical_weights.hpp", "left + t * met", "t + left * met"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_wrong_steps_would_be_found(fault: str) -> None:
    made = model_of("free", N)
    space = core_space(made, NUMBERS[1])
    apart = 0.0
    for point in ((1.0, 1.0), (1.0, 0.3)):
        found = law_of_steps(made, NUMBERS[1], point, FAULTS[fault])
        alive = target_of(space, SPACE, point) > 0.0
        expected = kernel_of(space, SPACE, point, alive)
        apart = max(apart, np.abs(found - expected)[alive].max())
    assert apart > 1e-3


def test_what_a_bound_refuses_is_refused() -> None:
    """Differences without digits are not computed where a bound on them decides."""
    made = model_of("far apart", N)
    bounded = 0
    for numbers in NUMBERS:
        chains = at_all_orders(made, numbers, (1.0, 1.0))
        alive = chains.log_weights() > -np.inf
        for first, last in itertools.combinations(range(N), 2):
            exact, above = log_ratios(chains, first, last)
            assert (exact[alive] <= above[alive] + 1e-9).all()
            bounded += int((exact[alive] < above[alive] - 1.0).sum())
    assert bounded > 10


def test_steps_are_those_tabulated() -> None:
    """One step from a known order goes where the tabulated law says, over its distance."""
    made = model_of("free", N)
    tables = OrderTables.of(made.weights.table)
    point = (1.0, 0.9)
    law = law_of_steps(made, NUMBERS[1], point)
    copies = 4000
    start, seeds = 5, 12  # all chains of a seed swap over the same distance
    for seed in range(seeds):
        chains = order_chains(
            kernel_device(), tables, copies, seed, numbers=NUMBERS[1], point=point, neighbours=SHARE
        )
        set_orders(chains, np.array([SPACE[start]] * copies, dtype=np.uint8))
        chains.walk(1)
        distance = int(chains.distances.of_steps(0, 1)[0])
        given = np.zeros(len(SPACE))
        for first in range(N - distance):
            swapped = list(SPACE[start])
            swapped[first], swapped[first + distance] = swapped[first + distance], swapped[first]
            to = SPACE.index(tuple(swapped))
            given[to] = law[start, to] / chains.distances.shares[distance - 1]
        given[start] = 1.0 - given.sum()
        found = [tuple(order) for order in chains.orders().tolist()]
        expected = dict(zip(SPACE, given.tolist(), strict=True))
        assert p_value(found, expected) > FALSE_ALARM_RATE / seeds


@pytest.mark.parametrize("place", [1.0, 0.5])
def test_states_follow_the_law(place: float) -> None:
    # False alarms: 1e-6. Independent chains, long enough to have forgotten their start.
    made = random_model(N, spread=0.8, seed=8)
    tables = OrderTables.of(made.weights.table)
    chains = order_chains(
        kernel_device(), tables, 30_000, seed=2, point=(1.0, 0.0), numbers=NUMBERS[1]
    )
    chains.walk(60)
    chains.take_canonical_orders()  # where no node lacks a parent
    chains.go_to((1.0, place))
    assert (chains.log_weights() > -np.inf).all()
    chains.walk(200)
    weights = weights_on_bridge(made, NUMBERS[1], place)
    total = sum(weights.values())
    law = {order: weight / total for order, weight in weights.items()}
    assert_follows([tuple(order) for order in chains.orders().tolist()], law)
    other = random_model(N, spread=0.8, seed=9)
    weights = weights_on_bridge(other, NUMBERS[1], place)
    law = {order: weight / sum(weights.values()) for order, weight in weights.items()}
    assert p_value([tuple(order) for order in chains.orders().tolist()], law) < 1e-12


def test_paths_depend_on_seed_and_number_alone() -> None:
    tables = OrderTables.of(random_model(5, spread=1.0, seed=1).weights.table)
    path = [(1.0, step / 101) for step in range(1, 102)]

    def found(
        pieces: list[int], threads: int, multiprocessors: int, seed: int = 3
    ) -> tuple[np.ndarray, ...]:
        device = kernel_device(threads)
        device.multiprocessors = multiprocessors  # which blocks are shared out among
        chains = order_chains(device, tables, 100, seed, point=(1.0, 0.0))
        done = 0
        for piece in pieces:
            chains.anneal(path[done : done + piece])
            done += piece
        chains.take_canonical_orders(renumber=True)
        chains.walk(30)
        chains.observe(draw_dags=True)
        # Edges of pieces are added up in another order.
        return chains.orders(), chains.unit_weights(), chains.dags(), chains.edges()

    whole = found([101], 1, 1)
    for other in (found([1, 40, 60], 1, 1), found([101], 4, 4)):
        assert all((one == same).all() for one, same in zip(whole, other, strict=True))
    assert (found([101], 1, 1, seed=4)[0] != whole[0]).any()


@pytest.mark.parametrize("model", ["free", "required edges", "far apart", "plus one"])
def test_edges_given_states_are_those_of_all_dags(model: str) -> None:
    """Weighted by the orders' weights, they are the exact modular edge probabilities."""
    made = model_of(model, N)
    exact = arcwise.exact(made).edges
    for numbers in NUMBERS:
        chains = at_all_orders(made, numbers, (1.0, 1.0))
        chains.observe(draw_dags=True)
        logs = chains.log_weights()
        weights = np.exp(logs - logs.max())
        edges = np.einsum("c,cuv->uv", weights / weights.sum(), chains.edges())
        assert np.abs(edges - exact).max() < 1e-7
        for order, dag, log in zip(SPACE, chains.dags(), logs, strict=True):
            if log > -np.inf:
                assert canonical_order(as_dag(dag), numbers) == order


@pytest.mark.parametrize("renumber", [True, False])
def test_dags_follow_the_modular_posterior(renumber: bool) -> None:
    """Before and after canonical orders are taken, under new numbers as well."""
    made = random_model(N, spread=1.0, seed=4)
    law = law_of_dags(made)
    tables = OrderTables.of(made.weights.table)
    chains = order_chains(kernel_device(), tables, 20_000, seed=5, point=(1.0, 0.0))
    chains.walk(60)
    chains.take_canonical_orders()
    chains.go_to((1.0, 1.0))
    chains.walk(200)
    for _ in range(2):
        chains.take_canonical_orders(renumber=renumber)
        chains.walk(3)
        chains.observe(edges=False, draw_dags=True)
        assert_follows([as_dag(dag) for dag in chains.dags()], law)
    numbers = [tuple(each) for each in chains.numbers().tolist()]
    if renumber:
        assert_follows(numbers, dict.fromkeys(SPACE, 1 / len(SPACE)))
    else:
        assert set(numbers) == {tuple(range(N))}


@pytest.mark.parametrize("bridged", [True, False])
@pytest.mark.parametrize("model", ["free", "required edges"])
def test_annealing_weights_average_to_the_evidence(model: str, bridged: bool) -> None:
    # The mean of the weights is the sum over all DAGs, over the number of orders. False alarms:
    # 1e-6.
    made = random_model(N, spread=1.0, seed=6) if model == "free" else model_of(model, N)
    tables = OrderTables.of(made.weights.table)
    rising = np.linspace(0, 1, 101)[1:].tolist()
    path = [(inverse, 0.0 if bridged else 1.0) for inverse in rising]
    if bridged:
        path += [(1.0, place) for place in rising]
    chains = order_chains(
        kernel_device(), tables, 6000, seed=3, point=(0.0, path[0][1]), numbers=NUMBERS[1]
    )
    chains.anneal(path)
    total = math.log(sum(weights_on_bridge(made, NUMBERS[1], 1.0).values()))
    ratios = np.exp(chains.annealed() + math.log(math.factorial(N)) - total)
    assert abs(ratios.mean() - 1.0) < 4.9 * ratios.std() / math.sqrt(len(ratios))
    assert ratios.std() < 2.0
    assert (ratios[chains.log_weights() == -np.inf] == 0.0).all()


def test_annealing_is_a_sum_of_reweighing() -> None:
    made = model_of("free", N)
    tables = OrderTables.of(made.weights.table)
    path = [(0.5, 0.0), (1.0, 0.0), (1.0, 0.5), (1.0, 0.9)]
    found = []
    for by_hand in (False, True):
        chains = order_chains(kernel_device(), tables, 50, seed=3, point=(0.0, 0.0))
        if by_hand:
            for point in path:
                chains.reweigh(point)
                chains.walk(1)
        else:
            chains.anneal(path)
        found.append((chains.orders(), chains.annealed()))
    assert (found[0][0] == found[1][0]).all()
    assert np.allclose(found[0][1], found[1][1], rtol=0, atol=1e-9)


def test_states_are_copied() -> None:
    tables = OrderTables.of(random_model(5, spread=1.0, seed=1).weights.table)
    chains = order_chains(kernel_device(), tables, 6, seed=3, point=(1.0, 0.3))
    chains.walk(50)
    before = chains.orders(), chains.unit_weights()
    sources = np.array([0, 0, 5, 3, 3, 3], dtype=np.uint32)
    chains.take_states(chains, sources)
    assert (chains.orders() == before[0][sources]).all()
    assert (chains.unit_weights() == before[1][sources]).all()
    chains.walk(50)  # each with random numbers of its own
    assert (chains.orders()[3] != chains.orders()[4]).any()


def law_of_relocations(
    model: arcwise.Model, numbers: tuple[int, ...], point: Point, fault: Fault | None = None
) -> np.ndarray:
    """Return the probability to go from each order to each by drawing the place of one node."""
    chains = at_all_orders(model, numbers, point, fault)
    exact = chains.log_weights() if point[0] == 1.0 else None
    units, impossible = chains.unit_weights().T
    inverse, penalty, _ = target_of_point(point)
    values = inverse * units * UNIT
    values[impossible > 0] -= penalty * impossible[impossible > 0]
    places = {order: place for place, order in enumerate(SPACE)}
    law = np.zeros((len(SPACE), len(SPACE)))
    for start in range(N):
        above = np.zeros((len(SPACE), N))
        compiled_kernels(fault=fault).log_densities_of_places(
            ctypes.c_void_p(chains.as_struct().buffer.ctypes.data),
            ctypes.c_uint64(start),
            ctypes.c_void_p(above.ctypes.data),
        )
        for here, order in enumerate(SPACE):
            if exact is not None and exact[here] == -np.inf:
                continue
            shares = np.exp(above[here] - above[here].max())
            shares /= shares.sum()
            others = [node for node in order if node != order[start]]
            for to in range(N):
                there = places[(*others[:to], order[start], *others[to:])]
                left_out = values[there] - above[here, to] - (values[here] - above[here, start])
                accepted = shares[to] / N * (1.0 if to == start else math.exp(min(0.0, left_out)))
                law[here, there] += accepted
                law[here, here] += shares[to] / N - accepted
    return law


@pytest.mark.parametrize("model", SAMPLED)
@pytest.mark.parametrize("numbers", NUMBERS)
def test_relocations_have_the_law_of_the_core(model: str, numbers: tuple[int, ...]) -> None:
    made = model_of(model, N)
    names = sorted(made.variables, key=lambda name: numbers[made.variables.index(name)])
    space = CanonicalOrders({"relocate": 1.0}, numbering=names).build(ScoreSums(made))
    for point in POINTS:
        target = target_of(space, SPACE, point)
        alive = target > 0.0
        with np.errstate(invalid="ignore"):
            found = law_of_relocations(made, numbers, point)
        expected = kernel_of(space, SPACE, point, alive)
        assert np.abs(found - expected)[alive].max() < 1e-7
        assert imbalance(target[alive], found[np.ix_(alive, alive)]) < 1e-6


def test_wrong_relocations_would_be_found() -> None:
    made = model_of("free", N)
    space = CanonicalOrders({"relocate": 1.0}).build(ScoreSums(made))
    fault = Fault(
        "relocation.hpp",
        "weight = weight + change_of_neighbours(order, tables, place, target.bridge, &rough);",
        "",
    )
    point = (1.0, 0.3)
    found = law_of_relocations(made, NUMBERS[0], point, fault)
    expected = kernel_of(space, SPACE, point, np.ones(len(SPACE), dtype=bool))
    assert np.abs(found - expected).max() > 1e-3


@pytest.mark.parametrize("model", ["free", "far apart"])
def test_relocations_are_those_tabulated(model: str) -> None:
    """One relocation from a known order goes where the tabulated law says."""
    made = model_of(model, N)
    tables = OrderTables.of(made.weights.table)
    for point in ((1.0, 1.0), (0.4, 1.0)):
        with np.errstate(invalid="ignore"):
            law = law_of_relocations(made, NUMBERS[1], point)
        chains = order_chains(
            kernel_device(), tables, 20_000, seed=9, numbers=NUMBERS[1], point=point
        )
        start = int(at_all_orders(made, NUMBERS[1], (1.0, 1.0)).log_weights().argmax())
        set_orders(chains, np.array([SPACE[start]] * chains.chains, dtype=np.uint8))
        chains.relocate(chains.targets([point]))
        found = [tuple(order) for order in chains.orders().tolist()]
        assert p_value(found, dict(zip(SPACE, law[start].tolist(), strict=True))) > FALSE_ALARM_RATE
        before = chains.unit_weights()
        set_orders(chains, chains.orders())  # finds all anew
        assert (chains.unit_weights() == before).all()
