"""Temperature ladders: inverse temperatures from the uniform distribution to the posterior."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from arcwise.errors import ArgumentError, option
from arcwise.support.checks import real_numbers, refuse_beyond_memory, whole_number
from arcwise.support.words import shown

# A number in a list; what a chain takes at each temperature is more and comes later.
_BYTES_PER_TEMPERATURE = 64


def linear(steps: int) -> list[float]:
    """Return 0, 1/K, 2/K, ..., 1 for K steps."""
    return [i / steps for i in range(steps)] + [1.0]


def harmonic(steps: int) -> list[float]:
    """Return 1/(K + 1), 1/K, ..., 1/2, 1 for K steps: many hot, few cold; never uniform (0)."""
    return [1 / (steps + 1 - i) for i in range(steps + 1)]


def as_ladder(value: str | Sequence[float], temperatures: int) -> tuple[list[float], bool]:
    """Return the inverse temperatures, and whether to adapt them during the burn-in.

    Parameters
    ----------
    value
        ``"linear"``, ``"harmonic"``, ``"adapted"`` (initially linear), or the inverse
        temperatures themselves, increasing to 1.
    temperatures
        The number of temperatures of a named ladder.
    """
    if isinstance(value, str):
        count = whole_number(temperatures, option("temperatures"), at_least=2)
        refuse_beyond_memory(count, option("temperatures"), _BYTES_PER_TEMPERATURE)
        if value == "harmonic":
            return harmonic(count - 1), False
        if value in ("linear", "adapted"):
            return linear(count - 1), value == "adapted"
        raise ArgumentError(
            option("ladder"),
            f" is {shown(value)}; give 'linear', 'harmonic', 'adapted' or increasing numbers up "
            "to 1",
        )
    return as_rising(value, "ladder"), False


def as_rising(value: Sequence[float], name: str) -> list[float]:
    """Return inverse temperatures as a list, or refuse unless they increase from >= 0 to 1."""
    given = real_numbers(value, option(name))
    numbers: list[float] = given.tolist() if given.ndim == 1 else []
    increasing = all(low < high for low, high in pairwise(numbers))
    if len(numbers) < 2 or not increasing or numbers[0] < 0 or numbers[-1] != 1:
        raise ArgumentError(
            option(name), f" is {shown(value)}; give increasing numbers from 0 or more up to 1"
        )
    return numbers
