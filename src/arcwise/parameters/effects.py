"""`effects`: causal effects by the kind of data, averaged over DAGs and parameters."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data, DiscreteColumn
from arcwise.data.raw import as_level, level_type
from arcwise.errors import ArgumentError, option
from arcwise.parameters.dirichlet import Tables
from arcwise.parameters.effect import EffectEstimate, LevelEffects, LinearEffect
from arcwise.parameters.effect_matrix import Effects, effect_matrix
from arcwise.parameters.intervened import intervened
from arcwise.parameters.requirements import AnyModel, gaussian_data, scored_data
from arcwise.parameters.sampled import Dags, SampledFamilies, sampled_families
from arcwise.scores import BDe, BDeu, BGe
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.support.checks import whole_number
from arcwise.support.names import positions
from arcwise.support.words import quoted, shown

# Draws in all, of few DAGs several each: highest-density intervals need thousands.
_DRAWS = 4_000


@overload
def effects(
    posterior: Dags,
    source: str,
    target: str,
    *,
    reference: Hashable = None,
    model: AnyModel = None,
    draws: int | None = None,
    seed: int = 0,
) -> LinearEffect | LevelEffects: ...


@overload
def effects(
    posterior: Dags,
    *,
    model: AnyModel = None,
    draws: int | None = None,
    seed: int = 0,
    pairs: Iterable[tuple[str, str]] | None = None,
) -> Effects: ...


def effects(
    posterior: Dags,
    source: str | None = None,
    target: str | None = None,
    *,
    reference: Hashable = None,
    model: AnyModel = None,
    draws: int | None = None,
    seed: int = 0,
    pairs: Iterable[tuple[str, str]] | None = None,
) -> LinearEffect | LevelEffects | Effects:
    """Return the posterior of the causal effect of one variable on another.

    For continuous data (score `BGe`) it is the total effect per unit: the change in the mean of
    the target if an intervention raises the source by one. For discrete data (`BDeu`, `BDe`) it
    is the distribution of the target if an intervention sets the source to each of its levels,
    P(target | do(source = level)), and how it differs between levels. DAGs are averaged by
    their weights, and for each the parameters are drawn from their posterior; means are exact
    given the DAGs. In DAGs without a directed path from source to target the effect is 0: their
    probability is stated, and highest-density intervals are given for the others.

    Effects are causal if the variables have no common causes that the data lack.

    Parameters
    ----------
    posterior
        A `Posterior` with sampled DAGs, a `DagSample`, or one `Dag`.
    source, target
        The two variables. Without them, for continuous data, the effects of all pairs.
    reference
        The level of a discrete source that its other levels are compared with; None for the
        first.
    model
        The model of the posterior; None for the one it has. DAGs, and posteriors read from a
        file, have none; for the latter, the `Data` are enough.
    draws
        The number of parameter draws for each DAG; None for as many as make 4,000 draws in
        all, and for 1 without source and target.
    seed
        The same arguments and seed give the same draws.
    pairs
        Without source and target: the pairs whose draws to keep, for intervals and standard
        errors. None for all, if that is at most 2^26 numbers; otherwise none are kept.

    Returns
    -------
    LinearEffect, LevelEffects or Effects
        For continuous data, for discrete data, and for all pairs.

    Examples
    --------
    >>> import arcwise
    >>> data = arcwise.simulate("asia", 1000, seed=1)
    >>> model = arcwise.Model(data, tiers=[["smoke"], ["bronc"], ["dysp"]])
    >>> found = effects(arcwise.exact(model, dags=200, seed=1), "smoke", "dysp")
    >>> round(found.difference("yes", "yes").mean, 1)
    0.2
    """
    if source is None and target is None:
        if reference is not None:
            raise ArgumentError("reference is for one source; give source and target, too")
        data, normal = gaussian_data(posterior, model, "effects")
        each = 1 if draws is None else whole_number(draws, option("draws"), at_least=1)
        families = sampled_families(posterior, data.variables)
        return effect_matrix(families, data, normal, each, seed, pairs)
    if pairs is not None:
        raise ArgumentError("pairs is for all effects at once; leave it out, or source and target")
    data, score = scored_data(posterior, model, "effects")
    u, v = positions(
        [_given(source, "source"), _given(target, "target")], data.variables, "effects"
    )
    if u == v:
        raise ArgumentError(f"{source!r} has no effect on itself; give two different variables")
    families = sampled_families(posterior, data.variables)
    each = -(-_DRAWS // len(families))
    if draws is not None:
        each = whole_number(draws, option("draws"), at_least=1)
    if isinstance(score, BGe):
        if reference is not None:
            raise ArgumentError(
                option("reference"),
                " is for discrete data, but the effect is per unit; leave it out",
            )
        return _linear(families, data, score, (u, v), each, seed)
    return _levels(families, data, score, (u, v), reference, each, seed)


def _given(name: str | None, argument: str) -> str:
    if name is None:
        raise ArgumentError(f"only one variable is given; give {argument}, too, or neither")
    return name


def _linear(
    families: SampledFamilies, data: Data, score: BGe, pair: tuple[int, int], draws: int, seed: int
) -> LinearEffect:
    source, target = (data.variables[node] for node in pair)
    found = effect_matrix(families, data, score, draws, seed, [(source, target)])
    return LinearEffect(source, target, found.estimate(source, target))


def _levels(
    families: SampledFamilies,
    data: Data,
    score: BDeu | BDe,
    pair: tuple[int, int],
    reference: Any,
    draws: int,
    seed: int,
) -> LevelEffects:
    columns = [data.columns[node] for node in pair]
    assert all(isinstance(column, DiscreteColumn) for column in columns)
    levels: list[tuple[object, ...]] = [column.levels for column in columns]  # type: ignore[union-attr]
    base = 0 if reference is None else _place(reference, levels[0], data.variables[pair[0]])
    found = intervened(families, Tables(data, score), pair[1], {}, pair[0], draws, seed)
    probability = float(np.minimum(families.shares @ found.path, 1.0))
    everywhere = np.ones(len(families), dtype=np.bool_)
    differences = found.means - found.means[:, [base]]
    drawn = found.draws - found.draws[:, [base]]
    return LevelEffects(
        data.variables[pair[0]],
        data.variables[pair[1]],
        levels[0],
        levels[1],
        levels[0][base],
        probability,
        [
            _estimates(families, found.means[:, a], found.draws[:, a], everywhere)
            for a in range(len(levels[0]))
        ],
        [
            None if a == base else _estimates(families, differences[:, a], drawn[:, a], found.path)
            for a in range(len(levels[0]))
        ],
    )


def _estimates(
    families: SampledFamilies,
    means: NDArray[np.float64],
    draws: NDArray[np.float32],
    path: NDArray[np.bool_],
) -> list[EffectEstimate]:
    """Return an estimate for each level of the target, from means and draws [DAG, level]."""
    errors = weighted_standard_error(means, families.shares, families.chains)
    probability = float(np.minimum(families.shares @ path, 1.0))
    each = len(draws) // len(families)
    weights = np.repeat(np.where(path, families.shares, 0.0), each)
    kept = weights > 0
    weights = weights[kept] / max(weights.sum(), np.finfo(np.float64).tiny)
    averages = families.shares @ means
    return [
        EffectEstimate(
            float(averages[level]) if probability > 0 else 0.0,
            math.nan if len(families) == 1 else float(errors[level]),
            probability,
            draws[kept, level].astype(np.float64),
            weights,
        )
        for level in range(means.shape[1])
    ]


def _place(level: Hashable, levels: tuple[object, ...], name: str) -> int:
    known = [(level_type(each), each) for each in levels]
    wanted = as_level(level)
    if (level_type(wanted), wanted) not in known:
        raise ArgumentError(
            option("reference"),
            f" is {shown(level)}; the levels of {name!r} are {quoted(levels)}",
        )
    return known.index((level_type(wanted), wanted))
