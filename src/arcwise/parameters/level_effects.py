"""The effect of a discrete variable on another, from the distributions given each DAG."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.raw import as_level, level_type
from arcwise.errors import ArgumentError, option
from arcwise.parameters.dirichlet import Tables
from arcwise.parameters.effect import EffectEstimate, LevelEffects
from arcwise.parameters.intervened import intervened
from arcwise.parameters.sampled import SampledFamilies
from arcwise.statistics.convergence import weighted_standard_error
from arcwise.support.words import quoted, shown


def level_effects(
    families: SampledFamilies,
    data: Data,
    tables: Tables,
    pair: tuple[int, int],
    reference: Any,
    draws: int,
    seed: int,
) -> LevelEffects:
    """Return P(target | do(source)) at each level of the source, and how it differs between them.

    Parameters
    ----------
    families
        The DAGs.
    data, tables
        The data, and the posterior of the tables of probabilities.
    pair
        The source and the target, both discrete.
    reference
        The level of the source to compare the others with; None for the first.
    draws, seed
        The number of parameter draws for each DAG, and their seed.
    """
    levels = [levels_of(data, node) for node in pair]
    base = reference_place(reference, levels[0], data.variables[pair[0]])
    found = intervened(families, tables, pair[1], {}, pair[0], draws, seed)
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
            estimates(families, found.means[:, a], found.draws[:, a], everywhere)
            for a in range(len(levels[0]))
        ],
        [
            None if a == base else estimates(families, differences[:, a], drawn[:, a], found.path)
            for a in range(len(levels[0]))
        ],
    )


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


def levels_of(data: Data, node: int) -> tuple[object, ...]:
    """Return the levels of a discrete variable."""
    return data.columns[node].kind.levels


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
