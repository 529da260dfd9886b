"""How fast samplers are, as a function of the number of variables alone, never of the machine."""

from __future__ import annotations

# Steps over DAGs with one more parent, as measured on one core: the value, the number of
# variables it was measured at, and the power of the number of variables it scales with.
_STEPS_PER_SECOND = 350_000.0, 20, 0.75


def steps_per_second(variables: int) -> float:
    """Return about how many steps chains make in a second of one core.

    Examples
    --------
    >>> [round(steps_per_second(n), -3) for n in (20, 200)]
    [350000.0, 62000.0]
    """
    rate, reference, power = _STEPS_PER_SECOND
    return float(rate * (max(1, variables) / reference) ** -power)
