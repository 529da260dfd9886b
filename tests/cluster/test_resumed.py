"""Runs kept in a directory that change engines when they are stopped: the same bits."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import arcwise
from arcwise import Model, Posterior
from arcwise.errors import InterruptedWarning
from support.same_posteriors import assert_same_posterior
from support.stopped_runs import checkpoints_whatever_they_cost

SAMPLERS: dict[str, Any] = {
    "ais": lambda model, steps=300, **more: arcwise.ais(
        model, "partitions", particles=80, steps=steps, seed=5, **more
    ),
    "mcmc": lambda model, steps=6000, **more: arcwise.mcmc(
        model, "partitions", steps=steps, chains=2, seed=5, **more
    ),
    "mcmc, adapted": lambda model, steps=6000, **more: arcwise.mcmc(
        model, "dags", steps=steps, chains=2, seed=5, adapt_moves=True, **more
    ),
    "mc3": lambda model, steps=4000, **more: arcwise.mc3(
        model, temperatures=5, ladder="adapted", steps=steps, chains=2, seed=5, **more
    ),
}


@cache
def on_threads(name: str, model: Model, **more: Any) -> Posterior:
    """Return what a sampler finds without a cluster, and without a stop."""
    found: Posterior = SAMPLERS[name](model, **more)
    return found


def interrupt(share: float) -> None:
    if share > 0.7:
        raise KeyboardInterrupt


@pytest.mark.parametrize("first_far", [False, True])
@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.filterwarnings("ignore::arcwise.errors.ConvergenceWarning")
def test_a_run_goes_on_with_another_engine(
    name: str, first_far: bool, client: Any, model: Model, tmp_path: Path
) -> None:
    engines = (client, None) if first_far else (None, client)
    begin = SAMPLERS[name]
    # So few steps that there can be a checkpoint after every few of them.
    kept: dict[str, Any] = {"directory": tmp_path, "checkpoint_seconds": 0.0, "steps": 300}
    with checkpoints_whatever_they_cost(), pytest.warns(InterruptedWarning):
        begin(model, engine=engines[0], progress=interrupt, **kept)
    assert arcwise.status(tmp_path).checkpoints > 0
    found = arcwise.resume(tmp_path, engine=engines[1])
    assert not found.run.interrupted
    assert_same_posterior(found, on_threads(name, model, steps=300))


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_whole_run_on_a_cluster_is_kept(
    name: str, client: Any, model: Model, tmp_path: Path
) -> None:
    found = SAMPLERS[name](model, engine=client, directory=tmp_path, checkpoint_seconds=0.5)
    assert_same_posterior(found, on_threads(name, model))
    assert_same_posterior(arcwise.resume(tmp_path), found)
