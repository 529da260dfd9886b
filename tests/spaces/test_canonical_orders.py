"""Canonical orders: the bridge, what a state says about DAGs, and numberings.

The laws at the end of the bridge are in `test_laws.py`, those of coupled chains along it in
`test_coupled_laws.py`.
"""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model, Posterior, _core_testing
from arcwise.errors import ArgumentError
from arcwise.model.score_sums import ScoreSums
from arcwise.spaces import CanonicalOrders, LinearOrders
from reference.spaces import (
    State,
    canonical_order,
    weights_of_linear_orders,
    weights_on_bridge,
)
from support.chi_squared import FALSE_ALARM_RATE, assert_follows, p_value
from support.exact_laws import imbalance, kernel_of, target_of
from support.exact_models import MODULARITIES, random_model
from support.law_cases import CASES, MODELS, model_of, space_of, weights_of
from support.parent_only_models import folded_by_definition
from support.recorded_dags import as_dag, law_of_dags, recorded
from support.run_records import chains_of
from support.sampling_errors import assert_agrees_on_eleven_variables

N = 4
ORDERS = "canonical, first to last"
BRIDGED = [case for case in CASES if isinstance(CASES[case].space, CanonicalOrders)]
PLACES = (0.0, 0.3, 0.9, 0.9999, 1.0)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("place", PLACES)
def test_weights_on_the_bridge_are_those_of_the_definition(model: str, place: float) -> None:
    made, defined = model_of(model, N), folded_by_definition(model_of(model, N))
    for numbers in ((0, 1, 2, 3), (2, 0, 3, 1), (3, 2, 1, 0)):
        names = sorted(made.ordinary, key=lambda name: numbers[made.ordinary.index(name)])
        space = CanonicalOrders(numbering=names).build(ScoreSums(made))
        for order, weight in weights_on_bridge(defined, numbers, place).items():
            value, impossible = _core_testing.log_weight(space, list(order), place)
            assert (weight == 0.0) == (impossible > 0)
            assert weight == 0.0 or math.isclose(math.exp(value), weight, rel_tol=1e-10)


@pytest.mark.parametrize("model", MODELS)
def test_the_definitions_agree_at_the_ends_of_the_bridge(model: str) -> None:
    made = folded_by_definition(model_of(model, N))
    pairs = [
        (weights_on_bridge(made, range(N), 0.0), weights_of_linear_orders(made)),
        (weights_on_bridge(made, range(N), 1.0), weights_of(ORDERS, model, N)),
    ]
    for one, other in pairs:
        assert one.keys() == other.keys()
        assert all(math.isclose(one[order], other[order], rel_tol=1e-12) for order in one)


@pytest.mark.parametrize("method", ["table", "walk", "scan"])
@pytest.mark.parametrize("place", PLACES)
def test_however_sums_are_had(method: Any, place: float) -> None:
    made = random_model(5, spread=30.0, seed=8, max_indegree=3)
    expected = weights_on_bridge(made, range(5), place)
    sums = ScoreSums(made, method=method, tolerance=1e-13)
    space = CanonicalOrders({"swap": 1.0}).build(sums)
    for order in list(permutations(range(5)))[::7]:
        value, impossible = _core_testing.log_weight(space, list(order), place)
        assert impossible == 0 or expected[order] == 0.0
        if impossible == 0:
            assert math.isclose(value, math.log(expected[order]), abs_tol=1e-9)


@pytest.mark.parametrize("point", [(1.0, 0.0), (1.0, 0.7), (0.4, 0.7), (1.0, 0.9999)])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", BRIDGED)
def test_a_step_on_the_bridge_leaves_its_target_as_it_is(
    case: str, model: str, point: tuple[float, float]
) -> None:
    states = list(weights_of(case, model, N))
    space = space_of(case, model, N)
    target = target_of(space, states, point)
    alive = target > 0.0
    kernel = kernel_of(space, states, point, alive)
    assert np.abs(kernel.sum(axis=1) - 1.0).max() < 1e-12
    assert np.abs(target @ kernel - target).max() < 1e-12
    assert imbalance(target, kernel) < 1e-9
    if point[1] > 0.0 or case != "renumber":  # at the beginning the numbering is all the same
        other = target_of(space, states, (point[0], abs(point[1] - 0.001)))
        assert imbalance(other * alive, kernel) > 1e-9


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "path",
    [
        [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)],
        [(0.0, 0.5), (0.6, 0.5), (1.0, 1.0)],
        [(0.0, 0.0), (0.5, 0.9), (1.0, 1.0)],
    ],
)
def test_annealing_over_the_bridge_averages_to_the_weights(
    model: str, path: list[tuple[float, float]]
) -> None:
    weights = weights_of(ORDERS, model, 3)
    space = CASES[ORDERS].space.build(ScoreSums(model_of(model, 3)))
    means = dict.fromkeys(weights, 0.0)
    for code, log_weight, probability in _core_testing.annealing_law(space, path):
        if math.isfinite(log_weight):
            means[tuple(code)] += probability * math.exp(log_weight)
    for order, weight in weights.items():
        assert math.isclose(means[order], weight / len(weights), rel_tol=1e-10)


