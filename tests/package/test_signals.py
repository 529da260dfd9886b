"""SIGTERM ends a run as Ctrl-C does, and signals wait for a checkpoint."""

from __future__ import annotations

import os
import signal
import threading

import pytest

import arcwise
from arcwise.cli import main
from arcwise.errors import InterruptedWarning
from arcwise.support.running import running, sigterm_interrupts, uninterrupted


@pytest.fixture(autouse=True)
def _nobody_told_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget afterwards that these tests have told the process to end."""
    monkeypatch.setattr("arcwise.support.running._told_to_end", False)


def test_sigterm_interrupts_a_run_and_only_that() -> None:
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    with pytest.raises(KeyboardInterrupt), running(1, None, ""):
        os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_program_that_has_a_use_for_sigterm_keeps_it() -> None:
    heard: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        with sigterm_interrupts():
            os.kill(os.getpid(), signal.SIGTERM)
        assert heard == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def test_signals_wait_until_all_is_done() -> None:
    done = []

    def work() -> None:
        with sigterm_interrupts():
            with uninterrupted():
                os.kill(os.getpid(), signal.SIGTERM)
                done.append("here")
            done.append("not here")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["here"]


def test_other_threads_leave_signals_alone() -> None:
    failed: list[BaseException] = []

    def work() -> None:
        try:
            with sigterm_interrupts(), uninterrupted():
                assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert failed == []


def test_the_command_line_takes_sigterm_as_ctrl_c_all_along(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def killed(*_: object, **__: object) -> int:
        signal.raise_signal(signal.SIGTERM)
        return 0

    monkeypatch.setattr("arcwise.cli.application", lambda words: killed)
    assert main([]) == 130
    assert capsys.readouterr().err == "arcwise: interrupted\n"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_script_that_goes_from_run_to_run_is_ended_by_one_signal() -> None:
    """The run under way returns what it has, and the next one is not begun."""
    model = arcwise.Model(arcwise.simulate("asia", 200, seed=1), max_indegree=2)

    def learned() -> arcwise.Posterior:
        return arcwise.learn(
            model, algorithm="mcmc", steps=200_000, seed=1, threads=1, progress=_end_half_way
        )

    with pytest.warns(InterruptedWarning):
        assert learned().run.interrupted
    with pytest.raises(KeyboardInterrupt):
        learned()


def _end_half_way(share: float) -> None:
    if share > 0.5:
        signal.raise_signal(signal.SIGTERM)
