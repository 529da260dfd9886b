"""Runs that are stopped and gone on with end as if they had never been stopped."""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.errors import ArcwiseWarning, InterruptedWarning
from arcwise.records.settings import Recording
from arcwise.runs import driver
from support.clocks import steps_take
from support.run_records import annealing_of, chains_of
from support.stopped_runs import (
    Stop,
    assert_same,
    checkpoints_after,
    checkpoints_whatever_they_cost,
    run_with_stops,
    stopping_after,
    stopping_at,
)

_PARTS = [("asia", "tub"), ("smoke", "lung"), ("smoke", "bronc")]
_SPACES: dict[str, Any] = {
    "linear": arcwise.spaces.LinearOrders(),
    "buckets": arcwise.spaces.BucketOrders(3),
    "partial orders": arcwise.spaces.PartialOrders(_PARTS),
    "partitions": arcwise.spaces.Partitions({"split or join": 1.0, "relocate": 2.0}),
    "layerings": arcwise.spaces.Layerings(3),
    "dags": "dags",
}
_DATA = arcwise.simulate("asia", 150, seed=4)
_MODEL = arcwise.Model(_DATA, max_indegree=2, prior="fair")


def _quietly(function: Any, *arguments: Any, **options: Any) -> arcwise.Posterior:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArcwiseWarning)
        return function(*arguments, **options)  # type: ignore[no-any-return]


def _assert_resumes(begin: Any, tmp_path: Path, *, seed: int, fewest_stops: int = 2) -> None:
    expected = _quietly(begin)
    found, stops = run_with_stops(begin, tmp_path / "run", seed=seed)
    assert stops >= fewest_stops
    assert_same(found, expected, tmp_path)
    # Once it has come to its end, it is not run again.
    size = (tmp_path / "run" / "ledger.sqlite").stat().st_size
    assert_same(_quietly(arcwise.resume, tmp_path / "run"), expected, tmp_path)
    assert (tmp_path / "run" / "ledger.sqlite").stat().st_size == size


@pytest.mark.parametrize("space", _SPACES.values(), ids=_SPACES)
@pytest.mark.parametrize("algorithm", ["mcmc", "mc3", "ais"])
def test_the_same_result_with_stops_and_without(algorithm: str, space: Any, tmp_path: Path) -> None:
    options: dict[str, dict[str, Any]] = {
        "mcmc": {"steps": 800, "chains": 2},
        "mc3": {"steps": 500, "chains": 2, "temperatures": 4, "ladder": "adapted"},
        "ais": {"particles": 40, "steps": 40},
    }
    function = getattr(arcwise, algorithm)
    begin = partial(function, _MODEL, space, seed=7, **options[algorithm])
    _assert_resumes(begin, tmp_path, seed=len(algorithm))


_MODELS: dict[str, Any] = {
    "a list of families": lambda: arcwise.Model(
        _MODEL.weights, required_edges=[("smoke", "lung")], forbidden_edges=[("dysp", "asia")]
    ),
    "one parent besides the candidates": lambda: arcwise.Model(
        _DATA, candidates={"dysp": ["bronc"], "lung": ["smoke"]}, plus_one=True, max_indegree=3
    ),
    "a prior by a function": lambda: arcwise.Model(
        _DATA, prior=lambda node, parents: -0.5 * len(parents), max_indegree=2
    ),
}


@pytest.mark.parametrize("model", _MODELS.values(), ids=_MODELS)
def test_models_of_all_kinds_are_kept(model: Any, tmp_path: Path) -> None:
    begin = partial(arcwise.mc3, model(), "partitions", steps=800, temperatures=4, chains=2, seed=3)
    _assert_resumes(begin, tmp_path, seed=5)


def test_score_sums_are_kept_as_they_were_asked_for(tmp_path: Path) -> None:
    sums = arcwise.model.ScoreSums(_MODEL, method="scan", tolerance=1e-4)
    begin = partial(arcwise.mcmc, _MODEL, steps=800, chains=2, seed=3, sums=sums)
    _assert_resumes(begin, tmp_path, seed=5)


@pytest.mark.parametrize(
    "budget", [{"until": "ess>60, difference<0.5", "steps": 8_000}, {"effective_samples": 50.0}]
)
def test_rules_see_what_they_would_have_seen(budget: dict[str, Any], tmp_path: Path) -> None:
    begin = partial(arcwise.mcmc, _MODEL, "partitions", chains=2, seed=3, **budget)
    expected = _quietly(begin)
    assert chains_of(expected).rule_met
    found, stops = run_with_stops(begin, tmp_path / "run", seed=1, part=40)
    assert stops >= 2
    assert_same(found, expected, tmp_path)


def test_effective_annealing_runs_are_counted_in_the_same_pieces(tmp_path: Path) -> None:
    begin = partial(arcwise.ais, _MODEL, steps=60, effective_samples=20.0, seed=2)
    expected = _quietly(begin)
    assert annealing_of(expected).runs == 32
    for calls in (0, 1):
        folder = tmp_path / str(calls)
        with pytest.raises(Stop), checkpoints_whatever_they_cost():
            begin(directory=folder, progress=stopping_after(calls), checkpoint_seconds=0.0)
        assert arcwise.status(folder).done == 16 * (calls + 1)
        assert_same(_quietly(arcwise.resume, folder), expected, tmp_path)


