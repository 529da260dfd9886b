"""Runs in processes of their own, to be killed, and the command line they are begun by.

What is not killed is run within the process of the tests: a process takes longer to start than
most runs take.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path

import arcwise
from arcwise.cli import main

_COMMAND = "import sys; from arcwise.cli import main; sys.exit(main())"


def start(*arguments: object) -> subprocess.Popen[str]:
    """Start ``arcwise`` with these arguments."""
    return subprocess.Popen(
        [sys.executable, "-c", _COMMAND, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )


def finish(*arguments: object, status: int = 0) -> tuple[str, str]:
    """Run ``arcwise`` to its end, and return what it prints and what it says on standard error."""
    output, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(errors):
        found = main([str(argument) for argument in arguments])
    assert found == status, errors.getvalue()
    return output.getvalue(), errors.getvalue()


def kill_after(
    checkpoints: int,
    seconds: float,
    arguments: Sequence[object],
    signal_number: int,
    ledger: Path,
) -> int:
    """Start ``arcwise``, signal it in the middle of its run, and return its exit status.

    Parameters
    ----------
    checkpoints
        So many more of them than now must be in the ledger: however fast the machine is, the
        run is then under way.
    seconds
        What passes from then to the signal.
    arguments
        Of the command line.
    signal_number
        The signal.
    ledger
        The ledger the run keeps.
    """
    wanted = checkpoints_in(ledger) + checkpoints
    with start(*arguments) as process:
        while process.poll() is None and not (ledger.exists() and checkpoints_in(ledger) >= wanted):
            time.sleep(0.002)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal_number)
        process.communicate(timeout=600)
        return process.returncode


def is_finished(ledger: Path) -> bool:
    """Return whether the last checkpoint says that the run is complete."""
    with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as connection:
        (facts,) = connection.execute(
            "SELECT facts FROM checkpoints ORDER BY number DESC LIMIT 1"
        ).fetchone()
    return bool(json.loads(facts)["finished"])


def checkpoints_in(ledger: Path) -> int:
    """Return how many checkpoints there are, read without touching anything."""
    try:
        with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM checkpoints").fetchone()[0])
    except sqlite3.Error:
        return 0  # not made yet, or in use


def kill_under_way(
    checkpoints: int,
    seconds: float,
    arguments: Sequence[object],
    ledger: Path,
    record_property: Callable[[str, object], None],
    what: str,
) -> None:
    """Kill a run as `kill_after` does, see in its ledger that it was under way, and say so.

    Parameters
    ----------
    checkpoints, seconds, arguments, ledger
        As for `kill_after`.
    record_property
        That of the test, by which the kill gets into the table at the end.
    what
        What was killed.
    """
    before = checkpoints_in(ledger)
    assert kill_after(checkpoints, seconds, arguments, signal.SIGKILL, ledger) == -signal.SIGKILL
    found = checkpoints_in(ledger)
    assert found > before, "there was no checkpoint since it was started"
    assert not is_finished(ledger)
    record_property("kill", [what, before, found])


def write_data(path: Path) -> Path:
    """Write the data the runs are of."""
    arcwise.simulate("asia", 800, seed=1).write_csv(path)
    return path
