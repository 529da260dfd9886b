"""Sequential Monte Carlo: its estimates against exact ones, its runs kept, resumed and spread.

The law of its populations is in `tests/spaces/test_annealing_laws.py`.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model
from arcwise.algorithms import smc as populations
from arcwise.cli import main
from arcwise.errors import ArgumentError, TimeIsUpError
from arcwise.records.runs import AnnealingRun
from support.clocks import WorkClock, steps_take
from support.exact_models import random_model
from support.local_clusters import within_this_process
from support.same_posteriors import assert_same_posterior
from support.sampling_errors import assert_edges_within_errors
from support.stopped_runs import assert_same, run_with_stops

pytestmark = pytest.mark.filterwarnings("ignore::arcwise.errors.ArcwiseWarning")

REQUIRED: dict[str, Any] = {
    "required_edges": [("x6", "x0"), ("x0", "x3")],
    "forbidden_edges": [("x1", "x4")],
}


SPACES = ["linear", "canonical", "buckets:3", "partitions", "layerings:4", "dags"]


@pytest.mark.parametrize("rule", [{}, REQUIRED], ids=["free", "constrained"])
@pytest.mark.parametrize("space", SPACES)
def test_edges_and_evidence_are_within_their_errors(space: str, rule: dict[str, Any]) -> None:
    model = random_model(7, spread=8.0, seed=2, **rule)
    particles = {"dags": 32, "layerings:4": 16, "partitions": 64}.get(space, 128)
    found = arcwise.smc(model, space, particles=particles, runs=24, seed=3, threads=1)
    exact = arcwise.exact(model)
    assert_edges_within_errors(found, exact.edges)
    assert found.evidence is not None
    assert found.evidence.method == "sequential Monte Carlo"
    off = found.evidence.log_evidence - exact.log_evidence
    error = found.evidence.standard_error
    if rule:  # no error is stated with required edges, but it is what the effective runs say
        assert error is None
        error = found.evidence.effective_runs**-0.5
    # A t of 23 degrees of freedom is beyond 6.5 once in a million times.
    assert abs(off) < 6.5 * error
    assert error < 0.2
    bounds = found.evidence.lower_bounds
    assert all(bound.value < exact.log_evidence for bound in bounds.values())


def test_errors_of_the_evidence_are_as_large_as_they_say() -> None:
    # The mean of 120 squared scores, each a t of 15 degrees of freedom, has a standard deviation
    # of 0.15 about 1.15; it is beyond these limits less than once in a million times.
    model = random_model(5, spread=6.0, seed=2)
    exact = arcwise.exact(model, "order-modular").log_evidence
    scores = []
    for seed in range(120):
        found = arcwise.evidence(
            model, "smc", modularity="order-modular", particles=12, runs=16, seed=seed, threads=1
        )
        scores.append((found.log_evidence - exact) / found.standard_error)
    assert 0.5 < np.mean(np.square(scores)) < 1.9


MODEL = random_model(6, spread=6.0, seed=1)
SHORT = partial(arcwise.smc, MODEL, particles=8, runs=5)


def test_the_same_draws_whatever_the_threads() -> None:
    one = SHORT(seed=4, threads=1)
    assert_same_posterior(SHORT(seed=4, threads=3), one)
    assert not np.array_equal(SHORT(seed=5, threads=1).edges, one.edges)


def test_a_run_is_the_same_however_many_there_are() -> None:
    few, many = SHORT(runs=2), SHORT(runs=5)
    assert few.dags is not None
    assert many.dags is not None
    assert len(few.dags) == 16
    assert np.array_equal(few.dags.parents, many.dags.parents[:16])


def test_the_plan_is_part_of_the_run() -> None:
    run = SHORT("canonical").run
    assert isinstance(run, AnnealingRun)
    assert run.plan is not None
    assert run.plan.inverse_temperatures[0] == 0.0
    assert run.plan.inverse_temperatures[-1] == 1.0
    assert run.plan.bridge is not None
    assert run.plan.bridge[0] == 0.0
    assert run.plan.bridge[-1] == 1.0
    assert len(run.plan.steps) == len(run.plan.bridge) - 1
    fixed = SHORT(steps=7).run
    assert isinstance(fixed, AnnealingRun)
    assert fixed.plan is not None
    assert set(fixed.plan.steps) == {7}
    finer = SHORT(effective_share=0.99).run
    assert isinstance(finer, AnnealingRun)
    assert finer.plan is not None
    assert len(finer.plan.steps) > len(fixed.plan.steps)


@pytest.mark.parametrize("space", ["linear", "canonical", "partitions", "dags"])
def test_stopped_and_resumed(space: str, tmp_path: Path) -> None:
    begin = partial(SHORT, space, runs=30, seed=7)
    found, stops = run_with_stops(begin, tmp_path / "run", seed=3)
    assert stops >= 1
    assert_same(found, begin(), tmp_path)


def test_the_same_on_a_cluster() -> None:
    with within_this_process() as client:
        found = SHORT("canonical", seed=4, engine=client)
    assert_same_posterior(found, SHORT("canonical", seed=4))


def test_files(tmp_path: Path) -> None:
    found = SHORT("canonical")
    found.save(tmp_path / "posterior.npz")
    loaded = arcwise.Posterior.load(tmp_path / "posterior.npz")
    assert loaded.run == found.run
    assert loaded.algorithm == "smc"


def test_the_shell(tmp_path: Path) -> None:
    table = tmp_path / "data.csv"
    arcwise.simulate("asia", 300, seed=1).write_csv(table)
    asked = ["sample", str(table), "--max-indegree", "2", "--algorithm", "smc", "--seed", "3"]
    asked += ["--space", "canonical", "--particles", "30", "--runs", "4"]
    assert main([*asked, "--out", str(tmp_path / "out")]) == 0
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["algorithm"] == "smc"
    assert summary["particles"] == 30
    assert summary["runs"] == 4
    assert len(summary["steps"]) == len(summary["bridge"]) - 1
    evidence = ["evidence", str(table), "--max-indegree", "2", "--method", "smc", "--runs", "3"]
    assert main([*evidence, "--particles", "20", "--out", str(tmp_path / "evidence.json")]) == 0
    assert "log_evidence" in json.loads((tmp_path / "evidence.json").read_text())


def test_learn_takes_it() -> None:
    data = arcwise.simulate("asia", 300, seed=1)
    found = arcwise.learn(
        data, max_indegree=2, algorithm="smc", particles=30, runs=4, progress=False
    )
    assert found.algorithm == "smc"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"particles": 1}, "particles is 1"),
        ({"runs": 0}, "runs is 0"),
        ({"runs": 3, "seconds": 1.0}, "both runs and seconds were given"),
        ({"seconds": -1.0}, "seconds is -1.0"),
        ({"steps": 0}, "steps is 0"),
        ({"effective_share": 1.0}, "effective_share is 1.0; give a number between 0 and 1"),
    ],
)
def test_refusals(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        arcwise.smc(MODEL, **arguments)


def test_the_budget_in_seconds() -> None:
    with steps_take(0.1) as clock:  # each population
        found = arcwise.smc(MODEL, particles=8, seconds=clock.deadline(1.0), threads=2)
    # Two run at a time, and another two would end too late.
    assert isinstance(found.run, AnnealingRun)
    assert found.run.runs == 8
    assert found.dags is not None
    assert len(found.dags) >= 8


def _pilots_of(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pilots of more particles take too long."""
    plan = populations._plan

    def in_time(session: Any, settings: Any) -> Any:
        if settings.particles > most:
            raise TimeIsUpError("too long")
        return plan(session, settings)

    monkeypatch.setattr(populations, "_plan", in_time)


