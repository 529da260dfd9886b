"""`Ledger`: the SQLite file to which a run appends, with one transaction per checkpoint.

The table ``checkpoints`` has one row per checkpoint: its number, from 1; ``facts``, the progress
of the run as JSON; ``draws``, the draws since the previous checkpoint, compressed by `pack`;
``state``, everything needed to resume from here; and ``digest``, the SHA-256 of these and of the
previous digest, so that a damaged, missing or misplaced row is always detected. States are large,
and only about 2 log2(c) of c checkpoints keep theirs, increasingly sparse towards the start.

Packed records are compressed. They consist of the length of a header, the header as JSON (the
name, type and shape of each array of each record), and the arrays in little-endian order.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArcwiseError, RunDirectoryError, Wording
from arcwise.support.checks import available_memory
from arcwise.support.files import UNREADABLE

_SCHEMA = """
CREATE TABLE checkpoints (
    number INTEGER PRIMARY KEY,
    facts TEXT NOT NULL,
    draws BLOB NOT NULL,
    state BLOB,
    state_digest BLOB NOT NULL,
    digest BLOB NOT NULL
)
"""
_INSERT = "INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?)"
_SECONDS_TO_WAIT = 30.0
_PAGE = 4096  # bytes
_LONGEST_PATH = 500  # bytes; SQLite allows 512, including the suffixes of its journals
_SYNCHRONOUS = "FULL"  # a checkpoint survives a power failure
# Errors caused by the location of the file, not by its contents.
_NO_DAMAGE = ("SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_BUSY", "SQLITE_PERM", "SQLITE_NOMEM")
_NOT_WRITABLE = ("SQLITE_READONLY", "SQLITE_CANTOPEN")


@dataclass(frozen=True)
class Checkpoint:
    """A point from which a run can be resumed."""

    number: int  # from 1
    facts: dict[str, Any]  # the progress of the run, as plain values
    state: bytes | None  # everything needed to resume from here; None once it has been dropped


class Ledger:
    """The ledger of a run, opened by its single writer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._last_number = 0
        self._last_digest = b""
        with _refusing(path), ExitStack() as stack:
            self._connection = stack.enter_context(closing(_connected(path)))
            self._connection.execute(f"PRAGMA page_size = {_PAGE}")
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS}")
            if not _has_table(self._connection):
                self._connection.execute(_SCHEMA)
            for number, digest in self._connection.execute(
                "SELECT number, digest FROM checkpoints ORDER BY number DESC LIMIT 1"
            ):
                self._last_number, self._last_digest = number, digest
            stack.pop_all()

    def append(self, facts: dict[str, Any], draws: bytes, state: bytes) -> None:
        """Add a checkpoint in one transaction."""
        number = self._last_number + 1
        text = json.dumps(facts)
        state_digest = hashlib.sha256(state).digest()
        digest = _digest(self._last_digest, number, text, draws, state_digest)
        with _refusing(self.path), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute(_INSERT, (number, text, draws, state, state_digest, digest))
            if state:
                self._connection.execute(
                    "UPDATE checkpoints SET state = NULL WHERE number = ?", (_dispensable(number),)
                )
        self._last_number, self._last_digest = number, digest
        # The checkpoint is moved from the write-ahead log to the ledger itself, where damage to the
        # log cannot reach it. If the disk is full, it stays safe in the log until the next time.
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def copy(self, rows: Iterator[tuple[Any, ...]]) -> None:
        """Copy the rows of another ledger unchanged."""
        with _refusing(self.path):
            for row in rows:
                self._connection.execute(_INSERT, row)

    def draws(self) -> Iterator[bytes]:
        """Iterate over the draws of all checkpoints."""
        with _refusing(self.path):
            rows = self._connection.execute("SELECT draws FROM checkpoints ORDER BY number")
            for (draws,) in rows:
                yield draws

    def last(self) -> Checkpoint | None:
        """Return the last checkpoint, if there is one."""
        return _last(self._connection)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def repair(path: Path) -> str | None:
    """Repair a ledger if necessary, and return a description of the damage, or None.

    Everything up to the last intact checkpoint with a state is copied to a new ledger,
    and the damaged one is renamed.
    """
    fresh = path.with_name(path.name + ".partial")
    if not path.exists():
        if not fresh.exists():
            return f"the ledger '{path}' is missing; the run starts again from the beginning"
        # The process was killed between the two renames of an earlier repair.
        os.replace(fresh, path)
        return None
    _remove(fresh)
    found = _Examination(path)
    if found.whole:
        return None
    with closing(Ledger(fresh)) as ledger:
        ledger.copy(_rows(path, found.usable))
    aside = _free_name(path.with_name(path.name + ".damaged"))
    for suffix in ("-wal", "-shm", ""):
        old = path.with_name(path.name + suffix)
        if old.exists():
            os.replace(old, aside.with_name(aside.name + suffix))
    os.replace(fresh, path)
    start = f"checkpoint {found.usable}" if found.usable else "the beginning"
    return (
        f"the ledger '{path}' was damaged after checkpoint {found.intact}; the run continues from "
        f"{start}, and the damaged file is now '{aside.name}'"
    )