def factor(model: Model, order: State, node: int) -> float:
    """Return what a node contributes to the weight of a canonical order."""
    place, names = order.index(node), model.variables
    larger = [i for i in range(place) if order[i] > node]
    recent = set(order[larger[-1] : place]) if larger else None
    return math.fsum(
        math.exp(weight)
        for parents, weight in model.weights.families(names[node])
        if {names.index(parent) for parent in parents} <= set(order[:place])
        and (recent is None or recent & {names.index(parent) for parent in parents})
    )


@pytest.mark.parametrize("complete", [True, False])
def test_a_move_that_forgets_later_nodes_is_found_out(complete: bool) -> None:
    """Swaps of neighbours, scored by all nodes or only by those whose predecessors change."""
    made = model_of("free", N)
    states = list(permutations(range(N)))
    target = target_of(space_of(ORDERS, "free", N), states, 1.0)
    alive = target > 0.0
    kernel = np.zeros((len(states), len(states)))
    for i in np.flatnonzero(alive):
        for place in range(N - 1):
            swapped = list(states[i])
            swapped[place : place + 2] = swapped[place + 1], swapped[place]
            scored = states[i] if complete else states[i][place : place + 2]
            now, then = (
                math.prod(factor(made, order, node) for node in scored)
                for order in (states[i], tuple(swapped))
            )
            kernel[i, states.index(tuple(swapped))] += min(1.0, then / now) / (N - 1)
        kernel[i, i] = 1.0 - kernel[i].sum()
    assert (imbalance(target, kernel) < 1e-9) == complete


KINDS = {
    "renumbered": CanonicalOrders(),
    "first to last": CanonicalOrders({"relocate": 1.0, "swap": 1.0}),
    "last to first": CanonicalOrders(numbering=["x3", "x2", "x1", "x0"]),
}
RULES: list[dict[str, Any]] = [{}, {"required_edges": [("x2", "x0")]}, {"max_indegree": 1}]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", KINDS)
def test_dags_follow_the_modular_posterior(kind: str, rule: dict[str, Any]) -> None:
    model = random_model(4, spread=4.0, seed=11, **rule)
    record = recorded(KINDS[kind], model, draws=6000, dags=1)
    assert_follows([as_dag(dag) for dag in record["parents"]], law_of_dags(model))


def test_dags_of_linear_orders_are_found_out() -> None:
    model = random_model(4, spread=4.0, seed=11)
    record = recorded(LinearOrders(), model, draws=6000, dags=1)
    drawn = [as_dag(dag) for dag in record["parents"]]
    assert p_value(drawn, law_of_dags(model)) < FALSE_ALARM_RATE


@pytest.mark.parametrize("kind", KINDS)
def test_dags_belong_to_the_state_they_were_drawn_from(kind: str) -> None:
    model = random_model(4, spread=2.0, seed=3)
    record = recorded(KINDS[kind], model, draws=300, dags=5, seed=2)
    codes = np.repeat(record["codes"], 5, axis=0)
    assert len(np.unique(codes, axis=0)) > 5
    for code, dag in zip(codes.tolist(), record["parents"], strict=True):
        assert canonical_order(as_dag(dag), numbers_of(kind, code)) == tuple(code[:4])


def numbers_of(kind: str, code: list[int]) -> list[int]:
    if kind == "renumbered":
        return code[4:]
    return [3, 2, 1, 0] if kind == "last to first" else [0, 1, 2, 3]


@pytest.mark.parametrize("spread", [3.0, 30.0, 900.0])
@pytest.mark.parametrize("kind", KINDS)
def test_edges_given_a_state_are_exact_sums(kind: str, spread: float) -> None:
    model = random_model(4, spread=spread, seed=7, required_edges=[("x1", "x3")])
    law = law_of_dags(model)
    # So few steps that no state between is averaged.
    record = recorded(KINDS[kind], model, draws=64, seed=3, thinning=3)
    expected = np.zeros((4, 4))
    for code in record["codes"].tolist():
        numbers = numbers_of(kind, code)
        edges, mass = np.zeros((4, 4)), 0.0
        for dag, probability in law.items():
            if canonical_order(dag, numbers) == tuple(code[:4]):
                mass += probability
                for node, parents in enumerate(dag):
                    edges[list(parents), node] += probability
        expected += edges / mass
    assert np.abs(record["edge_sums"] - expected).max() / 64 < 1e-11


