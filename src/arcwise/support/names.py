"""Checks of variable names, with messages about unknown ones."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from arcwise.errors import ArcwiseError, ArgumentError, Wording
from arcwise.support.words import listing, near_miss, quoted, shown


def checked_variables(variables: Iterable[str]) -> tuple[str, ...]:
    """Return the names as a tuple, after checking that they can name variables."""
    if isinstance(variables, str):
        raise ArgumentError(
            f"variables is the single string {shown(variables)}; give a list of names instead"
        )
    try:
        names = tuple(variables)
    except TypeError:
        raise ArgumentError(
            f"variables is {shown(variables)}; give a list of names instead"
        ) from None
    if not names:
        raise ArgumentError("variables is empty; give at least one name")
    wrong = [name for name in names if not isinstance(name, str) or not name]
    if wrong:
        raise ArgumentError(f"variables holds {quoted(wrong)}; give nonempty strings as names")
    unwritable = [name for name in names if not is_writable(name)]
    if unwritable:
        raise ArgumentError(
            f"variables holds {quoted(unwritable)}, with a character that no file can hold; give "
            "other names"
        )
    if len(set(names)) < len(names):
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise ArgumentError(
            f"variables contains {quoted(repeated)} more than once; give every name once"
        )
    return names


def as_list(value: Any, source: str | Wording, wanted: str) -> list[Any]:
    """Return the items of a list or another collection, or refuse what is none."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        try:
            return list(value)
        except TypeError:  # as arrays without dimensions, which look like collections
            pass
    raise ArgumentError(source, f" is {shown(value)}; give {wanted}")


def is_writable(text: str) -> bool:
    r"""Return whether files can hold a text: a NUL or half a surrogate pair is in no text file.

    Examples
    --------
    >>> is_writable("naïve\n☂"), is_writable("\ud800"), is_writable("\0")
    (True, False, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def index_of(variables: Iterable[str]) -> dict[str, int]:
    """Return the position of each variable by name."""
    return {variable: position for position, variable in enumerate(variables)}


def positions(
    names: Iterable[Any],
    variables: Sequence[str] | Mapping[str, int],
    source: str | Wording,
    error: type[ArcwiseError] = ArgumentError,
) -> list[int]:
    """Return the position of each name among the variables.

    For many calls, give the result of `index_of` for the variables.
    """
    index = variables if isinstance(variables, Mapping) else index_of(variables)
    try:
        names = list(names)
    except TypeError:
        raise error(source, f" is {shown(names)}; give names of variables") from None
    unknown: dict[str, None] = {}  # keyed by text, since a wrong name need not be hashable
    for name in names:
        if not isinstance(name, str):
            unknown[shown(name)] = None
        elif name not in index:
            unknown[f"{shown(name)}{near_miss(name, index)}"] = None
    if unknown:
        known = f"the variables are {quoted(index)}" if index else "there are no such variables"
        raise error(source, f" names {listing(unknown)}; {known}")
    return [index[name] for name in names]


def refuse_other_names(names: Collection[str], variables: Sequence[str], source: str) -> None:
    """Refuse `source` unless its names are exactly the variables, in any order."""
    positions(names, variables, source)
    missing = [variable for variable in variables if variable not in names]
    if missing:
        raise ArgumentError(f"{source} lacks {quoted(missing)}; include every variable")


# --- Lagged names ---------------------------------------------------------------------------------

# Names of variables at a time, such as ``x(t-1)``, in the one way they are written.


TIME_SUFFIX = r"\(\s*(?:t(?:\s*[-−]\s*\d{1,9})?|0)\s*\)"
"""A regular expression for what follows the name of a variable: (t), (t-1), or (0)."""

_NAME = re.compile(rf"(.*\S)\s*({TIME_SUFFIX})", re.DOTALL)


def canonical_name(name: str) -> str:
    """Return a name without blanks in its time, and with the minus of the keyboard.

    Examples
    --------
    >>> canonical_name("rain (t − 2)"), canonical_name("rain( t )"), canonical_name("f(x)")
    ('rain(t-2)', 'rain(t)', 'f(x)')
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return name
    return found[1] + re.sub(r"\s", "", found[2]).replace("−", "-")
