"""`mcmc(adapt_moves=True)`: shares of moves that follow what they bring, and the same posterior."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise import Model, Posterior
from arcwise.algorithms.mcmc import MCMC
from arcwise.errors import ArgumentError
from arcwise.results import ChainRun
from arcwise.spaces import Dags
from support.same_posteriors import assert_same_posterior


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(arcwise.simulate("asia", 500, seed=1), max_indegree=3)


def sampled(model: Model, **more: Any) -> Posterior:
    return arcwise.mcmc(model, "dags", steps=60_000, seed=2, **more)


def run_of(posterior: Posterior) -> ChainRun:
    assert isinstance(posterior.run, ChainRun)
    return posterior.run


def test_shares_are_those_of_the_proposals_and_change_nothing_else(model: Model) -> None:
    usual, adapted = sampled(model), sampled(model, adapt_moves=True)
    for found in (usual, adapted):
        run = run_of(found)
        assert sum(run.move_shares.values()) == pytest.approx(1.0)
        assert set(run.move_shares) == set(run.acceptance)
    # Where all moves are cheap, parents that are drawn anew bring most for what they cost.
    redrawn = [run_of(found).move_shares["redraw parents"] for found in (usual, adapted)]
    assert redrawn[1] > 2.0 * redrawn[0]
    assert adapted.edge_errors is not None
    exact = arcwise.exact(model).edges
    errors = np.maximum(adapted.edge_errors, 1e-4)
    # 56 edges: beyond 4.5 standard errors by chance about once in 2,500 tests.
    assert (np.abs(adapted.edges - exact) < 4.5 * errors).all()


def test_whatever_the_threads_and_kept_in_files(model: Model, tmp_path: Path) -> None:
    one = sampled(model, adapt_moves=True, threads=1, directory=tmp_path / "run")
    assert_same_posterior(one, sampled(model, adapt_moves=True, threads=3))
    assert_same_posterior(arcwise.resume(tmp_path / "run"), one)
    one.save(tmp_path / "posterior.npz")
    read = run_of(Posterior.load(tmp_path / "posterior.npz"))
    assert read.move_shares == run_of(one).move_shares
    assert isinstance(read.settings, MCMC)
    assert read.settings.adapt_moves


@pytest.mark.parametrize("space", ["linear", "partitions", Dags(moves={"reverse": 1.0})])
def test_where_shares_cannot_be_adapted(model: Model, space: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^adapt_moves was given with the space"):
        arcwise.mcmc(model, space, adapt_moves=True)


def test_only_yes_or_no(model: Model) -> None:
    with pytest.raises(ArgumentError, match="adapt_moves is 'yes'; give True or False"):
        sampled(model, adapt_moves="yes")
