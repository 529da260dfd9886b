"""Completion in the shell: of the values that an option names in its help."""

from __future__ import annotations

import copy
import inspect
import os
import re
from collections.abc import Callable, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.models import OptionInfo

from arcwise.families.constraints import SYNONYMS

_ASKED = "_ARCWISE_COMPLETE"  # Typer's name for the variable that the shell sets

# A value as it is typed: small letters. What stands for something, as K or FILE, is in capitals.
_VALUE = re.compile(r"[a-z][a-z0-9 -]*")


def words_to_complete() -> list[str] | None:
    """Return the whole words of the line that the shell asks to complete; None if it asks not."""
    if _ASKED not in os.environ:
        return None
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    words = line.split()[1:]
    return words if line.endswith(" ") else words[:-1]


def suggestions(listed: Sequence[str]) -> Callable[[str], list[str]] | None:
    """Return what completes the values that an option lists where it shows what to give.

    Options, sub-commands and choices are completed by Typer. Files are completed by the shell
    itself, wherever nothing is suggested here.
    """
    # "buckets:SIZE" is completed as far as "buckets:", "layerings[:MAX_SIZE]" without its end.
    words = [re.sub(r"\[.*|[A-Z_]+$", "", each) for each in listed]
    values = [word for word in words if _VALUE.fullmatch(word.rstrip(":"))]

    def suggest(incomplete: str) -> list[str]:
        return [value for value in values if value.startswith(incomplete)]

    return suggest if len(listed) > 1 and values else None


# --- Help texts -----------------------------------------------------------------------------------

# How help texts look: paragraphs that fit any width, and no types where a name says it all.


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


# --- Mistakes -------------------------------------------------------------------------------------

# Mistakes on the command line in sentences: what came, what is allowed, what to do.
#
# Typer tells them in the words of the library that checks values, without the value.


_NO_OPTION = re.compile(r"No such option: (-[\w-]+)")
_BAD_VALUE = re.compile(r"Invalid value for '(?:-\w / )?(--[\w-]+)': (.*)", re.DOTALL)
_NOT_ONE_OF = re.compile(r"(?:Value error, )?'.*' is not one of (.*?)\.?$", re.DOTALL)
_NUMBERS = {"valid integer": "a whole number", "valid number": "a number"}

# What other programs call these options; those of constraints are the same in Python.
_OTHER_NAMES = {
    "-o": "--out",
    "--output": "--out",
    "--output-dir": "--out",
    "--iterations": "--steps",
    "--samples": "--steps",
    "--time-limit": "--seconds",
    "--timeout": "--seconds",
    "--ess": "--equivalent-sample-size",
    "--iss": "--equivalent-sample-size",
    "--exclude": "--drop",
    **{f"--{name}".replace("_", "-"): f"--{own}".replace("_", "-")
       for name, own in SYNONYMS.items()},
}  # fmt: skip


def in_words(message: str, words: Sequence[str], commands: Any) -> str:
    """Return a mistake as a sentence of our own, or as it was told if it is of another kind."""
    name = next((word for word in words if word in commands), None)
    unknown = _NO_OPTION.match(message)
    if unknown is not None and name is not None:
        meant = _OTHER_NAMES.get(unknown[1])
        options = {option for each in commands[name].params for option in each.opts}
        if meant in options:
            message = f"No such option: {unknown[1]} (did you mean {meant}?)"
        return f"{message}; see arcwise {name} -h"
    wrong = _BAD_VALUE.match(message)
    if wrong is None:
        return message
    given = _value_of(wrong[1], words)
    came = wrong[1] if given is None else f"{wrong[1]} is {given!r}"
    for words_of_checker, usual in _NUMBERS.items():
        if words_of_checker in wrong[2]:
            return f"{came}; give {usual}"
    choices = _NOT_ONE_OF.match(wrong[2])
    return message if choices is None else f"{came}; give one of {choices[1]}"


def _value_of(option: str, words: Sequence[str]) -> str | None:
    """Return the last value that the words give to an option."""
    found = None
    for place, word in enumerate(words):
        if word.startswith(f"{option}="):
            found = word.partition("=")[2]
        elif word == option and place + 1 < len(words):
            found = words[place + 1]
    return found
