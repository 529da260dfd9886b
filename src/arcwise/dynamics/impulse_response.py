"""`impulse_response`: the effect of setting a variable on another, now and at later steps."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.table import Slices
from arcwise.dynamics.lagged_edges import required_slices
from arcwise.dynamics.responses import Impulse, paths, responses
from arcwise.errors import ArgumentError, option
from arcwise.laws.regressions import LinearGaussianPosteriors
from arcwise.parameters.completed import pooled_effect, tables_of
from arcwise.parameters.effect import LinearEffect
from arcwise.parameters.inference import Inference
from arcwise.parameters.intervened import AnyEffect, Intervened, Pair, pair_effect, refuse_reference
from arcwise.parameters.requirements import AnyModel
from arcwise.parameters.sampled import SampledFamilies, draws_for_each
from arcwise.parameters.summaries import LEVEL, Tabular, figure, html_table, stacked, text_table
from arcwise.posterior import Posterior
from arcwise.support.checks import further_seed, true_or_false, whole_number
from arcwise.support.names import positions, quoted, shown

Array = NDArray[np.float64]

_DRAWS, _MOST_DRAWS = 4_000, 10**6
_MOST_STEPS = 1_000
# Nonlinear models are propagated DAG by DAG; more DAGs would hardly reduce the error.
_MOST_DAGS = 1_000


@dataclass(frozen=True, eq=False, repr=False)
class ImpulseResponse(Tabular):
    """The response of one variable to another, step by step; see `impulse_response`.

    Parameters
    ----------
    source, target
        The variables, by their own names.
    effects
        The effect at each step from `first` on.
    first
        The first step: 0, or 1 for the response of a variable to itself.
    hold
        Whether the source is held at the value it was set to.

    Examples
    --------
    >>> import arcwise
    >>> table = {"x": [0, 0, 1, 1] * 20, "y": [1, 0, 0, 1] * 20}
    >>> posterior = arcwise.learn(arcwise.time_series(table, within=False), progress=None)
    >>> response = arcwise.impulse_response(posterior, "y", "x", 1)
    >>> round(response.at(1).difference(1, 1).mean, 1)
    -1.0
    """

    source: str
    target: str
    effects: tuple[AnyEffect, ...]
    first: int
    hold: bool

    def at(self, step: int) -> AnyEffect:
        """Return the effect a number of steps after the source was set."""
        last = self.first + len(self.effects) - 1
        if not isinstance(step, int) or not self.first <= step <= last:
            raise ArgumentError(
                f"step is {shown(step)}; give a whole number from {self.first} to {last}"
            )
        return self.effects[step - self.first]

    @property
    def mean(self) -> Array:
        """The mean response at each step, for continuous data."""
        found = [each.mean for each in self.effects if isinstance(each, LinearEffect)]
        if len(found) < len(self.effects):
            raise ArgumentError(
                "the response of a discrete variable has a mean for each pair of levels; use "
                "at(step), or table()"
            )
        return np.array(found)

    def describe(self, level: float = LEVEL) -> str:
        """Return the responses as text, a line for each step."""
        done = "is held one unit higher" if self.hold else "is raised by one unit at time t"
        if not isinstance(self.effects[0], LinearEffect):
            done = "is held at a level" if self.hold else "is set to a level at time t"
        lines = [f"Response of {self.target} if {self.source} {done}"]
        columns = self._columns(level)
        names = {
            "target": "",
            "source_level": "set to",
            "target_level": "level",
            "mean": "mean",
            "probability_of_effect": "P(effect)",
            "intervals": f"{100 * level:.3g} % interval given an effect",
        }
        chosen = {
            heading: [figure(v) if isinstance(v, float) else v for v in columns[name]]
            for name, heading in names.items()
            if name in columns
        }
        if "compared_with" in columns:
            against = columns["compared_with"]
            keep = [row for row, value in enumerate(against) if value is not None]
            lines[0] += f", compared with {shown(against[keep[0]])}" if keep else ""
            chosen = {name: [values[row] for row in keep] for name, values in chosen.items()}
        return "\n".join([*lines, text_table(chosen)])

    def __repr__(self) -> str:
        """Show the response at each step."""
        return self.describe()

    def _repr_html_(self) -> str:
        return html_table(
            self._columns(LEVEL), f"Response of {self.target} to {self.source}, step by step"
        )

    def table(self, level: float = LEVEL) -> Any:
        """Return a data frame (polars) with rows for each step.

        Its columns are step and those of `LinearEffect.table` or `LevelEffects.table`.

        Parameters
        ----------
        level
            The probability of the intervals.
        """
        return super().table(level)

    def _columns(self, level: float) -> dict[str, list[Any]]:
        rows: list[dict[str, Any]] = []
        for step, effect in enumerate(self.effects, self.first):
            own = effect._columns(level)
            count = len(next(iter(own.values())))
            rows += [
                {"step": step} | {name: values[row] for name, values in own.items()}
                for row in range(count)
            ]
        return stacked(rows)


def impulse_response(
    posterior: Posterior,
    source: str,
    target: str,
    steps: int = 10,
    *,
    hold: bool = False,
    reference: Hashable = None,
    model: AnyModel = None,
    draws: int | None = None,
    seed: int = 0,
) -> ImpulseResponse:
    """Return the effect of setting a variable at time t on another at t, t+1, ... t+steps.

    For continuous data (score `BGe`) it is the change in the mean of the target if an intervention
    raises the source by one unit at time t, which equals the response to a shock of one unit. For
    discrete data (`BDeu`, `BDe`) it is the distribution of the target if the source is set to each
    of its levels at time t, given the histories of the rows, and the differences between levels;
    small networks are propagated exactly, others are simulated. For mixed data
    (`ConditionalGaussian`) it is either of these, or the mean of a continuous target at each level
    of a discrete source, by simulation. DAGs are averaged by their weights, and their parameters
    are drawn from their posterior. In DAGs without a directed path through time there is no effect:
    their probability is stated, and highest-density intervals are given for the others.

    Parameters
    ----------
    posterior
        The posterior of a time series, with sampled DAGs.
    source, target
        The variables, by their own names. The source may be static: it then has the changed
        value at all steps.
    steps
        The number of steps into the future.
    hold
        Whether the source is held at its value, instead of set at time t alone.
    reference
        The level of a discrete source that its other levels are compared with; None for the
        first.
    model
        The model of the posterior, or its `Data`; None for the posterior's own model.
    draws
        The number of parameter draws for each DAG; None for 4,000 in total.
    seed
        The same arguments and seed give the same draws.

    Examples
    --------
    >>> import arcwise, numpy as np
    >>> random, x = np.random.default_rng(1), [0.0]
    >>> for _ in range(500):
    ...     x.append(0.5 * x[-1] + random.standard_normal())
    >>> posterior = arcwise.learn(arcwise.time_series({"x": x}), progress=None, seed=1)
    >>> arcwise.impulse_response(posterior, "x", "x", steps=2).mean.round(1)
    array([0.4, 0.2])
    """
    slices = required_slices(posterior, "impulse_response")
    positions([source], [*slices.variables, *slices.static], "source")
    if target in slices.static:
        raise ArgumentError(
            f"{target!r} is static, so that nothing changes it; give one of "
            f"{quoted(slices.variables)} as the target"
        )
    positions([target], slices.variables, "target")
    impulse = Impulse(
        source,
        target,
        whole_number(steps, option("steps"), at_least=0, at_most=_MOST_STEPS),
        true_or_false(hold, option("hold")),
    )
    if source == target and impulse.steps == 0:
        raise ArgumentError(
            option("steps"), " is 0, at which a variable has no effect on itself; give 1 or more"
        )
    tables = list(tables_of(posterior, model, "impulse_response", _MOST_DAGS))
    if posterior.completions is None and not isinstance(
        tables[0][0].posteriors, LinearGaussianPosteriors
    ):
        tables = [(found, _thinned(families)) for found, families in tables]
    dags = sum(len(families) for _, families in tables)
    each = draws_for_each(draws, dags, _DRAWS, _MOST_DRAWS)
    by_table = [
        _effects(
            found, _Asked(families, slices, impulse, each, further_seed(seed, number), reference)
        )
        for number, (found, families) in enumerate(tables)
    ]
    effects = [pooled_effect(posterior.completions, step) for step in zip(*by_table, strict=True)]
    return ImpulseResponse(source, target, tuple(effects), int(source == target), impulse.hold)


@dataclass(frozen=True, eq=False)
class _Asked:
    """A checked request."""

    families: SampledFamilies
    slices: Slices
    impulse: Impulse
    draws: int
    seed: int
    reference: Hashable

    @property
    def steps(self) -> range:
        """The steps, without the trivial first step of a variable's response to itself."""
        return range(int(self.impulse.source == self.impulse.target), self.impulse.steps + 1)

    def names(self, step: int) -> tuple[str, str]:
        """Return the source and the target with their times."""
        static = self.impulse.source in self.slices.static
        source = self.impulse.source if static else f"{self.impulse.source}(t)"
        target = self.impulse.target
        return source, f"{target}(t+{step})" if step else f"{target}(t)"


