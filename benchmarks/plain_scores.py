"""Scores one family at a time with NumPy and SciPy, as anyone would write it first."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln, multigammaln

from arcwise.data import Data


class PlainBDeu:
    """BDeu with an equivalent sample size of 1, counting every family from its rows."""

    def __init__(self, data: Data) -> None:
        self.codes = data.discrete_codes("BDeu").astype(np.int64)
        self.levels = data.level_counts()

    def __call__(self, node: int, parents: Sequence[int]) -> float:
        configuration = np.zeros(len(self.codes), dtype=np.int64)
        for parent in parents:
            configuration = configuration * self.levels[parent] + self.codes[:, parent]
        own = int(self.levels[node])
        configurations = math.prod(int(self.levels[parent]) for parent in parents)
        cell = configuration * own + self.codes[:, node]
        counts = np.bincount(cell, minlength=configurations * own).reshape(configurations, own)
        row, each = 1.0 / configurations, 1.0 / (configurations * own)
        return float(
            np.sum(gammaln(each + counts) - gammaln(each))
            - np.sum(gammaln(row + counts.sum(axis=1)) - gammaln(row))
        )


class PlainBGe:
    """BGe with its default prior, two determinants for every family."""

    def __init__(self, data: Data) -> None:
        values = data.continuous_values("BGe")
        self.rows, self.n = values.shape
        self.alpha_w = self.n + 2
        self.scale = (self.alpha_w - self.n - 1) / 2.0
        mean = values.mean(axis=0)
        centred = values - mean
        self.matrix = (
            self.scale * np.eye(self.n)
            + centred.T @ centred
            + self.rows / (self.rows + 1.0) * np.outer(mean, mean)
        )

    def of_set(self, members: Sequence[int]) -> float:
        size = len(members)
        if size == 0:
            return 0.0
        freedom = self.alpha_w - self.n + size
        _, log_determinant = np.linalg.slogdet(self.matrix[np.ix_(members, members)])
        return float(
            -0.5 * size * math.log(self.rows + 1.0)
            - 0.5 * size * self.rows * math.log(math.pi)
            + multigammaln(0.5 * (self.rows + freedom), size)
            - multigammaln(0.5 * freedom, size)
            + 0.5 * freedom * size * math.log(self.scale)
            - 0.5 * (self.rows + freedom) * log_determinant
        )

    def __call__(self, node: int, parents: Sequence[int]) -> float:
        return self.of_set([*parents, node]) - self.of_set(parents)
