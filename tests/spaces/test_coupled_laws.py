"""The law of chains at several temperatures that exchange their states, tabulated exactly.

A step moves every state and then exchanges those of the even pairs of neighbouring
temperatures, or of the odd ones. Exchanges of one kind are reversible with respect to the product
of the targets of all temperatures; steps with both kinds in turn are not, but must leave it as it
is.
"""

from __future__ import annotations

import math
from itertools import product

import pytest

from arcwise import _core, _core_testing
from reference.spaces import State
from support.exact_laws import Point, target_of
from support.law_cases import space_of, weights_of

PAIR = (0.3, 1.0)
UNIFORM_TO_POSTERIOR = (0.0, 1.0)
THREE = (0.2, 0.6, 1.0)
BRIDGE = ((1.0, 0.0), (1.0, 1.0))
MIDDLE_OF_BRIDGE = ((1.0, 0.6), (1.0, 1.0))
HOT_BRIDGE = ((0.4, 0.3), (1.0, 1.0))

# Space, model, variables and temperatures. Every space is there, and every move that leaves few
# enough branches to go through: all of one state's meet all of the other's.
CASES = [
    *(
        (case, model, 3, inverses)
        for case in ("linear", "swap", "relocate", "partial chains")
        for model in ("free", "required edges")
        for inverses in (PAIR, UNIFORM_TO_POSTERIOR)
    ),
    *(
        (case, model, 3, THREE)
        for case in ("buckets of 2", "partial orders")
        for model in ("free", "required edges")
    ),
    *(
        (case, model, 3, PAIR)
        for case in ("split or join", "relocate in partitions", "swap in partitions")
        for model in ("free", "required edges", "plus one")
    ),
    ("reverse edge", "free", 3, PAIR),
    ("reverse edge", "candidates", 3, PAIR),
    ("partitions", "impossible families", 3, PAIR),
    *(
        (case, model, 3, PAIR)
        for case in ("relocate in layerings of 2", "swap in layerings")
        for model in ("free", "required edges", "plus one")
    ),
    ("re-partition layerings of 2", "candidates", 3, PAIR),
    ("reverse edge in layerings of 2", "candidates", 3, PAIR),
    ("layerings of 1", "free", 2, PAIR),
    *(
        (case, model, 3, PAIR)
        for case in ("add or delete", "reverse", "reverse path", "redraw parents")
        for model in ("free", "required edges", "max_indegree")
    ),
    ("reverse and redraw", "free", 3, PAIR),
    ("window", "free", 3, PAIR),
    ("dags", "candidates", 3, PAIR),
    ("dags", "far apart", 2, PAIR),
    *(
        (case, model, 3, points)
        for case in ("canonical, first to last", "relocate in canonical orders")
        for model in ("free", "required edges", "plus one", "impossible families")
        for points in (PAIR, UNIFORM_TO_POSTERIOR, BRIDGE, MIDDLE_OF_BRIDGE, HOT_BRIDGE)
    ),
    *(("renumber", model, 3, BRIDGE) for model in ("free", "required edges")),
    # Its moves are among those above, with three variables; together they leave 16 times as much.
    ("canonical", "free", 2, MIDDLE_OF_BRIDGE),
]


def joint_target(
    space: _core.Space, states: list[State], inverses: tuple[Point, ...]
) -> dict[State, float]:
    """Return the probability of each combination of states, one for each temperature."""
    each = [target_of(space, states, inverse) for inverse in inverses]
    return {
        sum((states[i] for i in places), ()): math.prod(
            float(modularity[i]) for modularity, i in zip(each, places, strict=True)
        )
        for places in product(range(len(states)), repeat=len(inverses))
    }


def codes_of(start: State, levels: int) -> list[State]:
    """Return the states of all temperatures from all of them in a row."""
    n = len(start) // levels
    return [start[i : i + n] for i in range(0, len(start), n)]


def after_a_step(
    space: _core.Space, law: dict[State, float], inverses: tuple[Point, ...], *, odd: bool
) -> dict[State, float]:
    """Return where a step takes a law of all states, with exchanges of one kind of pairs."""
    after = dict.fromkeys(law, 0.0)
    for start, probability in law.items():
        if probability == 0.0:
            continue
        for to, share in _core_testing.tempered_law(
            space, inverses, odd, codes_of(start, len(inverses))
        ):
            after[tuple(to)] += probability * share
    return after


