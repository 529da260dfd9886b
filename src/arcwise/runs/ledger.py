"""`Ledger`: the SQLite file a run appends to, one transaction for each checkpoint.

Table ``checkpoints`` has one row for each: its number, from 1 on; ``facts``, JSON
text about the run so far; ``draws``, the draws since the checkpoint before, as
`packing.pack` gives them; ``state``, all that the run needs to go on from here; and
``digest``, the SHA-256 of all these and of the digest before. So no row can be
damaged, missing or out of place and not be noticed. States are large, and ever fewer
of the older ones are kept: with c checkpoints, about 2 log2(c).
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcwise.errors import RunDirectoryError

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
_SYNCHRONOUS = "FULL"  # a checkpoint outlives a power cut
# Errors that come of where the file is, not of what is in it.
_NO_DAMAGE = ("SQLITE_CANTOPEN", "SQLITE_FULL", "SQLITE_BUSY", "SQLITE_PERM", "SQLITE_NOMEM")
_NOT_WRITABLE = ("SQLITE_READONLY", "SQLITE_CANTOPEN")


@dataclass(frozen=True)
class Checkpoint:
    """A place a run can go on from.

    Parameters
    ----------
    number
        The first is 1.
    facts
        What there is to say about the run so far, as plain values.
    state
        All that the run needs to go on from here; None if it is no longer kept.
    """

    number: int
    facts: dict[str, Any]
    state: bytes | None


class Ledger:
    """The ledger of a run, open for its one writer.

    Parameters
    ----------
    path
        The file; made if it is not there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = _connected(path)
        self._last_number = 0
        self._last_digest = b""
        try:
            self._connection.execute(f"PRAGMA page_size = {_PAGE}")
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS}")
            if not _has_table(self._connection):
                self._connection.execute(_SCHEMA)
            for number, digest in self._connection.execute(
                "SELECT number, digest FROM checkpoints ORDER BY number DESC LIMIT 1"
            ):
                self._last_number, self._last_digest = number, digest
        except sqlite3.Error as error:
            self._connection.close()
            raise _refusal(path, error) from None

    def append(self, facts: dict[str, Any], draws: bytes, state: bytes) -> None:
        """Add a checkpoint, whole or not at all.

        Raises
        ------
        RunDirectoryError
            If there is no room for it; all earlier checkpoints stay.
        """
        number = self._last_number + 1
        text = json.dumps(facts)
        state_digest = hashlib.sha256(state).digest()
        digest = _digest(self._last_digest, number, text, draws, state_digest)
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.execute(
                    _INSERT, (number, text, draws, state, state_digest, digest)
                )
                if state:
                    self._connection.execute(
                        "UPDATE checkpoints SET state = NULL WHERE number = ?",
                        (_dispensable(number),),
                    )
        except sqlite3.Error as error:
            raise _refusal(self.path, error) from None
        self._last_number, self._last_digest = number, digest
        # What is in the ledger itself is not at the mercy of a damaged log. If there is no room, it
        # is safe where it is, and goes over next time.
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def copy(self, rows: Iterator[tuple[Any, ...]]) -> None:
        """Take over rows of another ledger as they are."""
        try:
            for row in rows:
                self._connection.execute(_INSERT, row)
        except sqlite3.Error as error:
            raise _refusal(self.path, error) from None

    def draws(self) -> Iterator[bytes]:
        """Go through the draws of all checkpoints."""
        try:
            for (draws,) in self._connection.execute(
                "SELECT draws FROM checkpoints ORDER BY number"
            ):
                yield draws
        except sqlite3.Error as error:
            raise _refusal(self.path, error) from None

    def calls(self) -> list[list[Any]]:
        """Return the calls in the facts of all checkpoints."""
        rows = self._connection.execute("SELECT facts FROM checkpoints ORDER BY number")
        return [call for (facts,) in rows for call in json.loads(facts)["calls"]]

    def last(self) -> Checkpoint | None:
        """Return the last checkpoint, if there is one."""
        return _last(self._connection)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def mended(path: Path) -> str | None:
    """Make sure that a ledger can be gone on with, and say what was wrong if anything was.

    All up to the last checkpoint that is whole, with its state and with everything
    before it, is copied to a new ledger, and the damaged one is set aside.
    """
    fresh = path.with_name(path.name + ".partial")
    if not path.exists():
        if not fresh.exists():
            return f"the ledger '{path}' is missing; the run goes on from the start"
        # The process ended between setting the old one aside and this.
        os.replace(fresh, path)
        return None
    _remove(fresh)
    found = _Examined(path)
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
    from_there = f"checkpoint {found.usable}" if found.usable else "the start"
    return (
        f"the ledger '{path}' was damaged after checkpoint {found.intact}; the run goes on from "
        f"{from_there}, and the damaged file is now '{aside.name}'"
    )


def is_blank(path: Path) -> bool:
    """Say whether a ledger is sound and has no checkpoint yet."""
    try:
        with closing(_connected(path)) as connection:
            return not _has_table(connection) or _last_number(connection) == 0
    except sqlite3.Error:
        return False


def read_all(
    path: Path, of_draws: Callable[[bytes], Any] = bytes
) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return the facts of all checkpoints, and what is wanted of the draws of each.

    Someone else may be writing to the ledger.
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
            # In a folder that one may not write to, SQLite cannot tell other readers of the log
            # that it reads; but what is in the ledger itself is whole between two checkpoints.
            named = getattr(error, "sqlite_errorname", "")
            if mode == "ro" and named.startswith(_NOT_WRITABLE):
                continue
            raise RunDirectoryError(
                f"the ledger '{path}' cannot be read ({error}); arcwise resume mends it"
            ) from None
    raise AssertionError("the second way returns or raises")


class _Examined:
    """How much of a ledger is as it was written."""

    def __init__(self, path: Path) -> None:
        self.intact = 0  # checkpoints without damage, from the first on
        self.usable = 0  # the last of these whose state is there
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
                # A damaged header may leave a file to be read only.
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
    """Go through the rows one by one, so that damage to later ones does not matter."""
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
    # A row that is not valid text is damage, to be seen by its digest.
    connection.text_factory = lambda text: text.decode(errors="replace")
    return connection


def _digest(before: bytes, number: int, facts: str, draws: bytes, state_digest: bytes) -> bytes:
    digest = hashlib.sha256(before)
    for part in (str(number).encode(), facts.encode(), draws, state_digest):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()


def _dispensable(number: int) -> int:
    """Return the checkpoint whose state is no longer kept once this one is there; 0 for none.

    Of those divisible by the same power of two only the last two stay, so that there
    are some within every doubling of the way back.
    """
    power = number & -number
    return max(0, number - 4 * power)


def _refusal(path: Path, error: sqlite3.Error) -> RunDirectoryError:
    return RunDirectoryError(
        f"the ledger '{path}' could not be written ({error}); see that its disk has room and lets "
        f"you write, then go on with arcwise resume {path.parent}"
    )


def _free_name(path: Path) -> Path:
    number = 1
    while path.with_name(f"{path.name}-{number}").exists():
        number += 1
    return path.with_name(f"{path.name}-{number}")


def _remove(path: Path) -> None:
    for suffix in ("-wal", "-shm", ""):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
