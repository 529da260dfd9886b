"""`Estimate`: the estimated probability or mean of a feature, with its uncertainty."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.features import Conditional, Feature
from arcwise.posterior.matrices import weights_of
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.support.arrays import weighted_sum
from arcwise.support.html import facts, share
from arcwise.support.plain import plain_dict

if TYPE_CHECKING:
    from arcwise.posterior.dag_sample import DagSample


class Interval(NamedTuple):
    """Two bounds, the lower one first."""

    low: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """An estimate of the probability of a feature, or of the mean of a number.

    Parameters
    ----------
    feature
        The feature as text, as read by `arcwise.features.parse`.
    value
        Its probability, or the mean of a number.
    standard_error
        The Monte Carlo standard error, taking account of weights and autocorrelation:
        0 if the value is exact, NaN if it cannot be estimated.
    interval
        A 95 % interval for the Monte Carlo error; for an exact value, the bounds of the
        rounding error.
    exact
        Whether the value is exact up to rounding.
    bounds
        Guaranteed bounds on the true value; None if only 0 and 1 are guaranteed.
    effective_samples
        The effective sample size; NaN if it cannot be estimated or does not apply, as
        for exact values.
    is_event
        Whether the value is a probability.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 500, seed=1)
    >>> model = arcwise.Model(data, prior="uniform", max_indegree=2)
    >>> print(arcwise.exact(model).estimate("smoke -- bronc").exact)
    True
    >>> print(arcwise.algorithms.ExactSampler(model).dags(1000, seed=1).estimate("smoke ~> dysp"))
    smoke ~> dysp has probability 0.817 ± 0.012 (95 % interval 0.791 to 0.840, effective
    sample size 962)
    """

    feature: str
    value: float
    standard_error: float
    interval: Interval
    exact: bool = False
    bounds: Interval | None = None
    effective_samples: float = math.nan
    is_event: bool = True

    def __float__(self) -> float:
        """Return the value."""
        return self.value

    def __str__(self) -> str:
        """Return the estimate as a sentence."""
        what = "has probability" if self.is_event else "has mean"
        if self.exact:
            return f"{self.feature} {what} {self.value:.6g} (exact)"
        digits = _digits(self.standard_error)
        text = f"{self.feature} {what} {self.value:.{digits}f}"
        if math.isfinite(self.standard_error):
            text += f" ± {self.standard_error:.{digits}f}"
        details = []
        if self.bounds is not None:
            details.append(f"guaranteed bounds {_in_words(self.bounds, digits)}")
        if self.interval != self.bounds:
            details.append(f"95 % interval {_in_words(self.interval, digits)}")
        if math.isfinite(self.effective_samples):
            details.append(f"effective sample size {self.effective_samples:.0f}")
        return f"{text} ({', '.join(details)})"

    def _repr_html_(self) -> str:
        """Return the estimate as a table, for notebooks."""
        digits = 6 if self.exact else _digits(self.standard_error)
        value = share(self.value, digits) if self.is_event else f"{self.value:.{digits}f}"
        rows: dict[str, object] = {
            "feature": self.feature,
            "probability" if self.is_event else "mean": value,
        }
        if self.exact:
            return facts(rows | {"computed": "exactly"})
        known, counted = math.isfinite(self.standard_error), math.isfinite(self.effective_samples)
        rows["standard error"] = f"{self.standard_error:.{digits}f}" if known else "unknown"
        rows["95 % interval"] = _in_words(self.interval, digits)
        rows["guaranteed bounds"] = self.bounds and _in_words(self.bounds, digits)
        rows["effective sample size"] = f"{self.effective_samples:.0f}" if counted else None
        return facts(rows)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, with None for those that cannot be estimated."""
        return plain_dict(**asdict(self))


def _digits(error: float) -> int:
    """Return the number of decimals that shows two digits of the error, at least three."""
    if not 0.0 < error < math.inf:
        return 3
    return min(12, max(3, 1 - math.floor(math.log10(error))))


def _in_words(interval: Interval, digits: int) -> str:
    return f"{interval.low:.{digits}f} to {interval.high:.{digits}f}"


_NORMAL = 1.959963984540054  # the 97.5 % quantile of the standard normal distribution
_FEW = 4.0
_NOTHING = 1e-9  # this number of draws has the interval 0 to 1 to nine digits


def event_interval(probability: float, effective: float) -> Interval:
    """Return a 95 % interval for a probability estimated from independent draws.

    It is the Wilson interval, which neither leaves [0, 1] nor has width zero if the event
    occurred in all or none of the draws: after n draws without it, the upper bound is
    3.84 / (n + 3.84). If the event, or its complement, occurred fewer than four times, the
    bound on that side is the more extreme of Wilson's and the exact Poisson bound, as
    Brown, Cai and DasGupta (2001, "Interval estimation for a binomial proportion")
    recommend, with the Wilson-Hilferty approximation of its quantile.

    Examples
    --------
    >>> low, high = event_interval(0.0, 1000)
    >>> low, round(high, 4)
    (0.0, 0.0038)
    """
    if not effective > _NOTHING:
        return Interval(0.0, 1.0)
    square = _NORMAL**2
    scale = 1.0 + square / effective
    centre = (probability + square / (2.0 * effective)) / scale
    variance = probability * (1.0 - probability) / effective
    spread = _NORMAL * math.sqrt(variance + square / (2.0 * effective) ** 2) / scale
    low = min(centre - spread, _lowest_for_few(probability, effective))
    high = max(centre + spread, 1.0 - _lowest_for_few(1.0 - probability, effective))
    return Interval(max(0.0, low), min(1.0, high))


