"""Runs a job in a process of its own, sends it Ctrl-C, and checks that it stops as it should."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

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


def _interrupt(script: str, arguments: tuple[str, ...], after: float) -> tuple[str, float]:
    """Return what the script prints after Ctrl-C, and the processor time it takes to end.

    Ctrl-C comes when the script has used so many seconds of processor time since it printed
    "started": however busy the machine is, it is then as far as anywhere else.
    """
    ended = _processor_time_of_ended_children()
    with subprocess.Popen(
        [sys.executable, "-c", _PROLOGUE + script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        started = _processor_time(process.pid)
        while _processor_time(process.pid) < started + after:
            time.sleep(0.02)
            assert process.poll() is None, process.communicate()
        interrupted = _processor_time(process.pid)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=600)
    assert errors == "", errors
    assert process.returncode == 0
    return output, _processor_time_of_ended_children() - ended - interrupted


def _processor_time(process: int) -> float:
    """Return the seconds a running process has used so far, in all its threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _processor_time_of_ended_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def assert_stops_within_two_seconds(script: str, *arguments: str) -> None:
    """Interrupt the script's `job()`, which takes seconds, and count those it still uses.

    The job has no progress function: Python would look for signals there, and
    the core has to do so without one.
    """
    output, used = _interrupt(script + _EPILOGUE, arguments, after=0.3)
    assert output == "interrupted\n"
    assert used < 2.0


_RETURNING = """
import sys, warnings
from arcwise.errors import InterruptedWarning
print("started", flush=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    posterior = job()
kinds = [warning.category for warning in caught]
print(posterior.run.interrupted, InterruptedWarning in kinds, flush=True)
"""


def assert_returns_what_there_is(script: str) -> None:
    """Interrupt the script's `job()`, a sampler with hours to go, and see it return early.

    The script goes on to `check(posterior)`, which says what must be true of it.
    """
    output, _ = _interrupt(script + _RETURNING + "check(posterior)\n", (), after=0.7)
    assert output == "True True\n"


def output_after_interruption(script: str, *arguments: str) -> str:
    """Interrupt a script that prints "started" first, and return what it prints after that."""
    output, _ = _interrupt(script, arguments, after=1.2)
    return output
