"""The clock of checkpoints on a simulated machine: parts never shrink to nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from arcwise.runs.checkpoints import CheckpointClock


class Machine:
    """A run whose parts, pauses and checkpoints take a known time."""

    def __init__(self, *, round_trip: float, step: float, checkpoint: float) -> None:
        self.now = 0.0
        self.round_trip, self.step, self.checkpoint = round_trip, step, checkpoint

    def run(self, seconds: float, steps: int) -> tuple[list[int], list[float]]:
        """Return the sizes of the parts, and the times of checkpoints."""
        clock = CheckpointClock(seconds, 16)
        clock.saved()
        clock.resume()
        parts, checkpoints = [], []
        while steps > 0:
            part = clock.part(steps)
            self.now += self.round_trip + part * self.step
            steps -= part
            parts.append(part)
            if clock.look():
                self.now += self.checkpoint
                clock.saved()
                checkpoints.append(self.now)
            clock.resume()
        return parts, checkpoints


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Machine]:
    def make(**times: float) -> Machine:
        made = Machine(**times)
        monkeypatch.setattr("time.monotonic", lambda: made.now)
        return made

    return make


def test_checkpoints_come_when_they_are_due(machine: Callable[..., Machine]) -> None:
    local = machine(round_trip=1e-5, step=1e-4, checkpoint=0.01)
    parts, checkpoints = local.run(1.0, 200_000)
    assert len(checkpoints) == pytest.approx(20, abs=3)
    assert max(parts) * 1e-4 <= 0.5


@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.2])
def test_a_round_trip_longer_than_the_interval_costs_a_share_of_the_time(
    seconds: float, machine: Callable[..., Machine]
) -> None:
    far = machine(round_trip=0.6, step=1e-4, checkpoint=0.05)
    parts, checkpoints = far.run(seconds, 1_000_000)
    assert far.now < 1.3 * 1_000_000 * 1e-4
    assert checkpoints
    assert min(parts[:-1]) >= 4


def test_a_slow_checkpoint_comes_later(machine: Callable[..., Machine]) -> None:
    slow = machine(round_trip=0.0, step=1e-3, checkpoint=2.0)
    _, checkpoints = slow.run(0.05, 100_000)
    assert 3 <= len(checkpoints) <= 7
    assert slow.now < 1.2 * 100.0


def test_steps_that_become_slow_make_parts_smaller(machine: Callable[..., Machine]) -> None:
    changing = machine(round_trip=1e-5, step=1e-5, checkpoint=0.0)
    clock = CheckpointClock(1.0, 16)
    clock.resume()
    for _ in range(30):
        changing.now += clock.part(10**9) * 1e-5
        clock.look()
        clock.resume()
    quick = clock.part(10**9)
    for _ in range(30):
        changing.now += clock.part(10**9) * 1e-2
        clock.look()
        clock.resume()
    assert quick * 1e-5 >= 0.125
    assert clock.part(10**9) * 1e-2 <= 0.5


def test_steps_and_draws_have_parts_of_their_own(machine: Callable[..., Machine]) -> None:
    changing = machine(round_trip=0.0, step=0.0, checkpoint=0.0)
    clock = CheckpointClock(1.0, 16)
    for _ in range(10):
        changing.now += clock.part(10**9) * 1e-5
        clock.look()
        clock.resume()
    assert clock.part(10**9) > 1000
    assert clock.part(10**9, draws=True) == 16
