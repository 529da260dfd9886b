"""`Inference`: what follows from the posterior of the parameters, for one kind of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.errors import ArgumentError
from arcwise.parameters.dirichlet import Tables
from arcwise.parameters.effect import LevelEffects, LinearEffect
from arcwise.parameters.effect_matrix import Effects
from arcwise.parameters.gaussian_prediction import NormalMixtures
from arcwise.parameters.mean_effects import MeanEffects
from arcwise.parameters.partial_rows import PartialRows
from arcwise.parameters.predictions import LevelPredictions, NumberPredictions
from arcwise.parameters.sampled import SampledFamilies

Array = NDArray[np.float64]


class Inference(ABC):
    """Inference about the parameters of DAGs, given data and the prior of a score.

    Each kind of parameters is a subclass, and `requirements` lists them by their
    `Parametrization`.

    Parameters
    ----------
    data
        The data.
    score
        The name of the score, for messages.
    """

    all_numbers: ClassVar[bool] = False
    """Whether all columns are numbers, those of whole numbers included."""

    tables: Tables | None = None
    """The posterior of the tables of discrete variables, if there are any."""

    def __init__(self, data: Data, score: str) -> None:
        self.data = data
        self.score = score

    @abstractmethod
    def log_densities(self, families: SampledFamilies, new: Data) -> list[Array]:
        """Return the log density of each node in each new row, as [parent set, row].

        With the parameters integrated out; 0 where the node was intervened on.
        """

    @abstractmethod
    def joint_log_densities(self, families: SampledFamilies, new: Data) -> list[Array]:
        """Return the joint log density of each node in all new rows, by its parent sets."""

    @abstractmethod
    def effect(
        self,
        families: SampledFamilies,
        pair: tuple[int, int],
        reference: Any,
        draws: int,
        seed: int,
    ) -> LinearEffect | LevelEffects | MeanEffects:
        """Return the effect of the first variable of a pair on the second.

        Parameters
        ----------
        families
            The DAGs.
        pair
            The source and the target.
        reference
            The level of a discrete source to compare the others with; None for the first.
        draws, seed
            The number of parameter draws for each DAG, and their seed.
        """

    @abstractmethod
    def prediction(
        self,
        families: SampledFamilies,
        rows: PartialRows,
        target: int,
        level: float,
        draws: int,
        seed: int,
    ) -> LevelPredictions | NumberPredictions:
        """Return the distribution of the target given the rest of each row.

        Parameters
        ----------
        families
            The DAGs.
        rows, target
            The rows, and the variable to predict.
        level
            The probability of the intervals of a continuous target.
        draws, seed
            The number of parameter draws for each DAG, where there are any, and their seed.
        """

    def mixtures(
        self,
        families: SampledFamilies,
        rows: PartialRows,
        target: int,
        draws: int,
        seed: int,
    ) -> Iterable[tuple[slice | NDArray[np.int64], NormalMixtures]]:
        """Yield the distribution of a continuous target given the rest of some rows at a time.

        Parameters
        ----------
        families, rows, target, draws, seed
            As for `prediction`.
        """
        raise NotImplementedError

    def effect_matrix(
        self,
        families: SampledFamilies,
        draws: int,
        seed: int,
        pairs: Iterable[tuple[str, str]] | None,
    ) -> Effects:
        """Return the effects of all pairs."""
        raise ArgumentError(
            "effects of all pairs are for continuous data scored by BGe, but the score is "
            f"{self.score}; give source and target, as in arcwise.effects(posterior, 'x', 'y')"
        )
