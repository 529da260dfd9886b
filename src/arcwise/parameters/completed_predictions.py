"""Predictions from a posterior over completed tables: the mixture of what each table predicts.

For discrete tables the weights are exact: P(target, known values of the row) is averaged over
tables. Otherwise every table counts the same, whatever it says of the known values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from arcwise.parameters.inference import Asked, Inference
from arcwise.parameters.mixtures import Mixtures, pooled_mixtures
from arcwise.parameters.predictions import LevelPredictions, NumberPredictions
from arcwise.parameters.sampled import SampledFamilies
from arcwise.support.checks import further_seed

Tables = Sequence[tuple[Inference, SampledFamilies]]

# Components of the mixtures of some rows, which are in memory together.
_PIECE = 1 << 22


def pooled_prediction(
    tables: Tables, asked: Asked, level: float
) -> LevelPredictions | NumberPredictions:
    """Return the distribution of the target given the rest of each row.

    Parameters
    ----------
    tables
        The inference from each completed table, with the DAGs drawn given it.
    asked, level
        As for `Inference.prediction`.
    """
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
    """Yield the mixtures over all tables, of some rows at a time."""
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
