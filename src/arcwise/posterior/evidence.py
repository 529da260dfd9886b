"""`Evidence`: the marginal likelihood of the data, exact or estimated, with lower bounds.

The bounds are those of Theorem 14 of Niinimäki, Parviainen and Koivisto (2016),
"Structure discovery in Bayesian networks by sampling partial orders".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError
from arcwise.support.checks import open_fraction, real_numbers, whole_number


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


@dataclass(frozen=True)
class Evidence:
    """The evidence (marginal likelihood) of the data under the model, on the log scale.

    Parameters
    ----------
    log_evidence
        The log probability of the data under the normalised prior.
    standard_error
        The Monte Carlo standard error of `log_evidence`; 0 if it is exact.
    lower_bounds
        Lower bounds on the log evidence, by the name of their scheme.
    log_prior_constant
        The log normalising constant of the prior, which `log_evidence` already accounts for.
    log_prior_constant_error
        Its standard error; 0 if it is exact.
    method
        The method of computation, such as ``"exact"``.

    Examples
    --------
    >>> Evidence(-120.0, 0.1, method="ais").as_dict()["standard_error"]
    0.1
    """

    log_evidence: float
    standard_error: float = 0.0
    lower_bounds: Mapping[str, LowerBound] = field(default_factory=dict)
    log_prior_constant: float = 0.0
    log_prior_constant_error: float = 0.0
    method: str = "exact"

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        values["lower_bounds"] = {name: asdict(bound) for name, bound in self.lower_bounds.items()}
        return values


class LogMean(NamedTuple):
    """The logarithm of a mean, and its standard error."""

    value: float
    standard_error: float


def effective_runs(log_weights: NDArray[np.float64]) -> float:
    """Return Kish's effective sample size, (sum of weights)^2 / (sum of their squares)."""
    top = log_weights.max()
    if not np.isfinite(top):
        return 0.0
    weights = np.exp(log_weights - top)
    return float(weights.sum() ** 2 / (weights**2).sum())


def log_mean(log_weights: ArrayLike) -> LogMean:
    """Return the logarithm of the mean of independent weights, with its standard error.

    Parameters
    ----------
    log_weights
        The logs of the weights; minus infinity for a weight of zero.

    Returns
    -------
    LogMean
        The value and its standard error by the delta method, the relative standard error of
        the mean: NaN for a single weight, or if all are zero.

    Examples
    --------
    >>> value, error = log_mean(np.log([1.0, 3.0]))
    >>> round(math.exp(value), 6), round(error, 6)
    (2.0, 0.5)
    """
    logs = _checked(log_weights)
    top = float(logs.max())
    if top == -math.inf:
        return LogMean(-math.inf, math.nan)
    weights = np.exp(logs - top)
    mean = float(weights.mean())
    error = math.nan
    if len(logs) > 1:
        error = float(weights.std(ddof=1)) / math.sqrt(len(logs)) / mean
    return LogMean(top + math.log(mean), error)


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
    >>> bound = lower_bound(np.log([1.0, 3.0, 4.0, 4.0, 100.0]), bins=2, confidence=0.75)
    >>> round(math.exp(bound.value), 6)  # the square root of 0.25, times 2
    1.0
    """
    logs = _checked(log_weights)
    count = whole_number(bins, "bins", at_least=1)
    if count > len(logs):
        raise ArgumentError(
            f"bins is {count}, but there are only {len(logs)} weights; give at most as many bins "
            "as weights"
        )
    confidence = open_fraction(confidence, "confidence")
    size = len(logs) // count
    # Each bin has its own scale, as a bin far below the others determines the bound.
    least = min(log_mean(group).value for group in logs[: size * count].reshape(count, size))
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
    >>> list(lower_bounds(np.zeros(8)))
    ['slack-2', 'square-root']
    """
    logs = _checked(log_weights)
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


def _checked(log_weights: ArrayLike) -> NDArray[np.float64]:
    logs = real_numbers(log_weights, "log_weights")
    if logs.ndim != 1 or len(logs) < 1:
        raise ArgumentError(
            f"log_weights has the shape {logs.shape}; give a vector of one or more numbers"
        )
    if np.isnan(logs).any() or (logs == np.inf).any():
        raise ArgumentError("log_weights holds NaN or infinity; give numbers, or -inf for zero")
    return logs
