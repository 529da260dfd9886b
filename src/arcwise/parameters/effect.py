"""Posteriors of the effect of one variable on another, by the kinds of the two variables.

In DAGs without a directed path from source to target there is no effect. The posterior of an
effect is therefore a mixture: a point mass at 0, and a density given that there is an effect,
which may have several modes, for instance one for each adjustment set.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.parameters.summaries import (
    LEVEL,
    Tabular,
    checked_level,
    figure,
    highest_density,
    html_table,
    intervals_text,
    stacked,
    text_table,
)
from arcwise.posterior.estimate import Interval
from arcwise.support.checks import is_hashable
from arcwise.support.names import quoted, shown

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EffectEstimate:
    """The posterior of one effect: a point mass at 0, and draws given that there is an effect.

    Parameters
    ----------
    mean
        The posterior mean over DAGs and parameters, including DAGs without an effect.
    standard_error
        The Monte Carlo standard error of the mean.
    probability
        The probability of an effect, that is, of a directed path from source to target.
    values, weights
        Draws given that there is an effect, and their weights, which sum to 1.

    Examples
    --------
    >>> values = np.array([1.9, 2.0, 2.1])
    >>> EffectEstimate(1.5, 0.01, 0.75, values, np.full(3, 1 / 3)).mean_given_effect
    2.0
    """

    mean: float
    standard_error: float
    probability: float
    values: Array
    weights: Array

    @property
    def mean_given_effect(self) -> float:
        """The mean given that there is an effect; NaN if there is none."""
        return self.mean / self.probability if self.probability > 0 else math.nan

    @cached_property
    def standard_deviation(self) -> float:
        """The posterior standard deviation, including DAGs without an effect."""
        if not len(self.values):
            return 0.0
        centre = float(self.weights @ self.values)
        within = float(self.weights @ np.square(self.values - centre))
        variance = self.probability * (within + (1 - self.probability) * centre**2)
        return math.sqrt(variance)

    def intervals(self, level: float = LEVEL) -> tuple[Interval, ...]:
        """Return the highest-density intervals given that there is an effect.

        One, or several if the posterior has separate modes; none if there is no effect.

        Parameters
        ----------
        level
            Their probability in total, given that there is an effect.
        """
        probability = checked_level(level)
        if not len(self.values):
            return ()
        return highest_density(self.values, self.weights, probability)

    def row(self, level: float = LEVEL) -> dict[str, Any]:
        """Return the figures of a table; low and high are the ends of all intervals together."""
        found = self.intervals(level)
        return {
            "mean": self.mean,
            "standard_deviation": self.standard_deviation,
            "standard_error": self.standard_error,
            "probability_of_effect": self.probability,
            "mean_given_effect": self.mean_given_effect,
            "low": found[0].low if found else math.nan,
            "high": found[-1].high if found else math.nan,
            "intervals": intervals_text(found),
        }


@dataclass(frozen=True, eq=False, repr=False)
class LinearEffect(Tabular):
    """The total causal effect of one continuous variable on another, per unit.

    The change in the mean of the target under an intervention that raises the source by one
    unit. Returned by `effects`.

    Parameters
    ----------
    source, target
        The variables.
    estimate
        The posterior of the effect.
    note
        Why there can be no effect, if so.

    Examples
    --------
    >>> import arcwise
    >>> dag = arcwise.Dag(["x", "y"], {"y": ["x"]})
    >>> data = arcwise.networks.GaussianNetwork(dag, [[0, 2], [0, 0]]).sample(1000, seed=1)
    >>> arcwise.effects(dag, "x", "y", model=arcwise.Model(data))
    Effect of x on y: 1.95 per unit
    no directed path, so no effect: probability 0
    given an effect: mean 1.95, 95 % highest-density interval 1.88 to 2.01
    """

    source: str
    target: str
    estimate: EffectEstimate
    note: str | None = None

    @property
    def mean(self) -> float:
        """The posterior mean, including DAGs without an effect."""
        return self.estimate.mean

    @property
    def standard_error(self) -> float:
        """The Monte Carlo standard error of the mean."""
        return self.estimate.standard_error

    @property
    def probability(self) -> float:
        """The probability of an effect, that is, of a directed path."""
        return self.estimate.probability

    def intervals(self, level: float = LEVEL) -> tuple[Interval, ...]:
        """Return the highest-density intervals given that there is an effect."""
        return self.estimate.intervals(level)

    def describe(self, level: float = LEVEL) -> str:
        """Return the mean, the probability of no effect, and the intervals given an effect."""
        found = self.estimate
        lines = [
            f"Effect of {self.source} on {self.target}: {figure(found.mean)} per unit"
            + _monte_carlo(found.standard_error),
            no_effect(found.probability) + ("" if self.note is None else f"; {self.note}"),
        ]
        intervals = found.intervals(level)
        if intervals:
            noun = "interval" if len(intervals) == 1 else "intervals"
            lines.append(
                f"given an effect: mean {figure(found.mean_given_effect)}, "
                f"{100 * level:.3g} % highest-density {noun} {intervals_text(intervals)}"
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Show the mean, the probability of no effect, and the intervals given an effect."""
        return self.describe()

    def _repr_html_(self) -> str:
        caption = f"Effect of {self.source} on {self.target}, per unit"
        return html_table(self._columns(LEVEL), caption)

    def table(self, level: float = LEVEL) -> Any:
        """Return a data frame (polars) with one row.

        Its columns are source, target, mean, standard_deviation, standard_error of the mean,
        probability_of_effect, and given that there is an effect mean_given_effect, low and
        high, the ends of the highest-density region, and its intervals in words.

        Parameters
        ----------
        level
            The probability of the intervals.
        """
        return super().table(level)

    def _columns(self, level: float) -> dict[str, list[Any]]:
        names = {"source": self.source, "target": self.target}
        return stacked([names | self.estimate.row(level)])


