"""`Deadline`: the clock that the stages of a computation share."""

from __future__ import annotations

import time
import warnings

import pytest

from arcwise.errors import ArgumentError, CutShortWarning, TimeIsUpError
from arcwise.support.devices import Processors
from arcwise.support.running import NEVER, Deadline, Stage, process_began, running, shared_clock


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_stages_share_what_is_left() -> None:
    clock = Clock()
    whole = Deadline(100.0, clock=clock)
    clock.now += 20.0
    first = whole.part(0.5)
    assert (whole.spent, whole.left, first.left) == (20.0, 80.0, 40.0)
    clock.now += 10.0
    inner = first.part(0.5)
    assert (first.left, inner.left, inner.whole) == (30.0, 15.0, whole)
    assert inner.began == whole.began
    clock.now += 15.0
    assert inner.passed
    assert not first.passed
    assert inner.part(0.5).passed
    clock.now += 1000.0
    assert (whole.left, whole.part(0.9).left) == (0.0, 0.0)
    assert repr(whole) == "<Deadline: 0.0 of 100 s left>"


def test_without_a_limit_there_is_always_time() -> None:
    deadline = Deadline.of(None)
    assert not deadline.limited
    assert not deadline.passed
    assert deadline.left == float("inf")
    assert deadline.part(0.1) is deadline
    assert deadline.watch(None) is None
    assert repr(deadline) == "<Deadline: none>"
    deadline.check()


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan"), float("inf"), True, "5"])
def test_other_seconds_are_refused(seconds: object) -> None:
    with pytest.raises(ArgumentError, match=r"^seconds is .*; give a positive number$"):
        Deadline(seconds)  # type: ignore[arg-type]


def test_progress_ends_the_run_when_the_time_is_up() -> None:
    clock = Clock()
    seen: list[float] = []
    run = Stage(Processors(1), seen.append, Deadline(5.0, clock=clock))
    assert run.progress is not None
    run.progress(0.25)
    assert run.quiet.progress is not None
    run.quiet.progress(0.5)
    assert seen == [0.25]
    clock.now += 5.0
    for watched in (run, run.quiet):
        assert watched.progress is not None
        with pytest.raises(TimeIsUpError, match=r"^the 5 seconds given are over$"):
            watched.progress(0.75)
    assert seen == [0.25]
    assert Stage(Processors(1)).progress is None
    with running(1, None, "") as plain:
        assert plain.progress is None


def test_what_was_left_out_is_told_once_by_whoever_began() -> None:
    def halve() -> None:
        with shared_clock(60.0) as deadline:
            deadline.part(0.5).cut("Half was left out.")
            deadline.cut("Half was left out.")
            assert deadline.part(0.1).cuts == ("Half was left out.",)

    with pytest.warns(CutShortWarning, match=r"^Half was left out$") as caught:
        halve()
    assert len(caught) == 1
    shared = Deadline(60.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with shared_clock(shared) as deadline:
            deadline.cut("Nothing is left.")
    assert shared.cuts == ("Nothing is left.",)
    with pytest.warns(CutShortWarning, match=r"^Too much$"):
        NEVER.cut("Too much.")
    assert NEVER.cuts == ()


def test_the_beginning_of_the_process_is_known() -> None:
    assert process_began() <= time.perf_counter()
    assert abs(process_began() - process_began()) < 5.0


@pytest.mark.parametrize(
    ("used", "slowness"), [(0.1, 1.0), (0.5, 4.0), (2.0, 2.0), (4.0, 1.0), (100.0, 1.0)]
)
def test_slowness_is_what_passes_for_each_second_of_a_processor(
    used: float, slowness: float
) -> None:
    clock, processor = Clock(), Clock()
    whole = Deadline(10.0, clock=clock, processor=processor)
    part = whole.part(0.5)
    clock.now += 4.0
    processor.now += used
    assert whole.slowness == part.slowness == pytest.approx(slowness)


def test_what_began_with_the_process_counts_all_of_its_processor_time() -> None:
    clock = Clock()
    deadline = Deadline(10.0, began=clock.now - 6.0, clock=clock, processor=lambda: 3.0)
    assert deadline.slowness == 2.0
