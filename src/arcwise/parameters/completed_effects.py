"""Effects from a posterior over completed tables: each DAG with the table it was drawn given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from arcwise.parameters.effect import ComparedLevels, EffectEstimate, LinearEffect
from arcwise.parameters.pair_effect import AnyEffect
from arcwise.posterior.completions import Completions


def pooled_effect(tables: Completions | None, found: Sequence[AnyEffect]) -> AnyEffect:
    """Return the mixture of the effects given each table.

    Parameters
    ----------
    tables
        The completed tables; None for the only table, which has nothing missing.
    found
        The effect given each of them, all of one kind.
    """
    first = found[0]
    if tables is None:
        return first
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