def test_smaller_populations_are_tried_if_the_time_is_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _pilots_of(64, monkeypatch)
    with steps_take(1.0) as clock:
        deadline = clock.deadline(1e-3)
        found = arcwise.smc(MODEL, seconds=deadline, seed=1)
    assert isinstance(found.run, AnnealingRun)
    assert found.run.settings.states_per_run == 64
    assert "Populations have 64 particles" in deadline.cuts[0]


def test_a_population_that_was_asked_for_is_not_made_smaller(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _pilots_of(64, monkeypatch)
    deadline = WorkClock().deadline(1e-3)
    with pytest.raises(TimeIsUpError, match="too short for a single population; give more, or fe"):
        arcwise.smc(MODEL, particles=100, seconds=deadline)


def test_the_pilot_is_cut_off() -> None:
    model = Model([f"x{i}" for i in range(12)], lambda node, parents: -float(len(parents)))
    deadline = WorkClock(reading=0.01).deadline(0.05)
    with pytest.raises(TimeIsUpError, match="too short for a single population"):
        arcwise.smc(model, "partitions", particles=2000, steps=10**6, seconds=deadline)


def test_constraints_that_no_particle_meets() -> None:
    required = [(f"x{i}", f"x{i + 1}") for i in range(7)]
    model = Model([f"x{i}" for i in range(8)], lambda node, parents: 0.0, required_edges=required)
    found = arcwise.smc(model, particles=64, runs=2, seed=1)
    assert found.edges[0, 1] == 1.0
