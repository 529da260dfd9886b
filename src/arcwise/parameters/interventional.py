"""`interventional`: distributions of discrete variables under intervention, P(y | do(x))."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Column, Data
from arcwise.data.raw import as_level, level_type
from arcwise.errors import ArgumentError
from arcwise.parameters.effect import level_place
from arcwise.parameters.intervened import Setting, intervened
from arcwise.parameters.requirements import AnyModel, inference
from arcwise.parameters.sampled import Dags, SampledFamilies, sampled_families
from arcwise.parameters.summaries import (
    LEVEL,
    Tabular,
    checked_level,
    checked_probabilities,
    highest_density,
    intervals_text,
    stacked,
    weighted_quantiles,
)
from arcwise.posterior.estimate import Interval
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.support.checks import whole_number
from arcwise.support.names import positions, quoted

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class LevelEstimates(Tabular):
    """An estimate for each level of the target, averaged over DAGs and parameters.

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

    target: str
    levels: tuple[object, ...]
    what: str  # the estimated quantity, in words
    families: SampledFamilies
    given_dag: Array  # the mean over the parameters of each DAG, as [DAG, level]
    # Parameter draws, as [DAG and draw, level], all of the first DAG first.
    drawn: NDArray[np.float32]

    @cached_property
    def mean(self) -> Array:
        """The posterior mean for each level."""
        return np.asarray(self.families.shares @ self.given_dag)

    def __repr__(self) -> str:
        """Show the estimates."""
        shown = [
            f"{level!r}: {mean:.4g}" for level, mean in zip(self.levels, self.mean, strict=True)
        ]
        return f"<{self.what}: {', '.join(shown)}>"

    def __getitem__(self, level: object) -> float:
        """Return the posterior mean of one level."""
        return float(self.mean[level_place(level, self.levels, self.target)])

    @property
    def draws(self) -> int:
        """The number of parameter draws for each DAG."""
        return len(self.drawn) // len(self.families)

    @cached_property
    def standard_errors(self) -> Array:
        """The Monte Carlo standard errors of the means.

        They reflect the sampling of DAGs only: given a DAG, the mean over parameters is
        exact.
        """
        families = self.families
        return weighted_standard_error(self.given_dag, families.shares, families.chains)

    def quantiles(
        self, level: object, probabilities: float | Sequence[float] = (0.025, 0.5, 0.975)
    ) -> Array:
        """Return posterior quantiles, over DAGs and parameters, for one level."""
        if self.draws == 0:
            raise ArgumentError("quantiles need draws, and there are none; give draws=1 or more")
        shares = np.repeat(self.families.shares / self.draws, self.draws)
        values = self.drawn[:, level_place(level, self.levels, self.target)]
        return weighted_quantiles(values, shares, checked_probabilities(probabilities))

    def table(self, level: float = LEVEL) -> Any:
        """Return a data frame (polars) with a row for each level of the target.

        Its columns are the target, mean, standard_error, low and high, the ends of the
        highest-density region, and its intervals in words; without draws, low and high are
        NaN and there are no intervals.
        """
        return super().table(level)

    def _columns(self, level: float) -> dict[str, list[Any]]:
        inside = checked_level(level)
        rows = []
        for place, name in enumerate(self.levels):
            found: tuple[Interval, ...] = ()
            if self.draws:
                shares = np.repeat(self.families.shares / self.draws, self.draws)
                found = highest_density(self.drawn[:, place], shares, inside)
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