@dataclass(frozen=True, eq=False, repr=False)
class ComparedLevels(Tabular):
    """Effects of setting a variable to each of its levels; see `LevelEffects` and `MeanEffects`."""

    source: str
    target: str
    # Their levels; empty for a continuous target.
    source_levels: tuple[object, ...]
    target_levels: tuple[object, ...]
    reference: object  # the level of the source that the others are compared with
    probability: float  # the probability of a directed path
    # For each level of the source the probability of each level of the target, or its mean alone.
    estimates: Sequence[Sequence[EffectEstimate]]
    # The differences from the reference, in the same form; None at the reference itself.
    differences: Sequence[Sequence[EffectEstimate] | None]

    def __repr__(self) -> str:
        """Show the probability of no effect, and each figure and difference."""
        return self.describe()

    def _repr_html_(self) -> str:
        caption = f"Effect of {self.source} on {self.target}; {no_effect(self.probability)}"
        at_levels, compared = self._tables(LEVEL)
        differences = html_table(compared, self._heading) if compared else ""
        return html_table(at_levels, caption) + differences

    def describe(self, level: float = LEVEL) -> str:
        """Return the probability of no effect, and a line for each figure and difference."""
        lines = [f"Effect of {self.source} on {self.target}", no_effect(self.probability)]
        at_levels, compared = self._tables(checked_level(level))
        lines.append(text_table(at_levels))
        if compared:
            lines += ["", self._heading, text_table(compared)]
        return "\n".join(lines)

    @property
    def _heading(self) -> str:
        return f"Differences from do({self.source} = {self.reference}):"

    def _tables(self, level: float) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
        """Return the figures at each level, and the differences, as columns of words."""
        heading = f"{100 * level:.3g} % interval"
        at_levels = [
            {"": what, "mean": figure(found.mean), heading: intervals_text(found.intervals(level))}
            for what, found in self.at_levels()
        ]
        compared = [
            {
                "": what,
                "mean": signed(found.mean),
                "mean given an effect": signed(found.mean_given_effect),
                f"{heading} given an effect": intervals_text(found.intervals(level)),
            }
            for what, found in self.compared()
        ]
        return stacked(at_levels), stacked(compared)

    def at_levels(self) -> Iterator[tuple[str, EffectEstimate]]:
        """Yield the description and the posterior of each figure."""
        for source, target, found in self._each(self.estimates):
            yield self._what(target, f" | do({self.source} = {source})"), found

    def compared(self) -> Iterator[tuple[str, EffectEstimate]]:
        """Yield the description and the posterior of each difference from the reference."""
        for source, target, found in self._each(self.differences):
            yield self._what(target) + f", if {self.source} is set to {source}", found

    def _what(self, target_level: object, given: str = "") -> str:
        """Return the estimated quantity in words."""
        if self.target_levels:
            return f"P({self.target} = {target_level}{given})"
        return f"mean of {self.target}{given}"

    def _columns(self, level: float) -> dict[str, list[Any]]:
        rows = []
        for part, reference in ((self.estimates, None), (self.differences, self.reference)):
            for source, target, found in self._each(part):
                names = {
                    "source": self.source,
                    "source_level": source,
                    "compared_with": reference,
                    "target": self.target,
                }
                if self.target_levels:
                    names["target_level"] = target
                rows.append(names | found.row(level))
        return stacked(rows)

    def _each(
        self, part: Sequence[Sequence[EffectEstimate] | None]
    ) -> Iterator[tuple[object, object, EffectEstimate]]:
        for source, of_source in zip(self.source_levels, part, strict=True):
            for target, found in zip(self.target_levels or (None,), of_source or (), strict=False):
                yield source, target, found

    def _found(
        self, part: Sequence[Sequence[EffectEstimate] | None], source_level: object
    ) -> Sequence[EffectEstimate]:
        """Return the estimates at a level of the source, which must not be the reference."""
        found = part[level_place(source_level, self.source_levels, self.source)]
        if found is None:
            raise ArgumentError(
                f"{shown(source_level)} is the reference that the other levels of {self.source!r} "
                "are compared with; give another level, or effects another reference"
            )
        return found


