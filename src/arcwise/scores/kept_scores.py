"""Scores families part by part, in a file from which the same call goes on after a kill."""

from __future__ import annotations

import os
import struct
import time
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.scores.job import FamilyScoring
from arcwise.support.files import replacing
from arcwise.support.plain import digest
from arcwise.support.running import Run

Values = NDArray[np.float64]

# Rows are prepared anew for each part, which takes up to a second for a million of them.
_SECONDS_OF_A_PART = 5.0
_MOST_GROWTH = 4  # of the number of units from one part to the next
_RECORD = struct.Struct("<QQI")  # units, values, checksum


class ScoringUnits:
    """What can be scored by itself: some nodes, and sets of variables that the others share.

    Parameters
    ----------
    job
        The families, their score and the data.
    """

    def __init__(self, job: FamilyScoring) -> None:
        self._job = job
        families = job.families
        self.table = families.table()
        self._nodes = list(range(len(families.variables)))
        self._plan: _core.ScoringPlan | None = None
        self._ranks: list[int] = [0]
        if job.score.by_sets:
            intervened = np.zeros(len(self._nodes), dtype=np.uint8)
            if isinstance(job.data, Data) and job.data.intervened is not None:
                intervened[:] = job.data.intervened.any(axis=0)
            plan = _core.ScoringPlan(self.table, intervened)
            self._nodes = sorted(plan.alone)
            # Families with an outside parent are scored node by node in any case.
            self._nodes += [node for node in plan.sharing if families.outside[node]]
            if plan.largest_set > 0:
                self._plan = plan
                self._ranks = list(_core.set_pieces(len(families.variables), plan.largest_set))
        self._sets: list[Values] = []

    def __len__(self) -> int:
        """Return the number of units: nodes first, then pieces of the sets."""
        return len(self._nodes) + len(self._ranks) - 1

    def together(self, first: int, count: int) -> int:
        """Return how many units, at most so many, can be scored by one call."""
        end = len(self._nodes) if first < len(self._nodes) else len(self)
        return min(count, end - first)

    def values_of(self, first: int, count: int) -> int:
        """Return the number of values of some units."""
        if first < len(self._nodes):
            return sum(self.table.count(node) for node in self._nodes[first : first + count])
        first -= len(self._nodes)
        return self._ranks[first + count] - self._ranks[first]

    def score(self, first: int, count: int, run: Run) -> Values:
        """Return the values of some units."""
        families = self._job.families
        if first < len(self._nodes):
            nodes = self._nodes[first : first + count]
            table = _core.LoneTable(families.only(nodes).table())
            self._job.fill(table, run)
            return np.concatenate([table.values(node) for node in nodes])
        assert self._plan is not None
        first -= len(self._nodes)
        n = len(families.variables)
        block = _core.SetBlock(n, self._plan.largest_set, first, first + count)
        self._job.fill(block, run)
        return np.array(block.values())

    def put(self, first: int, count: int, values: Values) -> None:
        """Take values, scored now or before; those of all units come in order."""
        if first >= len(self._nodes):
            self._sets.append(values)
            return
        begin = 0
        for node in self._nodes[first : first + count]:
            end = begin + self.table.count(node)
            self.table.values(node)[:] = values[begin:end]
            begin = end

    def finish(self, threads: int) -> _core.FamilyTable:
        """Return the table, once all units are there."""
        if self._plan is not None:
            self._plan.take_differences(np.concatenate(self._sets), self.table, threads, None)
        return self.table


class PartsFile:
    """Parts of the scores, one after the other; damaged or cut off ones are left out.

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

    def read(self, units: ScoringUnits) -> int:
        """Give the units the values there are, and return of how many they are."""
        done, self._end = 0, len(self._header)
        try:
            content = b"" if self._path.is_symlink() else self._path.read_bytes()
        except OSError:
            content = b""
        if not content.startswith(self._header):
            with replacing(self._path) as temporary:
                temporary.write_bytes(self._header)
            return 0
        while self._end + _RECORD.size <= len(content):
            count, size, checksum = _RECORD.unpack_from(content, self._end)
            begin = self._end + _RECORD.size
            values = content[begin : begin + 8 * size]
            if (
                not 0 < count == units.together(done, count)
                or units.values_of(done, count) != size
                or len(values) != 8 * size
                or zlib.crc32(values) != checksum
            ):
                break
            units.put(done, count, np.frombuffer(values, dtype="<f8"))
            done += count
            self._end = begin + 8 * size
        return done

    def add(self, count: int, values: Values) -> None:
        """Add the values of the next units."""
        content = values.astype("<f8").tobytes()
        record = _RECORD.pack(count, len(values), zlib.crc32(content)) + content
        flags = os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(self._path, flags), "wb") as file:
            file.truncate(self._end)
            file.seek(self._end)
            file.write(record)
            file.flush()
            os.fsync(file.fileno())
        self._end += len(record)


def score_in_parts(job: FamilyScoring, run: Run, path: Path) -> _core.FamilyTable:
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
    units = ScoringUnits(job)
    file = PartsFile(path, _key(job))
    done, count = file.read(units), 1
    while done < len(units):
        count = units.together(done, count)

        def show(share: float, done: int = done, count: int = count) -> None:
            if run.progress is not None:
                run.progress((done + share * count) / len(units))

        began = time.perf_counter()
        values = units.score(done, count, Run(run.device, show, run.deadline))
        seconds = time.perf_counter() - began
        file.add(count, values)
        units.put(done, count, values)
        done += count
        wanted = count * min(_MOST_GROWTH, _SECONDS_OF_A_PART / max(seconds, 1e-9))
        count = max(1, int(wanted))
    return units.finish(run.threads)


def _key(job: FamilyScoring) -> str:
    data = job.data.fingerprint if isinstance(job.data, Data) else job.data
    families = job.families
    return digest(
        _core.version,
        data,
        repr(job.score),
        (families.candidates, families.required, families.max_free, families.outside),
    )
