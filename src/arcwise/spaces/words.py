"""Spaces by the words the command line uses for them."""

from __future__ import annotations

from typing import Any

from arcwise.errors import ArgumentError
from arcwise.spaces.space import NAMED_SPACES, Space
from arcwise.support.words import quoted, shown


def as_space(value: Any) -> Space:
    """Return a space, given as one or by its word, such as ``"linear"`` or ``"buckets:5"``.

    Examples
    --------
    >>> as_space("buckets:5")
    BucketOrders(size=5)
    """
    if isinstance(value, Space):
        return value
    if isinstance(value, str):
        word, colon, argument = value.partition(":")
        named = NAMED_SPACES.get(word)
        parsed = named.parse(argument) if named and bool(colon) == bool(argument) else None
        if parsed is not None:
            return parsed
    raise ArgumentError(
        f"space is {shown(value)}; give one of {quoted(space_words())}, or a space such "
        "as Partitions()"
    )


def space_words() -> list[str]:
    """Return the words that spaces are asked for by, with what may follow after a colon.

    Examples
    --------
    >>> {'buckets:SIZE', 'layerings[:MAX_SIZE]', 'partitions'} <= set(space_words())
    True
    """
    return sorted(word for kind in NAMED_SPACES.values() for word in kind.words())