@dataclass(frozen=True, eq=False, repr=False)
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
    target, levels, what, families, given_dag, drawn
        See `LevelEstimates`.

    Examples
    --------
    >>> import arcwise
    >>> model = arcwise.Model({"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5})
    >>> dag = arcwise.Dag(["a", "b"], {"b": ["a"]})
    >>> arcwise.interventional(dag, "b", {"a": 1}, model=model)
    <P(b | do(a=1)): 0: 0.02381, 1: 0.9762>
    """

    setting: Mapping[str, Hashable]
    seed: int

    def __sub__(self, other: Interventional) -> LevelEstimates:
        """Return the difference for each level of the target."""
        if not isinstance(other, Interventional):
            return NotImplemented
        same = (
            (self.target, self.levels, self.seed) == (other.target, other.levels, other.seed)
            and set(self.setting) == set(other.setting)
            and self.drawn.shape == other.drawn.shape
            and self.families.parents == other.families.parents
            and np.array_equal(self.families.places, other.families.places)
            and np.array_equal(self.families.shares, other.families.shares)
        )
        if not same:
            raise ArgumentError(
                "the two distributions cannot be subtracted; give two of one target, from the same "
                "DAGs, with interventions on the same variables and the same draws and seed"
            )
        return LevelEstimates(
            self.target,
            self.levels,
            f"{self.what} - {other.what}",
            self.families,
            self.given_dag - other.given_dag,
            self.drawn - other.drawn,
        )


# The total number of draws behind means without a closed form.
_DRAWS = 4_000


def interventional(
    posterior: Dags,
    outcome: str,
    setting: Mapping[str, Hashable],
    *,
    model: AnyModel = None,
    draws: int = 0,
    seed: int = 0,
) -> Interventional:
    """Return the distribution of a variable under interventions on others, P(y | do(x)).

    For each DAG, the parameters are integrated out exactly; DAGs are averaged by their
    weights. The computation uses variable elimination; a DAG for which it needs a table
    of more than 4 million cells is refused.

    Parameters
    ----------
    posterior
        A `Posterior` with sampled DAGs, a `DagSample`, or one `Dag`.
    outcome
        The variable whose distribution is computed.
    setting
        The level of each variable intervened on; if empty, the result is the marginal
        distribution of the outcome.
    model
        The model of the posterior, with the score `BDeu` or `BDe`; None for its own. DAGs, and
        posteriors read from a file, have none.
    draws
        The number of parameter draws for each DAG, for quantiles.
    seed
        The same arguments and seed give the same draws; two settings of the same
        variables share them, so that they can be subtracted.

    Raises
    ------
    CapacityError
        If a table would have too many cells.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 1000, seed=1)
    >>> model = arcwise.Model(data, tiers=[["smoke"], ["bronc"], ["dysp"]])
    >>> dags = arcwise.algorithms.ExactSampler(model).dags(100, seed=1)
    >>> smoking = interventional(dags, "dysp", {"smoke": "yes"}, model=model)
    >>> not_smoking = interventional(dags, "dysp", {"smoke": "no"}, model=model)
    >>> round((smoking - not_smoking)["yes"], 1)
    0.2
    """
    found = inference(posterior, model, "interventional")
    data = found.data
    if not any(found.posteriors.levels):
        raise ArgumentError(
            "interventional is for discrete variables, but the score is "
            f"{found.score}; use arcwise.effects for continuous data"
        )
    each = whole_number(draws, "draws", at_least=0)
    place, codes = _codes(outcome, setting, data)
    families = sampled_families(posterior, data.variables)
    if not found.law.has_means:
        each = max(each, -(-_DRAWS // len(families)))
    asked = Setting(place, None, codes)
    given_dags = intervened(families, found.posteriors, asked, each, seed)
    column = _discrete(place, data)
    done = ", ".join(f"{name}={level}" for name, level in setting.items())
    what = f"P({outcome} | do({done}))" if setting else f"P({outcome})"
    levels, means, drawn = column.kind.levels, given_dags.means[:, 0], given_dags.draws[:, 0]
    return Interventional(outcome, levels, what, families, means, drawn, dict(setting), seed)


def _codes(outcome: str, setting: Any, data: Data) -> tuple[int, dict[int, int]]:
    """Return the position of the outcome and the code of each variable intervened on."""
    if not isinstance(setting, Mapping):
        raise ArgumentError(
            f"setting is of type {type(setting).__name__}; give a mapping from variables to levels"
        )
    (place,) = positions([outcome], data.variables, "outcome")
    _discrete(place, data)
    codes = {}
    for node, level in zip(
        positions(setting, data.variables, "setting"), setting.values(), strict=True
    ):
        column = _discrete(node, data)
        known = [(level_type(each), each) for each in column.kind.levels]
        wanted = as_level(level)
        if (level_type(wanted), wanted) not in known:
            raise ArgumentError(
                f"setting gives {column.name!r} the level {level!r}; its levels are "
                f"{quoted(column.kind.levels)}"
            )
        codes[node] = known.index((level_type(wanted), wanted))
    if place in codes:
        raise ArgumentError(
            f"the outcome {outcome!r} is intervened on by setting; give another outcome"
        )
    return place, codes


def _discrete(node: int, data: Data) -> Column:
    column = data.columns[node]
    if not column.size:
        raise ArgumentError(
            f"{column.name!r} is continuous, but interventional is for discrete variables; use "
            "arcwise.effects"
        )
    return column
