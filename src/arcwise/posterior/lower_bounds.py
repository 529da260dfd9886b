"""Lower bounds on the log evidence that hold with high probability, from independent weights.

They are those of Theorem 14 of Niinimäki, Parviainen and Koivisto (2016), "Structure discovery
in Bayesian networks by sampling partial orders".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from arcwise.errors import ArgumentError
from arcwise.statistics.log_weights import checked_log_weights, log_mean
from arcwise.support.checks import open_fraction, whole_number


@dataclass(frozen=True)
class LowerBound:
    """A lower bound on the log evidence that holds with high probability.

    Parameters
    ----------
    value
        The bound on the log scale.
    confidence
        The confidence level: the bound holds with at least this probability.
    bins
        The number of bins the samples were divided into.

    Examples
    --------
    >>> LowerBound(-120.5, 0.95, 9).bins
    9
    """

    value: float
    confidence: float
    bins: int


def lower_bound(log_weights: ArrayLike, bins: int, confidence: float) -> LowerBound:
    """Return a lower bound on the logarithm of the expectation of independent weights.

    The weights are divided into bins of equal size in the order given; the remainder is
    not used. By Markov's inequality, delta^(1/bins) times the smallest bin mean exceeds
    the expectation with probability at most delta = 1 - confidence.

    Parameters
    ----------
    log_weights
        The logs of the weights; minus infinity for a weight of zero.
    bins
        The number of bins, at most the number of weights.
    confidence
        Between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> bound = lower_bound(np.log([1.0, 3.0, 4.0, 4.0, 100.0]), bins=2, confidence=0.75)
    >>> round(math.exp(bound.value), 6)  # the square root of 0.25, times 2
    1.0
    """
    logs = checked_log_weights(log_weights)
    count = whole_number(bins, "bins", at_least=1)
    if count > len(logs):
        raise ArgumentError(
            f"bins is {count}, but there are only {len(logs)} weights; give at most as many bins "
            "as weights"
        )
    confidence = open_fraction(confidence, "confidence")
    size = len(logs) // count
    # Each bin has its own scale, as a bin far below the others determines the bound.
    least = min(log_mean(group) for group in logs[: size * count].reshape(count, size))
    return LowerBound(math.log1p(-confidence) / count + least, float(confidence), count)


def lower_bounds(log_weights: ArrayLike) -> dict[str, LowerBound]:
    """Return the bounds of three schemes, except those that need more weights.

    Parameters
    ----------
    log_weights
        The logs of independent weights; minus infinity for a weight of zero.

    Returns
    -------
    dict
        ``"slack-2"``: five bins at confidence 1 - 2^-5, which halves the smallest bin
        mean. ``"square-root"``: as many bins as the square root of the number of weights,
        at the same confidence. ``"nine-bins"``: nine bins at confidence 0.95.

    Examples
    --------
    >>> import numpy as np
    >>> list(lower_bounds(np.zeros(8)))
    ['slack-2', 'square-root']
    """
    logs = checked_log_weights(log_weights)
    schemes = {
        "slack-2": (5, 1 - 2.0**-5),
        "square-root": (math.isqrt(len(logs)), 1 - 2.0**-5),
        "nine-bins": (9, 0.95),
    }
    return {
        name: lower_bound(logs, bins, confidence)
        for name, (bins, confidence) in schemes.items()
        if bins <= len(logs)
    }
