"""How help texts look: paragraphs that fit any width, and no types where a name says it all."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup

_LONGEST_CHOICES = 16


def paragraphs(function: Callable[..., Any]) -> str:
    """Return the docstring of a command with each paragraph on one line, to be wrapped anew."""
    text = inspect.getdoc(function) or ""
    return "\n\n".join(" ".join(part.split("\n")) for part in text.split("\n\n"))


def name_values(parameter: Any) -> None:
    """Show the same way for every parameter what to give: its name in capitals, or the choices."""
    described = parameter.type_descriptor
    if getattr(parameter, "is_flag", False):
        parameter.metavar = ""
    elif isinstance(parameter, TyperArgument):
        # Typer would add a type to the name: "DATA <path>".
        setattr(parameter, "display_type_rich", lambda ctx: None)  # noqa: B010
        setattr(parameter, "_usage_display_name", lambda: parameter.metavar)  # noqa: B010
    elif described.is_choice and parameter.metavar is None:
        parameter.metavar = "|".join(map(str, described.choices))


def move_long_choices(parameter: Any) -> None:
    """Move choices from where an option shows what to give into its help, if they are long.

    Beside long choices, a terminal of 80 letters has no room for the names of options, and breaks
    the choices within words.
    """
    given = parameter.metavar or ""
    if isinstance(parameter, TyperArgument) or "|" not in given or len(given) <= _LONGEST_CHOICES:
        return
    *first, last = given.split("|")
    parameter.metavar = max(parameter.opts, key=len).rpartition("-")[2].upper()
    text = (parameter.help or "").rstrip()
    parameter.help = f"{text} One of {', '.join(first)} or {last}."


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
