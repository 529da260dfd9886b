"""One writer at a time: a lock on a run directory that goes with the process that holds it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType

from arcwise.errors import RunDirectoryError

_NAME = "lock"
_PATIENCE = 0.5  # seconds; whoever only looks whether there is a writer holds it for a moment


class Lock:
    """The right to write to a run directory.

    The operating system gives it back however the process ends, so that a kill
    leaves nothing to clean up.

    Parameters
    ----------
    directory
        The run directory.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._file: int | None = None

    def __enter__(self) -> Lock:
        """Take it, or refuse if another process has it."""
        file = os.open(self._directory / _NAME, os.O_RDWR | os.O_CREAT, 0o644)
        if not _taken_soon(file):
            os.close(file)
            raise RunDirectoryError(
                f"another process is writing to the run directory '{self._directory}'; wait for "
                "it, look at it with arcwise status, or use another directory"
            )
        self._file = file
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give it back."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def is_locked(directory: Path) -> bool:
    """Say whether some process is writing to a run directory."""
    try:
        # To look one need not be allowed to write.
        file = os.open(directory / _NAME, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not _taken(file)
    finally:
        os.close(file)


def _taken_soon(file: int) -> bool:
    """Take the lock of an open file, and say whether that went well within a moment."""
    end = time.monotonic() + _PATIENCE
    while not _taken(file):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _taken(file: int) -> bool:
    """Take the lock of an open file, and say whether that went well."""
    try:
        import fcntl
    except ImportError:
        return _taken_on_windows(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _taken_on_windows(file: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        return False
    return True
