"""Rows of inverse temperatures, from the uniform distribution to the posterior."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from arcwise.errors import ArgumentError
from arcwise.support.checks import whole_number


def linear(steps: int) -> list[float]:
    """Return 0, 1/K, 2/K, ..., 1 for K steps."""
    return [i / steps for i in range(steps)] + [1.0]


def harmonic(steps: int) -> list[float]:
    """Return 1/(K + 1), 1/K, ..., 1/2, 1 for K steps: many hot, few cold; never uniform."""
    return [1 / (steps + 1 - i) for i in range(steps + 1)]


def as_ladder(value: str | Sequence[float], temperatures: int) -> tuple[list[float], bool]:
    """Return the inverse temperatures, and whether they are to be adapted in the burn-in.

    Parameters
    ----------
    value
        ``"linear"``, ``"harmonic"``, ``"adapted"`` (linear to begin with), or the
        numbers themselves, rising to 1.
    temperatures
        How many there are, for those with a name.
    """
    if isinstance(value, str):
        count = whole_number(temperatures, "temperatures", at_least=2)
        if value == "harmonic":
            return harmonic(count - 1), False
        if value in ("linear", "adapted"):
            return linear(count - 1), value == "adapted"
        raise ArgumentError(
            f"ladder is {value!r}; give 'linear', 'harmonic', 'adapted' or rising numbers up to 1"
        )
    return as_rising(value, "ladder"), False


def as_rising(value: Sequence[float], name: str) -> list[float]:
    """Return inverse temperatures as a list, or refuse what does not rise from 0 or more to 1."""
    numbers = [float(number) for number in value]
    rising = all(low < high for low, high in pairwise(numbers))
    if len(numbers) < 2 or not rising or numbers[0] < 0 or numbers[-1] != 1:
        raise ArgumentError(f"{name} is {numbers!r}; give rising numbers, from 0 or more up to 1")
    return numbers
