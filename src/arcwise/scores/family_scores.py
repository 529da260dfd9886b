"""`FamilyScores`: the scores of all families, to inspect, to exchange and to build models on."""

from __future__ import annotations

import os
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data import Data
from arcwise.errors import ArgumentError, FileFormatError
from arcwise.families.families import Families, candidates_of
from arcwise.scores.base import NAMED_SCORES, FunctionScore, LocalScore
from arcwise.scores.conditional_gaussian import ConditionalGaussian
from arcwise.scores.discrete import BDeu
from arcwise.scores.gaussian import BGe
from arcwise.support.checks import file_path, whole_number
from arcwise.support.devices import Processors
from arcwise.support.files import replacing
from arcwise.support.names import as_list, checked_variables, positions, quoted, shown
from arcwise.support.plain import digest
from arcwise.support.running import Stage


class FamilyScores:
    """The log score of every family of every node.

    Parameters
    ----------
    variables
        The names of the nodes.
    table
        The scores as a table of the core; use `arcwise.score`, `read_scores` or
        `from_mapping` to obtain one.

    Examples
    --------
    >>> scores = FamilyScores.from_mapping(
    ...     {"a": {(): -3.0}, "b": {(): -5.0, ("a",): -4.0}}
    ... )
    >>> scores.best("b")
    [(('a',), -4.0), ((), -5.0)]
    """

    def __init__(self, variables: Iterable[str], table: _core.FamilyTable) -> None:
        self.variables = checked_variables(variables)
        self._table = table

    @classmethod
    def from_mapping(cls, scores: Mapping[str, Mapping[Iterable[str], float]]) -> FamilyScores:
        """Build scores from a mapping from each node and parent set to a number.

        Parent sets left out are not allowed.
        """
        if not isinstance(scores, Mapping):
            raise ArgumentError(
                f"scores is {shown(scores)}; give a mapping from each node and parent set to a "
                "number"
            )
        variables = checked_variables(scores)
        candidates, members, values = [], [], []
        for node, (name, families) in enumerate(scores.items()):
            if not isinstance(families, Mapping):
                raise ArgumentError(
                    f"scores[{name!r}] is {shown(families)}; give a mapping from parent sets to "
                    "numbers"
                )
            sets = [
                sorted(set(positions(_as_set(parents), variables, f"a parent set of {name!r}")))
                for parents in families
            ]
            if any(node in parents for parents in sets):
                raise ArgumentError(f"{name!r} is in one of its own parent sets; take it out")
            if not sets or len({tuple(parents) for parents in sets}) < len(sets):
                raise ArgumentError(
                    f"{name!r} has {'no parent set' if not sets else 'a parent set twice'}; "
                    "give each node one or more parent sets, each once"
                )
            try:
                numbers = [float(value) for value in families.values()]
            except (TypeError, ValueError, OverflowError):
                numbers = [np.nan]
            if not np.isfinite(numbers).all():
                raise ArgumentError(
                    f"{name!r} has a score that is not a finite number; leave out such parent sets"
                )
            union = sorted(set().union(*sets))
            candidates.append(union)
            members.append([[union.index(parent) for parent in parents] for parents in sets])
            values.append(numbers)
        return cls(variables, _core.FamilyTable.from_lists(candidates, members, values))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the scores by their families, because tables of the core cannot be pickled."""
        table, nodes = self._table, range(len(self.variables))
        rule = rule_of(table)
        values = [table.values(node).copy() for node in nodes]
        lists = [table.parent_sets(node) for node in nodes] if rule["listed"] else []
        return scores_by_rule, (self.variables, rule, values, lists)

    @property
    def table(self) -> _core.FamilyTable:
        """The scores as a table of the core."""
        return self._table

    def __len__(self) -> int:
        """Return the number of families."""
        return sum(self._table.count(node) for node in range(len(self.variables)))

    def __repr__(self) -> str:
        """Show the number of variables and families."""
        return f"<FamilyScores: {len(self.variables)} variables, {len(self)} families>"

    @property
    def nbytes(self) -> int:
        """The memory of the scores, in bytes."""
        return sum(self._table.values(node).nbytes for node in range(len(self.variables)))

    def log_score(self, node: str, parents: Iterable[str]) -> float:
        """Return the score of one family; minus infinity if it is not allowed."""
        (index,) = positions([node], self.variables, "node")
        members = sorted(set(positions(parents, self.variables, "parents")))
        family = self._table.find(index, members)
        return -np.inf if family < 0 else float(self._table.values(index)[family])

    def families(self, node: str) -> list[tuple[tuple[str, ...], float]]:
        """Return every parent set of a node with its score, in storage order."""
        (index,) = positions([node], self.variables, "node")
        return self._named(index, range(self._table.count(index)))

    def best(self, node: str, count: int = 5) -> list[tuple[tuple[str, ...], float]]:
        """Return the best parent sets of a node with their scores, the best first."""
        (index,) = positions([node], self.variables, "node")
        values = self._table.values(index)
        count = min(whole_number(count, "count", at_least=0), len(values))
        top = np.argpartition(-values, count - 1)[:count] if count else np.empty(0, dtype=int)
        return self._named(index, top[np.argsort(-values[top], kind="stable")].tolist())

    def _named(self, node: int, families: Iterable[int]) -> list[tuple[tuple[str, ...], float]]:
        flat, offsets = self._table.parent_sets(node)
        values = self._table.values(node)
        return [
            (
                tuple(self.variables[u] for u in flat[offsets[family] : offsets[family + 1]]),
                float(values[family]),
            )
            for family in families
        ]

    def write_jkl(self, path: str | os.PathLike[str]) -> None:
        """Write the scores to a .jkl file, as GOBNILP and others read it.

        Raises
        ------
        ArgumentError
            If a name contains white space, which separates names in the file.
        """
        with replacing(file_path(path, "path")) as temporary:
            _core.write_jkl(os.fsdecode(temporary), list(self.variables), self._table)


def rule_of(table: _core.FamilyTable) -> dict[str, Any]:
    """Return the rule that defines the families of a table, as plain values."""
    nodes = range(len(table))
    listed = any(table.listed(node) for node in nodes)
    return {
        "listed": listed,
        "candidates": [candidates_of(table, node) for node in nodes],
        "required": [list(table.required(node)) for node in nodes],
        "outside": [list(table.outside(node)) for node in nodes],
        "max_free": [] if listed else [table.max_free(node) for node in nodes],
    }


def scores_by_rule(
    variables: tuple[str, ...],
    rule: Mapping[str, Any],
    values: Sequence[NDArray[np.float64]],
    parent_sets: Sequence[tuple[NDArray[Any], NDArray[Any]]],
) -> FamilyScores:
    """Return scores of the families that `rule_of` describes, or that `parent_sets` lists."""
    if rule["listed"]:
        return FamilyScores(variables, _listed(rule, values, parent_sets))
    sets = {
        part: tuple(tuple(parents) for parents in rule[part])
        for part in ("candidates", "required", "outside")
    }
    table = Families(variables, max_free=tuple(rule["max_free"]), **sets).table()
    for node, own in enumerate(values):
        if own.shape != table.values(node).shape or own.dtype != np.float64:
            raise ValueError("values of other families")
        table.values(node)[:] = own
    return FamilyScores(variables, table)


def _listed(
    rule: Mapping[str, Any],
    values: Sequence[NDArray[np.float64]],
    parent_sets: Sequence[tuple[NDArray[Any], NDArray[Any]]],
) -> _core.FamilyTable:
    members = []
    for candidates, lists in zip(rule["candidates"], parent_sets, strict=True):
        place = {parent: position for position, parent in enumerate(candidates)}
        parents, offsets = (each.tolist() for each in lists)
        if [offsets[0], offsets[-1]] != [0, len(parents)] or sorted(offsets) != offsets:
            raise ValueError("offsets")
        members.append(
            [
                [place[parent] for parent in parents[first:last] if parent in place]
                for first, last in pairwise(offsets)
            ]
        )
    lists_of_values = [own.tolist() for own in values]
    return _core.FamilyTable.from_lists(
        rule["candidates"], members, lists_of_values, rule["required"]
    )


def _as_set(parents: Any) -> list[Any]:
    return as_list(parents, "a parent set", "tuples of names as parent sets, () for none")


def read_scores(path: str | os.PathLike[str]) -> FamilyScores:
    r"""Read family scores from a .jkl file.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    FileFormatError
        If it cannot be read or is damaged; the message names the line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "scores.jkl"
    >>> _ = path.write_text("2\na 1\n-3.0 0\nb 2\n-5.0 0\n-4.0 1 a\n")
    >>> read_scores(path).log_score("b", ["a"])
    -4.0
    """
    file = os.fsdecode(file_path(path, "path"))
    try:
        names, table = _core.read_jkl(file)
    except UnicodeDecodeError:
        raise FileFormatError(
            f"'{file}' contains names that are not valid UTF-8; save it as UTF-8"
        ) from None
    return FamilyScores(names, table)


def as_family_scores(value: Any) -> FamilyScores | None:
    """Return scores that were given in place of data, or None if data were given."""
    if isinstance(value, FamilyScores):
        return value
    if isinstance(value, str | os.PathLike) and os.fsdecode(value).lower().endswith(".jkl"):
        return read_scores(value)
    return None


# --- Score families -------------------------------------------------------------------------------

# `as_score`, and the scoring of all families, whose results can be saved part by part.


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
