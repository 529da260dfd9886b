"""Scores families part by part, in a file from which the same call goes on after a kill."""

from __future__ import annotations

import os
import struct
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.support.files import replacing
from arcwise.support.plain import digest
from arcwise.support.running import Stage

if TYPE_CHECKING:
    from arcwise.scores.job import FamilyScoring

Values = NDArray[np.float64]

# Rows are prepared anew for each part, which takes up to a second for a million of them.
_SECONDS_OF_A_PART = 5.0
_MOST_GROWTH = 4  # of the number of units from one part to the next
_RECORD = struct.Struct("<QQQI")  # first unit, units, values, checksum


class PartsFile:
    """Parts of the scores, in any order; damaged or cut off ones are left out.

    Parameters
    ----------
    path
        The file, which is made anew if it is one of other scores.
    key
        Stands for the data, the score and the families.
    """

    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        self._header = f"arcwise scores {key}\n".encode()
        self._end = 0

    def read(self, job: FamilyScoring, table: _core.FamilyTable) -> NDArray[np.bool_]:
        """Take over the values of units that are there, and return which these are."""
        done = np.zeros(len(job.plan), dtype=np.bool_)
        self._end = len(self._header)
        try:
            content = b"" if self._path.is_symlink() else self._path.read_bytes()
        except OSError:
            content = b""
        if not content.startswith(self._header):
            with replacing(self._path) as temporary:
                temporary.write_bytes(self._header)
            return done
        while self._end + _RECORD.size <= len(content):
            first, count, size, checksum = _RECORD.unpack_from(content, self._end)
            begin = self._end + _RECORD.size
            values = content[begin : begin + 8 * size]
            if (
                not 0 < count <= len(done) - first
                or job.plan.values(first, count) != size
                or len(values) != 8 * size
                or zlib.crc32(values) != checksum
            ):
                break
            job.plan.put(first, count, np.frombuffer(values, dtype="<f8"), table)
            done[first : first + count] = True
            self._end = begin + 8 * size
        return done

    def add(self, first: int, count: int, values: Values) -> None:
        """Add the values of some units."""
        content = values.astype("<f8").tobytes()
        record = _RECORD.pack(first, count, len(values), zlib.crc32(content)) + content
        # Windows would put a carriage return before bytes that look like line ends.
        flags = os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(self._path, flags), "wb") as file:
            file.truncate(self._end)
            file.seek(self._end)
            file.write(record)
            file.flush()
            os.fsync(file.fileno())
        self._end += len(record)


class KeptScores:
    """The units of a scoring job, which a file keeps if there is one.

    Parameters
    ----------
    job
        The families, their score and the data.
    path
        The file; None to keep nothing.
    """

    def __init__(self, job: FamilyScoring, path: Path | None) -> None:
        self.plan = job.plan
        self._table = job.families.table()
        self._file = None if path is None else PartsFile(path, _key(job))
        self._done = np.zeros(len(self.plan), dtype=np.bool_)
        if self._file is not None:
            self._done = self._file.read(job, self._table)

    @property
    def share(self) -> float:
        """The share of the units that are there."""
        return float(self._done.mean()) if len(self._done) else 1.0

    def missing(self) -> list[tuple[int, int]]:
        """Return the units that are not there: the first and the number of each stretch."""
        stretches = []
        first = 0
        while first < len(self._done):
            if self._done[first]:
                first += 1
                continue
            there = np.flatnonzero(self._done[first:])
            count = int(there[0]) if len(there) else len(self._done) - first
            stretches.append((first, count))
            first += count
        return stretches

    def take(self, first: int, count: int, values: Values) -> None:
        """Take the values of some units, and keep them."""
        if self._file is not None:
            self._file.add(first, count, values)
        self.plan.put(first, count, values, self._table)
        self._done[first : first + count] = True

    def finish(self, threads: int) -> _core.FamilyTable:
        """Return the scores of all families, once all units are there."""
        self.plan.finish(self._table, threads)
        return self._table


def score_in_parts(job: FamilyScoring, run: Stage, path: Path) -> _core.FamilyTable:
    """Return the scores of all families, the same as without parts, going on from a file.

    Parameters
    ----------
    job
        The families, their score and the data.
    run
        How it runs.
    path
        The file.
    """
    kept = KeptScores(job, path)
    plan, most = kept.plan, 1
    for start, length in kept.missing():
        first = start
        while first < start + length:
            count = min(most, start + length - first)

            def show(share: float, count: int = count) -> None:
                if run.progress is not None:
                    run.progress(kept.share + share * count / len(plan))

            part = Stage(run.device, show, run.deadline)
            began = time.perf_counter()
            values = plan.score(first, count, part.threads, part.progress)
            seconds = time.perf_counter() - began
            kept.take(first, count, values)
            first += count
            wanted = count * min(_MOST_GROWTH, _SECONDS_OF_A_PART / max(seconds, 1e-9))
            most = max(1, int(wanted))
    return kept.finish(run.threads)


def _key(job: FamilyScoring) -> str:
    data = job.data.fingerprint if isinstance(job.data, Data) else job.data
    families = job.families
    return digest(
        _core.version,
        data,
        repr(job.score),
        (families.candidates, families.required, families.max_free, families.outside),
    )
