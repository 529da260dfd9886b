"""`Estimate`: the probability of a feature, or the mean of a number, and how sure it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

_NORMAL = 1.959963984540054  # the normal quantile of 97.5 %
_FEW = 4.0


class Interval(NamedTuple):
    """Two bounds, the lower one first."""

    low: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """What a posterior says about a feature.

    Parameters
    ----------
    feature
        The feature in words, as `arcwise.features.parse` reads them.
    value
        Its probability, or the mean of a number.
    standard_error
        The Monte-Carlo standard error, weights and autocorrelation accounted for:
        0 if the value is exact, NaN if it cannot be known.
    interval
        Bounds that hold the true value with a probability of 95 %, as far as the
        draws can tell; for an exact value what rounding leaves.
    exact
        Whether the value is exact but for rounding.
    bounds
        Bounds that surely hold the true value; None if there are none better than
        0 and 1.
    effective_samples
        How many independent draws would tell as much; NaN if that cannot be known
        or is without meaning, as for exact values.
    is_event
        Whether the value is a probability.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model(arcwise.simulate("asia", 500, seed=1), max_indegree=2)
    >>> print(arcwise.exact(model).estimate("smoke -- bronc").exact)
    True
    >>> print(arcwise.algorithms.ExactSampler(model).dags(1000, seed=1).estimate("smoke ~> dysp"))
    smoke ~> dysp has probability 0.824 ± 0.013 (95 % interval 0.798 to 0.848, worth 892
    independent draws)
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
        """Say it in words."""
        what = "has probability" if self.is_event else "has mean"
        if self.exact:
            return f"{self.feature} {what} {self.value:.6g} (exact)"
        digits = _digits(self.standard_error)
        text = f"{self.feature} {what} {self.value:.{digits}f}"
        if math.isfinite(self.standard_error):
            text += f" ± {self.standard_error:.{digits}f}"
        said = []
        if self.bounds is not None:
            said.append(f"surely between {_in_words(self.bounds, digits)}")
        if self.interval != self.bounds:
            said.append(f"95 % interval {_in_words(self.interval, digits, 'to')}")
        if math.isfinite(self.effective_samples):
            said.append(f"worth {self.effective_samples:.0f} independent draws")
        return f"{text} ({', '.join(said)})"


def _digits(error: float) -> int:
    """Return as many decimals as show two digits of the error, at least three."""
    if not 0.0 < error < math.inf:
        return 3
    return min(12, max(3, 1 - math.floor(math.log10(error))))


def _in_words(interval: Interval, digits: int, between: str = "and") -> str:
    return f"{interval.low:.{digits}f} {between} {interval.high:.{digits}f}"


def event_interval(probability: float, effective: float) -> Interval:
    """Return a 95 % interval of a probability, from a share of so many independent draws.

    It is Wilson's, which neither leaves [0, 1] nor shrinks to nothing where an event
    was seen in all or none of the draws: of n draws without it the upper bound is
    3.84 / (n + 3.84). Where it was seen, or missing, fewer than four times, the bound
    on the side of it is the lower of Wilson's and of the exact one of a Poisson law,
    as Brown, Cai and DasGupta (2001, "Interval estimation for a binomial
    proportion") advise; its quantile is by Wilson and Hilferty.

    Parameters
    ----------
    probability
        The share of the draws.
    effective
        Their number; NaN if it is not known, which leaves 0 to 1.

    Examples
    --------
    >>> low, high = event_interval(0.0, 1000)
    >>> low, round(high, 4)
    (0.0, 0.0038)
    """
    if not effective > 0.0:
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
    """Return the lower bound by a Poisson law of what was seen a few times; 1 if it is more."""
    seen = probability * effective
    if seen >= _FEW:
        return 1.0
    if seen == 0.0:
        return 0.0
    root = 1.0 - 1.0 / (9.0 * seen) - _NORMAL / (3.0 * math.sqrt(seen))
    return probability * max(0.0, root) ** 3


def mean_interval(value: float, error: float) -> Interval:
    """Return a 95 % interval of a mean by the normal law; unbounded if the error is not known."""
    if math.isnan(error):
        return Interval(-math.inf, math.inf)
    return Interval(value - _NORMAL * error, value + _NORMAL * error)