def test_where_checkpoints_are_makes_no_difference(tmp_path: Path) -> None:
    begin = partial(arcwise.mcmc, _MODEL, "partitions", steps=3000, chains=2, seed=3)
    expected = _quietly(begin)
    for seconds in (0.0, 0.01, 60.0):
        folder = tmp_path / str(seconds)
        found = _quietly(begin, directory=folder, checkpoint_seconds=seconds)
        assert_same(found, expected, tmp_path)


def test_a_budget_in_seconds_counts_the_time_before_the_stop(tmp_path: Path) -> None:
    begin = partial(arcwise.mcmc, _MODEL, "partitions", chains=2, seed=3)
    with steps_take(1e-3) as clock, checkpoints_after(16):
        expected = _quietly(begin, seconds=clock.deadline(1.2))
        with pytest.raises(Stop):
            begin(directory=tmp_path, seconds=clock.deadline(1.2), progress=stopping_at(0.7))
        before = arcwise.status(tmp_path)
        assert before.state == "stopped"
        assert 0.69 * 1.2 < before.seconds < 1.2
        clock.jump()  # the time between stop and resumption does not count
        found = _quietly(begin, directory=tmp_path, seconds=clock.deadline(1.2))
    after = arcwise.status(tmp_path)
    assert after.state == "finished"
    # A little is left for what comes after sampling.
    assert 0.9 * 1.2 <= after.seconds < 1.2
    assert chains_of(found).seconds_sampling == pytest.approx(after.seconds)
    assert found.dags is not None
    assert len(found.dags) == sum(chains_of(found).states)
    assert_same(found, expected, tmp_path)
    # Nothing is left to do, and the seconds are those of the settings.
    assert_same(_quietly(arcwise.resume, tmp_path), expected, tmp_path)


def test_ctrl_c_returns_what_there_is_and_the_rest_can_be_had(tmp_path: Path) -> None:
    begin = partial(arcwise.mcmc, _MODEL, "partitions", steps=3_000, chains=2, seed=3)
    expected = _quietly(begin)
    progress = stopping_at(0.75, KeyboardInterrupt)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        part = begin(directory=tmp_path, checkpoint_seconds=0.0, progress=progress)
    assert InterruptedWarning in [warning.category for warning in caught]
    assert part.run.interrupted
    assert part.dags is not None
    assert expected.dags is not None
    assert 0 < len(part.dags) < len(expected.dags)
    for chain in range(2):
        mine = part.dags.parents[part.dags.chains == chain]
        whole = expected.dags.parents[expected.dags.chains == chain]
        np.testing.assert_array_equal(mine, whole[: len(mine)])
    assert_same(_quietly(arcwise.resume, tmp_path), expected, tmp_path)


def test_ctrl_c_keeps_the_finished_annealing_runs(tmp_path: Path) -> None:
    begin = partial(arcwise.ais, _MODEL, particles=60, steps=40, seed=2, threads=1)
    progress = stopping_at(0.5, KeyboardInterrupt)
    with pytest.warns(InterruptedWarning):
        part = begin(directory=tmp_path, progress=progress)
    assert arcwise.status(tmp_path).done == annealing_of(part).runs > 0
    assert_same(_quietly(arcwise.resume, tmp_path), _quietly(begin), tmp_path)


def test_draws_do_not_stay_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the length of a run, no more states are in memory than the limit allows."""
    of_state = Recording().bytes_per_state(8)
    monkeypatch.setattr(driver, "_MOST_PENDING", 2 * of_state * 50)
    largest = 0
    pause = driver.ChainDriver._pause

    def watched(running: driver.ChainDriver, part: int) -> None:
        nonlocal largest
        pending = [len(running.chains.record(chain)["log_weights"]) for chain in range(2)]
        largest = max(largest, *pending)
        pause(running, part)

    monkeypatch.setattr(driver.ChainDriver, "_pause", watched)
    found = _quietly(
        arcwise.mcmc,
        _MODEL,
        "partitions",
        steps=40_000,
        thinning=2,
        chains=2,
        seed=3,
        directory=tmp_path,
    )
    assert chains_of(found).states == (16_000, 16_000)
    assert 0 < largest <= 100


def test_too_many_draws_for_the_memory_are_thinned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = partial(
        arcwise.mcmc, _MODEL, "partitions", steps=8000, burn_in=0.5, thinning=4, chains=2, seed=3
    )
    expected = _quietly(begin)
    of_state = Recording().bytes_per_state(8)
    monkeypatch.setattr(driver, "_MOST_LOADED", 2 * of_state * 300)
    found = _quietly(begin, directory=tmp_path, checkpoint_seconds=0.0)
    # A quarter of the 1,000 states of each chain is read back; the edges are of all of them.
    np.testing.assert_array_equal(found.edges, expected.edges)
    np.testing.assert_array_equal(found.edge_errors, expected.edge_errors)
    assert chains_of(found).states == (1000, 1000)
    assert found.dags is not None
    assert expected.dags is not None
    assert found.traces is not None
    assert found.traces.steps == 16
    np.testing.assert_array_equal(
        found.dags.parents,
        np.concatenate([expected.dags.parents[3:1000:4], expected.dags.parents[1003:2000:4]]),
    )
