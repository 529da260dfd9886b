"""Means of independent weights, given as logarithms, and how many of them count."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError
from arcwise.support.checks import real_numbers
from arcwise.support.log_space import relative_weights

# Weights smaller than this share of the mean, all of them together, are next to nothing of it.
_NEGLIGIBLE = 1e-3


def log_mean(log_weights: ArrayLike) -> float:
    """Return the logarithm of the mean of weights.

    Parameters
    ----------
    log_weights
        The logs of the weights; minus infinity for a weight of zero.

    Examples
    --------
    >>> round(math.exp(log_mean(np.log([1.0, 3.0]))), 6)
    2.0
    """
    logs = checked_log_weights(log_weights)
    top = float(logs.max())
    if top == -math.inf:
        return -math.inf
    return top + math.log(float(relative_weights(logs, top).mean()))


def effective_runs(log_weights: NDArray[np.float64]) -> float:
    """Return Kish's effective sample size, (sum of weights)^2 / (sum of their squares)."""
    top = log_weights.max()
    if not np.isfinite(top):
        return 0.0
    weights = relative_weights(log_weights, float(top))
    return float(weights.sum() ** 2 / (weights**2).sum())


def cautious_effective_runs(log_weights: NDArray[np.float64]) -> float:
    """Return the effective sample size, allowing for large weights that were not drawn.

    Where log weights vary much, the mean depends on weights so rare that a sample has none of
    them, and then Kish's figure is too large as well: of 100 weights whose logs are normal
    with standard deviation 2, it says 11 where 2 is right. Their common spread is seen
    long before. So this is the smaller of Kish's figure and of what it would be, n exp(-s^2),
    for n normal log weights, where s^2 is the mean square of those above the median, from the
    median: those below do not matter. Weights below a thousandth of the mean, such as those of
    runs that ended in a mode of no account, are left out first.

    Examples
    --------
    >>> cautious_effective_runs(np.zeros(50))
    50.0
    >>> logs = 2.0 * np.random.default_rng(2).normal(size=100)
    >>> bool(effective_runs(logs) > 9), bool(cautious_effective_runs(logs) < 4)
    (True, True)
    """
    kish = effective_runs(log_weights)
    if kish == 0.0:
        return 0.0
    least = log_mean(log_weights) + math.log(_NEGLIGIBLE)
    counted = log_weights[log_weights > least]
    median = float(np.median(counted))
    above = counted[counted >= median] - median
    return min(kish, len(counted) * math.exp(-float(np.square(above).mean())))


def checked_log_weights(log_weights: ArrayLike) -> NDArray[np.float64]:
    """Return log weights as a vector, or refuse anything else."""
    logs = real_numbers(log_weights, "log_weights")
    if logs.ndim != 1 or len(logs) < 1:
        raise ArgumentError(
            f"log_weights has the shape {logs.shape}; give a vector of one or more numbers"
        )
    if np.isnan(logs).any() or (logs == np.inf).any():
        raise ArgumentError("log_weights holds NaN or infinity; give numbers, or -inf for zero")
    return logs
