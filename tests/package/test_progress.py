"""Where progress is shown, and as what."""

from __future__ import annotations

import re
import time

import pytest

from arcwise.support import progress
from arcwise.support.progress import ProgressUpdate, hidden_progress, shown_progress


@pytest.fixture
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_FIRST_LINE", 0.01)
    monkeypatch.setattr(progress, "_BETWEEN_LINES", 0.01)


def wait_for(lines: list[str], capsys: pytest.CaptureFixture[str], count: int) -> None:
    """Wait until so many lines were printed to standard error."""
    while len(lines) < count:
        time.sleep(0.01)
        lines += capsys.readouterr().err.splitlines()


@pytest.mark.usefixtures("_short_waits")
def test_a_log_has_lines_by_the_clock_and_one_at_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines: list[str] = []
    with shown_progress("Sampling") as show:
        assert show is not None
        wait_for(lines, capsys, 1)  # though nothing was told yet
        assert set(lines) == {"Sampling: 0%"}
        lines.clear()
        show(ProgressUpdate(0.25, rate=520.0, acceptance=0.31, rhat=1.004, seconds_left=90.0))
        wait_for(lines, capsys, 3)
    assert lines[-1] == "Sampling: 25%, 520 steps/s, 31% accepted, R-hat 1.004, about 90 s left"
    assert re.fullmatch(r"Sampling: \d+ s", capsys.readouterr().err.splitlines()[-1])


@pytest.mark.usefixtures("_short_waits")
def test_what_is_left_is_told_from_what_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[str] = []
    with shown_progress("Scoring") as show:
        assert show is not None
        show(0.5)
        wait_for(lines, capsys, 2)
    assert re.fullmatch(r"Scoring: 50%, about \d+ s left", lines[-1])


def test_short_stages_leave_no_trace(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_progress("Scoring") as show:
        assert show is not None
        show(1.0)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("_short_waits")
def test_hidden_progress_is_not_shown() -> None:
    with hidden_progress(), shown_progress("Scoring") as show:
        assert show is None
    with shown_progress("Scoring") as show:
        assert show is not None