def is_blank(path: Path) -> bool:
    """Return whether a ledger is readable and has no checkpoint yet."""
    try:
        with closing(_connected(path)) as connection:
            return not _has_table(connection) or _last_number(connection) == 0
    except sqlite3.Error:
        return False


def read_all(
    path: Path, of_draws: Callable[[bytes], Any] = bytes
) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return the facts of all checkpoints, and the result of `of_draws` for the draws of each.

    Another process may be writing to the ledger.
    """
    for mode in ("ro", "ro&immutable=1"):
        try:
            with closing(_connected(path, mode)) as connection:
                if not _has_table(connection):
                    return [], []
                rows = connection.execute("SELECT facts, draws FROM checkpoints ORDER BY number")
                facts, draws = [], []
                for text, content in rows:
                    facts.append(json.loads(text))
                    draws.append(of_draws(content))
                return facts, draws
        except (sqlite3.Error, ValueError, zlib.error) as error:
            # In a read-only directory, SQLite cannot register as a reader of the write-ahead log,
            # but the ledger itself is consistent between checkpoints.
            named = getattr(error, "sqlite_errorname", "")
            if mode == "ro" and named.startswith(_NOT_WRITABLE):
                continue
            raise RunDirectoryError(
                f"the ledger '{path}' cannot be read ({error}); repair it with ",
                resume_command(path.parent),
            ) from None
    raise AssertionError("the second way returns or raises")


class _Examination:
    """The result of examining a ledger: how much of it is intact."""

    def __init__(self, path: Path) -> None:
        self.intact = 0  # number of undamaged checkpoints, counted from the first
        self.usable = 0  # the last of these that has its state
        self.whole = False
        try:
            digest = b""
            for number, facts, draws, state, state_digest, written in _rows(path):
                digest = _digest(digest, number, facts, draws, state_digest)
                if number != self.intact + 1 or digest != written:
                    return
                self.intact = number
                if state is not None and hashlib.sha256(state).digest() == state_digest:
                    self.usable = number
            with closing(_connected(path)) as connection:
                sound = connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
                self.whole = sound and self.usable == self.intact and _has_table(connection)
                # A damaged header may make the file read-only.
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("CREATE TABLE trial (number INTEGER)")
                connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            self.whole = False
            if getattr(error, "sqlite_errorname", "").startswith(_NO_DAMAGE):
                raise _refusal(path, error) from None
        except (TypeError, ValueError, OverflowError, AttributeError):
            self.whole = False


def _rows(path: Path, up_to: int | None = None) -> Iterator[tuple[Any, ...]]:
    """Yield the rows one by one, so that damage to later ones does not matter."""
    with closing(_connected(path)) as connection:
        number = 0
        while up_to is None or number < up_to:
            number += 1
            row = connection.execute(
                "SELECT number, facts, draws, state, state_digest, digest FROM checkpoints "
                "WHERE number = ?",
                (number,),
            ).fetchone()
            if row is None:
                if up_to is None and _last_number(connection) >= number:
                    raise ValueError("a row is missing")
                return
            yield row


def _last_number(connection: sqlite3.Connection) -> int:
    (number,) = connection.execute("SELECT max(number) FROM checkpoints").fetchone()
    return int(number or 0)


def _last(connection: sqlite3.Connection) -> Checkpoint | None:
    if not _has_table(connection):
        return None
    for number, facts, state in connection.execute(
        "SELECT number, facts, state FROM checkpoints ORDER BY number DESC LIMIT 1"
    ):
        return Checkpoint(number, json.loads(facts), state)
    return None


def _has_table(connection: sqlite3.Connection) -> bool:
    names = connection.execute("SELECT name FROM sqlite_master WHERE name = 'checkpoints'")
    return names.fetchone() is not None


def _connected(path: Path, mode: str = "rwc") -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(
        address, uri=True, timeout=_SECONDS_TO_WAIT, isolation_level=None, check_same_thread=False
    )
    # Text that is not valid UTF-8 is damage, which the digest detects.
    connection.text_factory = lambda text: text.decode(errors="replace")
    return connection


def _digest(before: bytes, number: int, facts: str, draws: bytes, state_digest: bytes) -> bytes:
    digest = hashlib.sha256(before)
    for part in (str(number).encode(), facts.encode(), draws, state_digest):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()


def _dispensable(number: int) -> int:
    """Return the checkpoint whose state may be dropped after this one is written; 0 for none."""
    # Among the numbers divisible by the same power of two, only the last two keep their states, so
    # that the distance back at most doubles from one kept state to the next.
    power = number & -number
    return max(0, number - 4 * power)


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Raise an error of SQLite as an error that explains why the ledger cannot be written."""
    try:
        yield
    except sqlite3.Error as error:
        raise _refusal(path, error) from None


