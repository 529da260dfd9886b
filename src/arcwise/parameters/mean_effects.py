"""`MeanEffects`: the effect of a discrete variable on the mean of a continuous one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arcwise.errors import ArgumentError
from arcwise.parameters.effect import ComparedLevels, EffectEstimate
from arcwise.parameters.frames import frame, stacked
from arcwise.support.checks import is_hashable
from arcwise.support.words import quoted, shown

_LEVEL = 0.95


class MeanEffects(ComparedLevels):
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
        super().__init__(source, target, source_levels, reference, probability)
        self._means = means
        self._differences = differences

    def given(self, source_level: object) -> EffectEstimate:
        """Return the posterior of the mean of the target, E(target | do(source = source_level))."""
        return self._means[self._place(source_level)]

    def difference(self, source_level: object) -> EffectEstimate:
        """Return the posterior of the difference of that mean from the reference's."""
        found = self._differences[self._place(source_level)]
        if found is None:
            raise self._reference_given(source_level)
        return found

    def at_levels(self) -> Iterable[tuple[str, EffectEstimate]]:
        """Yield each mean in words, and its posterior."""
        for source, found in self._each(self._means):
            yield f"mean of {self.target} | do({self.source} = {source})", found

    def compared(self) -> Iterable[tuple[str, EffectEstimate]]:
        """Yield what each difference from the reference is of, and its posterior."""
        for source, found in self._each(self._differences):
            yield f"mean of {self.target}, if {self.source} is set to {source}", found

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
        if not is_hashable(source_level) or source_level not in self.source_levels:
            raise ArgumentError(
                f"{self.source!r} has no level {shown(source_level)}; its levels are "
                f"{quoted(self.source_levels)}"
            )
        return self.source_levels.index(source_level)
