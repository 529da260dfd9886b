"""Chains that run side by side: what they give is in order, and failures end all of them."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

import arcwise
from arcwise.errors import InterruptedWarning
from arcwise.imputation.chain import ImputationChain
from arcwise.imputation.structure import Halted, side_by_side, split_threads
from arcwise.support.running import halted_by

SECONDS = 600.0  # after which a test fails instead of waiting


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_results_are_in_the_order_of_the_items(threads: int) -> None:
    done = [threading.Event() for _ in range(4)]

    def later_first(item: int, _: Halted) -> int:
        # A thread that has one of two items to itself can wait for the other.
        if threads > 1 and item % 2 == 0:
            assert done[item + 1].wait(SECONDS)
        done[item].set()
        return item * item

    assert side_by_side(later_first, range(4), threads) == [0, 1, 4, 9]
    assert side_by_side(later_first, [], threads) == []


def test_two_items_are_worked_on_at_the_same_time() -> None:
    meeting = threading.Barrier(2)
    places = side_by_side(lambda _, __: meeting.wait(SECONDS), "ab", 2)
    assert sorted(places) == [0, 1]


def test_a_failure_is_raised_those_begun_are_told_and_no_other_is_begun() -> None:
    begun: list[int] = []
    told = []
    both = threading.Barrier(2)

    def work(item: int, halted: Halted) -> None:
        begun.append(item)
        if item < 2:
            both.wait(SECONDS)
        if item == 0:
            raise ValueError("the first")
        end = time.monotonic() + SECONDS
        while not halted():
            assert time.monotonic() < end
            time.sleep(0.001)
        told.append(item)

    with pytest.raises(ValueError, match="the first"):
        side_by_side(work, range(5), 2)
    # The thread of the one that failed may have taken another before the failure was seen.
    assert set(begun) <= {0, 1, 2}
    assert 1 in told


def test_computations_of_the_core_end_when_another_fails() -> None:
    """A computation that would take minutes, in a thread that no signal comes to."""
    random = np.random.default_rng(1)
    data = {f"v{number}": random.integers(0, 2, 50) for number in range(20)}
    model = arcwise.Model(data, max_indegree=3, threads=1)
    begun = threading.Event()
    ended = []

    def work(item: int, halted: Halted) -> None:
        if item == 0:
            assert begun.wait(SECONDS)
            raise ValueError("the first")

        def asked() -> bool:
            begun.set()  # the core is at work, and asks whether to end
            return halted()

        try:
            with halted_by(asked):
                arcwise.exact(model, threads=1, dags=0)
            ended.append("by itself")
        except KeyboardInterrupt:
            ended.append("early")
            raise

    with pytest.raises(ValueError, match="the first"):
        side_by_side(work, range(2), 2)
    assert ended == ["early"]


def test_threads_are_shared_out() -> None:
    assert split_threads(4, 2, one_by_one=False) == (2, 1)
    assert split_threads(1, 2, one_by_one=False) == (2, 2)
    assert split_threads(0, 3, one_by_one=False) == (3, 3)
    assert split_threads(4, 2, one_by_one=True) == (1, 2)


@pytest.mark.parametrize("kind", ["discrete", "continuous"])
def test_completed_tables_are_the_same_on_any_number_of_threads(kind: str) -> None:
    random = np.random.default_rng(3)
    table: dict[str, Any] = {}
    for name in "abcd":
        values = random.normal(size=60) + sum(np.nan_to_num(table[each]) for each in table)
        column = (values > 0).astype(float) if kind == "discrete" else values
        table[name] = np.where(random.random(60) < 0.2, np.nan, column)
    given = {name: [None if np.isnan(v) else v for v in column] for name, column in table.items()}
    kinds = dict.fromkeys(given, kind)
    found = [
        arcwise.learn(given, kinds=kinds, completions=8, seed=4, threads=threads, progress=None)
        for threads in (1, 2)
    ]
    assert np.array_equal(found[0].edges, found[1].edges)


def test_an_interrupted_round_keeps_the_tables_that_are_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(6)
    given: dict[str, Any] = {name: random.normal(size=40).tolist() for name in "abc"}
    given["a"][3] = given["b"][7] = None
    kept = ImputationChain.keep
    calls = []

    def keep(chain: ImputationChain, dags: int) -> Any:
        calls.append(chain)
        if len(calls) == 8:
            raise KeyboardInterrupt
        return kept(chain, dags)

    monkeypatch.setattr(ImputationChain, "keep", keep)
    with pytest.warns(InterruptedWarning):
        found = arcwise.learn(
            given, completions=12, seed=1, threads=1, transform="none", progress=None
        )
    assert found.completions is not None
    assert len(found.completions.edges) == 7
