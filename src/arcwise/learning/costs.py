"""The cost of computations as a function of their size alone, never of the machine."""

from __future__ import annotations

import math

from arcwise import _core
from arcwise.algorithms.exact_computation import MOST_VARIABLES
from arcwise.model.modularity import Modularity

# DAGs drawn from an exact posterior by default.
DEFAULT_DAGS = 10_000

# Without a time limit, exact computation is chosen if it takes less than half a minute in all on
# one core, and less than a gigabyte.
_EXACT_OPERATIONS = 11 * 10**9
_EXACT_OPERATIONS_PER_SECOND = 5 * 10**8
_MOST_FAMILIES = 2**24
# The most families whose sums over all subsets are tabulated; beyond, candidates are better.
_MOST_TABULATED_FAMILIES = 2**21

# From the benchmarks: the value, the number of variables it was measured at, and the power of the
# number of variables it scales with; for steps over partitions with one more parent, and for the
# seconds that growth of candidates takes.
_STEPS_PER_SECOND = 288_000.0, 20, 1.4
_GROWTH_SECONDS = 94.0, 200, 2.4
_GROWTH_SECONDS_OF_MANY = 130.0, 1_000, 2.0
_MANY = 300
_SAMPLING_SECONDS = 60.0


def exact_operations(variables: int, modularity: Modularity) -> int | None:
    """Return the operations of the exact computation; None if there are too many variables."""
    if variables > MOST_VARIABLES[modularity]:
        return None
    _, _, operations = _core.exact_cost(variables, 0, modularity == "order-modular", 1)
    return operations


def exact_is_cheap(
    variables: int, families: int, modularity: Modularity, seconds: float | None
) -> bool:
    """Return whether the exact computation is cheap, or fits into the seconds given.

    Examples
    --------
    >>> exact_is_cheap(20, 20 * 2**19, "modular", None)
    True
    >>> exact_is_cheap(21, 21 * 2**20, "modular", None)
    False
    """
    operations = exact_operations(variables, modularity)
    return (
        operations is not None and families <= _MOST_FAMILIES and operations <= exact_limit(seconds)
    )


def exact_limit(seconds: float | None) -> float:
    """Return the most operations for which exact computation is chosen."""
    if seconds is None:
        return _EXACT_OPERATIONS
    return float(seconds) * _EXACT_OPERATIONS_PER_SECOND


def all_families_fit(families: int) -> bool:
    """Return whether chains can use all families, without candidates."""
    return families <= _MOST_TABULATED_FAMILIES


def growth_fits(variables: int, seconds: float | None) -> bool:
    """Return whether growing candidates leaves half of the time for sampling."""
    if seconds is None:
        return True
    rule = _GROWTH_SECONDS if variables <= _MANY else _GROWTH_SECONDS_OF_MANY
    return _scaled(rule, variables) <= seconds / 2


def default_steps(variables: int, chains: int) -> int:
    """Return the default maximum number of steps of each chain.

    About a minute on one core; for many variables 4 n^2 ln n, which chains were found to
    need to converge.
    """
    rate, reference, power = _STEPS_PER_SECOND
    in_a_minute = _SAMPLING_SECONDS * _scaled((rate, reference, -power), variables) / chains
    needed = 4 * variables**2 * math.log(max(2, variables))
    return int(max(in_a_minute, needed))


def _scaled(rule: tuple[float, int, float], variables: int) -> float:
    value, reference, power = rule
    return float(value * (max(1, variables) / reference) ** power)
