"""The law of annealing runs, tabulated from the code that samples.

Over all that can happen in a run, the weights of the runs that end in a state average
to the weight of that state, over the number of states. A run of a population that is
resampled gives each of its states an equal share of its weight.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import pytest

from arcwise import _core, _core_testing
from reference.spaces import State
from support.law_cases import CASES, MODELS, space_of, weights_of

AT_ONCE = (0.0, 1.0)
IN_TWO_STEPS = (0.0, 0.4, 1.0)


def mean_weights(
    space: _core.Space, states: Iterable[State], schedule: Sequence[float], population: int = 1
) -> dict[State, float]:
    """Return the mean of the weights of runs, those that end in another state counted as 0."""
    ends = _core_testing.annealing_law(space, schedule, population)
    assert math.isclose(math.fsum(probability for _, _, probability in ends), 1.0)
    means = dict.fromkeys(states, 0.0)
    for code, log_weight, probability in ends:
        if math.isfinite(log_weight):
            length = len(code) // population
            for first in range(0, len(code), length):
                state = tuple(code[first : first + length])
                means[state] += probability * math.exp(log_weight) / population
    return means


def largest_error(means: dict[State, float], weights: dict[State, float]) -> float:
    """Return by what share a mean is wrong at most; a state of weight zero must get nothing."""
    pairs = [(means[state], weight / len(weights)) for state, weight in weights.items()]
    return max(abs(mean - right) / max(mean, right) for mean, right in pairs if mean or right)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("case", [case for case in CASES if case != "window"])
def test_runs_back_from_exact_draws_average_to_the_inverse(case: str, model: str) -> None:
    """From states drawn by their weights to the uniform distribution: states over weights.

    Where some states have weight zero, hotter temperatures reach states that no run begins from;
    the mean is then smaller, and the evidence still bounded from above.
    """
    weights = weights_of(case, model, 3)
    space, total = space_of(case, model, 3), math.fsum(weights.values())
    mean = 0.0
    for state, weight in weights.items():
        if weight > 0.0:
            ends = _core_testing.annealing_law(space, IN_TWO_STEPS[::-1], 1, [list(state)])
            assert math.isclose(math.fsum(probability for _, _, probability in ends), 1.0)
            mean += (
                weight
                / total
                * math.fsum(
                    math.exp(log_weight) * probability for _, log_weight, probability in ends
                )
            )
    right = len(weights) / total
    if all(weight > 0.0 for weight in weights.values()):
        assert math.isclose(mean, right, rel_tol=1e-10)
    else:
        assert 0.0 < mean < right * (1 + 1e-10)


# With four variables these go through millions of branches, and say no more about annealing than
# with three below; their single steps are in `test_laws.py`.
_LARGE = ("dags", "window", "canonical", "renumber")
# Of models without states that are impossible, one: the steps with each are in `test_laws.py`, and
# annealing adds the weights of what is passed on the way.
_ALL_POSSIBLE = ("far apart", "plus one, free", "max_indegree")
_FEWER_MODELS = [model for model in MODELS if model not in _ALL_POSSIBLE]


@pytest.mark.parametrize("model", _FEWER_MODELS)
@pytest.mark.parametrize("case", [case for case in CASES if case not in _LARGE])
def test_weights_average_to_those_of_the_states(case: str, model: str) -> None:
    weights = weights_of(case, model, 4)
    assert sum(weight > 0.0 for weight in weights.values()) > 1
    means = mean_weights(space_of(case, model, 4), weights, AT_ONCE)
    assert largest_error(means, weights) < 1e-10
    # At a temperature another by a thousandth they would not.
    assert largest_error(means, {state: w**0.999 for state, w in weights.items()}) > 1e-6


# With three variables, and without the spaces that have a single state of them. Weights far apart
# are those that rounding would spoil.
@pytest.mark.parametrize("model", [*_FEWER_MODELS, "far apart"])
@pytest.mark.parametrize("case", [case for case in CASES if "of 3" not in case])
def test_weights_are_kept_from_step_to_step(case: str, model: str) -> None:
    weights = weights_of(case, model, 3)
    assert sum(weight > 0.0 for weight in weights.values()) > 1
    means = mean_weights(space_of(case, model, 3), weights, IN_TWO_STEPS)
    assert largest_error(means, weights) < 1e-10
    assert largest_error(means, {state: w**0.999 for state, w in weights.items()}) > 1e-6


def test_a_run_that_ends_at_another_temperature_is_found_out() -> None:
    weights = weights_of("swap", "free", 3)
    means = mean_weights(space_of("swap", "free", 3), weights, (0.0, 0.4, 0.999))
    assert largest_error(means, weights) > 1e-6


def largest_share_of_error(means: dict[State, float], weights: dict[State, float]) -> float:
    """Return the largest error as a share of all: resampling rounds lesser shares to nothing."""
    pairs = [(means[state], weight / len(weights)) for state, weight in weights.items()]
    return max(abs(mean - right) for mean, right in pairs) / math.fsum(right for _, right in pairs)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("case", "schedule"),
    [
        ("swap", AT_ONCE),
        ("adjacent", IN_TWO_STEPS),
        ("relocate", AT_ONCE),
        ("swap in canonical orders", AT_ONCE),
        ("buckets of 2", AT_ONCE),
        ("split or join", AT_ONCE),
        ("add or delete", AT_ONCE),
    ],
)
def test_weights_of_two_resampled_particles(
    case: str, schedule: Sequence[float], model: str
) -> None:
    weights = weights_of(case, model, 3)
    means = mean_weights(space_of(case, model, 3), weights, schedule, 2)
    assert largest_share_of_error(means, weights) < 1e-12


def test_weights_of_three_resampled_particles() -> None:
    weights = weights_of("swap", "free", 2)
    means = mean_weights(space_of("swap", "free", 2), weights, IN_TWO_STEPS, 3)
    assert largest_share_of_error(means, weights) < 1e-12


def test_particles_that_end_at_another_temperature_are_found_out() -> None:
    weights = weights_of("swap", "free", 3)
    means = mean_weights(space_of("swap", "free", 3), weights, (0.0, 0.999), 2)
    assert largest_share_of_error(means, weights) > 1e-5
