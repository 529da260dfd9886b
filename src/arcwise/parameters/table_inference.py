"""Inference about tables of probabilities: effects and predictions of discrete data, exact."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.errors import DataError
from arcwise.parameters.dirichlet import Tables
from arcwise.parameters.discrete_prediction import log_joint
from arcwise.parameters.effect import LevelEffects
from arcwise.parameters.inference import Inference
from arcwise.parameters.level_effects import level_effects
from arcwise.parameters.new_rows import observational_rows
from arcwise.parameters.partial_rows import PartialRows
from arcwise.parameters.predictions import LevelPredictions
from arcwise.parameters.sampled import SampledFamilies
from arcwise.scores.parametrization import DirichletPrior, ProbabilityTables

Array = NDArray[np.float64]


class TableInference(Inference):
    """Inference about the tables of probabilities of discrete data.

    Parameters
    ----------
    data, score
        See `Inference`.
    parametrization
        The prior.
    """

    def __init__(self, data: Data, score: str, parametrization: ProbabilityTables) -> None:
        super().__init__(data, score)
        data.discrete_codes(score)  # which refuses continuous columns
        assert isinstance(parametrization.prior, DirichletPrior)
        self.tables: Tables = Tables(data, parametrization.prior)

    def log_densities(self, families: SampledFamilies, new: Data) -> list[Array]:
        """Return the log probability of each node in each new row, as [parent set, row]."""
        codes = new.codes()
        found = []
        for node, parents in enumerate(families.parents):
            counted = observational_rows(node, new)
            logs = np.zeros((len(parents), new.rows))
            for place, members in enumerate(parents):
                logs[place, counted] = self.tables.log_predictive(node, members, codes[counted])
            found.append(logs)
        return found

    def joint_log_densities(self, families: SampledFamilies, new: Data) -> list[Array]:
        """Return the joint log probability of each node in all new rows, by its parent sets."""
        return [
            np.array([self.tables.log_joint_predictive(node, members, new) for members in parents])
            for node, parents in enumerate(families.parents)
        ]

    def effect(
        self,
        families: SampledFamilies,
        pair: tuple[int, int],
        reference: Any,
        draws: int,
        seed: int,
    ) -> LevelEffects:
        """Return P(target | do(source)) at each level of the source, and the differences."""
        return level_effects(families, self.data, self.tables, pair, reference, draws, seed)

    def prediction(
        self,
        families: SampledFamilies,
        rows: PartialRows,
        target: int,
        level: float,
        draws: int,
        seed: int,
    ) -> LevelPredictions:
        """Return the probabilities of the target's levels given the rest of each row."""
        logs = log_joint(families, self.tables, rows, target)
        return level_predictions(self.data, rows, target, logs)


def level_predictions(data: Data, rows: PartialRows, target: int, logs: Array) -> LevelPredictions:
    """Return predictions from the log probability of each level and what is known, [row, level]."""
    top = logs.max(axis=1, keepdims=True)
    if not np.isfinite(top).all():
        raise DataError(
            "the prior of the score gives probability zero to a row of the table; give every "
            "configuration that can occur a positive probability"
        )
    probabilities = np.exp(logs - top)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    column = data.columns[target]
    codes = np.where(rows.known[:, target], rows.values[:, target], -1).astype(np.int64)
    return LevelPredictions(column.name, column.kind.levels, probabilities, codes)
