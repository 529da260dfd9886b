"""Runs that end by a rule: what rules say, when they are met, and what then counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model, Posterior
from arcwise.errors import ArgumentError
from arcwise.records.settings import StoppingRule
from arcwise.support.running import ProgressUpdate
from support.clocks import steps_take
from support.exact_models import random_model
from support.interrupting import assert_returns_what_there_is
from support.run_records import chains_of

pytestmark = pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")

SAMPLERS: dict[str, Callable[..., Posterior]] = {
    "mcmc": lambda model, **rule: arcwise.mcmc(model, "partitions", **rule),
    "mc3": lambda model, **rule: arcwise.mc3(model, temperatures=4, ladder="adapted", **rule),
}


@pytest.fixture(scope="module")
def model() -> Model:
    return random_model(6, spread=6.0, seed=1)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("rhat<1.01, ess>400", "rhat<1.01, ess>400"),
        (" rhat <= 1.1 and ess >= 1e2 ", "rhat<1.1, ess>100"),
        ("edge-rhat<1.2;edge_ess>50", "edge_rhat<1.2, edge_ess>50"),
        ("difference < .05", "difference<0.05"),
    ],
)
def test_rules_are_read(text: str, form: str) -> None:
    assert str(StoppingRule.parse(text)) == form


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"until": "rhat>1.01"}, "require rhat to be below a number"),
        ({"until": "ess<400"}, "require ess to be above a number"),
        ({"until": "rhat<1"}, "give rhat a bound above 1"),
        ({"until": "rhat<1.e.2"}, "until has 'rhat<1.e.2'"),
        ({"until": "speed>3"}, "until has 'speed>3'"),
        ({"until": ""}, "until has ''"),
        ({"until": "rhat<1.01,"}, "until has ''"),
        ({"until": 400}, "until is 400"),
        ({"until": "rhat<1.1", "burn_in": 0.1}, "burn_in is 0.1"),
        ({"until": "difference<0.1", "chains": 1}, "there is only one chain"),
        (
            {"until": "edge_ess>5", "dags_per_state": 0, "modularity": "order-modular"},
            "dags_per_state is 0",
        ),
        ({"until": "rhat<1.1", "steps": 100, "thinning": 80}, "no state would be kept"),
    ],
)
def test_rules_that_cannot_be_are_refused(rule: dict[str, Any], words: str, model: Model) -> None:
    with pytest.raises(ArgumentError) as caught:
        arcwise.mcmc(model, **rule)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_run_ends_when_the_rule_is_met(name: str, model: Model) -> None:
    rule = "rhat<1.02, ess>300, edge_rhat<1.1, edge_ess>100, difference<0.1"
    found = SAMPLERS[name](model, until=rule, seed=3, threads=2)
    run, reached = chains_of(found), found.run.convergence
    assert run.rule_met is True
    assert reached.rhat < 1.02
    assert reached.ess > 300
    assert reached.edge_rhat < 1.1
    assert reached.edge_ess > 100
    assert reached.difference < 0.1
    # About half of it is burn-in.
    kept = run.steps_after_burn_in[0]
    assert 0.9 <= run.burn_in_steps / kept <= 1.1
    assert np.abs(found.edges - arcwise.exact(model).edges).max() < 0.1
    again = SAMPLERS[name](model, until=rule, seed=3, threads=1)
    assert np.array_equal(found.edges, again.edges)
    if name == "mc3":
        assert found.evidence is not None
        error = abs(found.evidence.log_evidence - arcwise.exact(model).evidence.log_evidence)
        assert error < 4.9 * found.evidence.standard_error


def test_what_counts_is_the_end_of_a_longer_run(model: Model) -> None:
    # The same chains, run as far in one go: the states that count are their last.
    short = arcwise.mcmc(model, "partitions", until="ess>1000", chains=2, seed=3)
    assert short.traces is not None
    assert short.dags is not None
    count, thinning = len(short.traces.log_weights[0]), chains_of(short).thinning
    steps = chains_of(short).burn_in_steps + count * thinning
    rule: dict[str, Any] = {"burn_in": (steps - count * thinning) / steps, "thinning": thinning}
    whole = arcwise.mcmc(model, "partitions", steps=steps, chains=2, seed=3, **rule)
    assert whole.traces is not None
    assert whole.dags is not None
    for one, other in zip(short.traces.log_weights, whole.traces.log_weights, strict=True):
        assert np.array_equal(one, other)
    # Means over the same states, by sums that began earlier.
    assert np.allclose(short.edges, whole.edges, atol=1e-12)
    assert short.edge_errors is not None
    assert whole.edge_errors is not None
    assert np.allclose(short.edge_errors, whole.edge_errors, rtol=0.5, atol=1e-3)
    assert short.run.acceptance == whole.run.acceptance


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("steps", [2, 5, 40, 1_000, 6_000, 7_777])
def test_steps_limit_a_rule(name: str, steps: int, model: Model) -> None:
    found = SAMPLERS[name](model, until="ess>1e9", steps=steps, seed=3)
    assert chains_of(found).rule_met is False
    total = chains_of(found).burn_in_steps + chains_of(found).steps_after_burn_in[0]
    assert steps - chains_of(found).thinning - 8 <= total <= steps
    assert chains_of(found).burn_in_steps <= 0.55 * steps + 1


@pytest.mark.parametrize("space", ["linear", "partitions"])
def test_seconds_limit_a_rule(space: str, model: Model) -> None:
    with steps_take(1e-4) as clock:
        found = arcwise.mcmc(model, space, until="ess>1e9", seconds=clock.deadline(0.5), seed=3)
    assert chains_of(found).rule_met is False
    # A little is left for what comes after sampling; the last steps may come a little late.
    assert 0.47 < chains_of(found).seconds_sampling < 0.52
    after = chains_of(found).steps_after_burn_in[0]
    # A third at least, where the time was up in the middle of a stage.
    assert after >= 0.3 * (after + chains_of(found).burn_in_steps)


def test_long_runs_are_thinned(model: Model) -> None:
    found = arcwise.mcmc(model, "linear", modularity="order-modular", until="ess>20000", seed=1)
    assert chains_of(found).thinning > 1
    assert max(chains_of(found).states) <= 2 * 8_192


def test_progress_tells_how_a_run_stands(model: Model) -> None:
    for name, rule in (("mcmc", {"steps": 8_000}), ("mcmc", {"until": "ess>500"}), ("mc3", {})):
        told: list[Any] = []
        SAMPLERS[name](model, progress=told.append, seed=1, **rule)
        assert told == sorted(told)
        assert told[-1] == 1.0
        assert all(isinstance(moment, ProgressUpdate) for moment in told)
        assert told[-1].rate > 0
        assert 0 < told[-1].acceptance < 1
        assert told[-1].rhat > 0.9
        assert told[-1].effective > 0
        assert told[-1].seconds_left == 0.0
        assert max(told, key=lambda moment: moment % 1.0).seconds_left > 0.0
        assert "accepted, R-hat" in told[-1].words


def test_progress_of_annealing_tells_what_weights_are_worth(model: Model) -> None:
    told: list[Any] = []
    found = arcwise.ais(model, particles=50, steps=60, seed=1, progress=told.append)
    assert told[-1] == 1.0
    assert told[-1].effective == pytest.approx(found.run.convergence.ess)
    assert f"ESS {told[-1].effective:,.0f}" in told[-1].words
    assert np.array_equal(found.edges, arcwise.ais(model, particles=50, steps=60, seed=1).edges)


def test_an_interrupted_run_with_a_rule_returns_what_there_is() -> None:
    script = """