def _lowest_for_few(probability: float, effective: float) -> float:
    """Return the Poisson lower bound for an event observed a few times; 1 if more often."""
    seen = probability * effective
    if seen >= _FEW:
        return 1.0
    if seen == 0.0:
        return 0.0
    root = 1.0 - 1.0 / (9.0 * seen) - _NORMAL / (3.0 * math.sqrt(seen))
    return probability * max(0.0, root) ** 3


def mean_interval(value: float, error: float) -> Interval:
    """Return a normal 95 % interval for a mean; unbounded if the standard error is unknown."""
    if math.isnan(error):
        return Interval(-math.inf, math.inf)
    return Interval(value - _NORMAL * error, value + _NORMAL * error)


# If an event, or its complement, is expected fewer times than this in the same number of
# independent draws, the sample shows neither its autocorrelation nor whether it missed states that
# matter.
_FEWEST_EVENTS = 10.0


def estimate_from_dags(dags: DagSample, asked: Feature | Conditional) -> Estimate:
    """Return the weighted fraction of DAGs with a feature, or the mean of a number.

    Conditioning on an event multiplies the weights by its indicator, so the standard error of
    the ratio by the delta method is that of any weighted mean.

    The interval for a probability is `event_interval` at the effective sample size implied
    by the standard error. If the expected count of the event, or of its complement, in that
    number of draws is below ten, the effective sample size is at most that of the edges
    (`DagSample.effective_draws`), so an event in all or none of the DAGs has an interval as
    wide as the size of the sample requires. Its standard error is then the posterior standard
    deviation under Jeffreys' prior, not 0.
    """
    mean = weighted_mean(dags, asked)
    values, weights, value, known = mean
    error = float(weighted_standard_error(values, weights, dags.chains))
    if mean.is_event:
        return event_estimate(str(asked), value, error, dags.effective_draws * known, len(dags))
    if error == 0.0:
        # A number that is constant in the sample may vary in DAGs that were not drawn.
        error = math.nan
    spread = float(weighted_sum(weights, (values - value) ** 2)) / float(weights.sum())
    effective = min(spread / error**2, len(dags)) if error > 0.0 else math.nan
    interval = mean_interval(value, error)
    return Estimate(str(asked), value, error, interval, effective_samples=effective, is_event=False)


class WeightedMean(NamedTuple):
    """A weighted mean, and the fraction of the effective sample size that it uses."""

    values: NDArray[Any]
    weights: NDArray[np.float64]
    value: float
    known: float

    @property
    def is_event(self) -> bool:
        """Whether the values are Booleans."""
        return self.values.dtype == np.bool_


def weighted_mean(dags: DagSample, asked: Feature | Conditional) -> WeightedMean:
    """Return the mean of a feature over the DAGs in which the given event holds."""
    feature, weights = counted(dags, asked)
    values = feature.values(dags)
    known = _kish(weights) / _kish(weights_of(dags)) if isinstance(asked, Conditional) else 1.0
    if values.dtype == np.bool_:
        # Both sums are computed in the same way, so a certain event has probability exactly 1.
        value = float(np.where(values, weights, 0.0).sum() / weights.sum())
    else:
        value = float(weighted_sum(weights, values) / weights.sum())
    return WeightedMean(values, weights, value, known)


def counted(dags: DagSample, asked: Feature | Conditional) -> tuple[Feature, NDArray[np.float64]]:
    """Return the feature and the weights of DAGs, 0 where the given event does not hold."""
    weights = weights_of(dags)
    if not isinstance(asked, Conditional):
        return asked, weights
    weights = weights * asked.given.values(dags)
    if not weights.any():
        raise ArgumentError(
            f"the given event, '{asked.given}', holds in no sampled DAG; draw more DAGs, or "
            "condition on another event"
        )
    return asked.feature, weights


def event_estimate(name: str, value: float, error: float, known: float, draws: int) -> Estimate:
    """Return the estimate of a probability with its standard error and interval."""
    effective = known
    if error > 0.0:
        effective = value * (1.0 - value) / error / error  # squaring 1e-170 would underflow
        # A mean of conditional probabilities can be far more precise than the same number of
        # events, but only with respect to the states visited. If the expected count of the event
        # is small, one unvisited state may matter more than all visited ones.
        seen = min(effective, known) if not math.isnan(known) else effective
        if seen * min(value, 1.0 - value) < _FEWEST_EVENTS:
            effective = seen
    elif math.isnan(error):
        effective = math.nan
    if error == 0.0:
        error = _jeffreys_deviation(value, effective)
    interval = event_interval(value, effective)
    claimed = effective if math.isnan(effective) else min(effective, draws)
    return Estimate(name, value, error, interval, effective_samples=claimed)


def _jeffreys_deviation(value: float, effective: float) -> float:
    """Return the standard deviation of Beta(n p + 1/2, n (1 - p) + 1/2)."""
    first, second = effective * value + 0.5, effective * (1.0 - value) + 0.5
    total = first + second
    return math.sqrt(first * second / (total + 1.0)) / total


def _kish(weights: NDArray[np.float64]) -> float:
    return float(weights.sum() ** 2 / np.square(weights).sum())
