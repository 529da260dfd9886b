"""Reads a temporal order of the variables and lists the edges it forbids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ConstraintError
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
        Tiers, the earliest first, each a list of names or a single name; or a mapping from
        names to tier numbers.
    """
    if value is None:
        return None
    lists = _grouped(value) if isinstance(value, Mapping) else _listed(value)
    tiers = tuple(tuple(sorted(set(tier))) for tier in lists if tier)
    names = [name for tier in tiers for name in tier]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConstraintError(
            f"temporal_order has {quoted(twice)} in more than one tier; name each variable once"
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
        number[positions(tier, variables, "temporal_order", ConstraintError)] = tier_number
    # A variable in no tier has the number nan, for which every comparison is False.
    return number[:, np.newaxis] > number[np.newaxis, :]


def _grouped(numbers: Mapping[Any, Any]) -> list[list[str]]:
    tiers: defaultdict[Real, list[str]] = defaultdict(list)
    for name, number in numbers.items():
        real_number(
            number,
            f"the tier of {shown(name)} in temporal_order",
            lambda _: True,
            "a number",
            ConstraintError,
        )
        tiers[number].extend(_names([name]))
    return [tiers[number] for number in sorted(tiers)]


def _listed(value: Any) -> list[list[str]]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ConstraintError(
            f"temporal_order is {shown(value)}; give lists of names, the earliest first, "
            "or a mapping from names to tier numbers"
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
        raise ConstraintError(f"temporal_order holds {quoted(wrong)}; give names of variables")
    return names