def change_by_steps(
    space: _core.Space, joint: dict[State, float], inverses: tuple[Point, ...]
) -> float:
    """Return the largest difference between a law of all states and where two steps take it.

    The first exchanges the even pairs, the second the odd ones, if there are any.
    """
    after = after_a_step(space, joint, inverses, odd=False)
    if len(inverses) > 2:
        after = after_a_step(space, after, inverses, odd=True)
    return max(abs(after[state] - joint[state]) for state in joint)


def imbalance_of_exchanges(
    space: _core.Space, joint: dict[State, float], inverses: tuple[Point, ...], *, odd: bool
) -> tuple[float, float]:
    """Return the largest difference between the flows there and back, and how much flows."""
    flows: dict[tuple[State, State], float] = {}
    for start, probability in joint.items():
        if probability == 0.0:
            continue
        for to, share in _core_testing.exchange_law(
            space, inverses, odd, codes_of(start, len(inverses))
        ):
            flows[start, tuple(to)] = probability * share
    return (
        max(abs(flow - flows.get((end, start), 0.0)) for (start, end), flow in flows.items()),
        sum(flow for (start, end), flow in flows.items() if start != end),
    )


@pytest.mark.parametrize(
    ("case", "model", "n", "inverses"), CASES, ids=["-".join(map(str, case)) for case in CASES]
)
def test_coupled_chains_leave_the_joint_target_as_it_is(
    case: str, model: str, n: int, inverses: tuple[Point, ...]
) -> None:
    states = list(weights_of(case, model, n))
    assert len(states) > 1
    space = space_of(case, model, n)
    assert change_by_steps(space, joint_target(space, states, inverses), inverses) < 1e-12


@pytest.mark.parametrize(
    ("case", "model", "inverses"),
    [
        ("swap", "free", THREE),
        ("swap", "required edges", THREE),
        ("swap in partitions", "free", PAIR),
        ("reverse", "max_indegree", PAIR),
        ("swap in canonical orders", "free", BRIDGE),
        ("swap in canonical orders", "required edges", HOT_BRIDGE),
        ("swap in canonical orders", "free", ((1.0, 0.0), (1.0, 0.6), (1.0, 1.0))),
    ],
)
def test_exchanges_of_one_kind_of_pairs_are_reversible(
    case: str, model: str, inverses: tuple[Point, ...]
) -> None:
    states = list(weights_of(case, model, 3))
    space = space_of(case, model, 3)
    joint = joint_target(space, states, inverses)
    for odd in (False, True)[: len(inverses) - 1]:
        imbalance, flow = imbalance_of_exchanges(space, joint, inverses, odd=odd)
        assert imbalance < 1e-14
        assert flow > 0.01


def test_an_exchange_of_levels_at_other_temperatures_is_found_out() -> None:
    """The law of exchanges between 0.3 and 1 is not reversible for levels at 0.301 and 1."""
    space = space_of("swap", "free", 3)
    states = list(weights_of("swap", "free", 3))
    joint = joint_target(space, states, (0.301, 1.0))
    assert imbalance_of_exchanges(space, joint, PAIR, odd=False)[0] > 1e-7


def test_odd_pairs_begin_with_the_second_level() -> None:
    space = space_of("swap", "free", 3)
    a, b, c = list(weights_of("swap", "free", 3))[:3]
    uniform = (0.0, 0.0, 0.0, 0.0)
    for odd, expected in ((False, (*b, *a, *c, *a)), (True, (*a, *a, *b, *c))):
        ((to, share),) = _core_testing.exchange_law(space, uniform, odd, [a, b, a, c])
        assert (tuple(to), share) == (expected, 1.0)


@pytest.mark.parametrize(
    "case", ["swap", "partial orders", "swap in partitions", "swap in layerings", "reverse"]
)
def test_a_level_at_another_temperature_is_found_out(case: str) -> None:
    space = space_of(case, "free", 3)
    states = list(weights_of(case, "free", 3))
    for wrong in ((0.301, 1.0), (0.3, 0.999)):
        assert change_by_steps(space, joint_target(space, states, wrong), PAIR) > 1e-7


def test_a_level_at_another_place_of_the_bridge_is_found_out() -> None:
    space = space_of("swap in canonical orders", "free", 3)
    states = list(weights_of("swap in canonical orders", "free", 3))
    for wrong in (((1.0, 0.601), (1.0, 1.0)), ((1.0, 0.6), (1.0, 0.999))):
        joint = joint_target(space, states, wrong)
        assert change_by_steps(space, joint, MIDDLE_OF_BRIDGE) > 1e-7
