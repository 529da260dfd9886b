"""The effect of one variable on another, by what kinds they are, from what each DAG says."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.raw import as_level, level_type
from arcwise.errors import ArgumentError, option
from arcwise.parameters.effect import EffectEstimate, LevelEffects, LinearEffect, MeanEffects
from arcwise.parameters.intervened import Intervened
from arcwise.parameters.sampled import SampledFamilies
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.support.words import quoted, shown

AnyEffect: TypeAlias = LinearEffect | LevelEffects | MeanEffects


@dataclass(frozen=True)
class Pair:
    """The source and the target of an effect.

    Parameters
    ----------
    source, target
        Their names.
    source_levels, target_levels
        Their levels; none of numbers.
    reference
        The level of the source to compare the others with; None for the first.
    """

    source: str
    target: str
    source_levels: tuple[object, ...]
    target_levels: tuple[object, ...]
    reference: Any = None

    @classmethod
    def of(cls, data: Data, levels: list[int], pair: tuple[int, int], reference: Any) -> Pair:
        """Return a pair of variables of a table, of which those of no levels are numbers."""
        source, target = (data.variables[node] for node in pair)
        known = [data.columns[v].kind.levels if levels[v] else () for v in pair]
        return cls(source, target, known[0], known[1], reference)


def pair_effect(families: SampledFamilies, pair: Pair, found: Intervened) -> AnyEffect:
    """Return the effect, its differences taken DAG by DAG and draw by draw.

    Between numbers it is per unit. Otherwise it is what is expected of the target in each setting
    of the source, and how it differs: the probabilities of its levels, or its mean. A continuous
    source of a discrete target is as it is, and raised by one.
    """
    source, target, settings = pair.source, pair.target, pair.source_levels
    if not settings:
        refuse_reference(pair.reference)
        settings = ("as it is", "raised by one")
    means, draws, variances, path = found.means, found.draws, found.variances, found.path
    if not pair.source_levels and not pair.target_levels:
        (estimate,) = estimates(families, means[:, 0], draws[:, 0], path, variances[:, 0])
        return LinearEffect(source, target, estimate)
    base = reference_place(pair.reference, settings, source)
    # Without a path there is no effect, whatever rounding and simulation leave.
    differences = np.where(path[:, np.newaxis, np.newaxis], means - means[:, [base]], 0.0)
    drawn = draws - draws[:, [base]]
    # Of two means with errors of their own.
    noise = variances + variances[:, [base]]
    places, everywhere = range(len(settings)), np.ones(len(families), dtype=np.bool_)
    at = [
        estimates(families, means[:, a], draws[:, a], everywhere, variances[:, a]) for a in places
    ]
    compared = [
        None
        if a == base
        else estimates(families, differences[:, a], drawn[:, a], path, noise[:, a])
        for a in places
    ]
    reference, probability = settings[base], float(np.minimum(families.shares @ path, 1.0))
    kind = LevelEffects if pair.target_levels else MeanEffects
    levels = settings, pair.target_levels
    return kind(source, target, *levels, reference, probability, at, compared)


def estimates(
    families: SampledFamilies,
    means: NDArray[np.float64],
    draws: NDArray[np.float32],
    path: NDArray[np.bool_],
    variances: NDArray[np.float64] | None = None,
) -> list[EffectEstimate]:
    """Return an estimate for each level of the target.

    Parameters
    ----------
    families
        The DAGs.
    means, draws
        The mean of each DAG, as [DAG, level], and its draws, all of the first DAG first.
    path
        Which DAGs have an effect.
    variances
        Of the means, where these have an error of their own; in their form.
    """
    errors = weighted_standard_error(means, families.shares, families.chains)
    if variances is not None and variances.any():
        errors = np.sqrt(np.square(np.nan_to_num(errors)) + np.square(families.shares) @ variances)
    single = len(families) == 1 and (variances is None or not variances.any())
    probability = float(np.minimum(families.shares @ path, 1.0))
    each = len(draws) // len(families)
    weights = np.repeat(np.where(path, families.shares, 0.0), each)
    kept = weights > 0
    weights = weights[kept] / max(weights.sum(), np.finfo(np.float64).tiny)
    averages = families.shares @ means
    return [
        EffectEstimate(
            float(averages[level]) if probability > 0 else 0.0,
            math.nan if single else float(errors[level]),
            probability,
            draws[kept, level].astype(np.float64),
            weights,
        )
        for level in range(means.shape[1])
    ]


def refuse_reference(reference: Any) -> None:
    """Refuse a level to compare with where the source has none."""
    if reference is not None:
        raise ArgumentError(
            option("reference"),
            " is for a discrete source, but the effect is per unit; leave it out",
        )


def reference_place(level: Any, levels: tuple[object, ...], name: str) -> int:
    """Return which level the others are compared with; the first if None is asked for."""
    if level is None:
        return 0
    known = [(level_type(each), each) for each in levels]
    wanted = as_level(level)
    if (level_type(wanted), wanted) not in known:
        raise ArgumentError(
            option("reference"),
            f" is {shown(level)}; the levels of {name!r} are {quoted(levels)}",
        )
    return known.index((level_type(wanted), wanted))
