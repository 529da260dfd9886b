"""Runs a job in a process of its own, sends it Ctrl-C, and checks that it stops as it should."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

_PROLOGUE = """
import signal
# Whoever starts the tests in the background has it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
"""

_EPILOGUE = """
try:
    print("started", flush=True)
    job()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def assert_stops_within_two_seconds(script: str, *arguments: str) -> None:
    """Interrupt the script's `job()`, which takes seconds.

    The job has no progress function: Python would look for signals there, and
    the core has to do so without one.
    """
    with subprocess.Popen(
        [sys.executable, "-c", _PROLOGUE + script + _EPILOGUE, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        output, errors = process.communicate(timeout=60)
        waited = time.monotonic() - began
    assert output == "interrupted\n"
    assert errors == ""
    assert process.returncode == 0
    assert waited < 2.0
