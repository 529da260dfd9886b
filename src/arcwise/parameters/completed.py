"""Effects and predictions from a posterior over completed tables: mixtures over the tables.

Each table is combined with the DAGs that were drawn given it. Predictions from discrete tables have
exact weights: P(target, known values of the row) is averaged over the tables. Otherwise all tables
have equal weights, regardless of the known values of the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from arcwise.data import IncompleteData
from arcwise.errors import ArgumentError
from arcwise.parameters.effect import ComparedLevels, EffectEstimate, LinearEffect
from arcwise.parameters.inference import Asked, Inference
from arcwise.parameters.intervened import AnyEffect
from arcwise.parameters.predictions import (
    LevelPredictions,
    Mixtures,
    NumberPredictions,
    pooled_mixtures,
)
from arcwise.parameters.requirements import (
    AnyModel,
    inference,
    inference_of,
    on_known_scales,
    restored_score,
)
from arcwise.parameters.sampled import Dags, SampledFamilies, sampled_families
from arcwise.posterior import Posterior
from arcwise.posterior.completions import Completions
from arcwise.scores import LocalScore
from arcwise.support.checks import further_seed

Tables = Sequence[tuple[Inference, SampledFamilies]]

# The number of mixture components, over all rows, in memory at one time.
_PIECE = 1 << 22


def tables_of(
    posterior: Dags, model: AnyModel, purpose: str, dags: int | None = None
) -> Iterator[tuple[Inference, SampledFamilies]]:
    """Yield the inference from the table of a posterior, and the families of its DAGs.

    A posterior over completed tables yields one inference for each table, with its own DAGs.
    """
    if not isinstance(posterior, Posterior) or posterior.completions is None:
        found = inference(posterior, model, purpose)
        yield found, sampled_families(posterior, found.data.variables)
        return
    tables = posterior.completions
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
    sampled = posterior.sampled_dags(purpose)
    numbers = np.zeros(len(sampled), dtype=np.int64) if sampled.chains is None else sampled.chains
    for number in range(len(tables)):
        own = np.flatnonzero(numbers == number)
        if dags is not None:
            most = max(1, -(-dags // len(tables)))
            own = own[np.linspace(0, len(own) - 1, min(most, len(own))).astype(np.int64)]
        completed = on_known_scales(posterior, tables.table(number, source))
        found = inference_of(completed, score, purpose)
        yield found, sampled_families(sampled.at(own), found.data.variables)


def pooled_effect(tables: Completions | None, found: Sequence[AnyEffect]) -> AnyEffect:
    """Return the mixture of the effects given each table."""
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
    """Return estimates pooled, in lists nested to any depth; None stays None."""
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


def pooled_prediction(
    tables: Tables, asked: Asked, level: float
) -> LevelPredictions | NumberPredictions:
    """Return the distribution of the target given the rest of each row."""
    first, families = tables[0]
    if len(tables) == 1:
        return first.prediction(families, asked, level)
    if not first.posteriors.continuous:
        logs = [found.level_logarithms(families, asked) for found, families in tables]
        return first.levels_predicted(asked, np.logaddexp.reduce(logs))
    if first.predicts_levels(asked.target):
        each = [
            found.prediction(families, _with_seed(asked, number), level)
            for number, (found, families) in enumerate(tables)
        ]
        levels = [one for one in each if isinstance(one, LevelPredictions)]
        mean = np.mean([one.probabilities for one in levels], axis=0)
        return replace(levels[0], probabilities=mean)
    return first.numbers_predicted(asked, level, _pooled_pieces(tables, asked))


def _with_seed(asked: Asked, number: int) -> Asked:
    return replace(asked, seed=further_seed(asked.seed, number))


def _pooled_pieces(tables: Tables, asked: Asked) -> Iterator[tuple[slice, Mixtures]]:
    """Yield the mixtures over all tables, for some rows at a time."""
    components = sum(len(families) for _, families in tables) * asked.draws
    step = max(1, _PIECE // components)
    for start in range(0, len(asked.rows), step):
        piece = slice(start, start + step)
        some = replace(asked, rows=asked.rows.take(piece))
        parts = [
            found.mixtures(families, _with_seed(some, number))
            for number, (found, families) in enumerate(tables)
        ]
        yield piece, pooled_mixtures(parts, len(some.rows))