@pytest.mark.parametrize(("algorithm", "steps"), [("mcmc", 48_000), ("mc3", 24_000), ("ais", 4000)])
def test_edges_agree_with_exact_ones(algorithm: str, steps: int) -> None:
    assert_agrees_on_eleven_variables(algorithm, "canonical", steps)


@pytest.fixture(scope="module")
def asia() -> Model:
    return Model(arcwise.simulate("asia", 100, seed=1), prior="uniform", max_indegree=2)


def test_the_bridge_finds_the_ratio_of_the_evidences(asia: Model) -> None:
    """Within four of the standard errors it states, plus 0.05 for their own error."""
    found = arcwise.mc3(asia, "canonical", ladder="bridge", temperatures=8, steps=40_000, seed=1)
    exchanges = chains_of(found).exchanges
    assert exchanges is not None
    assert exchanges.bridge is not None
    ratio = exchanges.evidence_ratio
    assert ratio is not None
    assert ratio.log_ratio is not None
    modular, orders = (arcwise.exact(asia, modularity) for modularity in MODULARITIES)
    assert modular.log_evidence is not None
    assert orders.log_evidence is not None
    expected = modular.log_evidence - orders.log_evidence
    assert abs(ratio.log_ratio - expected) < 4 * ratio.standard_error + 0.05
    assert ratio.standard_error < 0.2
    assert found.evidence is None
    assert np.abs(found.edges - modular.edges).max() < 0.1
    for places in exchanges.bridge:
        assert places[0] == 0.0
        assert places[-1] == 1.0
    assert set(exchanges.inverse_temperatures[0]) == {1.0}


def test_the_way_over_the_bridge_from_the_uniform_distribution_finds_the_evidence(
    asia: Model,
) -> None:
    """Within four of the standard errors it states, plus 0.05 for their own error."""
    expected = arcwise.exact(asia).log_evidence
    assert expected is not None
    coupled = arcwise.mc3(
        asia, "canonical", ladder="uniform bridge", temperatures=20, steps=20_000, seed=1
    )
    annealed = arcwise.ais(asia, "canonical", schedule="bridge", steps=2000, particles=200, seed=1)
    for found in (coupled.evidence, annealed.evidence):
        assert found is not None
        assert abs(found.log_evidence - expected) < 4 * found.standard_error + 0.05
        assert found.standard_error < 0.3


def test_runs_over_the_bridge_are_saved(asia: Model, tmp_path: Path) -> None:
    coupled = arcwise.mc3(
        asia, "canonical", ladder="bridge", temperatures=4, steps=2000, chains=2, seed=1,
        directory=tmp_path / "run",
    )  # fmt: skip
    again = arcwise.resume(tmp_path / "run")
    assert np.array_equal(again.edges, coupled.edges)
    coupled.save(tmp_path / "coupled.npz")
    loaded = Posterior.load(tmp_path / "coupled.npz")
    assert chains_of(loaded).exchanges == chains_of(coupled).exchanges
    assert chains_of(loaded).settings == chains_of(coupled).settings
    annealed = arcwise.ais(asia, "canonical", schedule="bridge", steps=100, particles=20, seed=1)
    annealed.save(tmp_path / "annealed.npz")
    assert Posterior.load(tmp_path / "annealed.npz").run == annealed.run


def test_only_canonical_orders_have_a_bridge(asia: Model) -> None:
    with pytest.raises(
        ArgumentError, match="LinearOrders does not have; use the space 'canonical'"
    ):
        arcwise.mc3(asia, "linear", ladder="bridge", steps=100)
    with pytest.raises(ArgumentError, match="Partitions does not have; use the space 'canonical'"):
        arcwise.ais(asia, "partitions", schedule="bridge", steps=100)
    with pytest.raises(ArgumentError, match="pairs of which no number falls"):
        arcwise.mc3(asia, "canonical", ladder=[(1.0, 0.5), (0.9, 1.0)], steps=100)


def test_a_numbering_names_every_variable_once() -> None:
    model = random_model(3)
    for wrong in (["x0", "x1"], ["x0", "x1", "x1"], ["x0", "x1", "y"]):
        with pytest.raises(ArgumentError, match="name each of the 3 variables once"):
            arcwise.mcmc(model, CanonicalOrders(numbering=wrong), steps=100)
    with pytest.raises(ArgumentError, match="give only one of them"):
        CanonicalOrders({"renumber": 1.0}, ["x0", "x1", "x2"])
