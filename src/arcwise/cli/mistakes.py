"""Mistakes on the command line in sentences: what came, what is allowed, what to do.

Typer tells them in the words of the library that checks values, without the value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from arcwise.constraints.arguments import SYNONYMS

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
    """Return a mistake as a sentence of our own, or as it was told if it is of another kind.

    Parameters
    ----------
    message
        What Typer says.
    words
        The words of the command line.
    commands
        The sub-commands by name.
    """
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
