"""Linear Gaussian regressions, with the posterior of `BGe`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Data
from arcwise.data.columns import Kind
from arcwise.data.profile import LawName
from arcwise.laws.law import FamilyPosterior, FamilyPosteriors, Law
from arcwise.laws.normal_wishart import NormalWishart, conditioned, node_posteriors
from arcwise.laws.regressions import RegressionPosterior

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearGaussian(Law):
    """A linear regression with normal noise for each family of continuous variables.

    Parameters
    ----------
    prior
        The prior of mean and precision of all variables, from which those of the regressions
        follow; None for a score without one.

    Examples
    --------
    >>> LinearGaussian(None).has_prior
    False
    """

    has_means: ClassVar[bool] = True
    kind: ClassVar[LawName] = "gaussian"
    all_numbers: ClassVar[bool] = True

    prior: NormalWishart | None

    @property
    def has_prior(self) -> bool:
        """Whether the regressions have a prior."""
        return self.prior is not None

    def allows(self, child: Kind, parent: Kind) -> bool:
        """Return True: whatever is a number."""
        return True

    def given(self, data: Data) -> LinearGaussianPosteriors:
        """Return the posterior of all regressions."""
        assert self.prior is not None
        return LinearGaussianPosteriors(self, data, self.prior)


class LinearGaussianPosteriors(FamilyPosteriors):
    """The normal-Wishart posteriors of all regressions: those of many families come together."""

    def __init__(self, law: Law, data: Data, prior: NormalWishart) -> None:
        super().__init__(law, data)
        self.prior = prior
        self.nodes = node_posteriors(data, prior)

    @property
    def origin(self) -> Array:
        """The posterior mean of each variable, from the rows that count for it."""
        return np.array([own.mean[own.node] for own in self.nodes])

    def family(self, node: int, parents: tuple[int, ...]) -> RegressionPosterior:
        """Compute the posterior of one family."""
        return self._of_one_size(node, [parents])[0]

    def every(self, node: int, parents: Sequence[tuple[int, ...]]) -> list[FamilyPosterior]:
        """Return the posteriors of some families of a node, those of one size at once."""
        waiting: dict[int, list[tuple[int, ...]]] = {}
        for members in parents:
            if (node, members) not in self._families:
                waiting.setdefault(len(members), []).append(members)
        for of_size in waiting.values():
            for found in self._of_one_size(node, of_size):
                self._families[node, found.parents] = found
        return super().every(node, parents)

    def _of_one_size(
        self, node: int, parents: Sequence[tuple[int, ...]]
    ) -> list[RegressionPosterior]:
        own = self.nodes[node]
        columns = np.array([(*members, node) for members in parents], dtype=np.intp)
        origins, centres = self.origin[columns], own.mean[columns]
        found = conditioned(own.root.T[columns].transpose(0, 2, 1))
        strengths, degrees = np.array([own.strength]), np.array([own.degrees + columns.shape[1]])
        result = []
        for place, members in enumerate(parents):
            one = slice(place, place + 1)
            regressions = centres[one], *(each[one] for each in found)
            family = self, node, members, (), members, (), origins[place]
            result.append(RegressionPosterior(*family, strengths, degrees, *regressions))
        return result
