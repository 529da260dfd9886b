"""Runs in processes of their own, to be killed, and the command line they are begun by."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
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
    seconds: float, arguments: Sequence[object], signal_number: int, ledger: Path
) -> int:
    """Start ``arcwise``, signal it a while after its ledger is there; return its exit status."""
    with start(*arguments) as process:
        while not ledger.exists() and process.poll() is None:
            time.sleep(0.01)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal_number)
        process.communicate(timeout=600)
        return process.returncode


def write_data(path: Path) -> Path:
    """Write the data the runs are of."""
    finish("simulate", "asia", "--rows", 800, "--seed", 1, "--out", path)
    return path
