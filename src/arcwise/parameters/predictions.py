"""Predictive distributions, row by row, and the scores by which they are judged."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.scales import Scale
from arcwise.errors import ArgumentError
from arcwise.parameters.summaries import (
    MOST_ROWS,
    figure,
    frame,
    html_table,
    text_table,
    write_columns,
)
from arcwise.support.checks import instance, whole_number
from arcwise.support.names import listing, plural

Array = NDArray[np.float64]

# Quantiles: the most steps, and the tolerance of the probability.
_STEPS = 60
_TOLERANCE = 1e-6

_SHOWN = 10


@dataclass(frozen=True, eq=False)
class Mixtures:
    """A mixture for each row: of normals, or of single values where a law is simulated."""

    # The components, as [component, row]: single values have deviation 0, and the weights of each
    # row sum to 1.
    means: Array
    deviations: Array
    weights: Array
    # If the components are single values: the log density of each row's observed value.
    log_densities: Array | None = None

    @cached_property
    def mean(self) -> Array:
        """The mean of each row's mixture."""
        return np.asarray((self.weights * self.means).sum(axis=0))

    @cached_property
    def standard_deviation(self) -> Array:
        """The standard deviation of each row's mixture."""
        spread = self.means - self.mean
        np.square(spread, out=spread)
        spread += np.square(self.deviations)
        spread *= self.weights
        return np.asarray(np.sqrt(spread.sum(axis=0)))

    def moments(self, scale: Scale | None) -> tuple[Array, Array]:
        """Return mean and standard deviation of a variable that is such a mixture on a scale."""
        if scale is None:
            return self.mean, self.standard_deviation
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
        """The logs of the weights divided by the standard deviations."""
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
        found = normal_cumulative(away)
        found *= self.weights
        return np.asarray(found.sum(axis=0))

    def quantile(self, probability: float) -> Array:
        """Return a quantile of each row's mixture, by Newton's method, safeguarded by bisection."""
        if self.log_densities is not None:
            return self._value_at(probability)
        centre, spread = self.mean, self.standard_deviation
        # Chebyshev's inequality bounds the quantile.
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
        """Return for each row the smallest value whose cumulative weight reaches a probability."""
        order = np.argsort(self.means, axis=0)
        reached = np.cumsum(np.take_along_axis(self.weights, order, axis=0), axis=0)
        place = np.minimum((reached < probability).sum(axis=0), len(order) - 1)[np.newaxis]
        found = np.take_along_axis(self.means, np.take_along_axis(order, place, axis=0), axis=0)
        return np.asarray(found[0])

    def effective_components(self) -> Array:
        """Return the effective number of components of each row."""
        return np.asarray(1 / np.square(self.weights).sum(axis=0))


def normal_cumulative(values: Array) -> Array:
    """Return the standard normal distribution function, to 1e-7.

    By formula 7.1.26 of Abramowitz and Stegun for the error function.
    """
    # Arithmetic is in place: allocating memory for millions of numbers takes longer.
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
    return np.subtract(1, upper, out=upper, where=values > 0)


