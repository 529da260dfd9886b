"""How fast samplers are, as a function of the number of variables alone, never of the machine."""

from __future__ import annotations

# Steps over partitions with one more parent, from the benchmarks: the value, the number of
# variables it was measured at, and the power of the number of variables it scales with.
_STEPS_PER_SECOND = 288_000.0, 20, 1.4


def steps_per_second(variables: int) -> float:
    """Return about how many steps chains make in a second of one core.

    Examples
    --------
    >>> [round(steps_per_second(n), -3) for n in (20, 200)]
    [288000.0, 11000.0]
    """
    rate, reference, power = _STEPS_PER_SECOND
    return float(rate * (max(1, variables) / reference) ** -power)
