"""`Inference`: effects and predictions under the posterior of the parameters, for any law.

They are computed in closed form for tables and linear regressions, otherwise by draws of the
parameters and simulation (`intervened`, `level_prediction`, `prediction_by_draws`), and for all
DAGs at once if all nodes have linear regressions (`effect_matrix`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.errors import ArgumentError, DataError
from arcwise.laws import Law
from arcwise.laws.regressions import LinearGaussianPosteriors
from arcwise.parameters.effect import EffectEstimate, LinearEffect
from arcwise.parameters.effect_matrix import Effects, effect_matrix
from arcwise.parameters.intervened import (
    AnyEffect,
    Pair,
    Setting,
    intervened,
    pair_effect,
    refuse_reference,
)
from arcwise.parameters.level_prediction import log_joint
from arcwise.parameters.new_rows import PartialRows, with_new_rows
from arcwise.parameters.prediction_by_draws import (
    DrawnFamilies,
    hidden_numbers,
    level_logarithms,
    mixtures,
)
from arcwise.parameters.predictions import LevelPredictions, Mixtures, NumberPredictions
from arcwise.parameters.sampled import SampledFamilies

Array = NDArray[np.float64]
Pieces = Iterable[tuple[slice | NDArray[np.int64], Mixtures]]

_NO_EFFECT = EffectEstimate(0.0, 0.0, 0.0, np.empty(0), np.empty(0))


@dataclass(frozen=True, eq=False)
class Asked:
    """A request for predictions: of a target, in some rows, by parameter draws for each DAG."""

    rows: PartialRows
    target: int
    draws: int  # for each DAG, unless predictions have a closed form
    seed: int

    def nodes(self) -> frozenset[int]:
        """Return the nodes whose parameters matter: a value that was set has no distribution."""
        was_set = (self.rows.intervened & self.rows.known).all(axis=0)
        return frozenset([self.target, *np.flatnonzero(~was_set).tolist()])

    def truth(self) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """Return which rows have a value of the target, and the values."""
        return self.rows.known[:, self.target], self.rows.values[:, self.target]


class Inference:
    """Inference about the parameters of DAGs, given data and the law of the nodes."""

    def __init__(self, data: Data, score: str, law: Law) -> None:
        self.data, self.score, self.law = data, score, law
        self.posteriors = law.given(data)
        self._last: dict[tuple[SampledFamilies, frozenset[int], int, int], DrawnFamilies] = {}

    def log_densities(self, families: SampledFamilies, new: Data) -> list[Array]:
        """Return the log density of each node in each new row, as [parent set, row].

        The parameters are integrated out; the result is 0 where the node was intervened on.
        """
        found = []
        for node, parents in enumerate(families.parents):
            counted = np.ones(new.rows, dtype=np.bool_)
            if new.intervened is not None:
                counted = ~new.intervened[:, node]
            logs = np.zeros((len(parents), new.rows))
            logs[:, counted] = self.posteriors.log_predictives(node, parents, new, counted)
            found.append(logs)
        return found

    def joint_log_densities(self, families: SampledFamilies, new: Data) -> list[Array]:
        """Return the joint log density of each node in all new rows, by its parent sets."""
        after = self.law.given(with_new_rows(self.data, new))
        return [
            self.posteriors.joint_log_predictives(node, parents, new, after)
            for node, parents in enumerate(families.parents)
        ]

    def effect(
        self,
        families: SampledFamilies,
        pair: tuple[int, int],
        reference: Any,
        draws: int,
        seed: int,
    ) -> AnyEffect:
        """Return the effect of the first variable of a pair on the second."""
        about = Pair.of(self.data, self.posteriors.levels, pair, reference)
        if not about.source_levels:
            refuse_reference(reference)
        if isinstance(self.posteriors, LinearGaussianPosteriors):
            matrix = self.effect_matrix(families, draws, seed, [(about.source, about.target)])
            estimate = matrix.estimate(about.source, about.target)
            return LinearEffect(about.source, about.target, estimate)
        kinds = [self.data.columns[node].kind for node in pair]
        if about.target_levels and not self.law.allows(kinds[1], kinds[0]):
            note = "in this model no discrete variable has a continuous cause"
            return LinearEffect(about.source, about.target, _NO_EFFECT, note)
        setting = Setting(pair[1], pair[0])
        found = intervened(families, self.posteriors, setting, draws, seed)
        return pair_effect(families, about, found)

    def effect_matrix(
        self,
        families: SampledFamilies,
        draws: int,
        seed: int,
        pairs: Iterable[tuple[str, str]] | None,
    ) -> Effects:
        """Return the effects of all pairs of continuous variables."""
        if not isinstance(self.posteriors, LinearGaussianPosteriors):
            raise ArgumentError(
                "effects of all pairs are for continuous data scored by BGe, but the score is "
                f"{self.score}; give source and target, as in arcwise.effects(posterior, 'x', 'y')"
            )
        return effect_matrix(families, self.posteriors, draws, seed, pairs)

    def predicts_levels(self, target: int) -> bool:
        """Return whether predictions of a variable are probabilities of levels."""
        return self.posteriors.is_discrete(target)

    def prediction(
        self, families: SampledFamilies, asked: Asked, level: float
    ) -> LevelPredictions | NumberPredictions:
        """Return the distribution of the target given the rest of each row."""
        if self.predicts_levels(asked.target):
            return self.levels_predicted(asked, self.level_logarithms(families, asked))
        return self.numbers_predicted(asked, level, self.mixtures(families, asked))

    def level_logarithms(self, families: SampledFamilies, asked: Asked) -> Array:
        """Return log P(target = level, known values of the row), as [row, level].

        It is known up to a constant in rows in which a relevant number is unknown.
        """
        target, known = asked.target, asked.rows.without(asked.target)
        hidden = hidden_numbers(families, self.posteriors, known, target)
        found = np.empty((len(known), self.posteriors.levels[target]))
        if not hidden.all():
            found[~hidden] = log_joint(families, self.posteriors, known.take(~hidden), target)
        if hidden.any():
            some = known.take(np.flatnonzero(hidden))
            found[hidden] = level_logarithms(self._drawn(families, asked), some, target, asked.seed)
        return found

    def mixtures(self, families: SampledFamilies, asked: Asked) -> Pieces:
        """Yield the distribution of a continuous target given the rest of each row, in pieces."""
        return mixtures(self._drawn(families, asked), asked.rows, asked.target, asked.seed)

    def _drawn(self, families: SampledFamilies, asked: Asked) -> DrawnFamilies:
        """Return drawn parameters, the same for all targets."""
        key = families, asked.nodes(), asked.draws, asked.seed
        if key not in self._last:
            self._last = {key: DrawnFamilies(families, self.posteriors, *key[1:])}
        return self._last[key]

    def levels_predicted(self, asked: Asked, logs: Array) -> LevelPredictions:
        """Return predictions from log P(target = level, known values of the row)."""
        top = logs.max(axis=1, keepdims=True)
        if not np.isfinite(top).all():
            raise DataError(
                "the prior of the score gives probability zero to a row of the table; give every "
                "configuration that can occur a positive probability"
            )
        probabilities = np.exp(logs - top)
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        column, (known, values) = self.data.columns[asked.target], asked.truth()
        codes = np.where(known, values, -1).astype(np.int64)
        return LevelPredictions(column.name, column.kind.levels, probabilities, codes)

    def numbers_predicted(self, asked: Asked, level: float, pieces: Pieces) -> NumberPredictions:
        """Return predictions from the mixtures of all rows, given in pieces.

        Predictions of a transformed column are on its original scale: moments are computed there,
        and quantiles and densities are transformed back.
        """
        name = self.data.variables[asked.target]
        scale = self.data.preparation.scales.get(name)
        known, values = asked.truth()
        values = np.where(known, values, np.nan)
        found = {
            each: np.empty(len(values))
            for each in ("mean", "spread", "low", "high", "density", "rank", "effective")
        }
        for piece, each in pieces:
            found["mean"][piece], found["spread"][piece] = each.moments(scale)
            found["low"][piece] = each.quantile((1 - level) / 2)
            found["high"][piece] = each.quantile((1 + level) / 2)
            found["density"][piece] = each.log_density(values[piece])
            found["rank"][piece] = each.cumulative(values[piece])
            found["effective"][piece] = each.effective_components()
        if scale is not None:
            values = scale.restored(values)
            found["low"], found["high"] = (scale.restored(found[end]) for end in ("low", "high"))
            found["density"] += scale.log_slope(values)
        return NumberPredictions(
            name,
            found["mean"],
            found["spread"],
            found["low"],
            found["high"],
            level,
            values,
            found["density"],
            found["rank"],
            found["effective"],
        )
