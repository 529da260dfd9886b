"""Chains on a cluster, command by command: the same as in the core, whatever workers forget."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arcwise import Model, _core
from arcwise.cluster import DaskEngine, work
from arcwise.cluster.connection import Cluster
from arcwise.engines import ChainJob, Chains
from arcwise.model.score_sums import ScoreSums
from arcwise.records.settings import Recording, filled
from arcwise.spaces import Partitions

COUNT = 2


@pytest.fixture(scope="module")
def job(model: Model) -> ChainJob:
    sums = ScoreSums(model)
    return ChainJob(
        sums,
        Partitions(),
        Partitions().build(sums),
        filled(
            _core.ChainOptions(),
            path=[0.3, 1.0],
            steps_between_exchanges=2,
            record=Recording().record_options(edge_batches=4),
        ),
        seed=7,
        count=COUNT,
    )


@pytest.fixture
def pair(job: ChainJob, client: Any) -> tuple[Chains, Chains]:
    """Return the same chains on a cluster and in the core."""
    return DaskEngine(client).chains(job), job.in_core()


def assert_same(far: Chains, near: Chains) -> None:
    """Assert that both have made the same draws since they were last compared, and go on alike."""
    assert len(far) == len(near) == COUNT
    for chain in range(COUNT):
        one, other = far.take_draws(chain), near.take_draws(chain)
        for name in ("log_weights", "codes", "parents"):
            assert np.array_equal(one[name], other[name]), name
    assert far.save_state() == near.save_state()


def do(pair: tuple[Chains, Chains], name: str, *arguments: int) -> None:
    for chains in pair:
        getattr(chains, name)(*arguments, 1, None)


def test_they_start_burn_in_and_sample_alike(pair: tuple[Chains, Chains]) -> None:
    do(pair, "start", 40)
    assert_same(*pair)
    do(pair, "sample", 25)
    assert_same(*pair)
    do(pair, "burn_in", 20)
    do(pair, "burn_in", 10)
    do(pair, "sample", 5)
    assert_same(*pair)


def test_they_go_on_from_a_saved_state(pair: tuple[Chains, Chains], job: ChainJob) -> None:
    far, near = pair
    near.start(50, 1, None)
    near.sample(5, 1, None)
    for chain in range(COUNT):
        near.take_draws(chain)
    far.restore_state(near.save_state())
    do(pair, "sample", 20)
    assert_same(*pair)


def test_workers_that_have_forgotten_a_chain_are_sent_its_state(
    pair: tuple[Chains, Chains],
) -> None:
    do(pair, "start", 20)
    work._HELD.clear()  # as if all workers had been restarted
    do(pair, "sample", 20)
    assert_same(*pair)


def test_workers_forget_chains_that_nobody_asks_for(
    pair: tuple[Chains, Chains], job: ChainJob, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    do(pair, "start", 20)
    before = set(work._HELD)
    assert before
    monkeypatch.setattr(work, "_HELD_FOR", -1.0)
    others = DaskEngine(client).chains(job)
    others.start(0, 1, None)
    assert before.isdisjoint(work._HELD)
    monkeypatch.undo()
    do(pair, "sample", 10)
    assert_same(*pair)


def test_work_is_returned_to_in_pieces(
    pair: tuple[Chains, Chains], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A clock that ticks when it is looked at, and three ticks for a task.
    clock = SimpleNamespace(perf_counter=count().__next__, monotonic=time.monotonic)
    monkeypatch.setattr(work, "time", clock)
    monkeypatch.setattr("arcwise.cluster.dask_engine._LONGEST_PIECE", 3)
    far, near = pair
    shares: list[float] = []
    do(pair, "start", 0)
    far.sample(60, 1, shares.append)
    near.sample(60, 1, None)
    assert_same(far, near)
    assert len(shares) > COUNT
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_command_whose_result_was_lost_is_not_done_twice(
    pair: tuple[Chains, Chains], monkeypatch: pytest.MonkeyPatch
) -> None:
    do(pair, "start", 20)
    honest = Cluster.results
    lost: list[Any] = []

    def forgetful(self: Cluster, futures: list[Any]) -> Iterator[tuple[Any, Any]]:
        for future, result in honest(self, futures):
            if len(lost) < COUNT:
                lost.append(result)
                yield future, TimeoutError()
            else:
                yield future, result

    monkeypatch.setattr(Cluster, "results", forgetful)
    do(pair, "sample", 15)
    assert len(lost) == COUNT
    assert_same(*pair)
