"""Files that every worker of a cluster needs, stored once per machine under their hash.

A worker reads the driver's file if it can, as on a shared file system. Otherwise the file is sent
to one worker of the machine, which stores it in a local folder: ``$ARCWISE_CACHE``, or a folder of
this user among the temporary files. A lock prevents two workers from writing simultaneously; the
operating system releases it if a worker dies.
"""

from __future__ import annotations

import os
import pickle
import socket
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from arcwise.errors import ArcwiseError, CapacityError, EngineError, FileFormatError
from arcwise.model import score_sums
from arcwise.model.score_sums import ScoreSums
from arcwise.support.files import (
    Header,
    UnsupportedLock,
    acquired_within,
    contents,
    header_of,
    seal,
    verify,
)

PAYLOAD = "arcwise payload"
PAYLOAD_VERSION = 1
_VERSIONS = {PAYLOAD: PAYLOAD_VERSION, score_sums.KIND: score_sums.VERSION}
_MOST_OPEN = 8
_WRITING = ".writing-"
_UNUSED_FOR = 3 * 24 * 3600.0  # seconds after which a file is removed
_LONGEST_WAIT = 600.0  # seconds to wait for a chunk that another process writes
_OWNERS_KNOWN = hasattr(os, "getuid")  # false on Windows


class FileMissing(ArcwiseError):
    """A file is not yet on this machine."""


@dataclass(frozen=True)
class HostFile:
    """The identity of a file in tasks: its kind, hash and size, and its path at the driver."""

    kind: str
    hash: str
    size: int
    path: str | None

    @property
    def version(self) -> int:
        """The version of its format."""
        return _VERSIONS[self.kind]


def cache_folder() -> Path:
    """Return the local folder of the files, created if necessary."""
    named = os.environ.get("ARCWISE_CACHE")
    folder = Path(named) if named else Path(tempfile.gettempdir()) / f"arcwise-{_user()}"
    _refuse_unsafe(folder)
    return folder


def _refuse_unsafe(folder: Path) -> None:
    """Create the folder; refuse one in which others could put files, as workers execute them."""
    other = "set ARCWISE_CACHE to a folder that only you can write to"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = folder.lstat()
    except OSError as error:
        raise EngineError(
            f"the folder '{folder}' for files from the driver cannot be made "
            f"({error.strerror}); {other}"
        ) from None
    if stat.S_ISLNK(about.st_mode):
        raise EngineError(f"'{folder}' is a link; {other}")
    if not _OWNERS_KNOWN:
        return  # on Windows, each user has a private folder of temporary files
    if about.st_uid != os.getuid():
        raise EngineError(f"'{folder}' belongs to another user; {other}")
    if about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise EngineError(f"others can write to '{folder}'; {other}, or take that right away")


def _user() -> str:
    return str(os.getuid()) if _OWNERS_KNOWN else os.environ.get("USERNAME", "user")


def place() -> str:
    """Return a name for the location of files, the same for all processes that share them."""
    about = cache_folder().stat()
    return f"{socket.gethostname()} {about.st_dev}:{about.st_ino}"


def publish(
    kind: str, write: Callable[[Path], Header], folder: Path | None, shared: bool
) -> tuple[HostFile, Path]:
    """Write a file to a folder under its hash, and return its identity and its path."""
    where = cache_folder() if folder is None else folder
    _remove_old(where)
    handle, name = tempfile.mkstemp(prefix=_WRITING, dir=where)
    os.close(handle)
    written = Path(name)
    try:
        header = write(written)
        final = where / header.hash
        written.replace(final)
    except BaseException:
        written.unlink(missing_ok=True)
        raise
    named = os.path.abspath(final) if shared else None
    return HostFile(kind, header.hash, header.size, named), final


def publish_payload(thing: Any, folder: Path | None, shared: bool) -> tuple[HostFile, Path]:
    """Write an object, possibly a function, to a file for workers with cloudpickle."""
    cloudpickle = import_module("cloudpickle")  # a dependency of Dask

    def append(path: str) -> None:
        with open(path, "ab") as file:
            cloudpickle.dump(thing, file)

    return publish(
        PAYLOAD, lambda path: seal(path, PAYLOAD, PAYLOAD_VERSION, {}, append), folder, shared
    )