def _effects(found: Inference, asked: _Asked) -> list[AnyEffect]:
    """Return the effect at each step, by the kinds of source and target."""
    families, slices, impulse = asked.families, asked.slices, asked.impulse
    posteriors = found.posteriors
    pair = Pair.of(found.data, posteriors.levels, impulse.columns(slices), asked.reference)
    if not pair.source_levels:
        refuse_reference(asked.reference)
    drawn = responses(families, posteriors, slices, impulse, asked.draws, asked.seed)
    path = paths(families, slices, impulse)
    if not pair.source_levels and (not pair.target_levels or not path.any()):
        # Without a path, the differences of all levels are 0.
        drawn = drawn[:, :, [1], :1] - drawn[:, :, [0], :1]
        drawn = np.where(np.repeat(path, asked.draws, axis=0)[:, :, None, None], drawn, 0.0)
        pair = replace(pair, target_levels=())
    effects = []
    for step in asked.steps:
        now, (source, target) = drawn[:, step], asked.names(step)
        means = now.reshape(len(families), asked.draws, *now.shape[1:]).mean(axis=1)
        none = np.zeros(means.shape)
        given = Intervened(means, none, now.astype(np.float32), path[:, step])
        effects.append(pair_effect(families, replace(pair, source=source, target=target), given))
    return effects


def _thinned(families: SampledFamilies) -> SampledFamilies:
    """Return at most 1,000 evenly spaced DAGs, with their weights."""
    if len(families) <= _MOST_DAGS:
        return families
    rows = np.linspace(0, len(families) - 1, _MOST_DAGS).astype(np.int64)
    shares = families.shares[rows]
    return SampledFamilies(
        families.parents,
        families.places[rows],
        shares / shares.sum(),
        None if families.chains is None else families.chains[rows],
    )
