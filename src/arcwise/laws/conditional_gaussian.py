"""Tables and regressions by configuration, with the posterior of `ConditionalGaussian`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.columns import Kind
from arcwise.data.profile import LawName
from arcwise.errors import CapacityError, option
from arcwise.laws.law import FamilyPosterior, FamilyPosteriors, Law, configuration_numbers
from arcwise.laws.regressions import (
    ConfigurationMoments,
    NormalWishart,
    RegressionPosterior,
    RegressionPrior,
    updated,
)
from arcwise.laws.tables import MAX_CELLS, DirichletPrior, TablePosteriors

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ConditionalLinearGaussian(Law):
    """Tables for discrete variables, regressions by configuration for continuous ones.

    A continuous variable has a linear regression on its continuous parents for each
    configuration of its discrete parents; a discrete one has discrete parents only.

    Parameters
    ----------
    tables
        The prior of the tables.
    regressions
        The prior of the continuous variables, which configurations share.

    Examples
    --------
    >>> regressions = RegressionPrior(1.0, 3.0, np.zeros(2), np.ones(2))
    >>> ConditionalLinearGaussian(DirichletPrior(1.0), regressions).has_prior
    True
    """

    has_means: ClassVar[bool] = True
    kind: ClassVar[LawName] = "conditional-gaussian"

    tables: DirichletPrior
    regressions: RegressionPrior

    @property
    def has_prior(self) -> bool:
        """True: tables and regressions have a prior."""
        return True

    def allows(self, child: Kind, parent: Kind) -> bool:
        """Return whether the child is continuous, or both are discrete."""
        return child.size == 0 or parent.size > 0

    def given(self, data: Data) -> ConditionalGaussianPosteriors:
        """Return the posterior of all tables and regressions."""
        return ConditionalGaussianPosteriors(self, data)


class ConditionalGaussianPosteriors(FamilyPosteriors):
    """The posteriors of all tables, and of the regressions of each configuration."""

    def __init__(self, law: ConditionalLinearGaussian, data: Data) -> None:
        super().__init__(law, data)
        self._prior = law.regressions
        self._tables = TablePosteriors(law, data, law.tables)
        self._values = data.values()[:, list(self.continuous)]
        self._weights = np.ones(data.rows) if data.weights is None else data.weights
        self._split: dict[tuple[int, tuple[int, ...]], ConfigurationMoments] = {}

    @property
    def origin(self) -> Array:
        """The prior mean of each variable."""
        return self._prior.mean

    def family(self, node: int, parents: tuple[int, ...]) -> FamilyPosterior:
        """Compute the posterior of one family."""
        if self.is_discrete(node):
            return self._tables.of(node, parents)
        discrete = tuple(u for u in parents if self.is_discrete(u))
        sizes = tuple(self.levels[u] for u in discrete)
        if math.prod(sizes) * len(self.continuous) ** 2 > MAX_CELLS:
            raise CapacityError(
                f"{self.variables[node]!r} has a regression for each of {math.prod(sizes)} "
                f"configurations of {len(discrete)} discrete parents, which is too many; merge "
                "levels or lower ",
                option("max_indegree"),
            )
        return RegressionPosterior.of(
            self, node, parents, self._by_configuration(node, discrete, sizes)
        )

    def _normal_wishart(self, configurations: int) -> NormalWishart:
        shared = self._prior.shared(configurations)
        chosen = list(self.continuous)
        degrees = shared.degrees + len(chosen) - 1
        return NormalWishart(
            shared.alpha_mu, degrees, shared.mean[chosen], np.diag(shared.scale[chosen])
        )

    def _by_configuration(
        self, node: int, discrete: tuple[int, ...], sizes: tuple[int, ...]
    ) -> ConfigurationMoments:
        """Return the moments of all continuous columns."""
        intervened = self.data.intervened
        mask = None if intervened is None else intervened[:, node]
        # All nodes that were never intervened on share the same moments.
        key = node if mask is not None and mask.any() else -1
        if (key, discrete) not in self._split:
            counted = np.ones(len(self._values), dtype=np.bool_) if key < 0 else ~mask  # type: ignore[operator]
            number = math.prod(sizes)
            prior = self._normal_wishart(number)
            codes = self.data.codes()[counted].T
            which = configuration_numbers(codes, discrete, sizes, codes.shape[1])
            values, weights = self._values[counted], self._weights[counted]
            order = np.argsort(which, kind="stable")
            ends = np.cumsum(np.bincount(which, minlength=number))
            empty = updated(prior, values[:0], weights[:0])
            found = [
                updated(prior, values[rows], weights[rows]) if len(rows) else empty
                for rows in np.split(order, ends[:-1])
            ]
            self._split[key, discrete] = ConfigurationMoments(
                self.continuous,
                np.array([each[0] for each in found]),
                np.array([each[1] for each in found]),
                np.stack([each[2] for each in found]),
                np.stack([each[3] for each in found]),
            )
        return self._split[key, discrete]
