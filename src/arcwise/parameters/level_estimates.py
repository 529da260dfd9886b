"""Estimates for each level of a variable over sampled DAGs: probabilities, or differences."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.parameters.quantiles import checked_probabilities, weighted_quantiles
from arcwise.parameters.sampled import SampledFamilies
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.support.files import write_table
from arcwise.support.words import quoted

Array = NDArray[np.float64]


class LevelEstimates:
    """A number for each level of the target, averaged over DAGs and parameters.

    Parameters
    ----------
    target
        The variable.
    levels
        Its levels.
    what
        What the numbers are, in words.
    families
        Where the DAGs' weights and chains are.
    given_dag
        The mean over the parameters of each DAG, as [DAG, level].
    drawn
        Draws of the parameters, as [DAG and draw, level]; all of the first DAG come first.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> dag = arcwise.Dag(["a", "b"], {"b": ["a"]})
    >>> one, other = (
    ...     arcwise.interventional(dag, "b", {"a": a}, model=model) for a in (1, 0)
    ... )
    >>> (one - other).mean.round(3)
    array([-0.952,  0.952])
    """

    def __init__(
        self,
        target: str,
        levels: tuple[object, ...],
        what: str,
        families: SampledFamilies,
        given_dag: Array,
        drawn: NDArray[np.float32],
    ) -> None:
        self.target = target
        self.levels = levels
        self._what = what
        self._families = families
        self._given_dag = given_dag
        self._drawn = drawn
        self.mean: Array = families.shares @ given_dag
        """The posterior mean for each level."""

    def __repr__(self) -> str:
        """Show the numbers."""
        shown = [
            f"{level!r}: {mean:.4g}" for level, mean in zip(self.levels, self.mean, strict=True)
        ]
        return f"<{self._what}: {', '.join(shown)}>"

    def __getitem__(self, level: object) -> float:
        """Return the posterior mean of one level."""
        return float(self.mean[self._place(level)])

    @property
    def draws(self) -> int:
        """The number of draws of the parameters of each DAG."""
        return len(self._drawn) // len(self._families)

    @cached_property
    def standard_errors(self) -> Array:
        """The Monte-Carlo standard errors of the means.

        They are of the DAGs alone: given a DAG, the mean over parameters is exact.
        """
        families = self._families
        return weighted_standard_error(self._given_dag, families.shares, families.chains)

    def quantiles(
        self, level: object, probabilities: float | Sequence[float] = (0.025, 0.5, 0.975)
    ) -> Array:
        """Return quantiles over DAGs and parameters of the number of one level."""
        if self.draws == 0:
            raise ArgumentError("quantiles come from draws, and there are none; give draws=1")
        shares = np.repeat(self._families.shares / self.draws, self.draws)
        values = self._drawn[:, self._place(level)]
        return weighted_quantiles(values, shares, checked_probabilities(probabilities))

    def table(self, interval: float = 0.95) -> list[tuple[object, *tuple[float, ...]]]:
        """Return level, mean, standard error and the ends of an interval, row by row.

        Without draws, the ends are NaN.
        """
        (inside,) = checked_probabilities([interval])
        rows: list[tuple[object, *tuple[float, ...]]] = []
        for place, level in enumerate(self.levels):
            low = high = float("nan")
            if self.draws:
                low, high = self.quantiles(level, [(1 - inside) / 2, (1 + inside) / 2]).tolist()
            numbers = float(self.mean[place]), float(self.standard_errors[place])
            rows.append((level, *numbers, low, high))
        return rows

    def write(self, path: str | os.PathLike[str], interval: float = 0.95) -> None:
        """Write `table` to a .csv file."""
        columns = [self.target, "mean", "standard_error", "low", "high"]
        write_table(columns, self.table(interval), Path(path))

    def _place(self, level: object) -> int:
        if level not in self.levels:
            raise ArgumentError(
                f"{self.target!r} has no level {level!r}; its levels are {quoted(self.levels)}"
            )
        return self.levels.index(level)


class Interventional(LevelEstimates):
    """The distribution P(target | do(...)) over DAGs and parameters; see `interventional`.

    The difference of two, in which the same variables are set, is a `LevelEstimates` of
    average causal effects, P(y | do(x = a)) - P(y | do(x = b)), with errors and
    quantiles of its own: both are taken DAG by DAG and draw by draw.

    Parameters
    ----------
    setting
        The variables that are set, and to which level.
    seed
        The seed of the draws.
    target, levels, families, given_dag, drawn
        See `LevelEstimates`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> dag = arcwise.Dag(["a", "b"], {"b": ["a"]})
    >>> arcwise.interventional(dag, "b", {"a": 1}, model=model)
    <P(b | do(a=1)): 0: 0.02381, 1: 0.9762>
    """

    def __init__(
        self,
        target: str,
        levels: tuple[object, ...],
        setting: Mapping[str, Hashable],
        seed: int,
        families: SampledFamilies,
        given_dag: Array,
        drawn: NDArray[np.float32],
    ) -> None:
        told = ", ".join(f"{name}={level}" for name, level in setting.items())
        what = f"P({target} | do({told}))" if setting else f"P({target})"
        super().__init__(target, levels, what, families, given_dag, drawn)
        self.setting = dict(setting)
        self.seed = seed

    def __sub__(self, other: Interventional) -> LevelEstimates:
        """Return the difference for each level of the target."""
        if not isinstance(other, Interventional):
            return NotImplemented
        same = (
            (self.target, self.levels, self.seed) == (other.target, other.levels, other.seed)
            and set(self.setting) == set(other.setting)
            and self._drawn.shape == other._drawn.shape
            and self._families.parents == other._families.parents
            and np.array_equal(self._families.places, other._families.places)
            and np.array_equal(self._families.shares, other._families.shares)
        )
        if not same:
            raise ArgumentError(
                "a difference is between two distributions of one target from the same DAGs, "
                "with the same variables set and the same draws and seed; compute both so"
            )
        return LevelEstimates(
            self.target,
            self.levels,
            f"{self._what} - {other._what}",
            self._families,
            self._given_dag - other._given_dag,
            self._drawn - other._drawn,
        )
