"""`LogEstimate`: the logarithm of an estimated positive number, and how far off it may be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from arcwise.statistics.log_weights import (
    cautious_effective_runs,
    checked_log_weights,
    log_mean,
)
from arcwise.statistics.student import summed_degrees, t_quantile
from arcwise.support.weighted_sums import weighted_sum


@dataclass(frozen=True)
class LogEstimate:
    """The logarithm of an estimate of a positive number, such as a normalising constant.

    Parameters
    ----------
    value
        The logarithm of the estimate.
    variance
        The relative variance of the estimate, to first order the variance of its logarithm;
        infinite or NaN if it is not known.
    runs
        The largest possible number of effective runs: of particles, say. Infinite for chains.
    degrees_of_freedom
        Those from which the variance is known.

    Examples
    --------
    >>> estimate = LogEstimate.of_weights(np.log([1.0, 2.0, 2.0, 3.0]))
    >>> round(estimate.value, 4), round(estimate.effective_runs, 1)
    (0.6931, 3.4)
    """

    value: float
    variance: float
    runs: float = math.inf
    degrees_of_freedom: float = math.inf

    @classmethod
    def of_weights(
        cls, log_weights: ArrayLike, particles: int = 1, least_variance: float = 0.0
    ) -> LogEstimate:
        """Return the logarithm of the mean of independent weights.

        Parameters
        ----------
        log_weights
            The logs of the weights; minus infinity for a weight of zero.
        particles
            The number of particles whose mean each weight is.
        least_variance
            A relative variance of a single weight that is known to be the least possible:
            that of a few weights may come out far too small by chance.

        Notes
        -----
        With n weights of which e are effective, the relative variance of their mean is
        (1/e - 1/n) n / (n - 1): that of the sample, if e is Kish's figure.
        """
        logs = checked_log_weights(log_weights)
        count = len(logs)
        value = log_mean(logs)
        if count == 1 or value == -math.inf:
            return cls(value, math.nan, float(count * particles))
        effective = cautious_effective_runs(logs)
        variance = max(0.0, 1.0 / effective - 1.0 / count) * count / (count - 1)
        variance = max(variance, least_variance / count)
        return cls(value, variance, float(count * particles), float(count - 1))

    @property
    def standard_error(self) -> float:
        """The standard error of the logarithm, to first order."""
        return math.sqrt(self.variance)

    @property
    def effective_runs(self) -> float:
        """How many independent runs would be as precise: 1 / (variance + 1 / runs).

        For the mean of importance weights this is Kish's effective sample size; elsewhere it
        is the one that leaves the same relative variance. NaN if that is not known.
        """
        total = self.variance + 1.0 / self.runs
        return math.inf if total == 0.0 else 1.0 / total

    @property
    def relative_margin(self) -> float:
        """The t quantile times the standard error: what may be wrong, relative to the truth."""
        return t_quantile(self.degrees_of_freedom) * self.standard_error

    def plus(self, *others: LogEstimate) -> LogEstimate:
        """Return the logarithm of the product with independent estimates."""
        every = (self, *others)
        variances = [each.variance for each in every]
        return LogEstimate(
            sum(each.value for each in every),
            sum(variances),
            min(each.runs for each in every),
            summed_degrees(variances, [each.degrees_of_freedom for each in every]),
        )

    def shifted(self, by: float) -> LogEstimate:
        """Return the logarithm of the product with a known number."""
        return replace(self, value=self.value + by)


def interval_of(value: float, margin: float) -> tuple[float, float]:
    """Return a 95 % interval from the relative margin of an estimate.

    What is nearly normal is the estimate over the truth, 1 ± margin; so the truth, on the log
    scale, is between -log(1 + margin) and -log(1 - margin) from the estimate. The upper part
    is the longer one: an estimate of a positive number errs more often below.

    Examples
    --------
    >>> low, high = interval_of(0.0, 0.5)
    >>> round(low, 4), round(high, 4)
    (-0.4055, 0.6931)
    """
    return value - math.log1p(margin), value - math.log1p(-margin) if margin < 1.0 else math.inf


def weighted_mean(estimates: Sequence[LogEstimate]) -> LogEstimate:
    """Return the mean of independent estimates of the same number, by inverse variances.

    A variance known from few degrees of freedom counts as (t quantile / normal quantile)^2
    times as much, so that a method does not gain by a variance that came out small by chance.

    Examples
    --------
    >>> both = weighted_mean([LogEstimate(0.0, 0.01), LogEstimate(1.0, 0.01)])
    >>> both.value, round(both.variance, 4)
    (0.5, 0.005)
    """
    normal = t_quantile(math.inf)
    widths = np.array([each.relative_margin for each in estimates]) / normal
    if (widths == 0.0).any():
        return estimates[int(np.argmin(widths))]
    weights = widths**-2.0
    value = float(weighted_sum(weights, [each.value for each in estimates]) / weights.sum())
    return LogEstimate(
        value, float(1.0 / weights.sum()), sum(each.runs for each in estimates), math.inf
    )
