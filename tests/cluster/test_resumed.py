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

SAMPLERS: dict[str, Any] = {
    "ais": lambda model, **more: arcwise.ais(
        model, "partitions", particles=80, steps=300, seed=5, **more
    ),
    "mcmc": lambda model, **more: arcwise.mcmc(
        model, "partitions", steps=6000, chains=2, seed=5, **more
    ),
    "mc3": lambda model, **more: arcwise.mc3(
        model, temperatures=5, ladder="adapted", steps=4000, chains=2, seed=5, **more
    ),
}


@cache
def on_threads(name: str, model: Model) -> Posterior:
    """Return what a sampler finds without a cluster, and without a stop."""
    found: Posterior = SAMPLERS[name](model)
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
    kept: dict[str, Any] = {"directory": tmp_path, "checkpoint_seconds": 0.001}
    with pytest.warns(InterruptedWarning):
        begin(model, engine=engines[0], progress=interrupt, **kept)
    assert arcwise.status(tmp_path).checkpoints > 0
    found = arcwise.resume(tmp_path, engine=engines[1])
    assert not found.run.interrupted
    assert_same_posterior(found, on_threads(name, model))


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_whole_run_on_a_cluster_is_kept(
    name: str, client: Any, model: Model, tmp_path: Path
) -> None:
    found = SAMPLERS[name](model, engine=client, directory=tmp_path, checkpoint_seconds=0.5)
    assert_same_posterior(found, on_threads(name, model))
    assert_same_posterior(arcwise.resume(tmp_path), found)
