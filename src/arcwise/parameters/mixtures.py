"""Mixtures of normals, or of single values, for each row: predictive distributions of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcwise.data.scales import Scale

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Mixtures:
    """A mixture for each row: of normals, or of single values where a law is simulated.

    Parameters
    ----------
    means, deviations
        Those of the components, as [component, row]; deviations of single values are 0.
    weights
        The weights of the components, as [component, row]; they sum to 1 in each row.
    log_densities
        Where the components are single values, the log density of what each row has.
    """

    means: Array
    deviations: Array
    weights: Array
    log_densities: Array | None = None

    def mean(self) -> Array:
        """Return the mean of each row's mixture."""
        return np.asarray((self.weights * self.means).sum(axis=0))

    def standard_deviation(self) -> Array:
        """Return the standard deviation of each row's mixture."""
        spread = np.square(self.deviations) + np.square(self.means - self.mean())
        return np.asarray(np.sqrt((self.weights * spread).sum(axis=0)))

    def moments(self, scale: Scale | None) -> tuple[Array, Array]:
        """Return mean and standard deviation of what is such a mixture on a scale.

        Parameters
        ----------
        scale
            The scale; None for that of the values.
        """
        if scale is None:
            return self.mean(), self.standard_deviation()
        means, squares = scale.normal_moments(self.means, self.deviations)
        mean = (self.weights * means).sum(axis=0)
        variance = (self.weights * squares).sum(axis=0) - np.square(mean)
        return mean, np.sqrt(np.maximum(variance, 0.0))

    def log_density(self, values: Array) -> Array:
        """Return the log density of each row's mixture at a value."""
        if self.log_densities is not None:
            return self.log_densities
        logs = self._away(values)
        np.square(logs, out=logs)
        logs *= -0.5
        logs += self._logs
        top = logs.max(axis=0)
        logs -= top
        np.exp(logs, out=logs)
        return np.asarray(top + np.log(logs.sum(axis=0)) - 0.5 * math.log(2 * math.pi))

    @cached_property
    def _logs(self) -> Array:
        """Logs of weights and of what normal densities are divided by."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.weights) - np.log(self.deviations))

    def _away(self, values: Array) -> Array:
        away = values - self.means
        away /= self.deviations
        return np.asarray(away)

    def cumulative(self, values: Array) -> Array:
        """Return the probability that each row's mixture is below a value."""
        with np.errstate(divide="ignore", invalid="ignore"):
            away = self._away(values)
        if self.log_densities is not None:
            away = np.where(values == self.means, 0.0, away)
        return np.asarray((self.weights * normal_cumulative(away)).sum(axis=0))

    def quantile(self, probability: float) -> Array:
        """Return a quantile of each row's mixture, by bisection and Newton's steps within it."""
        if self.log_densities is not None:
            return self._value_at(probability)
        centre, spread = self.mean(), self.standard_deviation()
        # By Chebyshev's inequality.
        reach = spread / math.sqrt(min(probability, 1 - probability))
        low, high = centre - reach, centre + reach
        value = centre.copy()
        for _ in range(_STEPS):
            excess = self.cumulative(value) - probability
            if np.abs(excess).max() < _TOLERANCE:
                break
            low, high = np.where(excess < 0, value, low), np.where(excess > 0, value, high)
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                step = value - excess / np.exp(self.log_density(value))
            value = np.where((step > low) & (step < high), step, (low + high) / 2)
        return value

    def _value_at(self, probability: float) -> Array:
        """Return the first single value at which this probability is reached, for each row."""
        order = np.argsort(self.means, axis=0)
        reached = np.cumsum(np.take_along_axis(self.weights, order, axis=0), axis=0)
        place = np.minimum((reached < probability).sum(axis=0), len(order) - 1)[np.newaxis]
        found = np.take_along_axis(self.means, np.take_along_axis(order, place, axis=0), axis=0)
        return np.asarray(found[0])

    def effective_components(self) -> Array:
        """Return the effective number of components of each row."""
        return np.asarray(1 / np.square(self.weights).sum(axis=0))


_STEPS = 60
_TOLERANCE = 1e-6


def normal_cumulative(values: Array) -> Array:
    """Return the standard normal distribution function, to 1e-7.

    By formula 7.1.26 of Abramowitz and Stegun for the error function.
    """
    # In place, as new memory for millions of numbers takes longer than arithmetic with them.
    t = np.abs(values)
    t *= 0.3275911 * math.sqrt(0.5)
    t += 1
    np.reciprocal(t, out=t)
    upper = t * 1.061405429
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        upper += coefficient
        upper *= t
    np.square(values, out=t)
    t *= -0.5
    np.exp(t, out=t)
    upper *= t
    upper *= 0.5
    found: Array = np.where(values > 0, 1 - upper, upper)
    return found


def pooled_mixtures(
    parts: Sequence[Iterable[tuple[slice | NDArray[np.int64], Mixtures]]], rows: int
) -> Mixtures:
    """Return the mixture of mixtures, each of which counts the same.

    Parameters
    ----------
    parts
        The mixtures to take together, each in pieces of rows, which may have different numbers of
        components: places without one have weight 0.
    rows
        The number of rows.
    """
    arrays: list[list[Array]] = [[], [], []]
    logs: list[Array] = []
    for part in parts:
        pieces = list(part)
        shape = max(len(mixtures.means) for _, mixtures in pieces), rows
        own = np.zeros(shape), np.ones(shape), np.zeros(shape)
        logs.append(np.zeros(rows))
        for place, mixtures in pieces:
            count = len(mixtures.means)
            given = mixtures.means, mixtures.deviations, mixtures.weights / len(parts)
            for array, values in zip(own, given, strict=True):
                array[:count, place] = values
            if mixtures.log_densities is not None:
                logs[-1][place] = mixtures.log_densities
        for found, array in zip(arrays, own, strict=True):
            found.append(array)
    single = any(each.log_densities is not None for _, each in pieces)
    densities = np.logaddexp.reduce(logs) - math.log(len(logs)) if single else None
    means, deviations, weights = map(np.concatenate, arrays)
    return Mixtures(means, deviations, weights, densities)
