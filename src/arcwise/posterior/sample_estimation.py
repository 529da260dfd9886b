"""Estimates of features from sampled DAGs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.features import Conditional, Feature
from arcwise.posterior.estimate import Estimate, event_interval, mean_interval
from arcwise.posterior.matrices import weights_of
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.support.weighted_sums import weighted_sum

if TYPE_CHECKING:
    from arcwise.posterior.dag_sample import DagSample

# An event, or its complement, that independent draws in place of the sample would show fewer times
# than this does not reveal its autocorrelation, nor whether states that matter were visited.
_ENOUGH_TO_TELL = 10.0


def estimate_from_dags(dags: DagSample, asked: Feature | Conditional) -> Estimate:
    """Return the weighted fraction of DAGs with a feature, or the mean of a number.

    To condition on an event is to multiply the weights by its indicator, so that the
    standard error of the ratio by the delta method is that of any weighted mean.

    The interval for a probability is `event_interval` at the effective sample size implied
    by the standard error. If the event, or its complement, occurred fewer than ten times in
    that many draws, the effective sample size is at most that of the edges
    (`DagSample.effective_draws`); an event seen in all or none of the DAGs so has an
    interval as wide as the size of the sample requires. Its standard error is then the
    posterior standard deviation under Jeffreys' prior, not 0.
    """
    mean = weighted_mean(dags, asked)
    values, weights, value, known = mean
    error = float(weighted_standard_error(values, weights, dags.chains))
    if mean.is_event:
        return event_estimate(str(asked), value, error, dags.effective_draws * known, len(dags))
    if error == 0.0:
        # A number that never varied may vary by an unknown amount in DAGs that were not drawn.
        error = math.nan
    spread = float(weighted_sum(weights, (values - value) ** 2)) / float(weights.sum())
    effective = min(spread / error**2, len(dags)) if error > 0.0 else math.nan
    interval = mean_interval(value, error)
    return Estimate(str(asked), value, error, interval, effective_samples=effective, is_event=False)


class WeightedMean(NamedTuple):
    """A mean with its values and weights, and the fraction of the effective sample it uses."""

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
        # Both sums are computed alike, so that an event that always holds has probability 1.
        value = float(np.where(values, weights, 0.0).sum() / weights.sum())
    else:
        value = float(weighted_sum(weights, values) / weights.sum())
    return WeightedMean(values, weights, value, known)


def counted(dags: DagSample, asked: Feature | Conditional) -> tuple[Feature, NDArray[np.float64]]:
    """Return the feature and the weights of DAGs, 0 where the event to condition on is not."""
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
    """Return the estimate of a probability with its standard error and interval.

    Parameters
    ----------
    name
        The feature as text.
    value, error
        The probability and its standard error.
    known
        The effective sample size of the sample, or NaN.
    draws
        The number of draws averaged. The standard error of a mean of probabilities can be
        that of more draws, but no more draws are claimed.
    """
    effective = known
    if error > 0.0:
        effective = value * (1.0 - value) / error / error  # the square of 1e-170 would be 0
        # A mean of probabilities given states can be far more precise than as many events, but
        # only as to the states visited: where the sample should show the event a few times or
        # never, one unvisited state may matter more than all that were visited.
        seen = min(effective, known) if not math.isnan(known) else effective
        if seen * min(value, 1.0 - value) < _ENOUGH_TO_TELL:
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