import arcwise
from arcwise.networks import asia
model = arcwise.Model(arcwise.simulate("asia", 300, seed=1), max_indegree=3)
def job():
    return arcwise.mcmc(model, "partitions", until="ess>1e12", chains=2)
def check(posterior):
    assert posterior.run.rule_met is False
    assert len(posterior.dags) == sum(posterior.run.states) > 100
    assert abs(posterior.edges - arcwise.exact(model).edges).max() < 0.2
"""
    assert_returns_what_there_is(script)


def test_a_rule_is_not_asked_before_rare_passages_had_a_chance(model: Model) -> None:
    """Linear orders, whose steps are quick, make more before it; a short budget has its way."""
    easy: dict[str, Any] = {"until": "rhat<9", "chains": 2, "seed": 1}
    steps = {"dags": 51_200, "partitions": 51_200, "linear": 409_600}
    for space, least in steps.items():
        run = chains_of(arcwise.mcmc(model, space, **easy))
        assert least <= run.burn_in_steps < least + run.thinning
    coupled = chains_of(arcwise.mc3(model, temperatures=2, **easy))
    assert coupled.burn_in_steps < 2 * 51_200
    short = chains_of(arcwise.mcmc(model, "linear", steps=8_000, **easy))
    assert short.burn_in_steps <= 2_000
