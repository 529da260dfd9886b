"""Inference about linear Gaussian regressions: effects per unit, and predictions by draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.errors import ArgumentError, option
from arcwise.parameters.effect import LinearEffect
from arcwise.parameters.effect_matrix import Effects, effect_matrix
from arcwise.parameters.gaussian_prediction import NormalMixtures, gaussian_mixtures
from arcwise.parameters.inference import Inference
from arcwise.parameters.new_rows import observational_rows, with_new_rows
from arcwise.parameters.normal_wishart import node_posteriors
from arcwise.parameters.partial_rows import PartialRows
from arcwise.parameters.predictions import NumberPredictions
from arcwise.parameters.sampled import SampledFamilies
from arcwise.scores.parametrization import LinearGaussian, NormalWishart

Array = NDArray[np.float64]


class GaussianInference(Inference):
    """Inference about the regressions of continuous data.

    Parameters
    ----------
    data, score
        See `Inference`.
    parametrization
        The prior.
    """

    all_numbers: ClassVar[bool] = True

    def __init__(self, data: Data, score: str, parametrization: LinearGaussian) -> None:
        super().__init__(data, score)
        assert isinstance(parametrization.prior, NormalWishart)
        self.prior = parametrization.prior
        self.nodes = node_posteriors(data, self.prior)

    def log_densities(self, families: SampledFamilies, new: Data) -> list[Array]:
        """Return the log density of each node in each new row, as [parent set, row]."""
        values = new.continuous_values(self.score)
        found = []
        for node, parents in enumerate(families.parents):
            counted = observational_rows(node, new)
            densities = np.zeros((len(parents), new.rows))
            densities[:, counted] = _by_size(
                parents, partial(self.nodes[node].log_predictive, rows=values[counted])
            )
            found.append(densities)
        return found

    def joint_log_densities(self, families: SampledFamilies, new: Data) -> list[Array]:
        """Return the joint log density of each node in all new rows, by its parent sets."""
        after = node_posteriors(with_new_rows(self.data, new), self.prior)
        return [
            _by_size(parents, after[node].log_constants)
            - _by_size(parents, self.nodes[node].log_constants)
            for node, parents in enumerate(families.parents)
        ]

    def effect(
        self,
        families: SampledFamilies,
        pair: tuple[int, int],
        reference: Any,
        draws: int,
        seed: int,
    ) -> LinearEffect:
        """Return the total effect of the source on the target, per unit."""
        refuse_reference(reference)
        source, target = (self.data.variables[node] for node in pair)
        found = self.effect_matrix(families, draws, seed, [(source, target)])
        return LinearEffect(source, target, found.estimate(source, target))

    def effect_matrix(
        self,
        families: SampledFamilies,
        draws: int,
        seed: int,
        pairs: Iterable[tuple[str, str]] | None,
    ) -> Effects:
        """Return the total effects of all pairs."""
        return effect_matrix(families, self.data.variables, self.nodes, draws, seed, pairs)

    def prediction(
        self,
        families: SampledFamilies,
        rows: PartialRows,
        target: int,
        level: float,
        draws: int,
        seed: int,
    ) -> NumberPredictions:
        """Return the predictive distribution of the target given the rest of each row."""
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
        """Yield the distribution of the target given the rest of some rows at a time."""
        return gaussian_mixtures(families, self.nodes, rows, target, draws, seed)


def refuse_reference(reference: Any) -> None:
    """Refuse a level to compare with where the effect is per unit."""
    if reference is not None:
        raise ArgumentError(
            option("reference"),
            " is for a discrete source, but the effect is per unit; leave it out",
        )


def number_predictions(
    data: Data,
    rows: PartialRows,
    target: int,
    level: float,
    pieces: Iterable[tuple[slice | NDArray[np.int64], NormalMixtures]],
) -> NumberPredictions:
    """Return predictions from the mixtures of all rows, which come piece by piece.

    Those of a column that is modelled on another scale are of its own values all the same: normal
    there, so that the means are known, and quantiles and densities follow the scale.
    """
    name = data.variables[target]
    scale = data.preparation.scales.get(name)
    values = np.where(rows.known[:, target], rows.values[:, target], np.nan)
    found = {
        each: np.empty(len(rows))
        for each in ("mean", "spread", "low", "high", "density", "rank", "effective")
    }
    for piece, mixtures in pieces:
        found["mean"][piece], found["spread"][piece] = mixtures.moments(scale)
        found["low"][piece] = mixtures.quantile((1 - level) / 2)
        found["high"][piece] = mixtures.quantile((1 + level) / 2)
        found["density"][piece] = mixtures.log_density(values[piece])
        found["rank"][piece] = mixtures.cumulative(values[piece])
        found["effective"][piece] = mixtures.effective_components()
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


def _by_size(
    parents: Sequence[tuple[int, ...]], function: Callable[[list[tuple[int, ...]]], Array]
) -> Array:
    """Apply a function of parent sets of one size to all of them, size by size."""
    by_size: dict[int, list[int]] = {}
    for place, members in enumerate(parents):
        by_size.setdefault(len(members), []).append(place)
    found = {size: function([parents[i] for i in chosen]) for size, chosen in by_size.items()}
    result = np.empty((len(parents), *next(iter(found.values())).shape[1:]))
    for size, chosen in by_size.items():
        result[chosen] = found[size]
    return result
