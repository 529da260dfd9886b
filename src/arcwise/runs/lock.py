"""A lock on a run directory, released when the process that holds it ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arcwise.errors import RunDirectoryError
from arcwise.support.file_locks import UnsupportedLock, acquired, acquired_within

_NAME = "lock"
_PATIENCE = 0.5  # seconds; a process that only checks for a writer holds it for a moment


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold the exclusive right to write to a run directory, or refuse if another process has it.

    The operating system releases it however the process ends, so that a kill leaves
    nothing to clean up.
    """
    file = os.open(directory / _NAME, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _acquire(file, directory)
        yield
    finally:
        os.close(file)


def _acquire(file: int, directory: Path) -> None:
    try:
        ours = acquired_within(file, _PATIENCE)
    except UnsupportedLock as error:
        raise RunDirectoryError(
            f"the file system of the run directory '{directory}' does not support locks "
            f"({error}), which prevent two processes from writing to it; use a directory on a "
            "local disk, or move this one there to continue its run"
        ) from None
    if not ours:
        raise RunDirectoryError(
            f"another process is writing to the run directory '{directory}'; wait for "
            "it to finish, check its status, or use another directory"
        )


def is_locked(directory: Path) -> bool:
    """Return whether a process is writing to a run directory."""
    try:
        # Checking must not require write permission.
        file = os.open(directory / _NAME, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not acquired(file)
    except UnsupportedLock:
        return False  # nor can a process write to it
    finally:
        os.close(file)
