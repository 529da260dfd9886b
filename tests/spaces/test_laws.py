"""The law of every move, tabulated from the code that samples.

The core goes through all random choices of a step and adds up their probabilities,
so the laws hold to rounding or not at all. Coupled chains are in
`test_coupled_laws.py`, annealing runs in `test_annealing_laws.py`.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from arcwise import _core, _core_testing
from support.exact_laws import imbalance, kernel_of, targets_of
from support.law_cases import CASES, MODELS, space_of, weights_of

N = 4


@pytest.mark.parametrize("case", CASES)
def test_there_is_somewhere_to_go(case: str) -> None:
    assert len(weights_of(case, "free", N)) > 1


@pytest.mark.parametrize("space", _core_testing.space_names())
def test_every_move_of_the_space_has_a_case(space: str) -> None:
    moves = {move for move, _ in _core.space_moves(space, N)} - {"stay"}
    given = [
        getattr(case.space, "moves", None) for case in CASES.values() if case.space.name == space
    ]
    assert None in given  # all moves together
    alone = {next(iter(shares)) for shares in given if shares is not None and len(shares) == 1}
    assert alone == moves or (not alone and len(moves) == 1)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", CASES)
def test_weights_are_those_of_the_definition(model: str, case: str) -> None:
    expected = weights_of(case, model, N)
    space = space_of(case, model, N)
    times = math.factorial(N) if CASES[case].numbered else 1
    assert math.isclose(math.exp(space.log_size) * times, len(expected))
    for state, weight in expected.items():
        value, impossible = _core_testing.log_weight(space, list(state))
        assert (weight == 0.0) == (impossible > 0)
        assert math.isfinite(value)
        if weight > 0.0:
            assert math.isclose(math.exp(value), weight, rel_tol=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_the_start_is_uniform(case: str) -> None:
    states = weights_of(case, "required edges", N)
    built = space_of(case, "required edges", N)
    law = {tuple(state): probability for state, probability in _core_testing.uniform_law(built)}
    assert set(law) == set(states)
    assert max(law.values()) - min(law.values()) < 1e-15


@pytest.mark.parametrize("inverse", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", CASES)
def test_a_step_leaves_the_target_as_it_is(case: str, model: str, inverse: float) -> None:
    states = list(weights_of(case, model, N))
    space = space_of(case, model, N)
    weights = [_core_testing.log_weight(space, list(state)) for state in states]
    modularity, other = targets_of(weights, inverse, abs(inverse - 0.001))
    alive = modularity > 0.0  # a chain at the posterior is never elsewhere
    kernel = kernel_of(space, states, inverse, alive)
    assert np.abs(kernel.sum(axis=1) - 1.0).max() < 1e-12
    assert np.abs(modularity @ kernel - modularity).max() < 1e-12
    # More is true: every single move is reversible, between states of any weight.
    assert imbalance(modularity, kernel) < 1e-9
    # It would not be if the temperature were another by a thousandth.
    assert imbalance(other * alive, kernel) > 1e-7
    if not CASES[case].reaches or (inverse == 1.0 and model in CASES[case].misses):
        return
    # From any state of positive probability all others can be reached.
    ways = kernel[np.ix_(alive, alive)] > 0.0
    assert connected_components(ways, directed=True, connection="strong")[0] == 1
