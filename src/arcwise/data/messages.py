"""Build the parts that error sentences about tables share: columns and near misses."""

import difflib
from collections.abc import Mapping, Sequence

from arcwise.errors import ArgumentError, DataWarning
from arcwise.support import warnings
from arcwise.support.words import quoted


def columns(names: Sequence[str], *, every: bool = False) -> str:
    """Write ``column 'a'`` or ``columns 'a' and 'b'``, every one of them or the first few."""
    listed = quoted(names, None) if every else quoted(names)
    return f"column{'' if len(names) == 1 else 's'} {listed}"


def suggestion(name: str, candidates: Sequence[str]) -> str:
    """Say which allowed names come close to an unknown one, or what the allowed ones are."""
    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    close = difflib.get_close_matches(name.casefold(), list(by_folded))
    if close:
        options = " or ".join(repr(by_folded[match]) for match in close)
        return f" (did you mean {options}?)"
    return f" (the variables are {quoted(candidates)})" if candidates else ""


def warn(message: str) -> None:
    """Issue a DataWarning that points at the line of the user, outside the package."""
    warnings.warn(message, DataWarning)


def check_mapping(argument: str, value: object) -> None:
    """Refuse an argument that must go from names to something and does not."""
    if not isinstance(value, Mapping):
        raise ArgumentError(
            f"`{argument}` must be a mapping from column names, but is of type "
            f"{type(value).__name__}"
        )
