"""Names of variables in the text of a feature."""

from __future__ import annotations

import re

from arcwise.errors import ArgumentError
from arcwise.support.words import shown

KEYWORDS = frozenset({"and", "or", "not", "given", "has", "parents", "blanket", "edges", "cpdag"})
PLAIN = re.compile(r"\w[\w.]*(?:\((?:t(?:-[0-9]{1,9})?|0)\))?")
"""A name that needs no quotes: letters, digits, underscores and dots, with or without a time."""


def written(name: str) -> str:
    """Return a name as `parse` reads it: quoted if it is a keyword or has special characters."""
    if PLAIN.fullmatch(name) and name.partition("(")[0] not in KEYWORDS:
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def written_set(names: tuple[str, ...]) -> str:
    """Return a set of names in braces."""
    return "{" + ", ".join(written(name) for name in names) + "}"


def refuse_same(names: tuple[str, ...], what: str) -> None:
    """Refuse a feature that names a variable twice."""
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise ArgumentError(f"{what} names {shown(wrong[0])}; give names of variables as strings")
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ArgumentError(f"{what} names {repeated!r} twice; give different variables")
