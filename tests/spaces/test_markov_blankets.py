"""Markov blankets drawn anew against their law by enumeration.

That they leave every target as it is, is tabulated in `test_laws.py`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest

from arcwise import Model
from arcwise.model.score_sums import ScoreSums
from arcwise.spaces import Dags
from reference.dags import Parents, all_dags, is_acyclic
from support.exact_laws import imbalance, kernel_of
from support.exact_models import random_model

N = 4
Weights = list[dict[tuple[int, ...], float]]
Way = tuple[int, tuple[int, ...]]
"""A node, and its children in the order in which they get new parents."""


def weights_of(model: Model) -> Weights:
    """Return, for each node, the weights of its families."""
    names = list(model.variables)
    return [
        {
            tuple(sorted(map(names.index, parents))): math.exp(weight)
            for parents, weight in model.weights.families(name)
        }
        for name in names
    ]


def ways_from(dag: Parents) -> Iterator[tuple[Way, float]]:
    for node in range(N):
        children = [child for child in range(N) if node in dag[child]]
        for order in permutations(children):
            yield (node, order), 1.0 / N / math.factorial(len(children))


def proposed(dag: Parents, way: Way, weights: Weights) -> dict[Parents, float]:
    """Return the probability of each DAG to be proposed from one on a way."""
    node, order = way
    bare = list(dag)
    bare[node] = ()
    for child in order:
        bare[child] = (node,)
    law = {tuple(bare): 1.0}
    for turn in (node, *order):
        following: dict[Parents, float] = defaultdict(float)
        for before, probability in law.items():
            possible = {}
            for parents, weight in weights[turn].items():
                after = (*before[:turn], parents, *before[turn + 1 :])
                if (turn == node or node in parents) and is_acyclic(after):
                    possible[after] = weight
            total = sum(possible.values())
            for after, weight in possible.items():
                following[after] += probability * weight / total
        law = following
    return law


def kernel_by_definition(states: list[Parents], weights: Weights, *, corrected: bool) -> np.ndarray:
    """Return the law of a step, or of one in which all that is proposed is accepted."""
    place = {dag: i for i, dag in enumerate(states)}
    mass = [math.prod(weights[v][dag[v]] for v in range(N)) for dag in states]
    # On the way back a node and its children are the same.
    laws = {(dag, way): proposed(dag, way, weights) for dag in states for way, _ in ways_from(dag)}
    kernel = np.zeros((len(states), len(states)))
    for i, dag in enumerate(states):
        for way, share in ways_from(dag):
            for then, probability in laws[dag, way].items():
                j = place[then]
                back = laws[then, way][dag]
                ratio = mass[j] * back / (mass[i] * probability)
                accepted = min(1.0, ratio) if corrected else 1.0
                kernel[i, j] += share * probability * accepted
                kernel[i, i] += share * probability * (1.0 - accepted)
    return kernel


@pytest.fixture(scope="module")
def model() -> Model:
    return random_model(N, spread=3.0, seed=11, max_indegree=2)


def states_of(model: Model) -> list[Parents]:
    return [dag for dag in all_dags(N) if max(map(len, dag)) <= 2]


def test_the_law_is_that_of_the_definition(model: Model) -> None:
    states = states_of(model)
    codes = [tuple(sum(1 << u for u in parents) for parents in dag) for dag in states]
    space = Dags({"Markov blanket": 1.0}).build(ScoreSums(model))
    kernel = kernel_of(space, codes, 1.0, np.ones(len(states), dtype=bool))
    expected = kernel_by_definition(states, weights_of(model), corrected=True)
    assert np.abs(kernel - expected).max() < 1e-12
    assert np.count_nonzero(kernel) > 5 * len(states)


def test_what_children_could_get_must_be_corrected_for(model: Model) -> None:
    states, weights = states_of(model), weights_of(model)
    mass = np.array([math.prod(weights[v][dag[v]] for v in range(N)) for dag in states])
    target = mass / mass.sum()
    for corrected in (True, False):
        kernel = kernel_by_definition(states, weights, corrected=corrected)
        assert (imbalance(target, kernel) < 1e-9) == corrected
        assert (np.abs(target @ kernel - target).max() < 1e-12) == corrected
