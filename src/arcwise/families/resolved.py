"""`ResolvedConstraints`: consistent constraints over given variables, as arrays."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ConstraintError, FileFormatError, Wording, option, worded
from arcwise.support.checks import real_number, whole_number
from arcwise.support.edges import cycle_in_words, find_cycle
from arcwise.support.files import json_of, read_rows, read_text
from arcwise.support.names import as_list, listing, plural, positions, quoted, shown, worded_listing

REQUIRED_EDGES = option("required_edges")
FORBIDDEN_EDGES = option("forbidden_edges")
MAX_INDEGREE = option("max_indegree")
TIERS = option("tiers")
PARENT_ONLY = option("parent_only")

SEARCH_SPACE = Wording("search_space", "search_space")  # the shell has no option for this


@dataclass(frozen=True, eq=False)
class ResolvedConstraints:
    """Constraints on DAGs, as arrays in the order of the variables.

    At least one DAG satisfies them: the one with exactly the required edges.
    """

    required: NDArray[np.bool_]  # [parent, node]; acyclic
    allowed: NDArray[np.bool_]  # [parent, node]; includes the required edges
    # For each node the maximum number of parents, from the number of required ones to n - 1.
    max_indegree: NDArray[np.int64]
    parent_only: NDArray[np.bool_]  # for each node whether it has children only

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for array in (self.required, self.allowed, self.max_indegree, self.parent_only):
            array.flags.writeable = False

    def as_dict(self, variables: Sequence[str]) -> dict[str, Any]:
        """Return the constraints as plain values that `Constraints.coerce` takes.

        Edges excluded by tiers or a search space are among the forbidden ones; edges into
        parent-only variables are not.
        """
        n = len(variables)
        forbidden = ~self.allowed & ~np.eye(n, dtype=np.bool_)
        forbidden[:, self.parent_only] = False
        found: dict[str, Any] = {
            name: [[variables[u], variables[v]] for u, v in np.argwhere(edges)]
            for name, edges in (("required_edges", self.required), ("forbidden_edges", forbidden))
            if edges.any()
        }
        if self.parent_only.any():
            found["parent_only"] = [variables[v] for v in np.flatnonzero(self.parent_only).tolist()]
        limits = self.max_indegree.tolist()
        if min(limits, default=0) < n - 1:
            same = len(set(limits)) == 1
            found["max_indegree"] = limits[0] if same else dict(zip(variables, limits, strict=True))
        return found


def resolved(
    required: NDArray[np.bool_],
    forbidden_by: Mapping[Wording, NDArray[np.bool_]],
    max_indegree: NDArray[np.int64],
    variables: Sequence[str],
    parent_only: Sequence[str] = (),
) -> ResolvedConstraints:
    """Combine the constraints, or refuse them if no DAG satisfies all of them."""
    _refuse_conflict(required, forbidden_by, variables)
    cycle = find_cycle([np.flatnonzero(column).tolist() for column in required.T])
    if cycle is not None:
        raise ConstraintError(
            REQUIRED_EDGES,
            f" has the cycle {cycle_in_words(cycle, variables)}; remove one of its edges",
        )
    _refuse_too_many(required, max_indegree, variables)
    allowed = ~np.eye(len(variables), dtype=np.bool_)
    for forbidden in forbidden_by.values():
        allowed &= ~forbidden
    children_only = np.array([name in parent_only for name in variables], dtype=np.bool_)
    return ResolvedConstraints(required, allowed, max_indegree, children_only)


def _refuse_conflict(
    required: NDArray[np.bool_],
    forbidden_by: Mapping[Wording, NDArray[np.bool_]],
    variables: Sequence[str],
) -> None:
    conflicts = []
    for parent, node in np.argwhere(required):
        reasons = [reason for reason, edges in forbidden_by.items() if edges[parent, node]]
        if reasons:
            edge = f"{variables[parent]!r} -> {variables[node]!r}"
            conflicts.append(worded(edge, " (forbidden by ", worded_listing(reasons), ")"))
    if conflicts:
        raise ConstraintError(
            REQUIRED_EDGES,
            " contains ",
            worded_listing(conflicts),
            "; remove each of these from ",
            REQUIRED_EDGES,
            " or lift the constraint that forbids it",
        )


def _refuse_too_many(
    required: NDArray[np.bool_], max_indegree: NDArray[np.int64], variables: Sequence[str]
) -> None:
    crowded = np.flatnonzero(required.sum(axis=0) > max_indegree).tolist()
    if not crowded:
        return
    clauses = []
    for node in crowded:
        parents = [variables[parent] for parent in np.flatnonzero(required[:, node]).tolist()]
        clauses.append(
            f"{variables[node]!r} requires {plural(len(parents), 'parent')} ({quoted(parents)}) "
            f"but may have at most {max_indegree[node]}"
        )
    raise ConstraintError(
        REQUIRED_EDGES,
        " and ",
        MAX_INDEGREE,
        f" leave no parent set for {quoted(variables[node] for node in crowded)}: "
        f"{listing(clauses)}; require fewer edges or raise ",
        MAX_INDEGREE,
    )


Limits: TypeAlias = int | tuple[tuple[str | None, int], ...] | None
"""One limit for all, or pairs of a name and its limit, where None means all other variables."""


def read_limits(value: Any) -> Limits:
    """Return the limits in one of the three forms of `Limits`."""
    if value is None:
        return None
    if isinstance(value, Integral):
        return whole_number(value, MAX_INDEGREE, at_least=0, error=ConstraintError)
    try:
        pairs = dict(value)
    except (TypeError, ValueError):
        raise ConstraintError(
            f"max_indegree is {shown(value)}; give a whole number, 0 or more, "
            "or a mapping from names to such numbers"
        ) from None
    return _canonical(
        {
            name: whole_number(
                limit, f"max_indegree[{shown(name)}]", at_least=0, error=ConstraintError
            )
            for name, limit in pairs.items()
        }
    )


def tighter(first: Limits, second: Limits) -> Limits:
    """Return the tighter of two limits for each variable."""
    one, other = _as_mapping(first), _as_mapping(second)
    merged: dict[str | None, int] = {}
    for name in [None, *one, *other]:
        given = [limits.get(name, limits.get(None)) for limits in (one, other)]
        present = [limit for limit in given if limit is not None]
        if present:
            merged[name] = min(present)
    return _canonical(merged)


def limit_array(limits: Limits, variables: Sequence[str]) -> NDArray[np.int64]:
    """Return the limit of each variable, at most the number of other variables."""
    mapping = _as_mapping(limits)
    most = len(variables) - 1
    array = np.full(len(variables), min(most, mapping.get(None, most)), dtype=np.int64)
    named = [name for name in mapping if name is not None]
    for index, name in zip(
        positions(named, variables, MAX_INDEGREE, ConstraintError), named, strict=True
    ):
        array[index] = min(most, mapping[name])
    return array


def _as_mapping(limits: Limits) -> Mapping[str | None, int]:
    if limits is None:
        return {}
    return {None: limits} if isinstance(limits, int) else dict(limits)


def _canonical(mapping: Mapping[Any, int]) -> Limits:
    if not mapping:
        return None
    if set(mapping) == {None}:
        return mapping[None]
    return tuple(sorted(mapping.items(), key=lambda item: (item[0] is None, _written(item[0]))))


def _written(name: object) -> str:
    return name if isinstance(name, str) else shown(name)


def read_parent_only(value: Any) -> tuple[str, ...]:
    """Return the distinct names, sorted, so that equal lists compare equal.

    Examples
    --------
    >>> read_parent_only(["sex", "age", "sex"]), read_parent_only("age"), read_parent_only(None)
    (('age', 'sex'), ('age',), ())
    """
    if value is None:
        return ()
    names = [value] if isinstance(value, str) else as_list(value, PARENT_ONLY, "a list of names")
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise ConstraintError(PARENT_ONLY, f" holds {quoted(wrong)}; give names of variables")
    return tuple(sorted(set(names)))


def into_matrix(parent_only: Sequence[str], variables: Sequence[str]) -> NDArray[np.bool_]:
    """Return the edges into parent-only variables, which are impossible, as [source, target]."""
    places = positions(parent_only, variables, PARENT_ONLY, ConstraintError)
    if places and len(places) == len(variables):
        raise ConstraintError(
            PARENT_ONLY,
            " names every variable, so that none is left to have parents; leave out those that "
            "may have some",
        )
    matrix = np.zeros((len(variables), len(variables)), dtype=np.bool_)
    matrix[:, places] = True
    return matrix


# --- Tiers ----------------------------------------------------------------------------------------

# Tiers of variables, the earliest first: reading them, and the edges that they forbid.


Tiers: TypeAlias = tuple[tuple[str, ...], ...]
"""The names in each tier, the earliest tier first."""


def read_tiers(value: Any) -> Tiers | None:
    """Return the tiers, or None if no variable is in one."""
    if value is None:
        return None
    if isinstance(value, str) and "<" in value:
        value = parse_tiers(value)
    elif isinstance(value, os.PathLike) or (isinstance(value, str) and os.path.exists(value)):
        value = read_tier_file(Path(value))
    lists = _grouped(value) if isinstance(value, Mapping) else _listed(value)
    tiers = tuple(tuple(sorted(set(tier))) for tier in lists if tier)
    names = [name for tier in tiers for name in tier]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConstraintError(
            TIERS, f" has {quoted(twice)} in more than one tier; name each variable once"
        )
    return tiers or None


def backward_pairs(tiers: Tiers) -> list[tuple[str, str]]:
    """Return the edges from a later to an earlier tier, which the tiers forbid."""
    return [
        (late, early)
        for number, tier in enumerate(tiers)
        for late in tier
        for earlier in tiers[:number]
        for early in earlier
    ]


def backward_matrix(tiers: Tiers | None, variables: Sequence[str]) -> NDArray[np.bool_]:
    """Return the edges from a later to an earlier tier as a matrix [source, target]."""
    number = np.full(len(variables), np.nan)
    for tier_number, tier in enumerate(tiers or ()):
        number[positions(tier, variables, TIERS, ConstraintError)] = tier_number
    # A variable in no tier has the number nan, and every comparison with nan is False.
    return number[:, np.newaxis] > number[np.newaxis, :]


def _grouped(numbers: Mapping[Any, Any]) -> list[list[str]]:
    tiers: defaultdict[float, list[str]] = defaultdict(list)
    for name, number in numbers.items():
        place = real_number(
            number,
            worded(f"the tier of {shown(name)} in ", TIERS),
            lambda _: True,
            "a number",
            ConstraintError,
        )
        tiers[place].extend(_names([name]))
    return [tiers[number] for number in sorted(tiers)]


def _listed(value: Any) -> list[list[str]]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ConstraintError(
            TIERS,
            f" is {shown(value)}; give ",
            Wording(
                "lists of names, the earliest first, a mapping from names to tier numbers, a file "
                "of tiers,",
                "a file of tiers",
            ),
            " or a text such as 'age, sex < smoke < lung'",
        )
    return [_names([tier] if isinstance(tier, str) else tier) for tier in _items(value)]


def _items(value: Any) -> list[Any]:
    try:
        return list(value)
    except TypeError:  # not a collection, or an array without dimensions
        return [value]


def _names(tier: Any) -> list[str]:
    names = _items(tier)
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise ConstraintError(TIERS, f" holds {quoted(wrong)}; give names of variables")
    return names


_WANTED = (
    "a text such as 'age, sex < smoke < lung', a .csv with the header variable,tier, a .json, or "
    "a text file with a tier in each line"
)
_TOKEN = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([<,])|([^<,"]+))')
_NAME_COLUMNS = ("variable", "name", "node")


def parse_tiers(text: str) -> list[list[str]]:
    """Return the tiers of a text, in which ``<`` separates tiers and commas separate names.

    A name that contains one of these signs is put in quotation marks.

    Examples
    --------
    >>> parse_tiers('age, sex < "a < b" < lung')
    [['age', 'sex'], ['a < b'], ['lung']]
    """
    tiers: list[list[str]] = [[]]
    position, name_expected = 0, True
    text = text.strip()
    while position < len(text):
        token = _TOKEN.match(text, position)
        sign = None if token is None else token[2]
        if token is None or (sign is None) != name_expected:
            raise ConstraintError(
                TIERS,
                f" is {shown(text)}, which goes wrong at character {position + 1}; give names "
                "separated by commas, and < between tiers, as in 'age, sex < smoke < lung'",
            )
        position = token.end()
        if sign is None:
            quoted = token[1]
            tiers[-1].append(token[3].strip() if quoted is None else quoted.replace('""', '"'))
            name_expected = False
            continue
        if sign == "<":
            tiers.append([])
        name_expected = True
    if name_expected:
        raise ConstraintError(
            TIERS, f" is {shown(text)}, which ends without a name; give one after every sign"
        )
    return tiers


def read_tier_file(path: Path) -> Any:
    """Return the tiers of a file, as lists of names or as a mapping to numbers."""
    text = read_text(path, _WANTED)
    if path.suffix.lower() == ".json":
        content = json_of(text)
        if not isinstance(content, list | dict):
            raise FileFormatError(
                f"'{path}' is not a JSON list of lists of names, nor a mapping from names to tier "
                "numbers; give one of these"
            )
        return content
    rows = read_rows(text, path, _WANTED)
    header = [name.strip().lower() for name in rows[0]]
    if len(header) == 2 and header[0] in _NAME_COLUMNS and header[1] == "tier":
        return _numbered(rows[1:], path)
    if any("<" in field for row in rows for field in row):
        return parse_tiers(" ".join(text.split()))
    return [[name for name in row if name] for row in rows]


def _numbered(rows: list[list[str]], path: Path) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for place, row in enumerate(rows, 2):
        try:
            name, number = row[0], float(row[1])
        except (IndexError, ValueError):
            raise FileFormatError(
                f"row {place} of '{path}' is {shown(','.join(row))}; give the name of a variable "
                "and the number of its tier"
            ) from None
        if name in numbers:
            raise FileFormatError(
                f"'{path}' has {shown(name)} more than once; name each variable once"
            )
        numbers[name] = number
    return numbers
