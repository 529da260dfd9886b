"""`MeanEffects`: the effect of a discrete variable on the mean of a continuous one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from arcwise.errors import ArgumentError
from arcwise.parameters.effect import EffectEstimate, no_effect, signed
from arcwise.parameters.frames import (
    figure,
    frame,
    html_table,
    intervals_text,
    stacked,
    text_table,
    write_columns,
)
from arcwise.support.words import quoted, shown

_LEVEL = 0.95


class MeanEffects:
    """The mean of a continuous variable if a discrete one is set: E(y | do(x = a)).

    Returned by `effects` for mixed data.

    Parameters
    ----------
    source, target
        The variables.
    source_levels
        The levels of the source.
    reference
        The level of the source that the others are compared with.
    probability
        The probability that there is an effect: of a directed path.
    means
        E(target | do(source)) for each level of the source.
    differences
        The differences from the reference; None at the reference itself.

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

    def __init__(
        self,
        source: str,
        target: str,
        source_levels: tuple[object, ...],
        reference: object,
        probability: float,
        means: Sequence[EffectEstimate],
        differences: Sequence[EffectEstimate | None],
    ) -> None:
        self.source = source
        self.target = target
        self.source_levels = source_levels
        self.reference = reference
        self.probability = probability
        self._means = means
        self._differences = differences

    def given(self, source_level: object) -> EffectEstimate:
        """Return the posterior of the mean of the target, E(target | do(source = source_level))."""
        return self._means[self._place(source_level)]

    def difference(self, source_level: object) -> EffectEstimate:
        """Return the posterior of the difference of that mean from the reference's."""
        found = self._differences[self._place(source_level)]
        if found is None:
            raise ArgumentError(
                f"{shown(source_level)} is the reference that the other levels of "
                f"{self.source!r} are compared with; give another level, or effects another "
                "reference"
            )
        return found

    def describe(self, level: float = _LEVEL) -> str:
        """Return the probability of no effect, and a line for each mean and difference."""
        lines = [f"Effect of {self.source} on {self.target}", no_effect(self.probability)]
        heading = f"{100 * level:.3g} % interval"
        at_levels = stacked(
            [
                {
                    "": f"mean of {self.target} | do({self.source} = {source})",
                    "mean": figure(found.mean),
                    heading: intervals_text(found.intervals(level)),
                }
                for source, found in self._each(self._means)
            ]
        )
        lines.append(text_table(at_levels))
        compared = stacked(
            [
                {
                    "": f"mean of {self.target}, if {self.source} is set to {source}",
                    "mean": signed(found.mean),
                    "mean given an effect": signed(found.mean_given_effect),
                    f"{heading} given an effect": intervals_text(found.intervals(level)),
                }
                for source, found in self._each(self._differences)
            ]
        )
        if compared:
            lines += ["", f"Differences from do({self.source} = {self.reference}):"]
            lines.append(text_table(compared))
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Show the probability of no effect, and each mean and difference."""
        return self.describe()

    def _repr_html_(self) -> str:
        caption = f"Effect of {self.source} on {self.target}; {no_effect(self.probability)}"
        return html_table(self._columns(_LEVEL), caption)

    def table(self, level: float = _LEVEL) -> Any:
        """Return a data frame (polars): a row for each mean, then for each difference.

        `compared_with` is null for E(target | do(source = source_level)), and otherwise the
        level whose mean is subtracted. The other columns are as in `LinearEffect.table`; a mean
        is there in any case, so that its intervals are not conditional on an effect.

        Parameters
        ----------
        level
            The probability of the intervals.
        """
        return frame(self._columns(level))

    def write(self, path: str | os.PathLike[str], level: float = _LEVEL) -> None:
        """Write `table` to a .csv file."""
        columns = self._columns(level)
        columns["compared_with"] = [
            "" if value is None else value for value in columns["compared_with"]
        ]
        write_columns(columns, path)

    def _columns(self, level: float) -> dict[str, list[Any]]:
        rows = []
        for part, reference in ((self._means, None), (self._differences, self.reference)):
            for source, found in self._each(part):
                names = {
                    "source": self.source,
                    "source_level": source,
                    "compared_with": reference,
                    "target": self.target,
                }
                rows.append(names | found.row(level))
        return stacked(rows)

    def _each(
        self, part: Sequence[EffectEstimate | None]
    ) -> Iterable[tuple[object, EffectEstimate]]:
        for source, found in zip(self.source_levels, part, strict=True):
            if found is not None:
                yield source, found

    def _place(self, source_level: object) -> int:
        if source_level not in self.source_levels:
            raise ArgumentError(
                f"{self.source!r} has no level {shown(source_level)}; its levels are "
                f"{quoted(self.source_levels)}"
            )
        return self.source_levels.index(source_level)
