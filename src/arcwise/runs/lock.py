"""`Lock`: a lock on a run directory, released when the process that holds it ends."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

from arcwise.errors import RunDirectoryError
from arcwise.support.file_locks import UnsupportedLock, acquired, acquired_within

_NAME = "lock"
_PATIENCE = 0.5  # seconds; a process that only checks for a writer holds it for a moment


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
            ours = acquired_within(file, _PATIENCE)
        except UnsupportedLock as error:
            os.close(file)
            raise RunDirectoryError(
                f"the file system of the run directory '{self._directory}' does not support locks "
                f"({error}), which prevent two processes from writing to it; use a directory on a "
                "local disk, or move this one there to continue its run"
            ) from None
        if not ours:
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
        return not acquired(file)
    except UnsupportedLock:
        return False  # nor can a process write to it
    finally:
        os.close(file)