def pooled_mixtures(
    parts: Sequence[Iterable[tuple[slice | NDArray[np.int64], Mixtures]]], rows: int
) -> Mixtures:
    """Return the equally weighted mixture of mixtures."""
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


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """Predictions of one variable, row by row; the base of the two kinds."""

    target: str

    @property
    def observed(self) -> NDArray[np.bool_]:
        """Which rows have a value of the target, by which its prediction can be judged."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.observed)

    @property
    def scores(self) -> dict[str, float]:
        """How good the predictions are, by name; empty if no row has the target's value."""
        if not self.observed.any():
            return {}
        return self._scores()

    def __repr__(self) -> str:
        """Show how good the predictions are, and those of the first rows."""
        return f"Predictions of {self.target}: {self.describe()}\n{self.preview(_SHOWN)}"

    def describe(self) -> str:
        """Return the number of rows and how good the predictions are, in words."""
        rows = plural(len(self), "row")
        judged = int(self.observed.sum())
        if not judged:
            return f"{rows}, none of which has a value of {self.target} to compare with"
        words = listing([f"{name} {figure(value)}" for name, value in self.scores.items()], None)
        return f"{rows}; {words}" + (f" on {judged:,} of them" if judged < len(self) else "")

    def preview(self, most: int = MOST_ROWS, rest: str = "see table() or write(path)") -> str:
        """Return the first rows of the table as text, and where to find the others."""
        rows = whole_number(most, "most", at_least=0)
        return text_table(self._columns(), rows, instance(rest, str, "rest", "a text"))

    def _repr_html_(self) -> str:
        return html_table(self._columns(), f"Predictions of {self.target}: {self.describe()}")

    def table(self) -> Any:
        """Return a data frame (polars) with a row for each row that was predicted."""
        return frame(self._columns())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write `table` to a .csv file."""
        write_columns(self._columns(), path)

    def _judged(self, values: Array) -> Array:
        """Return the entries of the rows that have a value of the target."""
        if not self.observed.any():
            raise ArgumentError(
                f"no row has a value of {self.target!r} to compare with; give a table that has some"
            )
        return values[self.observed]

    def _scores(self) -> dict[str, float]:
        raise NotImplementedError

    def _columns(self) -> dict[str, Sequence[Any]]:
        raise NotImplementedError


@dataclass(frozen=True, eq=False, repr=False)
class LevelPredictions(Predictions):
    """The probability of each level of a discrete variable, given the rest of each row.

    Returned by `predict`.

    Parameters
    ----------
    target, levels
        The variable and its levels.
    probabilities
        As [row, level].
    codes
        The observed level of each row, -1 if there is none.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 1000, seed=1)
    >>> posterior = arcwise.learn(data, seed=1, progress=None)
    >>> found = arcwise.predict(posterior, {"smoke": ["yes", "no"]}, "bronc")
    >>> found.probabilities.round(1)
    array([[0.4, 0.6],
           [0.7, 0.3]])
    """

    levels: tuple[object, ...]
    probabilities: Array
    codes: NDArray[np.int64]

    @cached_property
    def observed(self) -> NDArray[np.bool_]:
        """Which rows have a level of the target, by which its prediction can be judged."""
        return self.codes >= 0

    @property
    def most_probable(self) -> list[object]:
        """The most probable level of each row."""
        return [self.levels[code] for code in self.probabilities.argmax(axis=1).tolist()]

    @cached_property
    def log_probabilities(self) -> Array:
        """The log of the probability of the observed level of each row; NaN without one."""
        found = np.full(len(self), np.nan)
        rows = np.flatnonzero(self.observed)
        with np.errstate(divide="ignore"):
            found[rows] = np.log(self.probabilities[rows, self.codes[rows]])
        return found

    @property
    def log_loss(self) -> float:
        """Minus the mean log probability of the observed levels, in nats; smaller is better."""
        return -float(self._judged(self.log_probabilities).mean())

    @property
    def brier(self) -> float:
        """The Brier score, from 0 for certain and right to 2 for certain and wrong.

        The mean over rows of the sum over levels of (probability - 1 if observed, else 0)^2.
        """
        errors = self._judged(self.probabilities)
        errors[np.arange(len(errors)), self.codes[self.observed]] -= 1.0
        return float(np.square(errors).sum(axis=1).mean())

    @property
    def accuracy(self) -> float:
        """The share of rows whose most probable level is the observed one."""
        return float(self._judged(self.probabilities.argmax(axis=1) == self.codes).mean())

    def _scores(self) -> dict[str, float]:
        return {"log loss": self.log_loss, "Brier score": self.brier, "accuracy": self.accuracy}

    def _columns(self) -> dict[str, Sequence[Any]]:
        columns: dict[str, Sequence[Any]] = {"row": list(range(len(self)))}
        for place, level in enumerate(self.levels):
            columns[f"P({self.target} = {level})"] = self.probabilities[:, place].tolist()
        columns["most_probable"] = self.most_probable
        if self.observed.any():
            columns["observed"] = [
                self.levels[code] if code >= 0 else None for code in self.codes.tolist()
            ]
            columns["log_probability"] = self.log_probabilities.tolist()
        return columns


@dataclass(frozen=True, eq=False, repr=False)
class NumberPredictions(Predictions):
    """The predictive distribution of a continuous variable, given the rest of each row.

    Returned by `predict`.

    Parameters
    ----------
    target
        The variable.
    mean, standard_deviations
        The moments of each row's predictive distribution.
    low, high
        The ends of its central interval.
    level
        The probability of the interval.
    values
        The observed value of each row, NaN if there is none.
    log_densities, ranks
        The log density of the predictive distribution at the observed value, and the
        probability below it, which is uniform over rows if predictions are calibrated.
    effective_draws
        The effective number of draws of DAG and parameters that each prediction rests on.

    Examples
    --------
    >>> import arcwise
    >>> dag = arcwise.Dag(["x", "y"], {"y": ["x"]})
    >>> data = arcwise.networks.GaussianNetwork(dag, [[0, 2], [0, 0]]).sample(1000, seed=1)
    >>> posterior = arcwise.learn(data, seed=1, progress=None)
    >>> arcwise.predict(posterior, {"x": [0.0, 1.0]}, "y").mean.round(1)
    array([-0. ,  1.9])
    """

    mean: Array
    standard_deviations: Array
    low: Array
    high: Array
    level: float
    values: Array
    log_densities: Array
    ranks: Array
    effective_draws: Array

    @cached_property
    def observed(self) -> NDArray[np.bool_]:
        """Which rows have a value of the target, by which its prediction can be judged."""
        return ~np.isnan(self.values)

    @property
    def rmse(self) -> float:
        """The root of the mean squared error of the predicted means."""
        return float(np.sqrt(np.square(self._judged(self.mean - self.values)).mean()))

    @property
    def log_density(self) -> float:
        """The mean log predictive density of the observed values; larger is better."""
        return float(self._judged(self.log_densities).mean())

    @property
    def coverage(self) -> float:
        """The share of observed values inside their intervals, which should be `level`."""
        inside = (self.values >= self.low) & (self.values <= self.high)
        return float(self._judged(inside.astype(np.float64)).mean())

    def _scores(self) -> dict[str, float]:
        return {
            "RMSE": self.rmse,
            "log density": self.log_density,
            f"coverage of {100 * self.level:.3g} % intervals": self.coverage,
        }

    def _columns(self) -> dict[str, Sequence[Any]]:
        columns: dict[str, Sequence[Any]] = {
            "row": list(range(len(self))),
            "mean": self.mean.tolist(),
            "standard_deviation": self.standard_deviations.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
        }
        if self.observed.any():
            columns["observed"] = self.values.tolist()
            columns["log_density"] = self.log_densities.tolist()
        return columns
