"""Evaluates user-defined functions of families, and lists the families of a table by name."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from arcwise import _core
from arcwise.errors import ArgumentError
from arcwise.support.words import shown

FamilyFunction: TypeAlias = Callable[[str, tuple[str, ...]], float]
"""From a node's name and its parents' names to the logarithm of a weight or likelihood."""


def refuse_uncallable(function: object) -> None:
    """Refuse an object that is not callable, or not with a node and its parents."""
    if not callable(function):
        raise ArgumentError(
            f"function is {shown(function)}; give a function of a node's name and its parents' "
            "names"
        )
    try:
        takes = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C do not tell
        return
    try:
        takes.bind("node", ())
    except TypeError:
        raise ArgumentError(
            f"the function takes {takes}; give a function of two arguments, a node's name and "
            "the tuple of its parents' names"
        ) from None


def evaluate(
    function: FamilyFunction, node: str, parents: tuple[str, ...], owner: str, meaning: str
) -> float:
    """Return the value of a function for a family, which may be -inf but not inf or nan.

    Parameters
    ----------
    function, node, parents
        The function and the family.
    owner, meaning
        What the function belongs to and what it should return, for messages.
    """
    given = function(node, parents)
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = math.nan
    if math.isnan(value) or value == math.inf:
        raise ArgumentError(
            f"the function of the {owner} returned {given!r} for the node {node!r} with parents "
            f"{list(parents)}; it must return {meaning}, finite or -inf"
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
