"""Completion in the shell: of the values that an option names in its help."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

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

    Parameters
    ----------
    listed
        What an option shows, such as ``["buckets:SIZE", "dags"]``.
    """
    # "buckets:SIZE" is completed as far as "buckets:", "layerings[:MAX_SIZE]" without its end.
    words = [re.sub(r"\[.*|[A-Z_]+$", "", each) for each in listed]
    values = [word for word in words if _VALUE.fullmatch(word.rstrip(":"))]

    def suggest(incomplete: str) -> list[str]:
        return [value for value in values if value.startswith(incomplete)]

    return suggest if len(listed) > 1 and values else None
