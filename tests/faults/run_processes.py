"""Runs in processes of their own, to be killed, and the command line they are begun by."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

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
    with start(*arguments) as process:
        output, errors = process.communicate(timeout=600)
    assert process.returncode == status, errors
    return output, errors


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
    wanted = _checkpoints(ledger) + checkpoints
    with start(*arguments) as process:
        while process.poll() is None and not (ledger.exists() and _checkpoints(ledger) >= wanted):
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


def _checkpoints(ledger: Path) -> int:
    """Return how many checkpoints there are, read without touching anything."""
    try:
        with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM checkpoints").fetchone()[0])
    except sqlite3.Error:
        return 0  # not made yet, or in use


def write_data(path: Path) -> Path:
    """Write the data the runs are of."""
    finish("simulate", "asia", "--rows", 800, "--seed", 1, "--out", path)
    return path
