"""A small model of measurements whose posterior is written out."""

from __future__ import annotations

from typing import Any

import numpy as np

from arcwise import Model
from arcwise.scores import BGe


def simple_model(rows: int = 8, **settings: Any) -> tuple[Model, np.ndarray, np.ndarray]:
    """Return a model of three variables, and the mean and matrix R of its posterior."""
    random = np.random.default_rng(2)
    values = random.normal(size=(rows, 3))
    values[:, 1] += values[:, 0]
    values[:, 2] += values[:, 0] - 0.5 * values[:, 1]
    prior = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 1.5]])
    model = Model(values, BGe(0.7, 5.5, 0.0, prior), **settings)
    mean = values.mean(axis=0)
    scatter = (values - mean).T @ (values - mean)
    return model, mean, prior + scatter + rows * 0.7 / (rows + 0.7) * np.outer(mean, mean)
