"""The cost of exact computation, and whether it is cheap: by its size alone, or by a time limit."""

from __future__ import annotations

from arcwise import _core
from arcwise.algorithms.exact_computation import MOST_VARIABLES
from arcwise.model.modularity import Modularity
from arcwise.support.devices import Processors

MOST_FAMILIES = 2**24

# Without a time limit, exact computation is chosen if it takes less than half a minute in all on
# one core, and less than a gigabyte.
_EXACT_OPERATIONS = 11 * 10**9
_EXACT_OPERATIONS_PER_SECOND = 10**9  # on one core
SHARE_OF_EXACT = 0.7
"""Of the time left, before chains take over."""


def exact_operations(variables: int, modularity: Modularity) -> int | None:
    """Return the operations of the exact computation; None if there are too many variables."""
    if variables > MOST_VARIABLES[modularity]:
        return None
    _, _, operations = _core.exact_cost(variables, 0, modularity == "order-modular", 1)
    return operations


def exact_is_cheap(
    variables: int,
    families: int,
    modularity: Modularity,
    seconds: float | None,
    threads: int | None = None,
) -> bool:
    """Return whether the exact computation is cheap, or fits into the seconds given.

    Examples
    --------
    >>> exact_is_cheap(20, 20 * 2**19, "modular", None)
    True
    >>> exact_is_cheap(21, 21 * 2**20, "modular", None)
    False
    >>> exact_is_cheap(20, 20 * 5_036, "modular", seconds=20, threads=1)
    True
    """
    operations = exact_operations(variables, modularity)
    if operations is None or families > MOST_FAMILIES:
        return False
    return operations <= exact_limit(seconds, threads)


def exact_seconds(variables: int, modularity: Modularity, threads: int | None) -> float:
    """Return about how long the exact computation takes."""
    operations = exact_operations(variables, modularity) or 0
    return operations / _exact_rate(threads)


def _exact_rate(threads: int | None) -> float:
    return float(_EXACT_OPERATIONS_PER_SECOND * Processors.available(threads).threads)


def exact_limit(seconds: float | None, threads: int | None = None) -> float:
    """Return the most operations for which exact computation is chosen."""
    if seconds is None:
        return _EXACT_OPERATIONS
    return SHARE_OF_EXACT * float(seconds) * _exact_rate(threads)
