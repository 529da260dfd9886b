"""Refusal of unknown keyword arguments, with a suggestion."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from arcwise.errors import UnknownArgumentError
from arcwise.support.words import near_miss, quoted


def refuse_unknown(
    given: Iterable[str],
    known: Collection[str],
    function: str,
    other_words: Mapping[str, str] | None = None,
) -> None:
    """Refuse names that are not known.

    Parameters
    ----------
    given, known
        The names.
    function
        The name of the function, for the message.
    other_words
        Names that other libraries use for some arguments, and the names used here.
    """
    meant = other_words or {}
    unknown = [
        f"{name!r} (did you mean {meant[name]!r}?)"
        if meant.get(name) in known
        else f"{name!r}{near_miss(name, known)}"
        for name in given
        if name not in known
    ]
    if unknown:
        raise UnknownArgumentError(
            f"{function} has no argument {', '.join(unknown)}; its arguments are "
            f"{quoted(sorted(known), None)}"
        )
