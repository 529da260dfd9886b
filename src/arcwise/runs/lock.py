"""`Lock`: a lock on a run directory, released when the process that holds it ends."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from types import TracebackType

from arcwise.errors import RunDirectoryError

_NAME = "lock"
_TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EINTR)
_PATIENCE = 0.5  # seconds; a process that only checks for a writer holds it for a moment


class _Unsupported(Exception):
    """The file system has no locks."""


class Lock:
    """The exclusive right to write to a run directory.

    The operating system releases it however the process ends, so that a kill leaves
    nothing to clean up.

    Parameters
    ----------
    directory
        The run directory.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._file: int | None = None

    def __enter__(self) -> Lock:
        """Acquire it, or refuse if another process holds it."""
        file = os.open(self._directory / _NAME, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            acquired = _acquired_soon(file)
        except _Unsupported as error:
            os.close(file)
            raise RunDirectoryError(
                f"the file system of the run directory '{self._directory}' does not support locks "
                f"({error}), which prevent two processes from writing to it; use a directory on a "
                "local disk, or move this one there to continue its run"
            ) from None
        if not acquired:
            os.close(file)
            raise RunDirectoryError(
                f"another process is writing to the run directory '{self._directory}'; wait for "
                "it to finish, check its status, or use another directory"
            )
        self._file = file
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def is_locked(directory: Path) -> bool:
    """Return whether a process is writing to a run directory."""
    try:
        # Checking must not require write permission.
        file = os.open(directory / _NAME, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not _acquired(file)
    except _Unsupported:
        return False  # nor can a process write to it
    finally:
        os.close(file)


def _acquired_soon(file: int) -> bool:
    """Try for a moment to lock an open file, and return whether that succeeded."""
    end = time.monotonic() + _PATIENCE
    while not _acquired(file):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _acquired(file: int) -> bool:
    """Try to lock an open file, and return whether that succeeded."""
    try:
        import fcntl
    except ImportError:
        return _acquired_on_windows(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _TAKEN:
            raise _Unsupported(os.strerror(error.errno or 0)) from None
        return False
    return True


def _acquired_on_windows(file: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        return False
    return True
