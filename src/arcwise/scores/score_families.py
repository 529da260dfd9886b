"""`as_score`, and the scoring of all families, whose results can be saved part by part."""

from __future__ import annotations

import os
import struct
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.families import Families
from arcwise.scores.base import NAMED_SCORES, FunctionScore, LocalScore
from arcwise.scores.conditional_gaussian import ConditionalGaussian
from arcwise.scores.discrete import BDeu
from arcwise.scores.gaussian import BGe
from arcwise.support.devices import Processors
from arcwise.support.files import replacing
from arcwise.support.plain import digest
from arcwise.support.running import Stage
from arcwise.support.words import quoted, shown


def as_score(value: Any, data: Data | None = None) -> LocalScore:
    """Return a score from any accepted form.

    Parameters
    ----------
    value
        A `LocalScore`; a name such as ``"bdeu"``; a function of the name of a node and
        those of its parents; or None to choose by the data: `BDeu` if all columns are
        discrete, `BGe` if all are continuous, `ConditionalGaussian` if there are both.
    data
        The data to choose by.

    Examples
    --------
    >>> as_score("bdeu")
    BDeu(equivalent_sample_size=1.0)
    """
    if isinstance(value, LocalScore):
        return value
    if value is None and data is not None:
        continuous = [kind == "continuous" for kind in data.kinds.values()]
        if all(continuous):
            return BGe()
        return ConditionalGaussian() if any(continuous) else BDeu()
    if isinstance(value, str) and value.lower() in NAMED_SCORES:
        return NAMED_SCORES[value.lower()]()
    if isinstance(value, type) and issubclass(value, LocalScore):
        raise ArgumentError(
            f"score is the class {value.__name__}; give an instance, {value.__name__}()"
        )
    if callable(value):
        return FunctionScore(value)
    raise ArgumentError(
        f"score is {shown(value)}; give one of {quoted(NAMED_SCORES)}, a score such as BDeu(), or "
        "a function of a node and its parents"
    )


@dataclass(frozen=True)
class FamilyScoring:
    """Families to score, in this process or on workers, by a score and data."""

    score: LocalScore
    data: Data | tuple[str, ...]  # the data, or the names of the variables
    families: Families  # the families of all nodes

    @cached_property
    def in_core(self) -> _core.FamilyScore | None:
        """The score as an object of the core; None if it fills tables itself."""
        if isinstance(self.score, FunctionScore):
            return self.score.in_core(self.data)
        assert isinstance(self.data, Data)
        fills = type(self.score).fill is not LocalScore.fill
        return None if fills else self.score.in_core(self.data)

    @cached_property
    def plan(self) -> _core.ScoringPlan | FillingPlan:
        """The units of work into which the families are divided."""
        if self.in_core is not None:
            plan: _core.ScoringPlan = self.in_core.plan(self.families.table(with_values=False))
            return plan
        assert isinstance(self.data, Data)
        return FillingPlan(self.score, self.data, self.families)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out objects of the core, which each process makes for itself."""
        return {"score": self.score, "data": self.data, "families": self.families}

    def fill(self, table: Any, run: Stage) -> None:
        """Set every value of a table to the score of its family."""
        run.deadline.check()  # because rows are prepared before the first family is scored
        if self.in_core is not None:
            self.in_core.score(table, run.threads, run.progress)
        else:
            assert isinstance(self.data, Data)
            self.score.fill(self.data, table, run)

    def score_all(self, run: Stage, path: Path | None = None) -> _core.FamilyTable:
        """Return a new table with the scores of all families, saved in a file if one is given."""
        if path is not None:
            return score_in_parts(self, run, path)
        table = self.families.table()
        self.fill(table, run)
        return table


@dataclass(frozen=True)
class FillingPlan:
    """The units of a score that fills tables itself, one per node; see `_core.ScoringPlan`."""

    filler: LocalScore
    data: Data
    families: Families

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.families.variables)

    @property
    def work(self) -> int:
        """The number of families."""
        return self.families.total

    def values(self, first: int, count: int) -> int:
        """Return the number of families of some nodes."""
        names = self.families.variables[first : first + count]
        return sum(self.families.count(name) for name in names)

    def score(
        self, first: int, count: int, threads: int, progress: Callable[[float], None] | None
    ) -> NDArray[np.float64]:
        """Return the scores of some nodes."""
        nodes = range(first, first + count)
        table = self.families.only(nodes).table()
        self.filler.fill(self.data, table, Stage(Processors(threads), progress))
        return np.concatenate([table.values(node) for node in nodes])

    def put(
        self, first: int, count: int, values: NDArray[np.float64], table: _core.FamilyTable
    ) -> None:
        """Set the values of some nodes in a table."""
        for node in range(first, first + count):
            own = table.values(node)
            own[:], values = values[: len(own)], values[len(own) :]

    def finish(self, table: _core.FamilyTable, threads: int) -> None:
        """Do nothing, because a table is complete with its last node."""


Values = NDArray[np.float64]

# Each part prepares the rows again, which takes up to a second for a million of them.
_SECONDS_OF_A_PART = 5.0
_MOST_GROWTH = 4  # the largest ratio of the numbers of units of successive parts


def score_in_parts(job: FamilyScoring, run: Stage, path: Path) -> _core.FamilyTable:
    """Return the scores of all families, resuming from a file; equal to those without parts."""
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


class KeptScores:
    """The units of a scoring job that are done, saved in a file if one is given."""

    def __init__(self, job: FamilyScoring, path: Path | None) -> None:
        self.plan = job.plan
        self._table = job.families.table()
        self._file = None if path is None else PartsFile(path, _key(job))
        self._done = np.zeros(len(self.plan), dtype=np.bool_)
        if self._file is not None:
            self._done = self._file.read(job, self._table)

    @property
    def share(self) -> float:
        """The fraction of the units that are done."""
        return float(self._done.mean()) if len(self._done) else 1.0

    def missing(self) -> list[tuple[int, int]]:
        """Return the units that are not done: the first and the number of each stretch."""
        ends = np.flatnonzero(np.diff(self._done, prepend=True, append=True)).tolist()
        return [(first, last - first) for first, last in zip(ends[::2], ends[1::2], strict=True)]

    def take(self, first: int, count: int, values: Values) -> None:
        """Store the values of some units."""
        if self._file is not None:
            self._file.add(first, count, values)
        self.plan.put(first, count, values, self._table)
        self._done[first : first + count] = True

    def finish(self, threads: int) -> _core.FamilyTable:
        """Return the scores of all families, once all units are done."""
        self.plan.finish(self._table, threads)
        return self._table


def _key(job: FamilyScoring) -> str:
    data = job.data.fingerprint if isinstance(job.data, Data) else job.data
    families = job.families
    return digest(
        _core.version,
        data,
        repr(job.score),
        (families.candidates, families.required, families.max_free, families.outside),
    )


_RECORD = struct.Struct("<QQQI")  # first unit, units, values, checksum


class PartsFile:
    """A file of parts of the scores, in any order; it is read up to the first damaged part."""

    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        self._header = f"arcwise scores {key}\n".encode()
        self._end = 0

    def read(self, job: FamilyScoring, table: _core.FamilyTable) -> NDArray[np.bool_]:
        """Copy the values of the units in the file to the table, and return which they are."""
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
        """Append the values of some units."""
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
