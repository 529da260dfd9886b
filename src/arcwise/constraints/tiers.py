"""Reads tiers of variables, the earliest first, and lists the edges they forbid."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.constraints.options import TIERS
from arcwise.constraints.tier_files import parse_tiers, read_tier_file
from arcwise.errors import ConstraintError, Wording, worded
from arcwise.support.checks import real_number
from arcwise.support.names import positions
from arcwise.support.words import quoted, shown

Tiers: TypeAlias = tuple[tuple[str, ...], ...]
"""The names in each tier, the earliest tier first."""


def read_tiers(value: Any) -> Tiers | None:
    """Return the tiers, or None if no variable is in one.

    Parameters
    ----------
    value
        Tiers, the earliest first, each a list of names or a single name; a mapping from
        names to tier numbers; a text such as ``"age, sex < smoke < lung"``; or the path of a
        file, see `read_tier_file`.
    """
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
    # A variable in no tier has the number nan, for which every comparison is False.
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
    except TypeError:  # no collection, or an array without dimensions, which looks like one
        return [value]


def _names(tier: Any) -> list[str]:
    names = _items(tier)
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise ConstraintError(TIERS, f" holds {quoted(wrong)}; give names of variables")
    return names