def _refusal(path: Path, error: sqlite3.Error) -> RunDirectoryError:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_CANTOPEN") and len(os.fsencode(path.absolute())) > _LONGEST_PATH:
        return RunDirectoryError(
            f"the path of the run directory has {len(os.fsencode(path.parent.absolute()))} bytes, "
            f"and SQLite opens files with paths of up to {_LONGEST_PATH}; use a directory with a "
            "shorter path"
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return RunDirectoryError(
            f"the ledger '{path}' stayed locked for {_SECONDS_TO_WAIT:.0f} seconds: another "
            "program is reading it, or its file system does not support locks; close that program, "
            "or move the run directory to a local disk, then continue with ",
            resume_command(path.parent),
        )
    return RunDirectoryError(
        f"the ledger '{path}' could not be written ({error}); check that its disk has room and is "
        "writable, then continue with ",
        resume_command(path.parent),
    )


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Report any error while a file is being read as damage to the file."""
    try:
        yield
    except ArcwiseError:
        raise
    except (*UNREADABLE, AssertionError, sqlite3.Error):
        raise RunDirectoryError(
            f"'{path}' is damaged, or was changed by something other than arcwise; restore it from "
            "a backup, or start the run again in another directory"
        ) from None


def resume_command(directory: Path) -> Wording:
    """Return the call or command that resumes the run in a directory."""
    return Wording(
        f"arcwise.resume({str(directory)!r})", f"arcwise resume {shlex.quote(str(directory))}"
    )


def _free_name(path: Path) -> Path:
    number = 1
    while path.with_name(f"{path.name}-{number}").exists():
        number += 1
    return path.with_name(f"{path.name}-{number}")


def _remove(path: Path) -> None:
    for suffix in ("-wal", "-shm", ""):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


Arrays = Mapping[str, NDArray[Any]]

_LENGTH = 8  # bytes of the header's length
_FASTEST = 1  # level of compression


def pack(records: Sequence[Arrays]) -> bytes:
    """Return the arrays of all records as one byte string.

    Examples
    --------
    >>> (record,) = unpack(pack([{"log_weights": np.array([-1.5, -2.0])}]))
    >>> record["log_weights"]
    array([-1.5, -2. ])
    """
    header, contents = [], []
    for record in records:
        entry = []
        for name, values in record.items():
            array = np.ascontiguousarray(values)
            little = array.astype(array.dtype.newbyteorder("<"), copy=False)
            entry.append([name, little.dtype.str, list(array.shape)])
            contents.append(little.tobytes())
        header.append(entry)
    text = json.dumps(header).encode()
    whole = b"".join([len(text).to_bytes(_LENGTH, "little"), text, *contents])
    return zlib.compress(whole, _FASTEST)


def decompressed(content: bytes) -> bytes:
    """Return the decompressed bytes; contents too large for memory are refused as damage."""
    reader = zlib.decompressobj()
    whole = reader.decompress(content, max(1, available_memory() // 2))
    if not reader.eof:
        raise ValueError("the compressed bytes have no end")
    return whole


def unpack(content: bytes) -> list[dict[str, NDArray[Any]]]:
    """Return the records that were packed."""
    whole = memoryview(decompressed(content))
    start = _LENGTH + int.from_bytes(whole[:_LENGTH], "little")
    records = []
    for entry in json.loads(bytes(whole[_LENGTH:start])):
        record = {}
        for name, kind, shape in entry:
            dtype = np.dtype(kind)
            if dtype.kind not in "biuf":
                raise ValueError(f"{kind!r} is no type of numbers")
            count = int(np.prod(shape, dtype=np.int64))
            values = np.frombuffer(whole, dtype, count, start).reshape(shape)
            record[name] = values.astype(dtype.newbyteorder("="))
            start += count * dtype.itemsize
        records.append(record)
    return records
