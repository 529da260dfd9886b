"""Effects from a posterior over completed tables: each DAG with the table it was drawn given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from arcwise.parameters.completed_tables import table_inferences
from arcwise.parameters.effect import ComparedLevels, EffectEstimate, LinearEffect
from arcwise.parameters.pair_effect import AnyEffect
from arcwise.parameters.requirements import AnyModel
from arcwise.posterior import Posterior
from arcwise.posterior.completions import Completions
from arcwise.support.checks import further_seed


def completed_effect(
    posterior: Posterior,
    model: AnyModel,
    pair: tuple[int, int],
    reference: Any,
    draws: int,
    seed: int,
) -> AnyEffect:
    """Return the effect of the first variable of a pair on the second.

    Parameters
    ----------
    posterior
        The posterior, averaged over completed tables.
    model
        The table with its missing values; None for the posterior's own.
    pair, reference, seed
        As for `Inference.effect`.
    draws
        The number of parameter draws for each DAG.
    """
    tables = posterior.completions
    assert tables is not None
    found = [
        each.effect(families, pair, reference, draws, further_seed(seed, k))
        for k, (each, families) in enumerate(table_inferences(posterior, model, "effects"))
    ]
    return pooled_effect(tables, found)


def pooled_effect(tables: Completions, found: Sequence[AnyEffect]) -> AnyEffect:
    """Return the mixture of the effects given each table.

    Parameters
    ----------
    tables
        The completed tables.
    found
        The effect given each of them, all of one kind.
    """
    first = found[0]
    if isinstance(first, LinearEffect):
        estimates = [each.estimate for each in found if isinstance(each, LinearEffect)]
        return replace(first, estimate=_pooled(tables, estimates))
    compared = [each for each in found if isinstance(each, ComparedLevels)]
    return replace(
        first,
        probability=float(np.mean([each.probability for each in found])),
        estimates=_all_pooled(tables, [each.estimates for each in compared]),
        differences=_all_pooled(tables, [each.differences for each in compared]),
    )


def _all_pooled(tables: Completions, found: Sequence[Any]) -> Any:
    """Return estimates pooled, whatever lists they are in; None stays None."""
    if found[0] is None:
        return None
    if isinstance(found[0], EffectEstimate):
        return _pooled(tables, found)
    return [_all_pooled(tables, each) for each in zip(*found, strict=True)]


def _pooled(tables: Completions, found: Sequence[EffectEstimate]) -> EffectEstimate:
    """Return the mixture of the posteriors of an effect given each table."""
    means = tables.spread(np.array([each.mean for each in found]))
    shares = np.array([each.probability for each in found])
    weights = np.concatenate(
        [share * each.weights for share, each in zip(shares, found, strict=True)]
    )
    total = weights.sum()
    return EffectEstimate(
        float(means.mean),
        float(means.error),
        float(shares.mean()),
        np.concatenate([each.values for each in found]),
        weights / total if total > 0 else weights,
    )
