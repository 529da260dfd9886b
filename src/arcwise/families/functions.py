"""Asks functions of the user's about families, and goes through the families of a table by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from arcwise import _core
from arcwise.errors import ArgumentError

FamilyFunction: TypeAlias = Callable[[str, tuple[str, ...]], float]
"""From a node's name and its parents' names to the logarithm of a weight or likelihood."""


def refuse_uncallable(function: object) -> None:
    """Refuse what cannot be asked."""
    if not callable(function):
        raise ArgumentError(
            f"function is {function!r}; give a function of a node's name and its parents' names"
        )


def answer(
    function: FamilyFunction, node: str, parents: tuple[str, ...], owner: str, meaning: str
) -> float:
    """Return what the function says of a family, which may be -inf but not inf or nan.

    Parameters
    ----------
    function, node, parents
        What is asked.
    owner, meaning
        Whose function it is and what it should give, for the message.
    """
    given = function(node, parents)
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = math.nan
    if math.isnan(value) or value == math.inf:
        raise ArgumentError(
            f"the {owner}'s function gave {given!r} for the node {node!r} with the parents "
            f"{list(parents)}; let it give {meaning}, a number or -inf"
        )
    return value


def parent_names(
    table: _core.FamilyTable, node: int, variables: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Yield the parents of each family of a node, in the order of the table's values."""
    flat, offsets = table.parent_sets(node)
    members, bounds = flat.tolist(), offsets.tolist()
    for first, last in pairwise(bounds):
        yield tuple(variables[parent] for parent in members[first:last])
