"""`arcwise sample --run`, `arcwise resume` and `arcwise status`."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import arcwise
from arcwise.cli import main
from support.command_line import Captured, status
from support.stopped_runs import Stop, checkpoints_after, stopping_at


def _sample(table: Path, *options: object) -> list[str]:
    usual = ["sample", table, "--max-indegree", 2, "--threads", 1, "--space", "partitions"]
    return [str(part) for part in (*usual, "--seed", 4, *options)]


@pytest.mark.parametrize(
    "algorithm",
    [["mcmc", "--steps", "3000"], ["mc3", "--steps", "1000"], ["ais", "--steps", "100"]],
    ids=lambda words: words[0],
)
def test_a_run_keeps_all_that_resume_needs(
    algorithm: list[str], table: Path, tmp_path: Path, capsys: Captured
) -> None:
    number = ["--particles", 20] if algorithm[0] == "ais" else ["--chains", 2]
    options = ["--algorithm", *algorithm, *number]
    assert main(_sample(table, *options, "--out", tmp_path / "whole")) == 0
    folder = tmp_path / "run"
    assert main(_sample(table, *options, "--run", folder, "--checkpoint", 0.01)) == 0
    capsys.readouterr()
    expected = (tmp_path / "whole" / "edges.csv").read_bytes()
    assert (folder / "edges.csv").read_bytes() == expected
    assert main(["resume", str(folder), "--out", str(tmp_path / "again")]) == 0
    assert f"written to {tmp_path / 'again'}" in capsys.readouterr().out
    assert (tmp_path / "again" / "edges.csv").read_bytes() == expected
    assert main(["status", str(folder), "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert status["state"] == "finished"
    assert status["share"] == 1.0
    assert status["done"] == status["wanted"]
    assert status["checkpoints"] >= 1
    assert main(["status", str(folder)]) == 0
    printed = capsys.readouterr().out
    assert f"{algorithm[0]} in {folder}: finished" in printed
    assert " left" not in printed


def test_how_a_stopped_run_stands(tmp_path: Path, capsys: Captured) -> None:
    model = arcwise.Model(arcwise.simulate("asia", 300, seed=3), max_indegree=2)
    with checkpoints_after(500), pytest.raises(Stop):
        arcwise.mcmc(
            model,
            "partitions",
            steps=20_000,
            seed=1,
            directory=tmp_path,
            progress=stopping_at(0.9),
        )
    found = arcwise.status(tmp_path)
    assert found.state == "stopped"
    assert found.wanted == 20_000
    assert 17_000 < found.done < 20_000
    assert found.share == found.done / 20_000
    assert found.states > 0
    assert found.rate is not None
    assert found.rate == pytest.approx(4 * found.done / found.seconds)
    assert found.seconds_left is not None
    assert found.rhat is not None
    assert 0.9 < found.rhat < 1.3
    assert found.effective is not None
    assert found.effective > 10
    rates = [rate for rate in found.acceptance.values() if rate is not None]
    assert rates
    assert all(0 < rate <= 1 for rate in rates)
    assert main(["status", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    for words in ("stopped", "of 20,000 steps", " left", "accepted:", "R-hat", "checkpoint"):
        assert words in printed


def test_mistakes_are_one_sentence(table: Path, tmp_path: Path, capsys: Captured) -> None:
    folder = tmp_path / "run"
    assert main(_sample(table, "--steps", 500, "--run", folder)) == 0
    capsys.readouterr()
    for arguments, words in (
        (["resume", tmp_path / "no"], "there is no run in"),
        (["status", tmp_path], "there is no run in"),
        (_sample(table, "--steps", 600, "--run", folder), "started with steps = "),
        (_sample(table, "--steps", 600, "--run", table), "is a file"),
        (
            _sample(table, "--steps", 500, "--run", folder, "--checkpoint", -1),
            "--checkpoint is -1.0",
        ),
    ):
        assert status(*arguments, "--quiet") == 2
        errors = capsys.readouterr().err
        assert words in errors
        assert errors.count("\n") == 1


def test_ctrl_c_before_there_is_anything(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("arcwise.sample", interrupted)
    assert main([*_sample(table, "--steps", 500), "--quiet"]) == 130
    assert capsys.readouterr().err == "arcwise: interrupted\n"


# The command saves its first draws, prints a line, and then waits for a signal.
_COMMAND = """
import sys
from arcwise.cli import main
from arcwise.runs.driver import ChainDriver

pause = ChainDriver._pause


def held(driver, part):
    pause(driver, part)
    if driver.controller.draws >= 100:
        driver.save()
        print("drawn", flush=True)
        sys.stdin.read()


ChainDriver._pause = held
sys.exit(main())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_that_is_ended(number: int, table: Path, tmp_path: Path) -> None:
    """The undisturbed run, and one that gets a signal after its first draws, end the same."""
    steps = 20_000
    assert main(_sample(table, "--steps", steps, "--out", tmp_path / "whole")) == 0
    folder = tmp_path / "run"
    arguments = _sample(table, "--steps", steps, "--run", folder)
    with subprocess.Popen(
        [sys.executable, "-c", _COMMAND, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert b"drawn\n" in process.stdout
        assert 100 <= arcwise.status(folder).states < steps / 20
        process.send_signal(number)
        process.wait(timeout=600)
        _, errors = process.communicate()
    if number == signal.SIGTERM:
        assert process.returncode == 0
        assert b"the run was interrupted" in errors
        assert (folder / "edges.csv").exists()
    else:
        assert process.returncode == -signal.SIGKILL
        assert not (folder / "edges.csv").exists()
    assert arcwise.status(folder).state == "stopped"
    assert main(["resume", str(folder)]) == 0
    assert (folder / "edges.csv").read_bytes() == (tmp_path / "whole" / "edges.csv").read_bytes()
