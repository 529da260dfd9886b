"""Refusal of unknown keyword arguments, with a suggestion."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

from arcwise.errors import UnknownArgumentError
from arcwise.support.words import near_miss, quoted

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


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


def checks_names(
    more: Collection[str], other_words: Mapping[str, str]
) -> Callable[[Callable[Arguments, Result]], Callable[Arguments, Result]]:
    """Make a function with ``**arguments`` refuse names that are neither its own nor in `more`."""

    def decorate(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        parameters = inspect.signature(function).parameters.values()
        named = {each.name for each in parameters if each.kind is not each.VAR_KEYWORD}
        known = (named | set(more)) - {"self", "cls"}
        name = function.__qualname__.removesuffix(".__init__")

        @wraps(function)
        def checked(*arguments: Arguments.args, **keywords: Arguments.kwargs) -> Result:
            refuse_unknown(keywords, known, name, other_words)
            return function(*arguments, **keywords)

        return checked

    return decorate
