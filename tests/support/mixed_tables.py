"""Small mixed tables, as the library and as the reference take them, with fixed hyperparameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcwise import Data, Model
from arcwise.data import ContinuousColumn, DiscreteColumn
from arcwise.scores import ConditionalGaussian
from reference.mixed_parameters import MixedPrior
from reference.scores import Rows
from support.strategies import Case

NAMES = "abcdefgh"


def mixed_case(
    levels: Sequence[int],
    rows: int,
    seed: int,
    *,
    weighted: bool = False,
    intervened: bool = False,
    far: float = 0.0,
) -> Case:
    """Return a table whose columns depend on those before them; 0 levels is a continuous one.

    Parameters
    ----------
    far
        How far from 0 the numbers are.
    """
    random = np.random.default_rng(seed)
    values = np.zeros((rows, len(levels)))
    for place, size in enumerate(levels):
        earlier = values[:, :place] @ random.normal(size=place)
        if size:
            noise = random.integers(0, size, rows)
            values[:, place] = np.where(
                random.random(rows) < 0.5, noise, np.floor(np.abs(earlier)) % size
            )
        else:
            values[:, place] = earlier + random.normal(size=rows)
    weights = random.uniform(0.3, 2.0, rows) if weighted else None
    mask = random.random((rows, len(levels))) < 0.2 if intervened else None
    values[:, [not size for size in levels]] += far
    return Case(
        Data(columns_of(levels, values), weights, mask),
        Rows(
            values.tolist(),
            None if weights is None else weights.tolist(),
            None if mask is None else mask.tolist(),
            tuple(levels),
        ),
    )


def columns_of(
    levels: Sequence[int], values: np.ndarray
) -> list[DiscreteColumn | ContinuousColumn]:
    return [
        DiscreteColumn(NAMES[i], values[:, i].astype(np.uint16), tuple(range(size)))
        if size
        else ContinuousColumn(NAMES[i], values[:, i])
        for i, size in enumerate(levels)
    ]


def mixed_model(case: Case, score: ConditionalGaussian) -> tuple[Model, MixedPrior]:
    """Return the model, and its hyperparameters as the reference takes them."""
    prior = score.regression_prior(case.data)
    return Model(case.data, score), MixedPrior(
        score.equivalent_sample_size,
        prior.alpha_mu,
        prior.degrees,
        prior.mean.tolist(),
        prior.scale.tolist(),
    )
