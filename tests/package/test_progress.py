"""Where progress is shown, and as what."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from types import SimpleNamespace

import pytest

from arcwise.support import running
from arcwise.support.running import ProgressUpdate, hidden_progress, shown_progress

_HANGS = 600.0  # seconds


class Waits:
    """The waits of the thread that prints lines, each of which ends when a test says so.

    It stands in for the event of the end of a stage, and has the clock of the stage.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self._begun: SimpleQueue[float] = SimpleQueue()
        self._ended: SimpleQueue[bool] = SimpleQueue()
        self._seconds: float | None = None

    def wait(self, seconds: float) -> bool:
        self._begun.put(seconds)
        return self._ended.get(timeout=_HANGS)

    def set(self) -> None:
        self._ended.put(True)

    def over(self) -> float:
        """Let the thread wait in vain until it waits again; return how long it waited."""
        waited = self._begun.get(timeout=_HANGS) if self._seconds is None else self._seconds
        self.now += waited
        self._ended.put(False)
        self._seconds = self._begun.get(timeout=_HANGS)
        return waited


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Waits:
    made = Waits()
    monkeypatch.setattr(
        running, "threading", SimpleNamespace(Event=lambda: made, Thread=threading.Thread)
    )
    monkeypatch.setattr(running, "time", SimpleNamespace(monotonic=lambda: made.now))
    return made


def test_a_log_has_lines_by_the_clock_and_one_at_the_end(
    waits: Waits, capsys: pytest.CaptureFixture[str]
) -> None:
    with shown_progress("Sampling") as show:
        assert show is not None
        assert waits.over() == 10.0  # though nothing was told yet
        assert capsys.readouterr().err == "Sampling: 0%\n"
        show(ProgressUpdate(0.25, rate=520.0, acceptance=0.31, rhat=1.004, seconds_left=90.0))
        assert capsys.readouterr().err == ""
        for _ in range(2):
            assert waits.over() == 30.0
            assert capsys.readouterr().err == (
                "Sampling: 25%, 520 steps/s, 31% accepted, R-hat 1.004, about 90 s left\n"
            )
    assert capsys.readouterr().err == "Sampling: 70 s\n"


def test_what_is_left_is_told_from_what_is_done(
    waits: Waits, capsys: pytest.CaptureFixture[str]
) -> None:
    with shown_progress("Scoring") as show:
        assert show is not None
        show(0.2)
        waits.over()
    assert capsys.readouterr().err == "Scoring: 20%, about 40 s left\nScoring: 10 s\n"


def test_short_stages_leave_no_trace(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_progress("Scoring") as show:
        assert show is not None
        show(1.0)
    assert capsys.readouterr() == ("", "")


def test_hidden_progress_is_not_shown() -> None:
    with hidden_progress(), shown_progress("Scoring") as show:
        assert show is None
    with shown_progress("Scoring") as show:
        assert show is not None
