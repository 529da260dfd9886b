"""Reads limits on the number of parents, combines them, and lists them by node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.constraints.options import MAX_INDEGREE
from arcwise.errors import ConstraintError
from arcwise.support.checks import whole_number
from arcwise.support.names import positions
from arcwise.support.words import shown

Limits: TypeAlias = int | tuple[tuple[str | None, int], ...] | None
"""One limit for all; or pairs of a name and its limit, None naming all other variables."""


def read_limits(value: Any) -> Limits:
    """Return the limits in one of the three forms of `Limits`.

    Parameters
    ----------
    value
        None, a number, a mapping from names to numbers (the key None stands for every
        variable left out), or a result of this function.
    """
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
