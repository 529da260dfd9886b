"""The law of every move, exchange and annealing run, tabulated from the code that samples.

No chance is involved: the core goes through all random choices of a step and
adds up their probabilities, so the laws hold to rounding or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from arcwise import Model
from arcwise.spaces import (
    BucketOrders,
    Dags,
    Layerings,
    LinearOrders,
    PartialOrders,
    Partitions,
    Space,
)
from arcwise.sums import ScoreSums
from reference.spaces import (
    State,
    weights_of_bucket_orders,
    weights_of_dags,
    weights_of_layerings,
    weights_of_linear_orders,
    weights_of_partial_orders,
    weights_of_partitions,
)
from support.exact_models import random_model

PENALTY_SCALE = 5.0  # of the path from the uniform distribution to the posterior


def constrained(n: int) -> Model:
    """Return a model in which many orders have no structure at all."""
    return random_model(n, spread=4.0, seed=3, required_edges=[("x2", "x0"), ("x0", "x1")])


def with_candidates(n: int) -> Model:
    candidates = {"x0": ["x1"], "x1": ["x2", "x0"], "x2": [], "x3": ["x0"]}
    return random_model(
        n, spread=4.0, seed=4, candidates={f"x{i}": candidates[f"x{i}"] for i in range(n)}
    )


def plus_one(n: int) -> Model:
    """Return a model with at most one parent besides few candidates, one of them required."""
    candidates = {"x0": ["x1"], "x1": ["x2", "x0"], "x2": [], "x3": ["x0"]}
    return random_model(
        n,
        spread=4.0,
        seed=6,
        candidates={f"x{i}": candidates.get(f"x{i}", ["x3"]) for i in range(n)},
        plus_one=True,
        required_edges=[("x2", "x1")],
        forbidden_edges=[("x1", "x0")],
    )


MODELS: dict[str, Callable[[int], Model]] = {
    "free": lambda n: random_model(n, spread=5.0, seed=1),
    "far apart": lambda n: random_model(n, spread=60.0, seed=2),
    "required edges": constrained,
    "candidates": with_candidates,
    "plus one": plus_one,
    "impossible families": lambda n: random_model(n, spread=4.0, seed=5, impossible=0.4),
    "max_indegree": lambda n: random_model(n, spread=5.0, seed=6, max_indegree=2),
}


@dataclass(frozen=True)
class Case:
    """A space and the weights its states must have."""

    space: Space
    weights: Callable[[Model], dict[State, float]]
    reaches: bool = True  # every state from every other, by this move alone
    misses: tuple[str, ...] = ()  # the models in which it does not


def layerings(max_size: int, move: str | None = None, reaches: bool = True) -> Case:
    """Return the case of layerings with one kind of move, or all."""
    moves = None if move is None else {move: 1.0}
    return Case(
        Layerings(max_size, moves, partition_moves=1),
        lambda model: weights_of_layerings(model, max_size),
        reaches,
    )


CASES = {
    "linear": Case(LinearOrders(), weights_of_linear_orders),
    "swap": Case(LinearOrders({"swap": 1}), weights_of_linear_orders),
    "adjacent": Case(LinearOrders({"adjacent": 1}), weights_of_linear_orders),
    "relocate": Case(LinearOrders({"relocate": 1}), weights_of_linear_orders),
    "buckets of 1": Case(BucketOrders(1), weights_of_linear_orders),
    "buckets of 2": Case(BucketOrders(2), lambda model: weights_of_bucket_orders(model, 2)),
    "buckets of 3": Case(BucketOrders(3), lambda model: weights_of_bucket_orders(model, 3)),
    "partial orders": Case(
        PartialOrders([("x0", "x2"), ("x1", "x2")]),
        lambda model: weights_of_partial_orders(model, [(0, 2), (1, 2)]),
    ),
    "partial chains": Case(
        PartialOrders([("x0", "x1"), ("x1", "x2")]),
        lambda model: weights_of_partial_orders(model, [(0, 1), (1, 2)]),
    ),
    "partitions": Case(Partitions(), weights_of_partitions),
    "split or join": Case(Partitions({"split or join": 1}), weights_of_partitions),
    "relocate in partitions": Case(Partitions({"relocate": 1}), weights_of_partitions),
    "swap in partitions": Case(Partitions({"swap": 1}), weights_of_partitions, reaches=False),
    "swap adjacent": Case(Partitions({"swap adjacent": 1}), weights_of_partitions, reaches=False),
    "reverse edge": Case(Partitions({"reverse edge": 1}), weights_of_partitions, reaches=False),
    "dags": Case(Dags(), weights_of_dags),
    # Where the way from one family to another leads over sets that are none, edges cannot go it.
    "add or delete": Case(
        Dags({"add or delete": 1}), weights_of_dags, misses=("impossible families",)
    ),
    "add, delete, reverse": Case(
        Dags({"add or delete": 1, "reverse": 1}), weights_of_dags, misses=("impossible families",)
    ),
    "reverse": Case(Dags({"reverse": 1}), weights_of_dags, reaches=False),
    "reverse path": Case(Dags({"reverse path": 1}), weights_of_dags, reaches=False),
    "redraw parents": Case(Dags({"redraw parents": 1}), weights_of_dags, reaches=False),
    "reverse and redraw": Case(Dags({"reverse and redraw": 1}), weights_of_dags, reaches=False),
    "layerings of 1": layerings(1),
    "layerings of 2": layerings(2),
    "layerings of 3": layerings(3),
    "layerings of 4": layerings(4),
    "relocate in layerings of 1": layerings(1, "relocate"),
    "relocate in layerings of 2": layerings(2, "relocate", reaches=False),
    "relocate in layerings of 3": layerings(3, "relocate", reaches=False),
    "swap in layerings": layerings(2, "swap", reaches=False),
    "swap adjacent in layerings": layerings(2, "swap adjacent", reaches=False),
    "re-partition layerings of 2": layerings(2, "re-partition", reaches=False),
    "re-partition layerings of 3": layerings(3, "re-partition", reaches=False),
    "reverse edge in layerings of 2": layerings(2, "reverse edge", reaches=False),
    "reverse edge in layerings of 3": layerings(3, "reverse edge", reaches=False),
}


def log_densities(space: object, states: list[State], inverse: float) -> np.ndarray:
    """Return the log density of each state on the path to the posterior."""
    result = []
    for state in states:
        value, impossible = space.log_weight(list(state))  # type: ignore[attr-defined]
        penalty = math.inf if inverse == 1.0 else PENALTY_SCALE * inverse / (1.0 - inverse)
        result.append(inverse * value - (penalty * impossible if impossible else 0.0))
    return np.array(result)


def normalised(log_densities: np.ndarray) -> np.ndarray:
    densities = np.exp(log_densities - log_densities.max())
    return densities / densities.sum()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", CASES)
def test_weights_are_those_of_the_definition(model: str, case: str) -> None:
    made = MODELS[model](4)
    expected = CASES[case].weights(made)
    space = CASES[case].space.build(ScoreSums(made))
    assert math.isclose(math.exp(space.log_size), len(expected))
    for state, weight in expected.items():
        value, impossible = space.log_weight(list(state))
        assert (weight == 0.0) == (impossible > 0)
        assert math.isfinite(value)
        if weight > 0.0:
            assert math.isclose(math.exp(value), weight, rel_tol=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_the_start_is_uniform(case: str) -> None:
    made = MODELS["required edges"](4)
    states = CASES[case].weights(made)
    built = CASES[case].space.build(ScoreSums(made))
    law = {tuple(state): probability for state, probability in built.uniform_law()}
    assert set(law) == set(states)
    assert max(law.values()) - min(law.values()) < 1e-15


@pytest.mark.parametrize("inverse", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", CASES)
def test_a_step_leaves_the_target_as_it_is(case: str, model: str, inverse: float) -> None:
    made = MODELS[model](4)
    states = list(CASES[case].weights(made))
    space = CASES[case].space.build(ScoreSums(made))
    target = normalised(log_densities(space, states, inverse))
    place = {state: i for i, state in enumerate(states)}
    kernel = np.zeros((len(states), len(states)))
    for state, i in place.items():
        if target[i] == 0.0:
            kernel[i, i] = 1.0  # the posterior's chain is never there
            continue
        for to, probability in space.step_law(list(state), inverse):
            kernel[i, place[tuple(to)]] += probability
    assert np.abs(kernel.sum(axis=1) - 1.0).max() < 1e-12
    assert np.abs(target @ kernel - target).max() < 1e-12
    # More is true: every single move is reversible.
    flow = target[:, np.newaxis] * kernel
    assert np.abs(flow - flow.T).max() < 1e-12
    if not CASES[case].reaches or (inverse == 1.0 and model in CASES[case].misses):
        return
    # From any state of positive probability all others can be reached.
    alive = np.flatnonzero(target)
    reach = np.eye(len(alive)) + kernel[np.ix_(alive, alive)] > 0
    for _ in range(len(alive).bit_length()):
        reach = reach.astype(float) @ reach > 0
    assert reach.all()


@pytest.mark.parametrize("model", ["free", "required edges"])
@pytest.mark.parametrize("case", ["swap", "relocate", "buckets of 2"])
@pytest.mark.parametrize("inverses", [[0.0, 1.0], [0.2, 0.6, 1.0]])
def test_coupled_chains_leave_the_joint_target_as_it_is(
    model: str, case: str, inverses: list[float]
) -> None:
    made = MODELS[model](3)
    states = list(CASES[case].weights(made))
    if len(inverses) == 3 and len(states) > 3:
        inverses = [inverses[0], 1.0]
    space = CASES[case].space.build(ScoreSums(made))
    each = [normalised(log_densities(space, states, inverse)) for inverse in inverses]
    joint = {
        sum(combined, ()): math.prod(each[i][states.index(s)] for i, s in enumerate(combined))
        for combined in product(states, repeat=len(inverses))
    }
    after = dict.fromkeys(joint, 0.0)
    for start, probability in joint.items():
        if probability == 0.0:
            continue
        codes = [list(start[i : i + 3]) for i in range(0, len(start), 3)]
        for to, share in space.tempered_law(inverses, 2, codes):
            after[tuple(to)] += probability * share
    assert max(abs(after[state] - joint[state]) for state in joint) < 1e-12


@pytest.mark.parametrize("model", ["free", "required edges", "impossible families"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("schedule", [[0.0, 1.0], [0.0, 0.4, 1.0]])
def test_annealing_weights_average_to_the_evidence(
    model: str, case: str, schedule: list[float]
) -> None:
    made = MODELS[model](3)
    expected = CASES[case].weights(made)
    space = CASES[case].space.build(ScoreSums(made))
    paths = space.annealing_law(schedule)
    assert math.isclose(math.fsum(probability for _, _, probability in paths), 1.0)
    found = dict.fromkeys(expected, 0.0)
    for state, log_weight, probability in paths:
        if math.isfinite(log_weight):
            found[tuple(state)] += probability * math.exp(log_weight)
    # Not the evidence alone: each state gets its share of it.
    for state, weight in expected.items():
        assert math.isclose(found[state], weight / len(expected), rel_tol=1e-10, abs_tol=1e-300)
