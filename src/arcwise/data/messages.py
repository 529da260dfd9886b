"""Build the parts that error sentences about tables share: columns and near misses."""

import difflib
from collections.abc import Mapping, Sequence

from arcwise.errors import ArgumentError, DataWarning, Wording
from arcwise.support import warnings
from arcwise.support.words import quoted


def columns(names: Sequence[str], *, every: bool = False) -> str:
    """Write ``column 'a'`` or ``columns 'a' and 'b'``, every one of them or the first few."""
    shown = quoted(names, None) if every else quoted(names)
    return f"column{'' if len(names) == 1 else 's'} {shown}"


def suggestion(name: str, candidates: Sequence[str]) -> str:
    """Say which allowed names come close to an unknown one, or what the allowed ones are."""
    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    close = difflib.get_close_matches(name.casefold(), list(by_folded))
    if close:
        options = " or ".join(repr(by_folded[match]) for match in close)
        return f" (did you mean {options}?)"
    return f" (the variables are {quoted(candidates)})" if candidates else ""


def warn(*message: str | Wording) -> None:
    """Issue a DataWarning that points at the user's line, outside the package."""
    warnings.warn(DataWarning(*message))


def check_mapping(argument: str, value: object) -> None:
    """Refuse an argument that should be a mapping from column names and is not."""
    if not isinstance(value, Mapping):
        raise ArgumentError(
            f"{argument} is of type {type(value).__name__}; give a mapping from column names"
        )
