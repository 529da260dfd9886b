"""`FamilyScores`: the scores of all families, to inspect, to exchange and to build models on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.errors import ArgumentError, FileFormatError
from arcwise.families.families import Families, candidates_of
from arcwise.support.checks import file_path, whole_number
from arcwise.support.files import replacing
from arcwise.support.names import as_list, checked_variables, positions
from arcwise.support.words import shown


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
