"""Inference about mixed data: tables, and regressions by configuration."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.parameters.conditional_regressions import MixedPosterior
from arcwise.parameters.dirichlet import Tables
from arcwise.parameters.effect import EffectEstimate, LevelEffects, LinearEffect
from arcwise.parameters.gaussian_inference import number_predictions, refuse_reference
from arcwise.parameters.gaussian_prediction import NormalMixtures
from arcwise.parameters.inference import Inference
from arcwise.parameters.level_effects import (
    estimates,
    level_effects,
    levels_of,
    reference_place,
)
from arcwise.parameters.mean_effects import MeanEffects
from arcwise.parameters.mixed_effects import means_under_intervention
from arcwise.parameters.mixed_prediction import level_logarithms, mixed_mixtures
from arcwise.parameters.new_rows import observational_rows, with_new_rows
from arcwise.parameters.partial_rows import PartialRows
from arcwise.parameters.predictions import LevelPredictions, NumberPredictions
from arcwise.parameters.sampled import SampledFamilies
from arcwise.parameters.table_inference import level_predictions
from arcwise.scores.parametrization import ConditionalLinearGaussian

Array = NDArray[np.float64]

_NONE = EffectEstimate(0.0, 0.0, 0.0, np.empty(0), np.empty(0))


class MixedInference(Inference):
    """Inference about the tables and regressions of discrete and continuous columns.

    Parameters
    ----------
    data, score
        See `Inference`.
    parametrization
        The prior.
    """

    def __init__(self, data: Data, score: str, parametrization: ConditionalLinearGaussian) -> None:
        super().__init__(data, score)
        self._prior = parametrization
        self.posterior = MixedPosterior(data, parametrization)
        self.tables: Tables = self.posterior.tables

    def log_densities(self, families: SampledFamilies, new: Data) -> list[Array]:
        """Return the log probability or density of each node in each new row."""
        codes, values = new.codes(), new.values()
        found = []
        for node, parents in enumerate(families.parents):
            counted = observational_rows(node, new)
            logs = np.zeros((len(parents), new.rows))
            for place, members in enumerate(parents):
                logs[place, counted] = self.posterior.log_predictive(
                    node, members, codes[counted], values[counted]
                )
            found.append(logs)
        return found

    def joint_log_densities(self, families: SampledFamilies, new: Data) -> list[Array]:
        """Return the joint log probability or density of each node in all new rows."""
        after = MixedPosterior(with_new_rows(self.data, new), self._prior)
        found = []
        for node, parents in enumerate(families.parents):
            if self.posterior.is_discrete(node):
                logs = [self.tables.log_joint_predictive(node, each, new) for each in parents]
            else:
                logs = [
                    after.regressions(node, each).log_constant()
                    - self.posterior.regressions(node, each).log_constant()
                    for each in parents
                ]
            found.append(np.array(logs))
        return found

    def effect(
        self,
        families: SampledFamilies,
        pair: tuple[int, int],
        reference: Any,
        draws: int,
        seed: int,
    ) -> LinearEffect | LevelEffects | MeanEffects:
        """Return the effect of the source on the target, by what kinds they are.

        Discrete on discrete: distributions; discrete on continuous: means; continuous on
        continuous: per unit, averaged over the configurations of the discrete variables.
        """
        source, target = (self.data.variables[node] for node in pair)
        of_level, to_level = (self.posterior.is_discrete(node) for node in pair)
        if not of_level:
            refuse_reference(reference)
        if to_level and of_level:
            return level_effects(families, self.data, self.tables, pair, reference, draws, seed)
        if to_level:
            note = "in this model no discrete variable has a continuous cause"
            return LinearEffect(source, target, _NONE, note)
        found = means_under_intervention(families, self.posterior, pair, draws, seed)
        if not of_level:
            (estimate,) = estimates(families, found.means, found.draws, found.path, found.variances)
            return LinearEffect(source, target, estimate)
        levels = levels_of(self.data, pair[0])
        base = reference_place(reference, levels, source)
        differences = found.means - found.means[:, [base]]
        drawn = found.draws - found.draws[:, [base]]
        # Of two means with errors of their own.
        noise = found.variances + found.variances[:, [base]]
        everywhere = np.ones(len(families), dtype=np.bool_)
        return MeanEffects(
            source,
            target,
            levels,
            levels[base],
            float(np.minimum(families.shares @ found.path, 1.0)),
            estimates(families, found.means, found.draws, everywhere, found.variances),
            [
                None if level == base else estimate
                for level, estimate in enumerate(
                    estimates(families, differences, drawn, found.path, noise)
                )
            ],
        )

    def prediction(
        self,
        families: SampledFamilies,
        rows: PartialRows,
        target: int,
        level: float,
        draws: int,
        seed: int,
    ) -> LevelPredictions | NumberPredictions:
        """Return the distribution of the target given the rest of each row."""
        if self.posterior.is_discrete(target):
            logs = level_logarithms(families, self.posterior, rows, target, draws, seed)
            return level_predictions(self.data, rows, target, logs)
        mixtures = self.mixtures(families, rows, target, draws, seed)
        return number_predictions(self.data, rows, target, level, mixtures)

    def mixtures(
        self,
        families: SampledFamilies,
        rows: PartialRows,
        target: int,
        draws: int,
        seed: int,
    ) -> Iterable[tuple[slice | NDArray[np.int64], NormalMixtures]]:
        """Yield the distribution of a continuous target given the rest of some rows at a time."""
        return mixed_mixtures(families, self.posterior, rows, target, draws, seed)
