"""Estimates on the log scale: means of weights, t quantiles, and ratios of normalising constants.

The ratio of two normalising constants is estimated from draws of both distributions by Bennett's
acceptance ratio (1976, "Efficient estimation of free energy differences from Monte Carlo data"),
the best of the estimates that Meng and Wong (1996, "Simulating ratios of normalizing constants via
a simple identity: a theoretical exploration") call bridge sampling. With r the ratio of the
unnormalised densities, for any function h, the mean of r h over the first distribution is the mean
of h over the second times the ratio of the constants. With h = 1 or h = 1 / r, one mean alone
depends on draws far out in a tail; with the best h, both depend on draws that the distributions
have in common.

If r itself is only estimated, without bias, by independent estimates for each draw, one of them
replaces r and another is the argument of h: the identity holds for the mean of h over the
estimates, which is a function of the draw, so noise of r costs precision but causes no bias.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError
from arcwise.statistics.convergence import effective_sample_size, weighted_standard_error
from arcwise.support.arrays import relative_weights, weighted_sum
from arcwise.support.checks import real_numbers

_NEGLIGIBLE = 1e-3  # even all weights below this share of the mean are negligible together


def log_mean(log_weights: ArrayLike) -> float:
    """Return the logarithm of the mean of weights.

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

    If log weights vary much, the mean depends on weights so rare that a sample contains none of
    them, and Kish's effective sample size is too large: for 100 weights whose logs are normal
    with standard deviation 2, it is 11, and the correct value is 2. The variance of typical log
    weights is evident from far fewer draws. The result is therefore the smaller of Kish's value
    and of its value n exp(-s^2) for n normal log weights, where s^2 is the mean squared deviation
    from the median of those above it: those below do not matter. Weights below a thousandth of
    the mean, such as those of runs that ended in a negligible mode, are excluded first.

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


_TAILS = 0.05
# The quantile equals the normal one to the last digit, and squares do not yet overflow.
_NORMAL_BEYOND = 1e16


def t_quantile(degrees: float) -> float:
    """Return the 97.5 % quantile of Student's t distribution.

    It is computed by algorithm 396 of Hill (1970), "Student's t-quantiles", to about six digits.

    Examples
    --------
    >>> round(t_quantile(3), 4), round(t_quantile(float("inf")), 4)
    (3.1824, 1.96)
    """
    normal = NormalDist().inv_cdf(1.0 - _TAILS / 2)
    if degrees > _NORMAL_BEYOND:
        return normal
    if degrees <= 1.0:
        return 1.0 / math.tan(_TAILS * math.pi / 2)
    if degrees == 2.0:
        return math.sqrt(2.0 / (_TAILS * (2.0 - _TAILS)) - 2.0)
    a = 1.0 / (degrees - 0.5)
    b = 48.0 / a**2
    c = ((20700.0 * a / b - 98.0) * a - 16.0) * a + 96.36
    d = ((94.5 / (b + c) - 3.0) / b + 1.0) * math.sqrt(a * math.pi / 2.0) * degrees
    y = (d * _TAILS) ** (2.0 / degrees)
    if y > 0.05 + a:
        x = -normal
        y = x**2
        if degrees < 5.0:
            c += 0.3 * (degrees - 4.5) * (x + 0.6)
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x
        y = math.expm1(a * y**2)
    else:
        tail = ((degrees + 6.0) / (degrees * y) - 0.089 * d - 0.822) * (degrees + 2.0) * 3.0
        y = ((1.0 / tail + 0.5 / (degrees + 4.0)) * y - 1.0) * (degrees + 1.0) / (
            degrees + 2.0
        ) + 1.0 / y
    return math.sqrt(degrees * y)


def summed_degrees(variances: Sequence[float], degrees: Sequence[float]) -> float:
    """Return the degrees of freedom of a sum of estimated variances, by Welch and Satterthwaite.

    Examples
    --------
    >>> summed_degrees([1.0, 1.0], [3.0, 3.0]), summed_degrees([1.0, 0.0], [3.0, 1.0])
    (6.0, 3.0)
    """
    # Variances are relative to the largest, whose square may overflow or underflow.
    largest = max(variances, default=0.0)
    if not 0.0 < largest < float("inf"):
        return float("inf") if largest == 0.0 else min(degrees)
    shares = [variance / largest for variance in variances]
    squares = sum(share**2 / df for share, df in zip(shares, degrees, strict=True))
    return float("inf") if squares == 0.0 else sum(shares) ** 2 / squares


@dataclass(frozen=True)
class LogEstimate:
    """The logarithm of an estimate of a positive number, such as a normalising constant.

    Examples
    --------
    >>> estimate = LogEstimate.of_weights(np.log([1.0, 2.0, 2.0, 3.0]))
    >>> round(estimate.value, 4), round(estimate.effective_runs, 1)
    (0.6931, 3.4)
    """

    value: float  # the logarithm of the estimate
    # The relative variance of the estimate, to first order the variance of its logarithm; infinite
    # or NaN if it is not known.
    variance: float
    runs: float = math.inf  # the maximum number of effective runs, such as particles
    degrees_of_freedom: float = math.inf  # those of the variance

    @classmethod
    def of_weights(
        cls, log_weights: ArrayLike, particles: int = 1, least_variance: float = 0.0
    ) -> LogEstimate:
        """Return the logarithm of the mean of independent weights.

        Notes
        -----
        With n weights and the effective sample size e, the relative variance of their mean is
        (1/e - 1/n) n / (n - 1), which is the sample variance if e is Kish's value.
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
        """The number of independent runs with the same precision: 1 / (variance + 1 / runs).

        For the mean of importance weights this is Kish's effective sample size; for other
        estimates, the one with the same relative variance. NaN if that is not known.
        """
        total = self.variance + 1.0 / self.runs
        return math.inf if total == 0.0 else 1.0 / total

    @property
    def relative_margin(self) -> float:
        """The t quantile times the standard error: the margin relative to the true value."""
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

    The ratio of the estimate to the true value is approximately normal, 1 ± margin, so on the log
    scale the true value is between -log(1 + margin) and -log(1 - margin) from the estimate. The
    upper part is longer, because estimates of positive numbers are more often too small.

    Examples
    --------
    >>> low, high = interval_of(0.0, 0.5)
    >>> round(low, 4), round(high, 4)
    (-0.4055, 0.6931)
    """
    return value - math.log1p(margin), value - math.log1p(-margin) if margin < 1.0 else math.inf


