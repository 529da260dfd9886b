"""How help texts look: paragraphs that fit any width, and no types where a name says it all."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.models import OptionInfo

from arcwise.cli.completion import suggestions

_LONGEST_CHOICES = 16


def paragraphs(function: Callable[..., Any]) -> str:
    """Return the docstring of a command with each paragraph on one line, to be wrapped anew."""
    text = inspect.getdoc(function) or ""
    return "\n\n".join(" ".join(part.split("\n")) for part in text.split("\n\n"))


def shown(annotation: Any) -> Any:
    """Return the annotation of an option with what its help shows: a name or choices."""
    if get_origin(annotation) is not Annotated:
        return annotation
    kind, *rest = get_args(annotation)
    rest = [_shown(each, kind) if isinstance(each, OptionInfo) else each for each in rest]
    return Annotated[(kind, *rest)]


def _shown(declared: OptionInfo, kind: Any) -> OptionInfo:
    option = copy.copy(declared)
    choices = _choices(kind)
    if choices and option.metavar is None:
        option.metavar = "|".join(choices)
    elif not choices:
        option.autocompletion = suggestions((option.metavar or "").split("|"))
    _move_long_choices(option)
    return option


def _choices(kind: Any) -> list[str]:
    """Return the texts that an option takes if it takes no others."""
    parts = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return [str(value) for part in parts if get_origin(part) is Literal for value in get_args(part)]


def _move_long_choices(option: OptionInfo) -> None:
    """Move choices from where an option shows what to give into its help, if they are long.

    Beside long choices, a terminal of 80 letters has no room for the names of options, and breaks
    the choices within words.
    """
    given = option.metavar or ""
    if "|" not in given or len(given) <= _LONGEST_CHOICES:
        return
    *first, last = given.split("|")
    # Its own name is the first thing it is declared with.
    option.metavar = str(option.default).rpartition("-")[2].upper()
    text = (option.help or "").rstrip()
    option.help = f"{text} One of {', '.join(first)} or {last}."


def without_type(parameter: Any) -> None:
    """Show an argument and a flag by their names alone; Typer would add a type: "DATA <path>"."""
    if isinstance(parameter, TyperArgument):
        setattr(parameter, "display_type_rich", lambda ctx: None)  # noqa: B010
        setattr(parameter, "get_usage_pieces", lambda ctx: [parameter.metavar])  # noqa: B010
    elif parameter.is_flag:
        parameter.metavar = ""


class _PlainHelpOption:
    """A command whose --help has no type behind it."""

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option, as flags are shown."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.metavar = ""
        return option


class Command(_PlainHelpOption, TyperCommand):
    """A sub-command."""


class Group(_PlainHelpOption, TyperGroup):
    """The command with all sub-commands."""
