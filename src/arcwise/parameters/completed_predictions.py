"""Predictions from a posterior over completed tables: the mixture of what each table predicts.

For discrete tables the weights are exact: P(target, known values of the row) is averaged over
tables. Otherwise every table counts the same, whatever it says of the known values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.parameters.discrete_prediction import log_joint
from arcwise.parameters.gaussian_inference import number_predictions
from arcwise.parameters.gaussian_prediction import NormalMixtures
from arcwise.parameters.inference import Inference
from arcwise.parameters.partial_rows import PartialRows
from arcwise.parameters.predictions import LevelPredictions, NumberPredictions
from arcwise.parameters.sampled import SampledFamilies
from arcwise.parameters.table_inference import TableInference, level_predictions
from arcwise.support.checks import further_seed

Tables = Sequence[tuple[Inference, SampledFamilies]]
Pieces = Iterable[tuple[slice | NDArray[np.int64], NormalMixtures]]

# Components of the mixtures of some rows, which are in memory together.
_PIECE = 1 << 22


def pooled_prediction(
    tables: Tables, rows: PartialRows, target: int, level: float, draws: int, seed: int
) -> LevelPredictions | NumberPredictions:
    """Return the distribution of the target given the rest of each row.

    Parameters
    ----------
    tables
        The inference from each completed table, with the DAGs drawn given it.
    rows, target, level, draws, seed
        As for `Inference.prediction`.
    """
    first = tables[0][0]
    if len(tables) == 1:
        return first.prediction(tables[0][1], rows, target, level, draws, seed)
    if isinstance(first, TableInference):
        logs = [
            log_joint(families, found.tables, rows, target)
            for found, families in tables
            if isinstance(found, TableInference)
        ]
        return level_predictions(first.data, rows, target, np.logaddexp.reduce(logs))
    if first.data.level_counts()[target] and not first.all_numbers:
        each = [
            found.prediction(families, rows, target, level, draws, further_seed(seed, number))
            for number, (found, families) in enumerate(tables)
        ]
        levels = [one for one in each if isinstance(one, LevelPredictions)]
        return levels[0].with_probabilities(np.mean([one.probabilities for one in levels], axis=0))
    pieces = _pooled_pieces(tables, rows, target, draws, seed)
    return number_predictions(first.data, rows, target, level, pieces)


def _pooled_pieces(
    tables: Tables, rows: PartialRows, target: int, draws: int, seed: int
) -> Iterator[tuple[slice, NormalMixtures]]:
    """Yield the mixtures over all tables, of some rows at a time."""
    components = sum(len(families) for _, families in tables) * draws
    step = max(1, _PIECE // components)
    for start in range(0, len(rows), step):
        piece = slice(start, start + step)
        some = rows.take(piece)
        yield (
            piece,
            pooled_mixtures(
                [
                    found.mixtures(families, some, target, draws, further_seed(seed, number))
                    for number, (found, families) in enumerate(tables)
                ],
                len(some),
            ),
        )


def pooled_mixtures(parts: Sequence[Pieces], rows: int) -> NormalMixtures:
    """Return the mixture of mixtures, each of which counts the same.

    Parameters
    ----------
    parts
        The mixtures to take together, each in pieces of rows, which may have different numbers of
        components: places without one have weight 0.
    rows
        The number of rows.
    """
    means, deviations, weights = [], [], []
    for part in parts:
        pieces = list(part)
        shape = max(len(mixtures.means) for _, mixtures in pieces), rows
        own = np.zeros(shape), np.ones(shape), np.zeros(shape)
        for place, mixtures in pieces:
            count = len(mixtures.means)
            for array, values in zip(
                own, (mixtures.means, mixtures.deviations, mixtures.weights), strict=True
            ):
                array[:count, place] = values
        means.append(own[0])
        deviations.append(own[1])
        weights.append(own[2] / len(parts))
    return NormalMixtures(
        np.concatenate(means), np.concatenate(deviations), np.concatenate(weights)
    )