def weighted_mean(estimates: Sequence[LogEstimate]) -> LogEstimate:
    """Return the mean of independent estimates of the same number, by inverse variances.

    A variance with few degrees of freedom is multiplied by (t quantile / normal quantile)^2, so
    that a method does not benefit from a variance that is small by chance.

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


Array = NDArray[np.float64]

FEWEST_IN_COMMON = 50.0
"""The minimum number of effective draws of each distribution for a known error."""

_HALVINGS = 100  # enough for the solution up to rounding


def acceptance_ratio(first: Sequence[Array], second: Sequence[Array]) -> LogEstimate:
    """Return the log of (constant of the second distribution) / (constant of the first).

    Notes
    -----
    The estimate is unbiased to first order wherever h is centred, so the variance is the sum of
    those of the two means. The shares of h are the effective numbers of draws, which is optimal
    for independent draws and affects only the precision.

    Examples
    --------
    >>> draw = np.random.default_rng(1)
    >>> one, other = draw.normal(0.0, 1.0, (2, 2000)), draw.normal(1.0, 1.0, (2, 2000))
    >>> found = acceptance_ratio(list(one + 3.0 - 0.5), list(other + 3.0 - 0.5))
    >>> abs(found.value - 3.0) < 0.1, found.standard_error < 0.05
    (True, True)
    """
    h = best_weighting(first, second)
    of_first = mean_along_chains([h.log_with_ratio(x) for x in first])
    of_second = mean_along_chains([h.log(x) for x in second])
    return LogEstimate(
        h.center, of_first.variance + of_second.variance, min(of_first.runs, of_second.runs)
    )


@dataclass(frozen=True)
class Weighting:
    """The function h, as 1 / (share of the first + share of the second * r / exp(center))."""

    center: float
    shares: tuple[float, float]

    def log(self, ratios: Array) -> Array:
        """Return ln h at log ratios of the densities; over several estimates, of its mean."""
        if ratios.ndim == 1:
            return self._log(ratios)
        return np.asarray(np.logaddexp.reduce(self._log(ratios), axis=1)) - math.log(
            ratios.shape[1]
        )

    def log_with_ratio(self, ratios: Array) -> Array:
        """Return ln (r h / exp(center)), averaged over pairs of different estimates for r and h."""
        if ratios.ndim == 1:
            return ratios - self.center + self._log(ratios)
        count = ratios.shape[1]
        pairs = ratios[:, :, None] - self.center + self._log(ratios)[:, None, :]
        different = pairs[:, ~np.eye(count, dtype=bool)]
        return np.asarray(np.logaddexp.reduce(different, axis=1)) - math.log(count * (count - 1))

    def _log(self, ratios: Array) -> Array:
        first, second = map(math.log, self.shares)
        return np.asarray(-np.logaddexp(first, second + ratios - self.center))


def best_weighting(first: Sequence[Array], second: Sequence[Array]) -> Weighting:
    """Return h centred at the log ratio of the constants, where both means are equal."""
    effective = _effective(first), _effective(second)
    shares = effective[0] / sum(effective), effective[1] / sum(effective)
    low = min(float(x.min()) for x in (*first, *second))
    high = max(float(x.max()) for x in (*first, *second))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        h = Weighting(middle, shares)
        over_first = log_mean(np.concatenate([h.log_with_ratio(x) for x in first]))
        if over_first > log_mean(np.concatenate([h.log(x) for x in second])):
            low = middle
        else:
            high = middle
    return Weighting((low + high) / 2.0, shares)


def mean_along_chains(chains: Sequence[Array]) -> LogEstimate:
    """Return the log of the mean of bounded values; the variance is infinite if few are effective.

    The values are at most 1 / (share of draws), so unlike importance weights they have no tail
    that a sample may miss; but if only a few draws are in the region of the other distribution,
    their variance is uninformative.
    """
    together = np.concatenate(chains)
    if effective_runs(together) < FEWEST_IN_COMMON:
        return LogEstimate(log_mean(together), np.inf, float(len(together)))
    values = relative_weights(together, 0.0)
    numbers = np.repeat(np.arange(len(chains)), [len(chain) for chain in chains])
    error = float(weighted_standard_error(values, np.ones(len(values)), numbers))
    variance = np.inf if np.isnan(error) else (error / float(values.mean())) ** 2
    return LogEstimate(log_mean(together), variance, float(len(together)))


def _effective(chains: Sequence[Array]) -> float:
    """Return the effective sample size of the log ratio over all chains."""
    length = min(len(chain) for chain in chains)
    of_draws = [chain if chain.ndim == 1 else chain.mean(axis=1) for chain in chains]
    found = float(effective_sample_size(np.stack([chain[:length] for chain in of_draws])))
    return found if np.isfinite(found) and found > 0.0 else float(length * len(chains))