def find(file: HostFile) -> Path | None:
    """Return the path at which this process can read the file, or None."""
    stored = cache_folder() / file.hash
    for path in (stored, None if file.path is None else Path(file.path)):
        if path is None or not path.exists():
            continue
        try:
            if header_of(path, file.kind, file.version).hash == file.hash:
                return path
        except FileFormatError:
            continue
    return None


def store(file: HostFile, offset: int, chunk: bytes) -> None:
    """Write one part of a file that is being received."""
    with _exclusive(file) as partial:
        if find(file) is not None:
            return
        with open(partial, "r+b" if partial.exists() else "w+b") as out:
            out.seek(offset)
            out.write(chunk)


def finish(file: HostFile) -> bool:
    """Complete a received file, and return whether all its parts are present and correct."""
    with _exclusive(file) as partial:
        if find(file) is not None:
            return True
        try:
            header = header_of(partial, file.kind, file.version)
            if header.hash != file.hash:
                return False
            verify(partial, header)
        except FileFormatError:
            partial.unlink(missing_ok=True)
            return False
        partial.replace(cache_folder() / file.hash)
        return True


class _Opened:
    """A cache of the contents of recently used files, by hash."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._things: dict[Any, Any] = {}

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the cached value of a key, or create it."""
        with self._lock:
            if key not in self._things:
                self._things[key] = make()
                while len(self._things) > _MOST_OPEN:
                    del self._things[next(iter(self._things))]
            # The most recently used entry moves to the end.
            thing = self._things[key] = self._things.pop(key)
            return thing

    def clear(self) -> None:
        """Empty the cache."""
        with self._lock:
            self._things.clear()


OPENED = _Opened()


def opened(file: HostFile) -> Any:
    """Return the contents of a file, score sums or a payload, read at most once per process."""
    return OPENED.get(file.hash, lambda: _open(file))


def _open(file: HostFile) -> Any:
    path = find(file)
    if path is None:
        raise FileMissing(place())
    if os.access(path, os.W_OK):
        os.utime(path)  # mark as used, so that it is not removed
    try:
        if file.kind == score_sums.KIND:
            return ScoreSums.open(path)
        header = header_of(path, file.kind, file.version)
        pickled = contents(path, header, file.hash)
    except CapacityError as error:
        raise EngineError(f"on a worker of {socket.gethostname()}, {error}") from None
    except FileFormatError:
        if path.parent != cache_folder():
            raise
        # The file was damaged after it was stored, so it is requested again.
        path.unlink(missing_ok=True)
        raise FileMissing(place()) from None
    return pickle.loads(pickled)


@contextmanager
def _exclusive(file: HostFile) -> Iterator[Path]:
    """Yield the path of a file being received to one process of the machine at a time."""
    folder = cache_folder()
    with open(folder / f"{file.hash}.lock", "w") as lock:
        try:
            ours = acquired_within(lock.fileno(), _LONGEST_WAIT)
        except UnsupportedLock as error:
            raise EngineError(
                f"the file system of '{folder}' does not support locks ({error}); set "
                "ARCWISE_CACHE to a folder on a local disk"
            ) from None
        if not ours:
            raise EngineError(
                f"another process has been writing to '{folder}' for {_LONGEST_WAIT:g} seconds; "
                "end it, or set ARCWISE_CACHE to another folder"
            )
        yield folder / f"{file.hash}.partial"


def _remove_old(folder: Path) -> None:
    """Remove files that have not been used for three days."""
    oldest = time.time() - _UNUSED_FOR
    for path in folder.iterdir():
        name = path.name.split(".")[0]
        ours = len(name) == 64 and set(name) <= set("0123456789abcdef")
        # The unfinished file of a killed process is not yet named by its hash.
        ours |= path.name.startswith((_WRITING, score_sums.WRITING))
        with suppress(FileNotFoundError):  # another process may remove it too
            if ours and path.stat().st_mtime < oldest:
                path.unlink()