class LevelEffects(ComparedLevels):
    """The effect of one discrete variable on another: P(y | do(x = a)), and their differences.

    Returned by `effects`.

    Parameters
    ----------
    source, target
        The variables.
    source_levels, target_levels
        Their levels.
    reference
        The level of the source that the others are compared with.
    probability
        The probability that there is an effect: of a directed path.
    estimates
        P(target | do(source)), as [level of the source][level of the target].
    differences
        The differences from the reference, in the same form; None at the reference itself.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> dag = arcwise.Dag(["a", "b"], {"b": ["a"]})
    >>> found = arcwise.effects(dag, "a", "b", model=model)
    >>> round(found.difference(1, 1).mean, 3)
    0.952
    """

    def given(self, target_level: object, source_level: object) -> EffectEstimate:
        """Return the posterior of P(target = target_level | do(source = source_level))."""
        found = self._found(self.estimates, source_level)
        return found[level_place(target_level, self.target_levels, self.target)]

    def difference(self, target_level: object, source_level: object) -> EffectEstimate:
        """Return the posterior of the difference of that probability from the reference's."""
        found = self._found(self.differences, source_level)
        return found[level_place(target_level, self.target_levels, self.target)]

    def table(self, level: float = LEVEL) -> Any:
        """Return a data frame (polars): a row for each probability, then for each difference.

        `compared_with` is null for P(target = target_level | do(source = source_level)), and
        otherwise the level whose probability is subtracted. The other columns are as in
        `LinearEffect.table`; a probability exists with or without an effect, so its intervals
        are not conditional on an effect.

        Parameters
        ----------
        level
            The probability of the intervals.
        """
        return super().table(level)


class MeanEffects(ComparedLevels):
    """The mean of a continuous variable when a discrete one is set: E(y | do(x = a)).

    Returned by `effects` for mixed data.

    Parameters
    ----------
    source, target
        The variables.
    source_levels, target_levels
        The levels of the source; the target has none.
    reference
        The level of the source that the others are compared with.
    probability
        The probability that there is an effect: of a directed path.
    estimates
        E(target | do(source)), alone in a list for each level of the source.
    differences
        The differences from the reference, in the same form; None at the reference itself.

    Examples
    --------
    >>> import arcwise
    >>> dag = arcwise.Dag(["group", "x"], {"x": ["group"]})
    >>> network = arcwise.networks.ConditionalGaussianNetwork(
    ...     dag,
    ...     {"group": ("a", "b")},
    ...     {"group": [0.5, 0.5]},
    ...     {"x": arcwise.networks.Regression([0.0, 3.0])},
    ... )
    >>> model = arcwise.Model(network.sample(1000, seed=1))
    >>> found = arcwise.effects(dag, "group", "x", model=model)
    >>> round(found.difference("b").mean)
    3
    """

    def given(self, source_level: object) -> EffectEstimate:
        """Return the posterior of the mean of the target, E(target | do(source = source_level))."""
        return self._found(self.estimates, source_level)[0]

    def difference(self, source_level: object) -> EffectEstimate:
        """Return the posterior of the difference of that mean from the reference's."""
        return self._found(self.differences, source_level)[0]

    def table(self, level: float = LEVEL) -> Any:
        """Return a data frame (polars): a row for each mean, then for each difference.

        `compared_with` is null for E(target | do(source = source_level)), and otherwise the
        level whose mean is subtracted. The other columns are as in `LinearEffect.table`; a mean
        exists with or without an effect, so its intervals are not conditional on an effect.

        Parameters
        ----------
        level
            The probability of the intervals.
        """
        return super().table(level)


def level_place(level: object, levels: tuple[object, ...], name: str) -> int:
    """Return which of the levels of a variable this is, or refuse it."""
    if not is_hashable(level) or level not in levels:
        raise ArgumentError(
            f"{name!r} has no level {shown(level)}; its levels are {quoted(levels)}"
        )
    return levels.index(level)


def no_effect(probability: float) -> str:
    """Return the probability of no effect in words."""
    none = 1 - probability
    # The weights may not sum to exactly 1: a tiny remainder is rounding error.
    return f"no directed path, so no effect: probability {figure(0.0 if none < 1e-12 else none)}"


def _monte_carlo(standard_error: float) -> str:
    if math.isnan(standard_error) or standard_error == 0:
        return ""
    return f" (Monte Carlo standard error {figure(standard_error)})"


def signed(value: float) -> str:
    """Return a number to three digits with its sign."""
    return f"+{figure(value)}" if value > 0 else figure(value)
