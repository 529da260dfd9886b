"""Checks of numbers given as arguments."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from arcwise.errors import ArcwiseError, ArgumentError, Wording


def whole_number(
    value: Any, name: str | Wording, *, at_least: int, error: type[ArcwiseError] = ArgumentError
) -> int:
    """Return the value as an int, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < at_least:
        raise error(name, f" is {value!r}; give a whole number, {at_least} or more")
    return int(value)


def checked_probability(value: Any, name: str | Wording) -> float:
    """Return the value as a probability, or refuse it."""
    number = float(value)
    if not 0.0 <= number <= 1.0:
        raise ArgumentError(name, f" is {value!r}; give a probability from 0 to 1")
    return number
