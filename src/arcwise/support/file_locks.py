"""Locks on open files, which the operating system releases however a process ends."""

from __future__ import annotations

import errno
import os
import time

_TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EINTR)
_BETWEEN_TRIES = 0.02  # seconds


class UnsupportedLock(Exception):
    """The file system has no locks."""


def acquired(file: int) -> bool:
    """Try to lock an open file, and return whether that succeeded."""
    try:
        import fcntl
    except ImportError:
        return _acquired_on_windows(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _TAKEN:
            raise UnsupportedLock(os.strerror(error.errno or 0)) from None
        return False
    return True


def acquired_within(file: int, seconds: float) -> bool:
    """Try for some time to lock an open file, and return whether that succeeded."""
    end = time.monotonic() + seconds
    while not acquired(file):
        if time.monotonic() > end:
            return False
        time.sleep(_BETWEEN_TRIES)
    return True


def _acquired_on_windows(file: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        return False
    return True
