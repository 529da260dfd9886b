"""Tiers of variables, the earliest first: reading them, and the edges that they forbid."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ConstraintError, FileFormatError, Wording, worded
from arcwise.families.resolved import TIERS
from arcwise.support.checks import real_number
from arcwise.support.files import json_of, read_rows, read_text
from arcwise.support.names import positions
from arcwise.support.words import quoted, shown

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
