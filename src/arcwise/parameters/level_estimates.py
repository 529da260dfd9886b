"""Estimates for each level of a variable: probabilities, or differences of them."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ArgumentError
from arcwise.parameters.frames import frame, intervals_text, stacked, write_columns
from arcwise.parameters.highest_density import checked_level, highest_density
from arcwise.parameters.quantiles import checked_probabilities, weighted_quantiles
from arcwise.parameters.sampled import SampledFamilies
from arcwise.posterior.estimate import Interval
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.support.checks import is_hashable
from arcwise.support.words import quoted, shown

Array = NDArray[np.float64]


class LevelEstimates:
    """An estimate for each level of the target, averaged over DAGs and parameters.

    Parameters
    ----------
    target
        The variable.
    levels
        Its levels.
    what
        What is estimated, in words.
    families
        The families of the DAGs, with their weights and chains.
    given_dag
        The mean over the parameters of each DAG, as [DAG, level].
    drawn
        Parameter draws, as [DAG and draw, level], all of the first DAG first.

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
        """Show the estimates."""
        shown = [
            f"{level!r}: {mean:.4g}" for level, mean in zip(self.levels, self.mean, strict=True)
        ]
        return f"<{self._what}: {', '.join(shown)}>"

    def __getitem__(self, level: object) -> float:
        """Return the posterior mean of one level."""
        return float(self.mean[self._place(level)])

    @property
    def draws(self) -> int:
        """The number of parameter draws for each DAG."""
        return len(self._drawn) // len(self._families)

    @cached_property
    def standard_errors(self) -> Array:
        """The Monte Carlo standard errors of the means.

        They reflect the sampling of DAGs only: given a DAG, the mean over parameters is
        exact.
        """
        families = self._families
        return weighted_standard_error(self._given_dag, families.shares, families.chains)

    def quantiles(
        self, level: object, probabilities: float | Sequence[float] = (0.025, 0.5, 0.975)
    ) -> Array:
        """Return posterior quantiles, over DAGs and parameters, for one level."""
        if self.draws == 0:
            raise ArgumentError("quantiles need draws, and there are none; give draws=1 or more")
        shares = np.repeat(self._families.shares / self.draws, self.draws)
        values = self._drawn[:, self._place(level)]
        return weighted_quantiles(values, shares, checked_probabilities(probabilities))

    def table(self, level: float = 0.95) -> Any:
        """Return a data frame (polars) with a row for each level of the target.

        Its columns are the target, mean, standard_error, low and high, the ends of the
        highest-density region, and its intervals in words; without draws, low and high are
        NaN and there are no intervals.

        Parameters
        ----------
        level
            The probability of the intervals.
        """
        return frame(self._columns(level))

    def write(self, path: str | os.PathLike[str], level: float = 0.95) -> None:
        """Write `table` to a .csv file."""
        write_columns(self._columns(level), path)

    def _columns(self, level: float) -> dict[str, list[Any]]:
        inside = checked_level(level)
        rows = []
        for place, name in enumerate(self.levels):
            found: tuple[Interval, ...] = ()
            if self.draws:
                shares = np.repeat(self._families.shares / self.draws, self.draws)
                found = highest_density(self._drawn[:, place], shares, inside)
            rows.append(
                {
                    self.target: name,
                    "mean": float(self.mean[place]),
                    "standard_error": float(self.standard_errors[place]),
                    "low": found[0].low if found else float("nan"),
                    "high": found[-1].high if found else float("nan"),
                    "intervals": intervals_text(found),
                }
            )
        return stacked(rows)

    def _place(self, level: object) -> int:
        if not is_hashable(level) or level not in self.levels:
            raise ArgumentError(
                f"{self.target!r} has no level {shown(level)}; its levels are {quoted(self.levels)}"
            )
        return self.levels.index(level)


class Interventional(LevelEstimates):
    """The distribution P(target | do(...)), averaged over DAGs; see `interventional`.

    The difference of two, with interventions on the same variables, is a
    `LevelEstimates` of average causal effects, P(y | do(x = a)) - P(y | do(x = b)), with
    its own standard errors and quantiles: it is taken DAG by DAG and draw by draw.

    Parameters
    ----------
    setting
        The variables intervened on, and their levels.
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
        settings = ", ".join(f"{name}={level}" for name, level in setting.items())
        what = f"P({target} | do({settings}))" if setting else f"P({target})"
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
                "the two distributions cannot be subtracted; give two of one target, from the same "
                "DAGs, with interventions on the same variables and the same draws and seed"
            )
        return LevelEstimates(
            self.target,
            self.levels,
            f"{self._what} - {other._what}",
            self._families,
            self._given_dag - other._given_dag,
            self._drawn - other._drawn,
        )
