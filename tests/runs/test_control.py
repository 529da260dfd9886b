"""Controllers as pure functions: no chains, an invented clock, invented observations."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import ArgumentError
from arcwise.records.settings import AnnealingBudget, Budget, Convergence, StoppingRule
from arcwise.runs.control import (
    Action,
    AnnealingController,
    ChainController,
    Kind,
    Observation,
)
from arcwise.support.plain import PlainDataclasses

NODES = 8
RULE = StoppingRule.parse("ess>400")
Step = tuple[Any, Observation]  # a controller, and what is observed when its action is completed


def chain_steps(
    budget: Budget,
    *,
    rate: float = 50_000.0,
    setup: float = 0.25,
    ess_per_draw: float = 0.0,
    jitter: int = 0,
) -> list[Step]:
    """Return what happens to chains that make so many steps a second."""
    return [*_chain_steps(ChainController.of(budget, NODES), rate, setup, ess_per_draw, jitter)]


def _chain_steps(
    now: ChainController, rate: float, setup: float, ess_per_draw: float, jitter: int
) -> Iterator[Step]:
    random = np.random.default_rng(jitter)
    clock, marked = 0.0, 0
    while now.action.kind is not Kind.FINISH:
        action = now.action
        each = {Kind.BURN_IN: 1, Kind.SAMPLE: now.thinning}.get(action.kind, 0)
        clock += setup if action.kind is Kind.START else action.amount * each / rate
        clock += float(random.uniform(0.0, 0.01)) if jitter else 0.0
        seen = Observation(clock)
        if action.kind is Kind.MARK:
            marked = now.draws
        if action.kind is Kind.MEASURE:
            states = now.draws - marked
            seen = replace(seen, figures=Convergence(ess=ess_per_draw * states), states=states)
        yield now, seen
        now = now.advance(seen)
    yield now, Observation(clock)


def actions(steps: list[Step]) -> list[Action]:
    return [controller.action for controller, _ in steps]


def kinds(steps: list[Step]) -> list[str]:
    return [action.kind.value for action in actions(steps)]


def last(steps: list[Step]) -> Any:
    return steps[-1][0]


def test_a_budget_in_steps_is_spent_to_the_last_step() -> None:
    steps = chain_steps(Budget(steps=10_000, burn_in=0.3, thinning=7))
    assert actions(steps) == [
        Action(Kind.START),
        Action(Kind.BURN_IN, 3_000),
        Action(Kind.THIN),
        Action(Kind.SAMPLE, 1_000),
        Action(Kind.FINISH),
    ]
    assert (last(steps).steps, last(steps).draws) == (10_000, 1_000)
    none = chain_steps(Budget(steps=100, burn_in=0.0, thinning=10))
    assert kinds(none) == ["start", "thin", "sample", "finish"]


@pytest.mark.parametrize(
    "budget",
    [Budget(steps=100, thinning=80), Budget(steps=100, thinning=80, until=RULE)],
)
def test_a_budget_that_leaves_no_draw_is_refused_before_anything_is_done(budget: Budget) -> None:
    with pytest.raises(ArgumentError, match="no state would be kept"):
        ChainController.of(budget, NODES)


@pytest.mark.parametrize("rate", [300.0, 50_000.0, 3e6])
@pytest.mark.parametrize("setup", [0.0, 2.0, 9.0])
def test_a_budget_in_seconds_ends_in_time(rate: float, setup: float) -> None:
    steps = chain_steps(Budget(seconds=10.0, burn_in=0.5), rate=rate, setup=setup)
    controller, end = last(steps), steps[-1][1].seconds
    time = controller.end - controller.started
    assert 0.3 * (10.0 - setup) - 1e-9 <= time <= 10.0 - setup
    # Pieces are at most a twentieth of the time, or a single draw; then what is left over of one.
    assert controller.end <= end <= controller.end + max(0.05 * time, controller.thinning / rate)
    (boundary,) = controller.boundaries
    assert 0.45 * time <= boundary.steps / rate <= 0.56 * time + 16 / rate
    pieces = [action.amount for action in actions(steps) if action.kind is Kind.BURN_IN]
    assert pieces[0] == 16
    assert all(piece in (before, 2 * before) for before, piece in pairwise(pieces))
    draws = [action.amount for action in actions(steps) if action.kind is Kind.SAMPLE]
    assert draws[0] == 1
    assert sum(draws) == controller.draws > 0
    # However many steps there are, they are made in some dozens of pieces.
    assert len(steps) < 150


def test_even_if_the_time_is_over_at_the_start_something_is_drawn() -> None:
    for budget in (Budget(seconds=1.0), Budget(seconds=1.0, until=RULE)):
        steps = chain_steps(budget, setup=5.0)
        assert last(steps).draws > 0
        assert last(steps).boundaries[-1].steps > 0
        assert len(steps) < 12


def test_a_rule_alone_is_checked_at_the_end_of_stages_as_long_as_all_before() -> None:
    steps = chain_steps(Budget(until=RULE), ess_per_draw=0.11)
    controller = last(steps)
    assert controller.met
    assert controller.figures.ess >= 400
    measured = [now for now, _ in steps if now.action.kind is Kind.MEASURE]
    assert len(measured) > 2
    for now in measured:
        start = now.boundaries[-1].steps
        assert 0.98 <= (now.steps - start) / start <= 1.0
    # The step that resets counts, the sums, the thinning.
    assert kinds(steps)[:6] == ["start", "burn in", "mark", "thin", "sample", "measure"]
    assert kinds(steps)[6:11] == ["burn in", "mark", "thin", "sample", "measure"]
    assert actions(steps)[6].amount == 1
    assert len(controller.boundaries) == 2


@pytest.mark.parametrize("total", [2, 5, 40, 1_000, 6_000, 7_777, 10**6])
def test_steps_limit_a_rule_that_is_never_met(total: int) -> None:
    steps = chain_steps(Budget(steps=total, until=RULE))
    controller = last(steps)
    assert not controller.met
    assert total - controller.thinning - 8 <= controller.steps <= total
    boundary = controller.boundaries[-1]
    assert boundary.steps <= 0.55 * total + 1
    # What extends the last stage belongs to it.
    assert controller.wanted == controller.draws - boundary.states
    extended = [now for now, _ in steps if now.extensions and now.action.kind is Kind.SAMPLE]
    assert len(extended) == len({now.extensions for now in extended}) <= 4


def test_the_draws_of_a_long_stage_are_thinned() -> None:
    steps = chain_steps(Budget(steps=10**9, until=RULE))
    stages = [now for now, _ in steps if now.action.kind is Kind.SAMPLE and not now.extensions]
    assert len(stages) > 10
    assert all(now.action.amount <= 8_192 for now in stages)
    assert all(one.thinning <= other.thinning for one, other in pairwise(stages))
    fixed = chain_steps(Budget(steps=10**9, thinning=50, until=RULE))
    assert {now.thinning for now, _ in fixed} == {50}


@pytest.mark.parametrize("rate", [2_000.0, 50_000.0, 3e6])
def test_seconds_limit_a_rule_that_is_never_met(rate: float) -> None:
    steps = chain_steps(Budget(seconds=10.0, until=RULE), rate=rate)
    controller, end = last(steps), steps[-1][1].seconds
    assert not controller.met
    assert controller.end <= end + 0.5
    assert end <= 10.0
    counted = controller.boundaries[-1]
    if controller.draws - counted.states < controller.wanted / 2:
        counted = controller.boundaries[-2]
    assert controller.steps - counted.steps >= 0.3 * controller.steps


def test_a_slow_machine_leaves_more_time_for_what_comes_after_sampling() -> None:
    budget = Budget(seconds=100.0)
    quick, slow = (
        ChainController.of(budget, 1_000).advance(Observation(0.1, slowness)).end
        for slowness in (1.0, 4.0)
    )
    assert quick == pytest.approx(95.0 - 3.0)
    assert slow == pytest.approx(95.0 - 12.0)


BUDGETS: dict[str, Callable[[], list[Step]]] = {
    "steps": partial(chain_steps, Budget(steps=10_000, burn_in=0.3)),
    "seconds": partial(chain_steps, Budget(seconds=3.0), jitter=1),
    "a rule": partial(chain_steps, Budget(until=RULE), ess_per_draw=0.05),
    "a rule and steps": partial(chain_steps, Budget(steps=10**6, until=RULE), ess_per_draw=0.001),
    "a rule and seconds": partial(chain_steps, Budget(seconds=5.0, until=RULE), jitter=2),
    "effective samples": partial(chain_steps, Budget(effective_samples=300.0), ess_per_draw=0.04),
}


def annealing_steps(budget: AnnealingBudget, *, size: int = 16, each: float = 0.01) -> list[Step]:
    """Return what happens to annealing runs that take so long, a tenth of them effective."""
    now, steps, clock = AnnealingController.of(budget, size), [], 0.0
    while now.action.kind is not Kind.FINISH:
        clock += each * now.action.amount
        seen = Observation(clock, effective=0.1 * (now.runs + now.action.amount))
        steps.append((now, seen))
        now = now.advance(seen)
    return [*steps, (now, Observation(clock))]


ANNEALING: dict[str, Callable[[], list[Step]]] = {
    "runs": partial(annealing_steps, AnnealingBudget(runs=100)),
    "seconds of annealing": partial(annealing_steps, AnnealingBudget(seconds=3.0)),
    "effective runs": partial(annealing_steps, AnnealingBudget(effective_samples=20.0)),
    "whichever is first": partial(
        annealing_steps, AnnealingBudget(seconds=3.0, effective_samples=1e6), each=0.1
    ),
}


def stored(controller: Any) -> Any:
    """Return a controller after it was written to a file and read."""
    form = PlainDataclasses()
    text = json.dumps(form.write(controller), allow_nan=False)
    return form.read(type(controller), json.loads(text))


@pytest.mark.parametrize("name", [*BUDGETS, *ANNEALING])
def test_from_any_prefix_the_same_actions_follow(name: str) -> None:
    steps = (BUDGETS | ANNEALING)[name]()
    assert len(steps) >= 2
    for place in range(len(steps)):
        now = stored(steps[place][0])
        for controller, seen in steps[place:]:
            assert now == controller
            if now.action.kind is not Kind.FINISH:
                now = now.advance(seen)


@pytest.mark.parametrize("name", [*BUDGETS, *ANNEALING])
@given(data=st.data())
def test_an_action_that_is_stopped_again_and_again_counts_as_done_at_once(
    name: str, data: st.DataObject
) -> None:
    steps = (BUDGETS | ANNEALING)[name]()
    (controller, seen), (after, _) = data.draw(st.sampled_from([*pairwise(steps)]))
    now, left = controller, controller.action.amount
    while left > 0:
        part = data.draw(st.integers(1, left))
        now, left = stored(now.partly(part)), left - part
        assert now.action == replace(controller.action, amount=left)
    assert now.advance(seen) == after


def test_only_a_controller_of_the_same_settings_is_continued() -> None:
    begin = ChainController.of(Budget(steps=10_000), NODES)
    assert begin.advance(Observation(1.0)).continues(begin)
    assert not begin.continues(ChainController.of(Budget(steps=10_001), NODES))
    assert not begin.continues(ChainController.of(Budget(steps=10_000), NODES + 1))
    runs = AnnealingController.of(AnnealingBudget(runs=5), 16)
    assert not runs.continues(AnnealingController.of(AnnealingBudget(runs=6), 16))


def test_annealing_runs_of_a_number_are_one_action() -> None:
    assert actions(ANNEALING["runs"]()) == [Action(Kind.ANNEAL, 100), Action(Kind.FINISH)]


def test_a_further_piece_of_annealing_must_end_in_time() -> None:
    steps = ANNEALING["seconds of annealing"]()
    assert set(actions(steps)[:-1]) == {Action(Kind.ANNEAL, 16)}
    assert 3.0 - 2 * 0.16 <= steps[-1][1].seconds <= 3.0


def test_annealing_ends_with_the_effective_runs_wanted_or_without_hope() -> None:
    assert last(ANNEALING["effective runs"]()).runs == 208
    assert last(ANNEALING["whichever is first"]()).runs == 16
    now = AnnealingController.of(AnnealingBudget(effective_samples=5.0), 16)
    while now.action.kind is not Kind.FINISH:
        now = now.advance(Observation(1.0, effective=0.0))
    assert now.runs == 4096


def test_shares_never_exceed_one_and_end_with_what_is_done() -> None:
    for steps in (make() for make in BUDGETS.values()):
        for now, seen in steps:
            assert 0.0 <= now.share(now.steps, seen.seconds, now.figures) <= 1.05
    for steps in (make() for make in ANNEALING.values()):
        assert all(0.0 <= now.share <= 1.0 for now, _ in steps)
    assert last(ANNEALING["effective runs"]()).share == 1.0
    assert math.isclose(last(BUDGETS["steps"]()).share(10_000, 1.0, None), 1.0)
