"""The ratio of two normalising constants, from draws of both distributions.

By Bennett's acceptance ratio (1976, "Efficient estimation of free energy differences from Monte
Carlo data"), which is the best of the estimates that Meng and Wong (1996, "Simulating ratios of
normalizing constants via a simple identity: a theoretical exploration") call bridge sampling: with
r the ratio of the unnormalised densities, for any function h, the mean of r h over the first
distribution is that of h over the second times the ratio of the constants. Either mean alone, with
h = 1 or h = 1 / r, rests on draws far out in a tail; with the best h, both rest on those that the
distributions have in common.

Where r itself is only estimated, without bias, by independent estimates for each draw, one of them
stands for r and another is given to h: the identity holds for the mean of h over the estimates,
which is a function of the draw, so that noise of r costs precision but brings no bias.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.statistics.convergence import effective_sample_size, weighted_standard_error
from arcwise.statistics.log_estimate import LogEstimate
from arcwise.statistics.log_weights import effective_runs, log_mean
from arcwise.support.log_space import relative_weights

Array = NDArray[np.float64]

FEWEST_IN_COMMON = 50.0
"""Effective draws of each distribution that count; with fewer, no error is known."""

_HALVINGS = 100  # of the interval that holds the solution, which then is known to rounding


def acceptance_ratio(first: Sequence[Array], second: Sequence[Array]) -> LogEstimate:
    """Return the log of (constant of the second distribution) / (constant of the first).

    Parameters
    ----------
    first, second
        For each chain, the log ratios of the unnormalised densities, second over first, at its
        draws: of chains of the first distribution, and of chains of the second. Where ratios are
        estimated, a row of the logs of independent estimates for each draw, at least two.

    Notes
    -----
    The estimate is right on average, to first order, whatever point h is centred at; so the
    variance is the sum of those of the two means. That h is best with as many independent draws of
    each as there are effective ones matters for the precision only.

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
        h.center,
        of_first.variance + of_second.variance,
        min(of_first.runs, of_second.runs),
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
        """Return ln (r h / exp(center)); of estimates, one stands for r and another is h's."""
        if ratios.ndim == 1:
            return ratios - self.center + self._log(ratios)
        count = ratios.shape[1]
        pairs = ratios[:, :, None] - self.center + self._log(ratios)[:, None, :]
        apart = pairs[:, ~np.eye(count, dtype=bool)]
        return np.asarray(np.logaddexp.reduce(apart, axis=1)) - math.log(count * (count - 1))

    def _log(self, ratios: Array) -> Array:
        first, second = map(math.log, self.shares)
        return np.asarray(-np.logaddexp(first, second + ratios - self.center))


def best_weighting(first: Sequence[Array], second: Sequence[Array]) -> Weighting:
    """Return h centred where both means are equal, which is the log ratio of the constants."""
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
    """Return the log of the mean of bounded values, with infinite variance if few of them count.

    Parameters
    ----------
    chains
        For each chain, the logs of h, or of r h, at its draws.

    Notes
    -----
    The values are at most 1 / (share of draws), so that, unlike importance weights, they have no
    tail that a sample may lack; but if only a few draws are where the other distribution is, too,
    their spread says little.
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
    """Return the effective number of draws of all chains, of the log ratio itself."""
    length = min(len(chain) for chain in chains)
    of_draws = [chain if chain.ndim == 1 else chain.mean(axis=1) for chain in chains]
    found = float(effective_sample_size(np.stack([chain[:length] for chain in of_draws])))
    return found if np.isfinite(found) and found > 0.0 else float(length * len(chains))
