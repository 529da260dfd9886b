"""Texts of the command line: help, completion of values, and messages on wrong arguments."""

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

from arcwise.families.families import SYNONYMS


def paragraphs(function: Callable[..., Any]) -> str:
    """Return the docstring of a command with each paragraph on one line, for any width."""
    text = inspect.getdoc(function) or ""
    return "\n\n".join(" ".join(part.split("\n")) for part in text.split("\n\n"))


def shown(annotation: Any) -> Any:
    """Return the annotation of an option with a placeholder or choices for its help."""
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
    """Return the texts that an option accepts, if these are all."""
    parts = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return [str(value) for part in parts if get_origin(part) is Literal for value in get_args(part)]


def _move_long_choices(option: OptionInfo) -> None:
    """Move long choices from the metavar of an option into its help, as 80 columns are narrow."""
    given = option.metavar or ""
    if "|" not in given or len(given) <= 16:
        return
    *first, last = given.split("|")
    # Typer has the name of an option as its default.
    option.metavar = str(option.default).rpartition("-")[2].upper()
    text = (option.help or "").rstrip()
    option.help = f"{text} One of {', '.join(first)} or {last}."


def without_type(parameter: Any) -> None:
    """Show an argument or a flag by its name alone; Typer would add a type: "DATA <path>"."""
    if isinstance(parameter, TyperArgument):
        setattr(parameter, "display_type_rich", lambda ctx: None)  # noqa: B010
        setattr(parameter, "get_usage_pieces", lambda ctx: [parameter.metavar])  # noqa: B010
    elif parameter.is_flag:
        parameter.metavar = ""


class _PlainHelpOption:
    """A command whose --help is shown without a type."""

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option, which is shown like a flag."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.metavar = ""
        return option


class Command(_PlainHelpOption, TyperCommand):
    """A sub-command."""


class Group(_PlainHelpOption, TyperGroup):
    """The command with all sub-commands."""


_ASKED = "_ARCWISE_COMPLETE"  # Typer's name for the variable that the shell sets
# A literal value has small letters; placeholders, such as K or FILE, have capitals.
_VALUE = re.compile(r"[a-z][a-z0-9 -]*")


def words_to_complete() -> list[str] | None:
    """Return the complete words of a line that the shell wants completed; None if there is none."""
    if _ASKED not in os.environ:
        return None
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    words = line.split()[1:]
    return words if line.endswith(" ") else words[:-1]


def suggestions(listed: Sequence[str]) -> Callable[[str], list[str]] | None:
    """Return a function that completes the values listed in the metavar of an option.

    Typer completes options, sub-commands and choices, and the shell completes files wherever
    nothing is suggested here.
    """
    # "buckets:SIZE" is completed up to "buckets:", "layerings[:MAX_SIZE]" without its ending.
    words = [re.sub(r"\[.*|[A-Z_]+$", "", each) for each in listed]
    values = [word for word in words if _VALUE.fullmatch(word.rstrip(":"))]

    def suggest(incomplete: str) -> list[str]:
        return [value for value in values if value.startswith(incomplete)]

    return suggest if len(listed) > 1 and values else None


_NO_OPTION = re.compile(r"No such option: (-[\w-]+)")
_BAD_VALUE = re.compile(r"Invalid value for '(?:-\w / )?(--[\w-]+)': (.*)", re.DOTALL)
_NOT_ONE_OF = re.compile(r"(?:Value error, )?'.*' is not one of (.*?)\.?$", re.DOTALL)
_NUMBERS = {"valid integer": "a whole number", "valid number": "a number"}
# Names of these options in other programs; those of constraints are the same as in Python.
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
    """Return a message of Typer as a sentence in our style, or unchanged if it is unknown."""
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
    """Return the last value of an option among the words."""
    found = None
    for place, word in enumerate(words):
        if word.startswith(f"{option}="):
            found = word.partition("=")[2]
        elif word == option and place + 1 < len(words):
            found = words[place + 1]
    return found
