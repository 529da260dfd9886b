"""Build the parts that error sentences share: lists of names, counts and near misses."""

import difflib
from collections.abc import Iterable, Mapping, Sequence

from arcwise.errors import ArgumentError, DataWarning, Wording
from arcwise.support import warnings
from arcwise.support.names import listing, quoted

LONGEST_LIST = 8


def listed(items: Iterable[object], limit: int | None = LONGEST_LIST) -> str:
    """Quote the items and join them as in a sentence, shortening a long list."""
    return quoted(items, limit)


def joined(texts: Iterable[str], limit: int | None = LONGEST_LIST) -> str:
    """Join texts as in a sentence, shortening a long list."""
    return listing(texts, limit)


def counted(counts: Mapping[str, int]) -> str:
    """List every name with its count; a user who must repair a table needs all of them."""
    return joined([f"{name!r} ({count})" for name, count in counts.items()], limit=None)


def plural(number: int, noun: str) -> str:
    """Write a number and its noun: ``1 row``, ``2 rows``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def columns(names: Sequence[str], limit: int | None = LONGEST_LIST) -> str:
    """Write ``column 'a'`` or ``columns 'a' and 'b'``."""
    return f"column{'' if len(names) == 1 else 's'} {listed(names, limit)}"


def suggestion(name: str, candidates: Sequence[str]) -> str:
    """Say which allowed names come close to an unknown one, or what the allowed ones are."""
    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    close = difflib.get_close_matches(name.casefold(), list(by_folded))
    if close:
        options = " or ".join(repr(by_folded[match]) for match in close)
        return f" (did you mean {options}?)"
    return f" (the variables are {listed(candidates)})" if candidates else ""


def warn(*message: str | Wording) -> None:
    """Issue a DataWarning that points at the user's line, outside the package."""
    warnings.warn(DataWarning(*message))


def check_mapping(argument: str, value: object) -> None:
    """Refuse an argument that should be a mapping from column names and is not."""
    if not isinstance(value, Mapping):
        raise ArgumentError(
            f"{argument} is of type {type(value).__name__}; give a mapping from column names"
        )
