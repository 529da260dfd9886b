"""Sums and maxima over an explicit list of families, straight from their definition.

A family is a pair of its set of parents and its log weight.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

Family = tuple[frozenset[str], float]


def admitted(
    families: Iterable[Family],
    allowed: Collection[str] | None = None,
    required: Collection[str] | None = None,
) -> list[Family]:
    """Return the families within `allowed` that have a parent in `required`; None: any."""
    within = None if allowed is None else set(allowed)
    needed = None if required is None else set(required)
    return [
        (parents, weight)
        for parents, weight in families
        if (within is None or parents <= within)
        and (needed is None or parents & needed)
        and weight > -math.inf
    ]


def log_sum_exp(weights: Iterable[float]) -> float:
    """Return the log of the summed exponentials, scaled by the largest and added exactly."""
    weights = list(weights)
    largest = max(weights, default=-math.inf)
    if largest == -math.inf:
        return largest
    return largest + math.log(math.fsum(math.exp(weight - largest) for weight in weights))


def log_sum(
    families: Iterable[Family],
    allowed: Collection[str] | None = None,
    required: Collection[str] | None = None,
) -> float:
    """Return the log of the summed weights."""
    return log_sum_exp(weight for _, weight in admitted(families, allowed, required))


def largest(
    families: Iterable[Family],
    allowed: Collection[str] | None = None,
    required: Collection[str] | None = None,
) -> float:
    """Return the largest log weight."""
    weights = [weight for _, weight in admitted(families, allowed, required)]
    return max(weights, default=-math.inf)


def probabilities(
    families: Iterable[Family],
    allowed: Collection[str] | None = None,
    required: Collection[str] | None = None,
) -> dict[frozenset[str], float]:
    """Return the share of each family in the sum."""
    chosen = admitted(families, allowed, required)
    whole = log_sum_exp(weight for _, weight in chosen)
    return {parents: math.exp(weight - whole) for parents, weight in chosen}
