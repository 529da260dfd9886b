"""What states that are compositions, parts or layers, say about DAGs: draws, and exact edges.

The laws of the moves are in `test_laws.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

from arcwise.spaces import Layerings, Partitions, Space
from reference.spaces import State, layering_of, parts_of
from support.chi_squared import assert_follows
from support.exact_models import random_model
from support.recorded_dags import as_dag, law_of_dags, recorded
from support.sampling_errors import assert_agrees_on_eleven_variables


@dataclass(frozen=True)
class Kind:
    """A space, and the state it has for the longest paths to all nodes of a DAG."""

    space: Space
    state_of: Callable[[State], State]


def _layerings(max_size: int) -> Kind:
    return Kind(Layerings(max_size), partial(layering_of, max_size=max_size))


KINDS = {
    "partitions": Kind(Partitions(), lambda parts: parts),
    "layerings of 1": _layerings(1),
    "layerings of 2": _layerings(2),
    "layerings of 3": _layerings(3),
    "layerings of 4": _layerings(4),  # all four nodes: every draw is independent
}


@pytest.mark.parametrize("rule", [{}, {"required_edges": [("x2", "x0")]}, {"max_indegree": 1}])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "layerings of 1"])
def test_dags_follow_the_modular_posterior(kind: str, rule: dict[str, Any]) -> None:
    model = random_model(4, spread=4.0, seed=11, **rule)
    # A step may draw a whole layer anew, so fewer of them leave little of where they began.
    thinning = 60 if kind == "partitions" else 20
    record = recorded(KINDS[kind].space, model, draws=6000, dags=1, thinning=thinning)
    assert_follows([as_dag(dag) for dag in record["parents"]], law_of_dags(model))


@pytest.mark.parametrize("kind", ["partitions", "layerings of 2"])
def test_dags_belong_to_the_state_they_were_drawn_from(kind: str) -> None:
    model = random_model(4, spread=2.0, seed=3)
    record = recorded(KINDS[kind].space, model, draws=300, dags=5, seed=2)
    codes = np.repeat(record["codes"], 5, axis=0)
    assert len(np.unique(codes, axis=0)) > 5
    for code, dag in zip(codes.tolist(), record["parents"], strict=True):
        assert KINDS[kind].state_of(parts_of(as_dag(dag))) == tuple(code)


@pytest.mark.parametrize("spread", [3.0, 30.0, 900.0])
@pytest.mark.parametrize("kind", ["partitions", *(f"layerings of {size}" for size in (1, 2, 3))])
def test_edges_given_a_state_are_exact_sums(kind: str, spread: float) -> None:
    model = random_model(4, spread=spread, seed=7, required_edges=[("x1", "x3")])
    given: dict[State, np.ndarray] = defaultdict(lambda: np.zeros((4, 4)))
    mass: dict[State, float] = defaultdict(float)
    for dag, probability in law_of_dags(model).items():
        state = KINDS[kind].state_of(parts_of(dag))
        mass[state] += probability
        for node, parents in enumerate(dag):
            given[state][list(parents), node] += probability
    # So few steps that no state between is averaged.
    record = recorded(KINDS[kind].space, model, draws=64, seed=3, thinning=3)
    visited = [tuple(code) for code in record["codes"].tolist()]
    expected = np.mean([given[state] / mass[state] for state in visited], axis=0)
    assert np.abs(record["edge_sums"] / 64 - expected).max() < 1e-11


@pytest.mark.parametrize(
    ("space", "algorithm", "steps"),
    [
        ("partitions", "mcmc", 24_000),
        ("partitions", "mc3", 5000),
        ("partitions", "ais", 4000),
        ("layerings:4", "mcmc", 8000),
        ("layerings:4", "mc3", 1200),
        ("layerings:4", "ais", 1600),
    ],
)
def test_edges_agree_with_exact_ones(space: str, algorithm: str, steps: int) -> None:
    assert_agrees_on_eleven_variables(algorithm, space, steps)
