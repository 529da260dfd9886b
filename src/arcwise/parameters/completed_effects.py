"""Effects from a posterior over completed tables: each DAG with the table it was drawn given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from arcwise.data import IncompleteData
from arcwise.errors import ArgumentError
from arcwise.parameters.effect import EffectEstimate, LevelEffects, LinearEffect
from arcwise.parameters.inference import Inference
from arcwise.parameters.mean_effects import MeanEffects
from arcwise.parameters.requirements import AnyModel, inference_of, restored_score
from arcwise.parameters.sampled import sampled_families
from arcwise.posterior import DagSample, Posterior
from arcwise.posterior.completions import Completions
from arcwise.scores import LocalScore

AnyEffect = LinearEffect | LevelEffects | MeanEffects


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
        each.effect(sampled_families(dags, each.data.variables), pair, reference, draws, seed + k)
        for k, (each, dags) in enumerate(_inferences(posterior, tables, model))
    ]
    first = found[0]
    if isinstance(first, LinearEffect):
        estimates = [each.estimate for each in found if isinstance(each, LinearEffect)]
        return LinearEffect(first.source, first.target, _pooled(tables, estimates), first.note)
    probability = float(np.mean([each.probability for each in found]))
    if isinstance(first, MeanEffects):
        means = [each for each in found if isinstance(each, MeanEffects)]
        return MeanEffects(
            first.source,
            first.target,
            first.source_levels,
            first.reference,
            probability,
            _all_pooled(tables, [each._means for each in means]),
            _all_pooled(tables, [each._differences for each in means]),
        )
    levels = [each for each in found if isinstance(each, LevelEffects)]
    return LevelEffects(
        first.source,
        first.target,
        first.source_levels,
        first.target_levels,
        first.reference,
        probability,
        _all_pooled(tables, [each._probabilities for each in levels]),
        _all_pooled(tables, [each._differences for each in levels]),
    )


def _inferences(
    posterior: Posterior, tables: Completions, model: AnyModel
) -> Iterator[tuple[Inference, DagSample]]:
    """Yield the inference from each completed table, and the DAGs drawn given it."""
    source = tables.source if model is None else model
    if not isinstance(source, IncompleteData):
        raise ArgumentError(
            "the posterior is averaged over completions of a table with missing values; give "
            "model=, that table as arcwise.read(..., missing='impute') returns it"
        )
    if source.fingerprint != posterior.provenance.data_fingerprint:
        raise ArgumentError(
            "the posterior was computed from data other than the model's; give the table it was "
            "computed from"
        )
    score: LocalScore | None = tables.score
    if score is None:
        score = restored_score(posterior).fixed_by(source.table)
    dags = posterior.sampled_dags("an effect")
    numbers = np.zeros(len(dags), dtype=np.int64) if dags.chains is None else dags.chains
    for number in range(len(tables)):
        of_table = dags.at(np.flatnonzero(numbers == number))
        yield inference_of(tables.table(number, source), score, "effects"), of_table


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
